/**
 * Submissions with an Idempotency-Key: the execution id is generated and stored before the execution starts, so
 * that a repeated request, at any facade, refers to the same execution.
 */
import { type Kysely, sql } from 'kysely';
import { type Tables } from '../tables';

export interface Submission {
  readonly fingerprint: string;
  readonly execution_id: string;
  readonly catalog_id: string;
  /** Null until the execution is known to exist in Temporal. */
  readonly started_at: Date | null;
}

/** Older keys may be reused for another request. Temporal's retention is at least a day. */
const KEPT = '7 days';
const SWEEP_MS = 3_600_000;

export class Submissions {
  private sweptAt = 0;

  constructor(private readonly query: Kysely<Tables>) {}

  /** The submission of a key; undefined for a new key. */
  async find(principal: string, key: string): Promise<Submission | undefined> {
    return await this.query
      .selectFrom('noetl.submission')
      .select(['fingerprint', 'execution_id', 'catalog_id', 'started_at'])
      .where('principal', '=', principal)
      .where('key', '=', key)
      .executeTakeFirst();
  }

  /** Records the submission of a new key, unless another facade just did; then returns that one. */
  async begin(
    principal: string,
    key: string,
    submission: Omit<Submission, 'started_at'>,
  ): Promise<Submission> {
    await this.sweep();
    await this.query
      .insertInto('noetl.submission')
      .values({ principal, key, ...submission })
      .onConflict((on) => on.columns(['principal', 'key']).doNothing())
      .execute();
    return (await this.find(principal, key)) ?? { ...submission, started_at: null };
  }

  async started(principal: string, key: string): Promise<void> {
    await this.query
      .updateTable('noetl.submission')
      .set({ started_at: sql<Date>`now()` })
      .where('principal', '=', principal)
      .where('key', '=', key)
      .execute();
  }

  private async sweep(): Promise<void> {
    if (Date.now() - this.sweptAt < SWEEP_MS) return;
    this.sweptAt = Date.now();
    await this.query
      .deleteFrom('noetl.submission')
      .where('created_at', '<', sql<Date>`now() - ${KEPT}::interval`)
      .execute();
  }
}
