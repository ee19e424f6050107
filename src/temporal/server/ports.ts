import { randomInt } from 'node:crypto';
import net from 'node:net';

/** Ports that no system hands out by itself: one of those is soon some other program's end of a connection. */
const [FIRST_PORT, LAST_PORT] = [15_000, 32_000];

/**
 * A free TCP port on the loopback interface: the preferred one if nothing listens there, otherwise one chosen by
 * chance. Another program may take it before it is used, so callers retry if binding fails.
 */
export async function freePort(preferred?: number): Promise<number> {
  if (preferred !== undefined && (await canListen(preferred)) !== undefined) return preferred;
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const port = randomInt(FIRST_PORT, LAST_PORT);
    if ((await canListen(port)) !== undefined) return port;
  }
  const port = await canListen(0);
  if (port === undefined) throw new Error('no free TCP port on 127.0.0.1');
  return port;
}

/** Listens and rejects connections. @throws errors of `listen` for a port that is taken or not permitted */
async function listenOn(port: number, host = '127.0.0.1'): Promise<net.Server> {
  const server = net.createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, exclusive: true }, resolve);
  });
  return server;
}

/**
 * A port reserved until released, for a later bind.
 *
 * @param wish 0 for any free port
 * @throws errors of `listen` for a port that is taken or not permitted
 */
export async function heldPort(wish = 0): Promise<{ readonly port: number; release(): Promise<void> }> {
  const holder = await listenOn(wish);
  return {
    port: (holder.address() as net.AddressInfo).port,
    release: () => new Promise((resolve) => void holder.close(() => resolve())),
  };
}

/** Ports for a server that is about to be started. */
export interface ClaimedPorts {
  readonly ports: readonly number[];
  /** Address on which the same ports are held; undefined if this machine has no second one. */
  readonly guardHost: string | undefined;
  /** Call when the server is listening, or has failed to start. */
  release(): void;
}

/**
 * Several different free ports, which no other process of ours takes before they are released; the first ones are
 * preferred if given.
 *
 * A checked port is free until it is bound, and another process starting a server meanwhile sees it as free too:
 * then one of the two servers fails, and its client would talk to the other. So the same port number is held on
 * another loopback address from before the check until the server listens. The system releases it if we are killed.
 */
export async function claimPorts(...preferred: (number | undefined)[]): Promise<ClaimedPorts> {
  const guards: net.Server[] = [];
  const ports: number[] = [];
  const claim = async (wish: number | undefined): Promise<boolean> => {
    const port = wish ?? (await freePort());
    const guard = await guardOf(port);
    if (guard === 'taken') return false;
    if ((await canListen(port)) === undefined) {
      guard?.close();
      return false;
    }
    if (guard) guards.push(guard);
    ports.push(port);
    return true;
  };
  const release = (): void => guards.splice(0).forEach((guard) => guard.close());
  for (const wish of preferred) {
    let claimed = wish !== undefined && !ports.includes(wish) && (await claim(wish));
    for (let attempt = 0; !claimed; attempt += 1) {
      if (attempt > 100) {
        release();
        throw new Error('no free TCP port on 127.0.0.1');
      }
      claimed = await claim(undefined);
    }
  }
  return { ports, guardHost: (guards[0]?.address() as net.AddressInfo | undefined)?.address, release };
}

/** 127.0.0.2 exists on Linux and Windows, `::1` on macOS. */
const GUARD_HOSTS = ['127.0.0.2', '::1'];

/** Undefined if there is no second address on which to hold the port. */
async function guardOf(port: number): Promise<net.Server | 'taken' | undefined> {
  for (const host of GUARD_HOSTS) {
    try {
      return (await listenOn(port, host)).unref();
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (['EADDRINUSE', 'EACCES'].includes(code)) return 'taken';
    }
  }
  return undefined;
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
