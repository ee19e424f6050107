import { randomInt } from 'node:crypto';
import net from 'node:net';

/** Ports that no system hands out by itself: one of those is soon some other program's end of a connection. */
export const PORT_RANGE = [15_000, 32_000] as const;

/**
 * A free TCP port on the loopback interface: the preferred one if nothing listens there, otherwise one chosen by
 * chance. Another program may take it before it is used, so callers retry if binding fails.
 */
export async function freePort(preferred?: number): Promise<number> {
  if (preferred !== undefined && (await canListen(preferred)) !== undefined) return preferred;
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const port = randomInt(...PORT_RANGE);
    if ((await canListen(port)) !== undefined) return port;
  }
  const port = await canListen(0);
  if (port === undefined) throw new Error('no free TCP port on 127.0.0.1');
  return port;
}

/**
 * A port reserved until released, for a later bind.
 *
 * @param wish 0 for any free port
 * @throws errors of `listen` for a port that is taken or not permitted
 */
export async function heldPort(wish = 0): Promise<{ readonly port: number; release(): Promise<void> }> {
  const holder = net.createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    holder.once('error', reject);
    holder.listen({ port: wish, host: '127.0.0.1', exclusive: true }, resolve);
  });
  return {
    port: (holder.address() as net.AddressInfo).port,
    release: () => new Promise((resolve) => void holder.close(() => resolve())),
  };
}

async function canListen(port: number): Promise<number | undefined> {
  const hold = await heldPort(port).catch(() => undefined);
  await hold?.release();
  return hold?.port;
}

/** Whether a connection to the port is accepted. */
export function isListening(port: number, limitMs = 1_000, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect({ host, port });
    const answer = (listening: boolean): void => {
      socket.destroy();
      resolve(listening);
    };
    socket.setTimeout(limitMs, () => answer(false));
    socket.once('connect', () => answer(true));
    socket.once('error', () => answer(false));
  });
}
