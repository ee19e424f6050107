import net from 'node:net';

/**
 * A free TCP port on the loopback interface: the preferred one when nothing listens there, else one the system picks.
 * Between the answer and its use somebody else may take it, so callers start again when binding fails.
 */
export async function freePort(preferred?: number): Promise<number> {
  if (preferred !== undefined && (await canListen(preferred)) !== undefined) return preferred;
  const port = await canListen(0);
  if (port === undefined) throw new Error('no free TCP port on 127.0.0.1');
  return port;
}

/** A free port that stays ours until it is given back, for whoever binds it next. */
export async function heldPort(): Promise<{ readonly port: number; release(): Promise<void> }> {
  const holder = net.createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    holder.once('error', reject);
    holder.listen({ port: 0, host: '127.0.0.1', exclusive: true }, resolve);
  });
  return {
    port: (holder.address() as net.AddressInfo).port,
    release: () => new Promise((resolve) => void holder.close(() => resolve())),
  };
}

/** Several different free ports; the first ones are preferred where given. */
export async function freePorts(...preferred: (number | undefined)[]): Promise<number[]> {
  const ports: number[] = [];
  for (const wish of preferred) {
    let port = await freePort(wish);
    while (ports.includes(port)) port = await freePort();
    ports.push(port);
  }
  return ports;
}

function canListen(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const probe = net.createServer();
    probe.once('error', () => resolve(undefined));
    probe.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      const address = probe.address();
      const taken = typeof address === 'object' && address ? address.port : undefined;
      probe.close(() => resolve(taken));
    });
  });
}

/** True when something accepts connections on the port of the loopback interface. */
export function isListening(port: number, limitMs = 1_000): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect({ host: '127.0.0.1', port });
    const answer = (listening: boolean): void => {
      socket.destroy();
      resolve(listening);
    };
    socket.setTimeout(limitMs, () => answer(false));
    socket.once('connect', () => answer(true));
    socket.once('error', () => answer(false));
  });
}
