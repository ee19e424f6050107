/**
 * The table `auth_cache`: secrets in use and tokens fetched with them, per execution or global, encrypted, with a
 * usage count. Workers share tokens through it. Expired entries are removed.
 */
import { type Kysely, type Selectable, sql } from 'kysely';
import { type KeyRing } from '../../../storage/keyring';
import { type JsonObject } from '../../../language/plan';
import { type Database } from '../database';
import { type Tables } from '../tables';
import { type AuthCacheTable } from './tables';

/** An hour after the last use, as specified by the architecture. */
export const DEFAULT_TTL_MS = 3_600_000;
/** Maximum time to live: a day. */
export const MAX_TTL_MS = 86_400_000;
/** Prevents outsiders from creating long keys. */
export const MAX_KEY_LENGTH = 512;
const SWEEP_EVERY_MS = 60_000;

const INFO = [
  'cache_key',
  'credential_name',
  'credential_type',
  'cache_type',
  'scope_type',
  'execution_id',
  'expires_at',
  'created_at',
  'accessed_at',
  'access_count',
] as const satisfies readonly (keyof AuthCacheTable)[];

export type CachedInfo = Pick<Selectable<AuthCacheTable>, (typeof INFO)[number]>;

export interface Cached extends CachedInfo {
  readonly data: JsonObject;
}

type Named = 'cache_key' | 'credential_name' | 'credential_type' | 'cache_type';

export interface NewCached extends Pick<AuthCacheTable, Named> {
  readonly execution_id?: string | null;
  readonly parent_execution_id?: string | null;
  readonly data: JsonObject;
  /** Default: the time to live from now. */
  readonly expires_at?: Date;
  /** Overrides the cache's time to live. */
  readonly ttlMs?: number;
}

export class AuthCache {
  private sweptAt = 0;

  /** @param ttlMs how long a secret is kept after its last use */
  constructor(
    private readonly database: Pick<Database, 'query'>,
    private readonly keys: KeyRing,
    private readonly ttlMs = DEFAULT_TTL_MS,
  ) {}

  /** Stores an entry, replacing an existing one; each write counts as a use. */
  async put(entry: NewCached, query: Kysely<Tables> = this.database.query): Promise<void> {
    const { cache_key, execution_id = null, parent_execution_id = null, ...more } = entry;
    const { data, ttlMs = this.ttlMs, expires_at, ...named } = more;
    const values = {
      ...named,
      scope_type: execution_id === null ? ('global' as const) : ('execution' as const),
      execution_id,
      parent_execution_id,
      kid: this.keys.kid,
      data_encrypted: this.keys.seal(JSON.stringify(data), placeOf(cache_key)),
      expires_at: expires_at ?? sql<Date>`now() + ${ttlMs} * interval '1 millisecond'`,
      access_count: 1,
    };
    await query
      .insertInto('noetl.auth_cache')
      .values({ cache_key, ...values })
      .onConflict((conflict) =>
        conflict.column('cache_key').doUpdateSet({
          ...values,
          accessed_at: sql`now()`,
          access_count: sql`auth_cache.access_count + 1`,
        }),
      )
      .execute();
    await this.sweepNowAndThen(query);
  }

  /**
   * The unexpired entry. A use extends the life of a secret; a token expires when its issuer says so.
   *
   * @param only of this type: readers of tokens must not get secrets, whose reading is audited
   * @throws KeyRingError if it was encrypted with a missing key
   */
  async get(key: string, only?: CachedInfo['cache_type']): Promise<Cached | undefined> {
    await this.sweepNowAndThen(this.database.query);
    let used = this.database.query
      .updateTable('noetl.auth_cache')
      .set({
        accessed_at: sql`now()`,
        access_count: sql`access_count + 1`,
        expires_at: sql`CASE cache_type WHEN 'token' THEN expires_at
                        ELSE greatest(expires_at, now() + ${this.ttlMs} * interval '1 millisecond') END`,
      })
      .where('cache_key', '=', key)
      .where('expires_at', '>', sql<Date>`now()`);
    if (only) used = used.where('cache_type', '=', only);
    const row = await used.returning([...INFO, 'data_encrypted']).executeTakeFirst();
    if (!row) return undefined;
    const { data_encrypted, ...info } = row;
    return {
      ...info,
      data: JSON.parse(this.keys.open(data_encrypted, placeOf(key)).toString()) as JsonObject,
    };
  }

  async drop(key: string): Promise<void> {
    await this.database.query.deleteFrom('noetl.auth_cache').where('cache_key', '=', key).execute();
  }

  /**
   * Removes expired entries periodically, so that unused ones do not stay.
   *
   * @param report called if the database is unavailable; the next sweep is tried nevertheless
   * @returns stops the sweeping
   */
  sweepOnAndOn(report: (error: unknown) => void): () => void {
    const timer = setInterval(() => void this.sweep().catch(report), SWEEP_EVERY_MS);
    timer.unref();
    void this.sweep().catch(report);
    return () => clearInterval(timer);
  }

  /** All unexpired entries without their values, most recently used first. */
  async list(limit = 1000): Promise<CachedInfo[]> {
    return await this.database.query
      .selectFrom('noetl.auth_cache')
      .select(INFO)
      .where('expires_at', '>', sql<Date>`now()`)
      .orderBy('accessed_at', 'desc')
      .limit(limit)
      .execute();
  }

  /**
   * Removes expired entries.
   *
   * @param query a running transaction: waiting for a second connection of the pool could deadlock
   * @returns their number
   */
  async sweep(query: Kysely<Tables> = this.database.query): Promise<number> {
    this.sweptAt = Date.now();
    const { numDeletedRows } = await query
      .deleteFrom('noetl.auth_cache')
      .where('cache_key', 'in', (from) =>
        from
          .selectFrom('noetl.auth_cache')
          .select('cache_key')
          .where('expires_at', '<=', sql<Date>`now()`)
          // Entries in use are skipped instead of waited for.
          .forUpdate()
          .skipLocked(),
      )
      .executeTakeFirst();
    return Number(numDeletedRows);
  }

  private async sweepNowAndThen(query: Kysely<Tables>): Promise<void> {
    if (Date.now() - this.sweptAt >= SWEEP_EVERY_MS) await this.sweep(query);
  }
}

/** The location to which the ciphertext is bound. */
function placeOf(key: string): string {
  return `auth_cache/${key}`;
}
