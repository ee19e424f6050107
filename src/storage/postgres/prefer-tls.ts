/** TLS if the server supports it, as is libpq's default; pg supports only "always" and "never". */
import net from 'node:net';
import { Duplex } from 'node:stream';
import tls from 'node:tls';

/** Postgres' SSLRequest: its length, and a number that is not a protocol version. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);

type Done = (error?: Error | null) => void;

/**
 * A connection for pg's option `stream`. Emits `connect` when the mode is negotiated: encrypted, without
 * verification, if the server supports it; unencrypted if it does not, or if the handshake fails.
 */
export class PreferTls extends Duplex {
  private socket: net.Socket | undefined;

  /** @param identity our certificate, for a server that requests one */
  constructor(private readonly identity: Pick<tls.ConnectionOptions, 'cert' | 'key'> = {}) {
    super({ allowHalfOpen: false });
  }

  /** Connects to a host's port, or, as in pg, to the path of a local socket, which needs no encryption. */
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
    // Extra bytes would be injected by an attacker to be taken for the server's.
    if (answer !== 'S') throw new Error('the server did not answer the request for TLS with S or N');
    const named = net.isIP(host) === 0 ? { servername: host } : {};
    const secured = tracked(tls.connect({ ...this.identity, ...named, socket, rejectUnauthorized: false }));
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
    const socket = tracked(host === undefined ? net.connect(String(port)) : net.connect(Number(port), host));
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

  /** Sends corked chunks as one: a query is some of a few bytes. */
  override _writev(chunks: { chunk: Buffer }[], done: Done): void {
    this.socket!.write(Buffer.concat(chunks.map(({ chunk }) => chunk)), done);
  }

  override _final(done: Done): void {
    if (!this.socket || this.socket.destroyed) done();
    else this.socket.end(() => done());
  }

  override _destroy(error: Error | null, done: Done): void {
    this.socket?.destroy();
    done(error);
  }

  /** Always set: pg calls it before there is a socket. */
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

/**
 * An error that occurs while nothing waits is reported by the next wait; an unhandled one would end the process.
 */
function tracked<T extends net.Socket>(socket: T): T {
  return socket.on('error', () => undefined);
}

/** Settles with the event; rejects on an error, or if the socket ends first. */
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
