/**
 * A TCP proxy in front of Postgres that can hold back the answer to a COMMIT: the moment between the commit of a row
 * and the completion of the activity that wrote it, made as long as a test needs.
 */
import net, { type AddressInfo } from 'node:net';

export interface PgProxy {
  readonly port: number;
  /** Commits of writing transactions that the server confirmed so far. */
  readonly commits: number;
  /** Called with the number of each confirmed commit; while it returns a promise, the client does not hear of it. */
  onCommit: ((commit: number) => Promise<void> | undefined) | undefined;
  close(): Promise<void>;
}

/** CommandComplete of an INSERT that wrote something; the transaction's COMMIT follows in a later message. */
const WROTE = /INSERT 0 [1-9]\d*\0/;
const COMMITTED = 'COMMIT\0';

export async function startPgProxy(target: { host: string; port: number }): Promise<PgProxy> {
  const sockets = new Set<net.Socket>();
  const proxy = {
    port: 0,
    commits: 0,
    onCommit: undefined as PgProxy['onCommit'],
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const server = net.createServer((client) => {
    const upstream = net.connect(target.port, target.host);
    let wrote = false;
    let held = Promise.resolve();
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream);
    upstream.on('data', (chunk: Buffer) => {
      const text = chunk.toString('latin1');
      wrote ||= WROTE.test(text);
      const committed = wrote && (text.includes(COMMITTED) || isAutocommit(text));
      if (committed) {
        wrote = false;
        proxy.commits++;
        const wait = proxy.onCommit?.(proxy.commits);
        if (wait) held = held.then(() => wait);
      }
      held = held.then(() => void client.write(chunk));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  proxy.port = (server.address() as AddressInfo).port;
  return proxy;
}

/** ReadyForQuery in state idle after the write: the statement was its own transaction. */
function isAutocommit(text: string): boolean {
  return WROTE.test(text) && /Z\0\0\0\x05I/.test(text);
}
