/** How much a catalog stores: whoever may register texts must not be able to fill the database. */
import { sql, type Transaction } from 'kysely';
import { CodedError } from '../../../language/errors';
import { numberSetting } from '../../../language/errors/number-settings';
import { type Tables } from '../tables';

/** Bytes of all versions, deleted ones included. */
export interface CatalogQuota {
  readonly path: number;
  readonly all: number;
}

const MIB = 1024 * 1024;

/** `NOETL_CATALOG_PATH_MB` and `NOETL_CATALOG_MB`, in MiB; 0 for no limit. */
export function configuredQuota(
  env: Readonly<Record<string, string | undefined>> = process.env,
): CatalogQuota {
  const bytes = (mib: number): number => (mib === 0 ? Number.POSITIVE_INFINITY : mib * MIB);
  return {
    path: bytes(numberSetting('NOETL_CATALOG_PATH_MB', env) ?? 64),
    all: bytes(numberSetting('NOETL_CATALOG_MB', env) ?? 2048),
  };
}

/** Called with the row of the path locked. @throws CodedError `CATALOG_PATH_FULL`, `CATALOG_FULL` */
export async function refuseBeyond(
  trx: Transaction<Tables>,
  quota: CatalogQuota,
  given: { readonly path: string; readonly content: string },
): Promise<void> {
  // Sizes are known without reading the values.
  const bytes = sql<string>`octet_length(content) + pg_column_size(payload)
    + coalesce(pg_column_size(layout), 0) + pg_column_size(meta)`;
  const row = await trx
    .selectFrom('noetl.catalog')
    .select([
      sql<string>`coalesce(sum(${bytes}) FILTER (WHERE path = ${given.path}), 0)`.as('path'),
      sql<string>`coalesce(sum(${bytes}), 0)`.as('all'),
    ])
    .executeTakeFirstOrThrow();
  const more = Buffer.byteLength(given.content);
  if (Number(row.path) + more > quota.path)
    throw full('CATALOG_PATH_FULL', `the versions of ${given.path}`, quota.path, 'NOETL_CATALOG_PATH_MB');
  if (Number(row.all) + more > quota.all)
    throw full('CATALOG_FULL', 'all texts of the catalog', quota.all, 'NOETL_CATALOG_MB');
}

function full(code: string, what: string, limit: number, setting: string): CodedError {
  return new CodedError(code, `${what} together would exceed ${limit / MIB} MiB`, {
    hint: [`An operator raises the limit (${setting}), or removes rows of noetl.catalog that nothing needs.`],
  });
}
