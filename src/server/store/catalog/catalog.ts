/**
 * The catalog: resources by path, with immutable versions. A version is a text: registering the same text under the
 * same path again yields the same version, and the last registered version is the latest, unless it is only staged.
 */
import { createHash } from 'node:crypto';
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import { CodedError } from '../../../language/errors';
import { type Json, type JsonObject } from '../../../language/plan';
import { newExecutionId } from '../../../temporal/client';
import { type Tables } from '../tables';
import { type CatalogRow } from './rows';
import {
  aboutOf,
  type CatalogLine,
  isAgent,
  type Listed,
  type ListFilter,
  type ListPage,
  listingPage,
  SHOWN_NAME,
} from './listing';
import { type CatalogQuota, configuredQuota, refuseBeyond } from './quota';
import { forgetVerdicts, stagingOf } from './staging';

const HEAD = ['catalog_id', 'path', 'version', 'kind', 'name', 'created_at'] as const;
const ENTRY = [...HEAD, 'label', 'digest', 'content', 'payload', 'layout', 'meta', 'deleted_at'] as const;

/** A version of a resource. */
export type CatalogEntry = Pick<Selectable<CatalogRow>, (typeof ENTRY)[number]>;

/** An entry without its content. */
export type CatalogHead = Pick<CatalogEntry, (typeof HEAD)[number]>;

/** An entry to be registered. */
export interface NewEntry {
  readonly path: string;
  readonly kind: string;
  readonly name: string;
  readonly label?: string;
  readonly content: string;
  readonly payload: JsonObject;
  /** The arrangement of its graph; not part of its behaviour, so only the latest is kept. */
  readonly layout?: Json;
  readonly meta?: JsonObject;
  /** To become the latest by `promote` only; replaces what was staged before. */
  readonly staged?: boolean;
}

export interface Registered {
  readonly entry: CatalogEntry;
  /** False if this text was already registered. */
  readonly isNew: boolean;
}

/** A number of the catalog, a `metadata.version`, or `latest`. */
export type Version = string | number;

export class Catalog {
  constructor(
    private readonly query: Kysely<Tables>,
    private readonly quota: CatalogQuota = configuredQuota(),
  ) {}

  /**
   * Registers a text; an existing one (even if deleted) keeps its version and becomes the latest again. Concurrent
   * registrations under one path are serialised, so versions have no gaps.
   *
   * @throws CodedError `RESOURCE_KIND_DIFFERS` if the path belongs to a resource of another kind;
   * `STAGED_IS_LATEST` if a text to be staged is the latest version; `CATALOG_PATH_FULL`, `CATALOG_FULL`
   */
  async register(given: NewEntry): Promise<Registered> {
    const digest = createHash('sha256').update(given.content, 'utf8').digest('hex');
    return await this.query.transaction().execute(async (trx) => {
      const place = await trx
        .insertInto('noetl.catalog_path')
        .values({ path: given.path, kind: given.kind, latest_version: null })
        .onConflict((on) => on.column('path').doUpdateSet({ path: sql`excluded.path` }))
        .returning(['kind', 'last_version', 'latest_version', 'staged_version'])
        .executeTakeFirstOrThrow();
      if (place.kind !== given.kind)
        throw new CodedError(
          'RESOURCE_KIND_DIFFERS',
          `${given.path} is a resource of kind ${place.kind}, not ${given.kind}`,
        );
      const existing = await trx
        .selectFrom('noetl.catalog')
        .select(['version', 'meta'])
        .where('path', '=', given.path)
        .where('digest', '=', digest)
        .executeTakeFirst();
      const version = existing?.version ?? place.last_version + 1;
      if (given.staged && version === place.latest_version)
        throw new CodedError(
          'STAGED_IS_LATEST',
          `this text is version ${version} of ${given.path}, which is the latest: there is nothing to stage`,
        );
      if (!existing) await refuseBeyond(trx, this.quota, given);
      const entry = existing
        ? await again(trx, given, existing)
        : await trx
            .insertInto('noetl.catalog')
            .values({
              catalog_id: newExecutionId(),
              path: given.path,
              version,
              kind: given.kind,
              name: given.name,
              label: given.label ?? null,
              digest,
              content: given.content,
              payload: JSON.stringify(given.payload),
              layout: given.layout ? JSON.stringify(given.layout) : null,
              meta: JSON.stringify(metaOf(given)),
              released: !given.staged,
            })
            .returning(ENTRY)
            .executeTakeFirstOrThrow();
      await trx
        .updateTable('noetl.catalog_path')
        .set({
          last_version: Math.max(place.last_version, version),
          ...(given.staged ? {} : { latest_version: version }),
          ...stagingOf(given, version, place.staged_version),
        })
        .where('path', '=', given.path)
        .execute();
      if (given.staged && version !== place.staged_version) await forgetVerdicts(trx, given.path);
      return { entry, isNew: !existing };
    });
  }

