/**
 * Rows of Postgres as messages: locked in a transaction while they are in hand, so that another taker is given others, and
 * a taker that dies gives them back at once. Acknowledged ones are done with in the same transaction.
 */
import { Client, type ClientConfig, type QueryResultRow } from 'pg';
import { type OpenSource, type SourceMessage } from '../source';
import { Bell, InHand } from './arriving';

export interface RowQueueSql {
  /** `$1`: at most so many; further values follow. Columns `row`, and those that `deliver` reads. */
  readonly claim: string;
  readonly values?: readonly unknown[];
  /** `$1`: `row` of those that are acknowledged. */
  readonly done: string;
  readonly count: string;
  /** Of `NOTIFY`, if something says that there are rows. */
  readonly channel?: string;
}

export type ClaimedRow = { readonly row: string } & Readonly<Record<string, unknown>>;
type Deliver = (row: ClaimedRow) => SourceMessage | Promise<SourceMessage>;

const CONNECT_MS = 10_000;

/** @param sqlOf is told of what the database says @throws errors of the server */
export async function openRows(
  config: ClientConfig,
  sqlOf: (database: Pick<Client, 'query'>) => RowQueueSql | Promise<RowQueueSql>,
  deliver: Deliver,
  signal: AbortSignal,
): Promise<OpenSource> {
  const client = new Client({
    ...config,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    application_name: 'noetl-temporal triggers',
  });
  client.on('error', () => undefined); // the next query fails
  await client.connect();
  try {
    const sql = await sqlOf(client);
    if (sql.channel !== undefined) await client.query(`LISTEN ${client.escapeIdentifier(sql.channel)}`);
    return new RowQueue(client, sql, deliver, signal);
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
}

class RowQueue implements OpenSource {
  private readonly bell: Bell;
  private readonly inHand = new InHand<string>();

  constructor(
    private readonly client: Client,
    private readonly sql: RowQueueSql,
    private readonly deliver: Deliver,
    signal: AbortSignal,
  ) {
    this.bell = new Bell(signal);
    client.on('notification', this.bell.ring);
    client.on('end', this.bell.ring);
  }

  async take(most: number, waitMs: number): Promise<readonly SourceMessage[]> {
    return await this.bell.first(() => this.claim(most), waitMs);
  }

  /** The transaction ends with it. */
  async settle(done: readonly SourceMessage[], back: readonly SourceMessage[]): Promise<void> {
    const rows = this.inHand.letGo(done);
    this.inHand.letGo(back);
    await this.orRollback(async () => {
      if (rows.length > 0) await this.rows(this.sql.done, [rows]);
      await this.rows('COMMIT');
    });
  }

  async lag(): Promise<number> {
    const [row] = await this.rows<{ count: string }>(this.sql.count, this.sql.values);
    return Number(row?.count ?? 0);
  }

  async close(): Promise<void> {
    await this.client.end();
  }

  private async claim(most: number): Promise<SourceMessage[]> {
    await this.rows('BEGIN');
    return await this.orRollback(async () => {
      const rows = await this.rows<ClaimedRow>(this.sql.claim, [most, ...(this.sql.values ?? [])]);
      if (rows.length === 0) await this.rows('ROLLBACK');
      return await Promise.all(rows.map(async (row) => this.inHand.hold(await this.deliver(row), row.row)));
    });
  }

  private async orRollback<T>(act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      await this.rows('ROLLBACK').catch(() => undefined);
      throw error;
    }
  }

  private async rows<Row extends QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row[]> {
    return (await this.client.query<Row>(text, values && [...values])).rows;
  }
}
