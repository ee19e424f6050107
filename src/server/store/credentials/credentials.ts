/** Credentials: stored encrypted; every read is audited. */
import { type Kysely, type Selectable, sql } from 'kysely';
import { type KeyRing } from '../../../storage/keyring';
import { type JsonObject } from '../../../language/plan';
import { newExecutionId } from '../../../temporal/client';
import { type Database } from '../database';
import { type Tables } from '../tables';
import { type AuditEntry, noteAccess, readAudit, type CredentialReader } from './audit';
import { AuthCache } from './auth-cache';
import { type CredentialTable } from './tables';

const INFO = [
  'id',
  'name',
  'type',
  'description',
  'tags',
  'meta',
  'paths',
  'kid',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof CredentialTable)[];

/** The public fields of a credential. */
export interface CredentialInfo extends Pick<Selectable<CredentialTable>, (typeof INFO)[number]> {
  /** When its data was last read, as far as the audit goes back; in lists only. */
  readonly last_used_at?: Date;
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
  /**
   * Paths of playbooks, with `*`, whose executions may open it; null or empty: all. Absent: as before, so that a new
   * password does not open it to others.
   */
  readonly paths?: readonly string[] | null;
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
  async put(credential: NewCredential, writer: CredentialReader): Promise<CredentialInfo> {
    const values = {
      type: credential.type,
      description: credential.description ?? null,
      tags: [...(credential.tags ?? [])],
      meta: credential.meta ? JSON.stringify(credential.meta) : null,
      ...(credential.paths !== undefined && { paths: bindingOf(credential.paths) }),
      kid: this.keys.kid,
      data_encrypted: this.keys.seal(JSON.stringify(credential.data), credentialPlace(credential.name)),
    };
    return this.database.query.transaction().execute(async (query) => {
      const row = await query
        .insertInto('noetl.credential')
        .values({ id: newExecutionId(), name: credential.name, ...values })
        .onConflict((conflict) =>
          conflict.column('name').doUpdateSet({ ...values, updated_at: sql`clock_timestamp()` }),
        )
        .returning(INFO)
        .executeTakeFirstOrThrow();
      await forget(query, row.name);
      await noteAccess(query, 'write', row, writer);
      return row;
    });
  }

  /**
   * Without data, by name.
   *
   * @param filter.types spellings of one type, lower case
   * @param filter.q part of a name, a description or a tag, in any case
   */
  async list(
    filter: { types?: readonly string[]; q?: string; limit?: number; offset?: number } = {},
  ): Promise<CredentialInfo[]> {
    let statement = this.database.query
      .selectFrom('noetl.credential')
      .select(INFO)
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
    const { types, q, limit, offset } = filter;
    if (limit !== undefined) statement = statement.limit(limit).offset(offset ?? 0);
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
    return rows.map(({ last_used_at, ...row }) => ({ ...row, ...(last_used_at && { last_used_at }) }));
  }

  /** @param which name or id */
  async info(which: string): Promise<CredentialInfo | undefined> {
    return (await find(this.database.query, which))?.info;
  }

  /**
   * With its data. The read is recorded in the audit and in `auth_cache` before the data is returned.
   *
   * @param ttlMs how long `auth_cache` keeps it, overriding its default
   * @throws KeyRingError `KEY_UNKNOWN`, `CIPHERTEXT_DAMAGED`
   */
  async read(which: string, reader: CredentialReader, ttlMs?: number): Promise<StoredCredential | undefined> {
    return this.database.query.transaction().execute(async (query) => {
      const stored = await find(query, which);
      if (!stored) return undefined;
      const { name, type } = stored.info;
      const data = JSON.parse(
        this.keys.open(stored.encrypted, credentialPlace(name)).toString(),
      ) as JsonObject;
      const { execution_id, parent_execution_id } = reader;
      await noteAccess(query, 'read', stored.info, reader);
      await this.cache.put(
        {
          cache_key: `${execution_id === undefined ? 'global' : `execution/${execution_id}`}/secret/${name}`,
          credential_name: name,
          credential_type: type,
          cache_type: 'secret',
          execution_id,
          parent_execution_id,
          data,
          ttlMs,
        },
        query,
      );
      return { ...stored.info, data };
    });
  }

  /** Records that a reader was not given a credential. */
  async refused(credential: Pick<CredentialInfo, 'id' | 'name'>, reader: CredentialReader): Promise<void> {
    await noteAccess(this.database.query, 'refused', credential, reader);
  }

  /** @returns undefined if there was none */
  async remove(which: string, writer: CredentialReader): Promise<CredentialInfo | undefined> {
    return this.database.query.transaction().execute(async (query) => {
      const info = (await find(query, which))?.info;
      if (!info) return undefined;
      await query.deleteFrom('noetl.credential').where('id', '=', info.id).execute();
      await forget(query, info.name);
      await noteAccess(query, 'delete', info, writer);
      return info;
    });
  }

  /** Newest first. */
  audit(filter: { name?: string; executionId?: string; limit?: number }): Promise<AuditEntry[]> {
    return readAudit(this.database.query, filter);
  }
}

function bindingOf(paths: readonly string[] | null): string[] | null {
  return paths && paths.length > 0 ? [...paths] : null;
}

/** The location to which a credential's ciphertext is bound. */
export function credentialPlace(name: string): string {
  return `credential/${name}`;
}

/** A credential and its ciphertext. */
interface Encrypted {
  readonly info: CredentialInfo;
  readonly encrypted: Buffer;
}

/** By name, or by id if no credential has this name. */
async function find(query: Kysely<Tables>, which: string): Promise<Encrypted | undefined> {
  const all = query.selectFrom('noetl.credential').select([...INFO, 'data_encrypted']);
  const isId = /^[1-9]\d{0,18}$/.test(which) && BigInt(which) <= MAX_ID;
  const row =
    (await all.where('name', '=', which).executeTakeFirst()) ??
    (isId ? await all.where('id', '=', which).executeTakeFirst() : undefined);
  if (!row) return undefined;
  const { data_encrypted: encrypted, ...info } = row;
  return { info, encrypted };
}

const MAX_ID = 2n ** 63n - 1n;

/** Tokens fetched with the previous value are obsolete. */
async function forget(query: Kysely<Tables>, name: string): Promise<void> {
  await query.deleteFrom('noetl.auth_cache').where('credential_name', '=', name).execute();
}
