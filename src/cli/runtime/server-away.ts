/** A look at the Temporal server before anything heavy is loaded: meanwhile nobody could be told whom the command waits for. */
import net from 'node:net';
import { configuredAddress } from '../../temporal/address';
import { sayWaiting, temporalAt } from '../output/waiting';

/** Milliseconds; a server that is there takes a connection within a few. */
const LOOK_MS = 500;

/** Says so at once where the server of TEMPORAL_ADDRESS takes no connection. */
export async function sayIfAway(): Promise<void> {
  const address = configuredAddress();
  if (address !== undefined && !(await takesConnections(address))) sayWaiting(temporalAt(address));
}

function takesConnections(address: string): Promise<boolean> {
  const [, host, port] = /^\[?(.*?)\]?:(\d+)$/.exec(address)!;
  return new Promise((resolve) => {
    const socket = net.connect({ host, port: Number(port) });
    const settle = (answer: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    };
    const timer = setTimeout(() => settle(false), LOOK_MS);
    socket.once('connect', () => settle(true)).once('error', () => settle(false));
  });
}
