/**
 * Re-encrypts everything with the first key, in batches, while facades are running. It can be interrupted and
 * resumed, because each row names its key.
 */
import { sql } from 'kysely';
import { type KeyRing, KeyRingError } from '../../../storage/keyring';
import { type Database } from '../database';
import { noteAccess, type CredentialReader } from './audit';
import { credentialPlace } from './credentials';

export interface Rotated {
  /** Re-encrypted credentials. */
  readonly credentials: number;
  /** Dropped entries of `auth_cache`: they are recreated at their next use. */
  readonly dropped: number;
  /** Credentials that could not be decrypted, and why; they are left unchanged. */
  readonly failed: readonly { readonly name: string; readonly code: string; readonly message: string }[];
  /** Credentials still encrypted with other keys: failed ones, and those written by a facade meanwhile. */
  readonly left: number;
}

const BATCH = 100;

/**
 * @param rotator principal for the audit
 * @param progress called after each batch with the number done
 */
export async function rotateCredentials(
  database: Pick<Database, 'query'>,
  keys: KeyRing,
  rotator: CredentialReader,
  { batch = BATCH, progress }: { batch?: number; progress?: (done: number) => void } = {},
): Promise<Rotated> {
  const failed: { name: string; code: string; message: string }[] = [];
  let credentials = 0;
  let after: string | undefined = '0';
  while (after !== undefined) {
    after = await database.query.transaction().execute(async (query) => {
      const rows = await query
        .selectFrom('noetl.credential')
        .select(['id', 'name', 'data_encrypted'])
        .where('kid', '!=', keys.kid)
        .where('id', '>', after!)
        .orderBy('id')
        .limit(batch)
        .forUpdate()
        .execute();
      for (const { id, name, data_encrypted } of rows) {
        try {
          const sealed = keys.seal(keys.open(data_encrypted, credentialPlace(name)), credentialPlace(name));
          await query
            .updateTable('noetl.credential')
            .set({ data_encrypted: sealed, kid: keys.kid })
            .where('id', '=', id)
            .execute();
          await noteAccess(query, 'rotate', { id, name }, rotator);
          credentials += 1;
        } catch (error) {
          if (!(error instanceof KeyRingError)) throw error;
          failed.push({ name, code: error.code, message: error.message });
        }
      }
      return rows.at(-1)?.id;
    });
    progress?.(credentials);
  }
  const { numDeletedRows } = await database.query
    .deleteFrom('noetl.auth_cache')
    .where('kid', '!=', keys.kid)
    .executeTakeFirst();
  const { left } = await database.query
    .selectFrom('noetl.credential')
    .select(sql<string>`count(*)`.as('left'))
    .where('kid', '!=', keys.kid)
    .executeTakeFirstOrThrow();
  return { credentials, dropped: Number(numDeletedRows), failed, left: Number(left) };
}