  /** An entry by its id, deleted or not. */
  async byId(catalogId: string): Promise<CatalogEntry | undefined> {
    return await this.query
      .selectFrom('noetl.catalog')
      .select(ENTRY)
      .where('catalog_id', '=', catalogId)
      .executeTakeFirst();
  }

  /** The text registered under a path, deleted or not, by its SHA-256 in hex. */
  async textOf(path: string, digest: string): Promise<string | undefined> {
    const row = await this.query
      .selectFrom('noetl.catalog')
      .select('content')
      .where('path', '=', path)
      .where('digest', '=', digest)
      .executeTakeFirst();
    return row?.content;
  }

  /**
   * The latest version, the one of that number, or the newest with that `metadata.version`, a staged one if there is
   * no other; deleted ones are not found.
   */
  async find(path: string, version: Version = 'latest'): Promise<CatalogEntry | undefined> {
    const living = this.query
      .selectFrom('noetl.catalog')
      .select(ENTRY)
      .where('path', '=', path)
      .where('deleted_at', 'is', null);
    if (version === 'latest') {
      return await living
        .where('version', '=', (eb) =>
          eb.selectFrom('noetl.catalog_path').select('latest_version').where('path', '=', path),
        )
        .executeTakeFirst();
    }
    const number = /^\d{1,9}$/.test(String(version)) ? Number(version) : undefined;
    const counted =
      number === undefined ? undefined : await living.where('version', '=', number).executeTakeFirst();
    return (
      counted ??
      (await living
        .where('label', '=', String(version))
        .orderBy('released', 'desc')
        .orderBy('version', 'desc')
        .limit(1)
        .executeTakeFirst())
    );
  }

  /** Paths of existing resources with that `metadata.name`, at most two: enough to know whether it is unique. */
  async pathsNamed(name: string): Promise<string[]> {
    const rows = await this.query
      .selectFrom('noetl.catalog as entry')
      .innerJoin('noetl.catalog_path as place', (join) =>
        join.onRef('place.path', '=', 'entry.path').onRef('place.latest_version', '=', 'entry.version'),
      )
      .select('entry.path')
      .where('entry.name', '=', name)
      .orderBy('entry.path')
      .limit(2)
      .execute();
    return rows.map(({ path }) => path);
  }

  /** A page of versions except those that were only ever staged, most recently registered first, without content. */
  async list(filter: ListFilter, page: ListPage): Promise<Listed<CatalogLine>> {
    const { kind, deleted = false, latest = false, agents } = filter;
    let statement = this.lines().where('entry.released', '=', true);
    if (kind !== undefined) statement = statement.where('entry.kind', '=', kind.toLowerCase());
    if (!deleted) statement = statement.where('entry.deleted_at', 'is', null);
    if (latest) statement = statement.whereRef('entry.version', '=', 'place.latest_version');
    if (agents) statement = statement.where(isAgent(agents));
    return await listingPage(
      statement.orderBy('entry.created_at', 'desc').orderBy('entry.catalog_id', 'desc'),
      page,
    );
  }

  /** A page of the versions of a path that are not deleted, newest first, without content. */
  async versions(path: string, page: ListPage): Promise<Listed<CatalogLine>> {
    const statement = this.lines().where('entry.path', '=', path).where('entry.deleted_at', 'is', null);
    return await listingPage(
      statement.orderBy('entry.version', 'desc').orderBy('entry.catalog_id', 'desc'),
      page,
    );
  }

  private lines() {
    return this.query
      .selectFrom('noetl.catalog as entry')
      .innerJoin('noetl.catalog_path as place', 'place.path', 'entry.path')
      .select([
        'entry.catalog_id',
        'entry.path',
        'entry.version',
        'entry.kind',
        'entry.digest',
        'entry.created_at',
        'entry.deleted_at',
        // Authors choose its length.
        sql<string>`left(entry.name, ${SHOWN_NAME})`.as('name'),
        sql<number>`octet_length(entry.content)`.as('bytes'),
        sql<boolean>`coalesce(entry.version = place.latest_version, false)`.as('latest'),
        sql<boolean>`coalesce(entry.version = place.staged_version, false)`.as('staged'),
        sql<string | null>`entry.meta ->> 'registered_at'`.as('registered_at'),
        sql<JsonObject | null>`entry.meta -> 'about'`.as('about'),
      ]);
  }

