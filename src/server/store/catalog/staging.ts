/** Staged versions: which they are, what their judge found (src/server/staged), and how they become the latest. */
import { type Kysely, sql } from 'kysely';
import { CodedError } from '../../../language/errors';
import { type JsonObject } from '../../../language/plan';
import { type Tables } from '../tables';

/** The version that waits to be promoted. */
export interface StagedVersion {
  readonly path: string;
  readonly version: number;
  readonly staged_at: Date;
}

/** The verdicts on past executions, summed up. */
export interface StagedVerdictTally {
  /** By verdict; a verdict that none got is missing. */
  readonly counts: Readonly<Record<string, number>>;
  /** By cause of what is not the same, with the first execution of each. */
  readonly groups: readonly {
    readonly verdict: string;
    readonly cause: string;
    readonly count: number;
    readonly execution_id: string;
    readonly finding: JsonObject;
  }[];
  readonly touches: Readonly<Record<string, number>>;
  /** Executions still to be judged. */
  readonly pending: number;
}

/** Groups that are read. */
const MAX_GROUPS = 200;

export class Staging {
  constructor(private readonly query: Kysely<Tables>) {}

  /** The staged version of a path. */
  async of(path: string): Promise<StagedVersion | undefined> {
    const row = await this.query
      .selectFrom('noetl.catalog_path')
      .select(['staged_version', 'staged_at'])
      .where('path', '=', path)
      .executeTakeFirst();
    if (typeof row?.staged_version !== 'number') return undefined;
    return { path, version: row.staged_version, staged_at: row.staged_at ?? new Date(0) };
  }

  /** What the judge found about a version. */
  async verdicts(path: string, version: number): Promise<StagedVerdictTally> {
    const of = this.query
      .selectFrom('noetl.staged_verdict')
      .where('path', '=', path)
      .where('version', '=', version);
    const counted = await of
      .select(['verdict', (eb) => eb.fn.countAll<string>().as('count')])
      .groupBy('verdict')
      .execute();
    const groups = await of
      .select([
        'verdict',
        'cause',
        (eb) => eb.fn.countAll<string>().as('count'),
        sql<string>`min(execution_id)`.as('execution_id'),
        sql<JsonObject>`(array_agg(finding ORDER BY execution_id))[1]`.as('finding'),
      ])
      .where('cause', 'is not', null)
      .groupBy(['verdict', 'cause'])
      .orderBy('count', 'desc')
      .orderBy('cause')
      .limit(MAX_GROUPS)
      .execute();
    const touches = await sql<{ id: string; count: string }>`
      SELECT t.key AS id, sum(t.value::bigint) AS count
      FROM noetl.staged_verdict s, jsonb_each_text(s.touches) t
      WHERE s.path = ${path} AND s.version = ${version} GROUP BY 1`.execute(this.query);
    return {
      counts: Object.fromEntries(
        counted.flatMap(({ verdict, count }) => (verdict === null ? [] : [[verdict, Number(count)]])),
      ),
      groups: groups.map(({ verdict, cause, count, ...example }) => ({
        verdict: verdict ?? '',
        cause: cause ?? '',
        count: Number(count),
        ...example,
      })),
      touches: Object.fromEntries(touches.rows.map(({ id, count }) => [id, Number(count)])),
      pending: Number(counted.find(({ verdict }) => verdict === null)?.count ?? 0),
    };
  }

  /**
   * Makes a version the latest; if it was staged, it no longer is.
   *
   * @returns the version that was the latest before; null for none
   * @throws CodedError `STAGED_VERSION_GONE` if the path has no such version
   */
  async promote(path: string, version: number): Promise<number | null> {
    return await this.query.transaction().execute(async (trx) => {
      const place = await trx
        .selectFrom('noetl.catalog_path')
        .select(['latest_version', 'staged_version'])
        .where('path', '=', path)
        .forUpdate()
        .executeTakeFirst();
      const released = await trx
        .updateTable('noetl.catalog')
        .set({ released: true })
        .where('path', '=', path)
        .where('version', '=', version)
        .where('deleted_at', 'is', null)
        .executeTakeFirst();
      if (!place || Number(released.numUpdatedRows) === 0)
        throw new CodedError('STAGED_VERSION_GONE', `the catalog has no version ${version} of ${path}`);
      await trx
        .updateTable('noetl.catalog_path')
        .set({ latest_version: version, ...stagingOf({}, version, place.staged_version) })
        .where('path', '=', path)
        .execute();
      return place.latest_version;
    });
  }

  /** The staged version stays registered, and is staged no longer. @returns its number; undefined if there is none */
  async unstage(path: string): Promise<number | undefined> {
    return await this.query.transaction().execute(async (trx) => {
      const place = await trx
        .selectFrom('noetl.catalog_path')
        .select('staged_version')
        .where('path', '=', path)
        .forUpdate()
        .executeTakeFirst();
      if (typeof place?.staged_version !== 'number') return undefined;
      await trx
        .updateTable('noetl.catalog_path')
        .set({ staged_version: null, staged_at: null })
        .where('path', '=', path)
        .execute();
      await forgetVerdicts(trx, path);
      return place.staged_version;
    });
  }
}

/** What a path has staged after the registration or promotion of a version. */
export function stagingOf(
  { staged }: { readonly staged?: boolean },
  version: number,
  before: number | null,
): { staged_version?: number | null; staged_at?: Date | null } {
  if (!staged) return version === before ? { staged_version: null, staged_at: null } : {};
  return version === before ? {} : { staged_version: version, staged_at: new Date() };
}

/** Of a path's staged version: verdicts are about no other. */
export async function forgetVerdicts(query: Kysely<Tables>, path: string): Promise<void> {
  await query.deleteFrom('noetl.staged_verdict').where('path', '=', path).execute();
}
