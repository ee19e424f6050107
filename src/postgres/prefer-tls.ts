/** TLS where the server speaks it, as libpq does it unless told otherwise; pg knows only "must" and "must not". */
import net from 'node:net';
import { Duplex } from 'node:stream';
import tls from 'node:tls';

/** Postgres' SSLRequest: its length, and a number that is no version of the protocol. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);

type Done = (error?: Error | null) => void;

/**
 * A connection for pg's option `stream`. Done (`connect`) when it was agreed how to go on: encrypted, whoever the
 * server is, where that says that it can; in the open where it cannot, or where the handshake fails.
 */
export class PreferTls extends Duplex {
  private socket: net.Socket | undefined;

  /** @param identity who we are, for a server that asks for a certificate */
  constructor(private readonly identity: Pick<tls.ConnectionOptions, 'cert' | 'key'> = {}) {
    super({ allowHalfOpen: false });
  }

  /** To a port of a host, or, as pg calls it, to the path of a local socket, where nobody listens in. */
  connect(port: number | string, host?: string): this {
    this.agree(port, host).then(
      (socket) => this.use(socket),
      (error: Error) => this.destroy(error),
    );
    return this;
  }

  private async agree(port: number | string, host: string | undefined): Promise<net.Socket> {
    const socket = await this.dial(port, host);
    if (host === undefined) return socket;
    socket.write(SSL_REQUEST);
    await happening(socket, 'readable');
    const read = socket.read() as Buffer | null;
    if (!read) throw closedByServer();
    const answer = String(read);
    if (answer === 'N') return socket;
    // More than the byte that was asked for would be somebody's who wants it taken for the server's.
    if (answer !== 'S') throw new Error('the server did not answer the request for TLS with S or N');
    const named = net.isIP(host) === 0 ? { servername: host } : {};
    const secured = heard(tls.connect({ ...this.identity, ...named, socket, rejectUnauthorized: false }));
    this.socket = secured;
    try {
      await happening(secured, 'secureConnect');
      return secured;
    } catch (error) {
      secured.destroy();
      if (this.destroyed) throw error;
      return this.dial(port, host);
    }
  }

  private async dial(port: number | string, host: string | undefined): Promise<net.Socket> {
    const socket = heard(host === undefined ? net.connect(String(port)) : net.connect(Number(port), host));
    this.socket = socket;
    await happening(socket, 'connect');
    return socket.setNoDelay(true);
  }

  private use(socket: net.Socket): void {
    let ended = false;
    socket.on('data', (chunk) => this.push(chunk) || socket.pause());
    socket.once('end', () => {
      ended = true;
      this.push(null);
    });
    socket.once('error', (error) => this.destroy(error));
    socket.once('close', () => ended || this.destroy());
    socket.resume();
    this.emit('connect');
  }

  override _read(): void {
    this.socket?.resume();
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: Done): void {
    this.socket!.write(chunk, encoding, done);
  }

  /** What was corked goes out as one. */
  override _writev(chunks: { chunk: Buffer; encoding: BufferEncoding }[], done: Done): void {
    const socket = this.socket!;
    socket.cork();
    chunks.forEach(({ chunk, encoding }, index) =>
      socket.write(chunk, encoding, index === chunks.length - 1 ? done : undefined),
    );
    socket.uncork();
  }

  override _final(done: Done): void {
    if (!this.socket || this.socket.destroyed) done();
    else this.socket.end(() => done());
  }

  override _destroy(error: Error | null, done: Done): void {
    this.socket?.destroy();
    done(error);
  }

  /** Always so: pg asks for it before there is a socket. */
  setNoDelay(): this {
    return this;
  }

  setKeepAlive(enable?: boolean, initialDelayMs?: number): this {
    this.socket?.setKeepAlive(enable, initialDelayMs);
    return this;
  }

  ref(): this {
    this.socket?.ref();
    return this;
  }

  unref(): this {
    this.socket?.unref();
    return this;
  }
}

/** What goes wrong while nobody waits for it is told by what is waited for next; unheard it would end the process. */
function heard<T extends net.Socket>(socket: T): T {
  return socket.on('error', () => undefined);
}

/** Settles with the event; an error, or an end before it, is a failure. */
function happening(socket: net.Socket, event: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const over = (settle: () => void): void => {
      socket.off(event, happened).off('error', failed).off('close', closed);
      settle();
    };
    const happened = (): void => over(resolve);
    const failed = (error: Error): void => over(() => reject(error));
    const closed = (): void => failed(closedByServer());
    socket.once(event, happened).once('error', failed).once('close', closed);
    if (socket.destroyed) closed();
  });
}

const closedByServer = (): Error => new Error('the server closed the connection');
