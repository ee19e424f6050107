/**
 * Ensures a single consumer per execution and sink: an advisory lock of the database, held by one connection. It is
 * released as soon as its holder dies, so that another consumer can continue.
 */
import { Client } from 'pg';
import { addressOf } from '../../storage/postgres';

export class ProjectionLeases {
  private connection: Promise<Client> | undefined;
  private last: Promise<unknown> = Promise.resolve();
  private readonly leases = new Map<string, () => void>();

  constructor(private readonly url: string) {}

  /**
   * Takes the lease of `name`, unless it is held.
   *
   * @param lost called if the lease is lost before it was released
   * @returns releases it; undefined if it is held by another consumer
   */
  async take(name: string, lost: () => void): Promise<(() => Promise<void>) | undefined> {
    if (this.leases.has(name)) return undefined;
    this.leases.set(name, lost);
    try {
      const client = await (this.connection ??= this.connect());
      if (!(await this.ask(client, 'pg_try_advisory_lock', name))) {
        this.leases.delete(name);
        return undefined;
      }
      return async () => {
        if (!this.leases.delete(name)) return;
        await this.ask(client, 'pg_advisory_unlock', name).catch(() => undefined); // a lost connection holds no lease
      };
    } catch (error) {
      this.leases.delete(name);
      throw error;
    }
  }

  async close(): Promise<void> {
    const { connection } = this;
    this.connection = undefined;
    this.leases.clear();
    await connection?.then((client) => client.end()).catch(() => undefined);
  }

  /** Queries run sequentially, as a connection requires. */
  private async ask(
    client: Client,
    lock: 'pg_try_advisory_lock' | 'pg_advisory_unlock',
    name: string,
  ): Promise<boolean> {
    const query = this.last.then(() =>
      client.query<{ got: boolean }>(`SELECT ${lock}(hashtextextended($1, 0)) AS got`, [name]),
    );
    this.last = query.catch(() => undefined);
    return (await query).rows[0]!.got;
  }

  private async connect(): Promise<Client> {
    const client = new Client({
      ...addressOf(this.url),
      connectionTimeoutMillis: 10_000,
      keepAlive: true,
    });
    const onEnd = (): void => {
      this.connection = undefined;
      const losers = [...this.leases.values()];
      this.leases.clear();
      for (const lost of losers) lost();
    };
    client.on('error', () => undefined);
    client.on('end', onEnd);
    try {
      await client.connect();
      return client;
    } catch (error) {
      this.connection = undefined;
      throw error;
    }
  }
}
