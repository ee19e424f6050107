/**
 * COPY at the level of the Postgres protocol: the server requests data, or sends it. pg parses the messages and leaves
 * their handling to the running query; these two are such queries.
 */
import { type Duplex, type Readable, type Writable } from 'node:stream';
import { type Connection, type PoolClient, type Submittable } from 'pg';

/** Messages of pg's connection that COPY needs and its type declarations omit. */
interface CopyConnection extends Connection {
  readonly stream: Duplex;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(reason: string): void;
}

const CHUNK_BYTES = 64 * 1024;

abstract class CopyQuery implements Submittable {
  protected error: Error | undefined;
  private rows = 0;

  constructor(
    private readonly text: string,
    private readonly done: (error: Error | undefined, rows: number) => void,
  ) {}

  submit(connection: Connection): void {
    connection.query(this.text);
  }

  handleCommandComplete(message: { text: string }): void {
    this.rows = Number(/^COPY (\d+)/.exec(message.text)?.[1] ?? 0);
  }

  handleError(error: Error): void {
    // Also end the query: pg sends nothing more to a failed one.
    this.error ??= error;
    this.done(this.error, 0);
  }

  handleReadyForQuery(): void {
    this.done(undefined, this.rows);
  }

  // Messages that COPY does not send.
  handleRowDescription(): void {}
  handleDataRow(): void {}
  handlePortalSuspended(): void {}
  handleEmptyQuery(): void {}
}

class CopyIn extends CopyQuery {
  constructor(
    text: string,
    private readonly source: Readable,
    done: (error: Error | undefined, rows: number) => void,
  ) {
    super(text, done);
  }

  handleCopyInResponse(connection: Connection): void {
    void this.pump(connection as unknown as CopyConnection);
  }

  private async pump(connection: CopyConnection): Promise<void> {
    try {
      for await (const chunk of this.source) {
        // The server rejected a row and expects no more.
        if (this.error) return;
        const bytes = chunk as Buffer;
        for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
          connection.sendCopyFromChunk(bytes.subarray(at, at + CHUNK_BYTES));
        }
        if (connection.stream.writableNeedDrain) await either(connection.stream, 'drain', 'close');
      }
      if (!this.error) connection.endCopyFrom();
    } catch (error) {
      this.error ??= error as Error;
      connection.sendCopyFail('the source of the data failed');
    }
  }
}

class CopyOut extends CopyQuery {
  private paused = false;

  constructor(
    text: string,
    private readonly target: Writable,
    done: (error: Error | undefined, rows: number) => void,
  ) {
    super(text, done);
  }

  handleCopyData(message: { chunk: Buffer }, connection: Connection): void {
    // A failed target accepts no more; its error surfaces where it is awaited. The chunk is copied, because pg reuses
    // its buffer.
    if (this.target.destroyed || this.target.write(Buffer.from(message.chunk)) || this.paused) return;
    // Data received before the pause still arrives.
    this.paused = true;
    const { stream } = connection;
    stream.pause();
    void either(this.target, 'drain', 'close').then(() => {
      this.paused = false;
      stream.resume();
    });
  }
}

/** Sends what `source` gives; resolves with the number of rows the server took. */
export function copyIn(client: PoolClient, sql: string, source: Readable): Promise<number> {
  return submit(client, (done) => new CopyIn(sql, source, done));
}

/** Writes what the server sends into `target`, which it does not end; resolves with the number of rows. */
export function copyOut(client: PoolClient, sql: string, target: Writable): Promise<number> {
  return submit(client, (done) => new CopyOut(sql, target, done));
}

function submit(
  client: PoolClient,
  query: (done: (error: Error | undefined, rows: number) => void) => Submittable,
): Promise<number> {
  return new Promise((resolve, reject) => {
    client.query(query((error, rows) => (error ? reject(error) : resolve(rows))));
  });
}

/** Resolves at the first of two events. */
function either(stream: Writable | Duplex, one: string, other: string): Promise<void> {
  return new Promise((resolve) => {
    const happened = (): void => {
      stream.off(one, happened).off(other, happened);
      resolve();
    };
    stream.on(one, happened).on(other, happened);
  });
}
