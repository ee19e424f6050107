/**
 * Submissions with a key: the execution id is generated and stored before the execution starts, so that a repeated
 * request, at any facade, refers to the same execution.
 */
import { sql } from 'kysely';
import { type Database } from '../database';

export interface Submission {
  readonly fingerprint: string;
  readonly execution_id: string;
  readonly catalog_id: string;
  /** Null until the execution is known to exist in Temporal. */
  readonly started_at: Date | null;
  readonly age_secs: number;
}

type NewSubmission = Omit<Submission, 'started_at' | 'age_secs'>;

/** Older keys may be reused for another request. Temporal's retention is at least a day. */
export const SUBMISSION_KEPT_SECS = 7 * 86_400;
const SWEEP_MS = 3_600_000;
const SOON_MS = 1000;
const MOST_NOTED = 10_000;

const AGE = sql<number>`extract(epoch FROM now() - created_at)::float8`.as('age_secs');
/** Each message asks it. */
const CLAIM = `INSERT INTO noetl.submission AS s (principal, key, fingerprint, execution_id, catalog_id)
  VALUES ($1, $2, $3, $4, $5) ON CONFLICT (principal, key) DO UPDATE SET (fingerprint, execution_id, catalog_id, created_at, started_at)
    = (excluded.fingerprint, excluded.execution_id, excluded.catalog_id, now(), NULL)
  WHERE s.created_at < now() - make_interval(secs => $6) RETURNING fingerprint, execution_id, catalog_id, started_at, 0::float8 AS age_secs`;

export class Submissions {
  private sweptAt = 0;
  private begun: (readonly [principal: string, key: string, executionId: string])[] = [];
  private noting: NodeJS.Timeout | undefined;

  private readonly query: Database['query'];

  constructor(private readonly database: Pick<Database, 'query' | 'rows'>) {
    this.query = database.query;
  }

  /** The submission of a key; undefined for a new key. @param windowSecs older ones do not count */
  async find(principal: string, key: string, windowSecs?: number): Promise<Submission | undefined> {
    const row = this.query
      .selectFrom('noetl.submission')
      .select(['fingerprint', 'execution_id', 'catalog_id', 'started_at', AGE])
      .where('principal', '=', principal)
      .where('key', '=', key);
    return await (
      windowSecs === undefined ? row : row.where('created_at', '>=', secondsAgo(windowSecs))
    ).executeTakeFirst();
  }

  /** Records the submission of a new key, unless another facade just did; then returns that one. */
  async begin(principal: string, key: string, submission: NewSubmission): Promise<Submission> {
    await this.sweep();
    await this.query
      .insertInto('noetl.submission')
      .values({ principal, key, ...submission })
      .onConflict((on) => on.columns(['principal', 'key']).doNothing())
      .execute();
    return (await this.find(principal, key)) ?? { ...submission, started_at: null, age_secs: 0 };
  }

  /** As `begin`; but a submission that is older than that counts no longer. */
  async claim(
    scope: string,
    key: string,
    windowSecs: number,
    submission: NewSubmission,
  ): Promise<Submission> {
    await this.sweep();
    const { fingerprint, execution_id, catalog_id } = submission;
    const values = [scope, key, fingerprint, execution_id, catalog_id, windowSecs];
    const [claimed] = await this.database.rows<Submission>(CLAIM, values, 'noetl claim');
    return claimed ?? (await this.find(scope, key)) ?? { ...submission, started_at: null, age_secs: 0 };
  }

  /** @param executionId another one may have the key by now */
  async started(principal: string, key: string, executionId: string): Promise<void> {
    await this.query
      .updateTable('noetl.submission')
      .set({ started_at: sql<Date>`now()` })
      .where('principal', '=', principal)
      .where('key', '=', key)
      .where('execution_id', '=', executionId)
      .execute();
  }

  /** As `started`, a moment later and with others. Until then, Temporal itself says that it exists. */
  startedSoon(principal: string, key: string, executionId: string): void {
    if (this.begun.length < MOST_NOTED) this.begun.push([principal, key, executionId]);
    this.noting ??= setTimeout(() => void this.noteStarted(), SOON_MS).unref();
  }

  private async noteStarted(): Promise<void> {
    this.noting = undefined;
    const begun = this.begun.splice(0);
    const [principals, keys, ids] = ([0, 1, 2] as const).map((at) => begun.map((one) => one[at]));
    await sql`UPDATE noetl.submission s SET started_at = now()
      FROM unnest(${principals}::text[], ${keys}::text[], ${ids}::bigint[]) AS b (principal, key, execution_id)
      WHERE s.principal = b.principal AND s.key = b.key AND s.execution_id = b.execution_id`
      .execute(this.query)
      .catch(() => begun.forEach((one) => this.startedSoon(...one)));
  }

  async count(principal: string): Promise<number> {
    const { count } = await this.query
      .selectFrom('noetl.submission')
      .select(sql<string>`count(*)`.as('count'))
      .where('principal', '=', principal)
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  private async sweep(): Promise<void> {
    if (Date.now() - this.sweptAt < SWEEP_MS) return;
    this.sweptAt = Date.now();
    await this.query
      .deleteFrom('noetl.submission')
      .where('created_at', '<', secondsAgo(SUBMISSION_KEPT_SECS))
      .execute();
  }
}

function secondsAgo(seconds: number) {
  return sql<Date>`now() - make_interval(secs => ${seconds})`;
}
