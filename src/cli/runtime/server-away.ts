/**
 * Checks the Temporal server before heavy modules are loaded, because no message could be printed during loading.
 */
import net from 'node:net';
import { configuredAddress } from '../../temporal/address';
import { sayWaiting, temporalAt } from '../output/waiting';

/** Milliseconds; a reachable server accepts a connection within a few. */
const LOOK_MS = 500;

/** Prints a message at once if the server of TEMPORAL_ADDRESS does not accept a connection. */
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
