/** Credentials: stored encrypted; every read is audited. */
import { type Kysely, type Selectable, sql } from 'kysely';
import { type KeyRing } from '../../keyring';
import { compact, type JsonObject } from '../../plan';
import { newExecutionId } from '../../temporal';
import { type Database } from '../database';
import { type Tables } from '../tables';
import { type AuditEntry, note, readAudit, type Reader } from './audit';
import { AuthCache } from './auth-cache';
import { type CredentialTable } from './tables';

/** The public fields of a credential. */
export interface CredentialInfo {
  readonly id: string;
  readonly name: string;
  /** As written by the author. */
  readonly type: string;
  readonly description: string | null;
  readonly tags: readonly string[];
  readonly meta: JsonObject | null;
  /** Name of the encryption key. */
  readonly kid: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** When its data was last read, as far as the audit goes back; in lists only. */
  readonly lastUsedAt?: Date;
}

export interface StoredCredential extends CredentialInfo {
  readonly data: JsonObject;
}

export interface NewCredential {
  readonly name: string;
  readonly type: string;
  readonly data: JsonObject;
  readonly description?: string | null;
  readonly tags?: readonly string[];
  readonly meta?: JsonObject | null;
}

export class Credentials {
  private readonly cache: AuthCache;

  /** @param ttlMs for entries of `auth_cache` */
  constructor(
    private readonly database: Pick<Database, 'query'>,
    private readonly keys: KeyRing,
    ttlMs?: number,
  ) {
    this.cache = new AuthCache(database, keys, ttlMs);
  }

  /** Stores a credential; an existing one of this name is replaced and keeps its id. */
  async put(credential: NewCredential, writer: Reader): Promise<CredentialInfo> {
    const values = {
      type: credential.type,
      description: credential.description ?? null,
      tags: [...(credential.tags ?? [])],
      meta: credential.meta ? JSON.stringify(credential.meta) : null,
      kid: this.keys.kid,
      data_encrypted: this.keys.seal(JSON.stringify(credential.data), placeOf(credential.name)),
    };
    return this.database.query.transaction().execute(async (query) => {
      const row = await query
        .insertInto('noetl.credential')
        .values({ id: newExecutionId(), name: credential.name, ...values })
        .onConflict((conflict) =>
          conflict.column('name').doUpdateSet({ ...values, updated_at: sql`clock_timestamp()` }),
        )
        .returningAll()
        .executeTakeFirstOrThrow();
      await forget(query, row.name);
      await note(query, 'write', row, writer);
      return infoOf(row);
    });
  }

  /**
   * Without data, by name.
   *
   * @param filter.types spellings of one type, lower case
   * @param filter.q part of a name, a description or a tag, in any case
   */
  async list(filter: { types?: readonly string[]; q?: string } = {}): Promise<CredentialInfo[]> {
    let statement = this.database.query
      .selectFrom('noetl.credential')
      .selectAll()
      .select((all) =>
        all
          .selectFrom('noetl.credential_audit')
          .select('at')
          .whereRef('credential_name', '=', 'noetl.credential.name')
          .where('action', '=', 'read')
          .orderBy('noetl.credential_audit.id', 'desc')
          .limit(1)
          .as('last_used_at'),
      )
      .orderBy('name');
    const { types, q } = filter;
    if (types) statement = statement.where(sql<string>`lower(type)`, 'in', types.length > 0 ? types : ['']);
    if (q) {
      const like = `%${q.replace(/[\\%_]/g, '\\$&')}%`;
      statement = statement.where((is) =>
        is.or([
          is('name', 'ilike', like),
          is('description', 'ilike', like),
          is(sql<string>`array_to_string(tags, ' ')`, 'ilike', like),
        ]),
      );
    }
    const rows = await statement.execute();
    return rows.map((row) => ({ ...infoOf(row), ...(row.last_used_at && { lastUsedAt: row.last_used_at }) }));
  }

  /** @param which name or id */
  async info(which: string): Promise<CredentialInfo | undefined> {
    const row = await find(this.database.query, which);
    return row && infoOf(row);
  }

  /**
   * With its data. The read is recorded in the audit and in `auth_cache` before the data is returned.
   *
   * @param ttlMs how long `auth_cache` keeps it, overriding its default
   * @throws KeyRingError `KEY_UNKNOWN`, `CIPHERTEXT_DAMAGED`
   */
  async read(which: string, reader: Reader, ttlMs?: number): Promise<StoredCredential | undefined> {
    return this.database.query.transaction().execute(async (query) => {
      const row = await find(query, which);
      if (!row) return undefined;
      const data = JSON.parse(this.keys.open(row.data_encrypted, placeOf(row.name)).toString()) as JsonObject;
      const { executionId, parentExecutionId } = reader;
      await note(query, 'read', row, reader);
      await this.cache.put(
        {
          key: `${executionId === undefined ? 'global' : `execution/${executionId}`}/secret/${row.name}`,
          name: row.name,
          type: row.type,
          cacheType: 'secret',
          ...compact({ executionId, parentExecutionId }),
          data,
          ...compact({ ttlMs }),
        },
        query,
      );
      return { ...infoOf(row), data };
    });
  }

  /** Records that a reader was not given a credential. */
  async refused(credential: Pick<CredentialInfo, 'id' | 'name'>, reader: Reader): Promise<void> {
    await note(this.database.query, 'refused', credential, reader);
  }

  /** @returns undefined if there was none */
  async remove(which: string, writer: Reader): Promise<CredentialInfo | undefined> {
    return this.database.query.transaction().execute(async (query) => {
      const row = await find(query, which);
      if (!row) return undefined;
      await query.deleteFrom('noetl.credential').where('id', '=', row.id).execute();
      await forget(query, row.name);
      await note(query, 'delete', row, writer);
      return infoOf(row);
    });
  }

  /** Newest first. */
  audit(filter: { name?: string; executionId?: string; limit?: number }): Promise<AuditEntry[]> {
    return readAudit(this.database.query, filter);
  }
}

/** The location to which a credential's ciphertext is bound. */
export function placeOf(name: string): string {
  return `credential/${name}`;
}

/** By name, or by id if no credential has this name. */
async function find(query: Kysely<Tables>, which: string): Promise<Selectable<CredentialTable> | undefined> {
  const all = query.selectFrom('noetl.credential').selectAll();
  const named = await all.where('name', '=', which).executeTakeFirst();
  if (named || !/^[1-9]\d{0,18}$/.test(which) || BigInt(which) > MAX_ID) return named;
  return all.where('id', '=', which).executeTakeFirst();
}

const MAX_ID = 2n ** 63n - 1n;

/** Tokens fetched with the previous value are obsolete. */
async function forget(query: Kysely<Tables>, name: string): Promise<void> {
  await query.deleteFrom('noetl.auth_cache').where('credential_name', '=', name).execute();
}

function infoOf(row: Selectable<CredentialTable>): CredentialInfo {
  return {
    id: row.id,
    name: row.name,
    type: row.type,
    description: row.description,
    tags: row.tags,
    meta: row.meta as JsonObject | null,
    kid: row.kid,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