  /** The staged version of a path, if it is not deleted. */
  async stagedVersion(path: string): Promise<number | undefined> {
    const row = await this.query
      .selectFrom('noetl.catalog_path')
      .select('staged_version')
      .where('path', '=', path)
      .executeTakeFirst();
    return row?.staged_version ?? undefined;
  }

  /** A page of the paths that can be called, in order. @param after the last one of the page before */
  async pathsFrom(kind: string, after: string, limit: number): Promise<string[]> {
    const rows = await this.query
      .selectFrom('noetl.catalog_path')
      .select('path')
      .where('kind', '=', kind.toLowerCase())
      .where('latest_version', 'is not', null)
      .where(sql<boolean>`path COLLATE "C" > ${after}`)
      .orderBy(sql`path COLLATE "C"`)
      .limit(limit)
      .execute();
    return rows.map(({ path }) => path);
  }

  /** The paths of these kinds that can be called. @param kinds in lower case */
  async paths(kinds: readonly string[]): Promise<string[]> {
    const rows = await this.query
      .selectFrom('noetl.catalog_path')
      .select('path')
      .where('kind', 'in', kinds)
      .where('latest_version', 'is not', null)
      .execute();
    return rows.map(({ path }) => path);
  }

  /**
   * Deletes a version, or all of a path: they are no longer found by path, but can be restored.
   *
   * @returns the newly deleted ones
   */
  async delete(path: string, version?: number): Promise<CatalogHead[]> {
    return await this.mark(path, version, true);
  }

  /** Undoes a deletion. @returns the restored ones */
  async restore(path: string, version?: number): Promise<CatalogHead[]> {
    return await this.mark(path, version, false);
  }

  private async mark(path: string, version: number | undefined, deleted: boolean): Promise<CatalogHead[]> {
    return await this.query.transaction().execute(async (trx) => {
      // The lock also taken by registrations.
      await trx
        .selectFrom('noetl.catalog_path')
        .select('path')
        .where('path', '=', path)
        .forUpdate()
        .execute();
      let marking = trx
        .updateTable('noetl.catalog')
        .set({ deleted_at: deleted ? sql<Date>`now()` : null })
        .where('path', '=', path)
        .where('deleted_at', deleted ? 'is' : 'is not', null);
      if (version !== undefined) marking = marking.where('version', '=', version);
      const changed = await marking.returning(HEAD).execute();
      await trx
        .updateTable('noetl.catalog_path')
        .set((eb) => ({
          latest_version: eb
            .selectFrom('noetl.catalog as entry')
            .select((inner) => inner.fn.max<number>('entry.version').as('version'))
            .whereRef('entry.path', '=', 'noetl.catalog_path.path')
            .where('entry.released', '=', true)
            .where('entry.deleted_at', 'is', null),
          staged_version: eb
            .selectFrom('noetl.catalog as entry')
            .select('entry.version')
            .whereRef('entry.path', '=', 'noetl.catalog_path.path')
            .whereRef('entry.version', '=', 'noetl.catalog_path.staged_version')
            .where('entry.deleted_at', 'is', null),
        }))
        .where('path', '=', path)
        .execute();
      return [...changed].sort((a, b) => b.version - a.version);
    });
  }
}

/** Notes of whoever registered it, and what lists show. */
function metaOf({ meta, payload }: NewEntry): JsonObject {
  return { ...meta, about: aboutOf(payload), registered_at: new Date().toISOString() };
}

async function again(
  trx: Transaction<Tables>,
  { path, layout, meta, staged }: NewEntry,
  existing: Pick<CatalogEntry, 'version' | 'meta'>,
): Promise<CatalogEntry> {
  return await trx
    .updateTable('noetl.catalog')
    .set({
      deleted_at: null,
      ...(staged ? {} : { released: true }),
      ...(layout ? { layout: JSON.stringify(layout) } : {}),
      ...(meta === undefined ? {} : { meta: JSON.stringify({ ...existing.meta, ...meta }) }),
    })
    .where('path', '=', path)
    .where('version', '=', existing.version)
    .returning(ENTRY)
    .executeTakeFirstOrThrow();
}
