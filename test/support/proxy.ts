/** A TCP proxy: connections through it can be cut, refused, slowed, and answers held back. */
import net, { type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Proxy {
  readonly port: number;
  /** While true, new connections are closed at once. */
  refuses: boolean;
  /** Milliseconds by which everything is late, in both directions. */
  delayMs: number;
  /** Ends every connection that is open. */
  cut(): void;
  close(): Promise<void>;
}

/**
 * @param watch called for each connection; what it returns sees every chunk of the answers, and holds the connection's
 *   later answers, this one included, until its promise settles
 */
export async function startProxy(
  target: { readonly host: string; readonly port: number },
  watch?: () => (chunk: Buffer) => Promise<void> | undefined,
): Promise<Proxy> {
  const sockets = new Set<net.Socket>();
  const proxy = {
    port: 0,
    refuses: false,
    delayMs: 0,
    cut() {
      for (const socket of sockets) socket.destroy();
    },
    async close() {
      proxy.cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const carry = (
    from: net.Socket,
    to: net.Socket,
    seen?: (chunk: Buffer) => Promise<void> | undefined,
  ): void => {
    let last: Promise<unknown> | undefined;
    from.on('data', (chunk: Buffer) => {
      const held = seen?.(chunk);
      const late = proxy.delayMs > 0 ? sleep(proxy.delayMs) : undefined;
      const waits = [last, held, late].flatMap((one) => (one ? [one] : []));
      if (waits.length === 0) {
        if (!to.write(chunk)) pauseUntilDrained(from, to);
        return;
      }
      const mine: Promise<unknown> = Promise.all(waits).then(() => {
        to.write(chunk);
        if (last === mine) last = undefined;
      });
      last = mine;
    });
  };
  const server = net.createServer((client) => {
    if (proxy.refuses) {
      client.destroy();
      return;
    }
    const upstream = net.connect(target.port, target.host);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    carry(client, upstream);
    carry(upstream, client, watch?.());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  proxy.port = (server.address() as AddressInfo).port;
  return proxy;
}

function pauseUntilDrained(from: net.Socket, to: net.Socket): void {
  from.pause();
  to.once('drain', () => from.resume());
}
