/** Pages of the catalog's lists: lines without contents, so that a page costs the same whatever was registered. */
import { type SelectQueryBuilder, sql, type RawBuilder } from 'kysely';

/** Characters of a name in lists. */
export const SHOWN_NAME = 300;

/** A version in a list. */
export interface CatalogLine {
  readonly catalog_id: string;
  readonly path: string;
  readonly version: number;
  readonly kind: string;
  readonly name: string;
  readonly digest: string;
  /** Of the content, in UTF-8. */
  readonly bytes: number;
  readonly created_at: Date;
  readonly deleted_at: Date | null;
  readonly registered_at: string | null;
  readonly latest: boolean;
  readonly staged: boolean;
}

export interface ListFilter {
  /** In any case; default all kinds. */
  readonly kind?: string;
  readonly deleted?: boolean;
  /** Only the latest version of each path. */
  readonly latest?: boolean;
  /** Only agents. */
  readonly agents?: AgentFilter;
}

export interface AgentFilter {
  /** All of these. */
  readonly capabilities: readonly string[];
  readonly path?: string;
}

export interface ListPage {
  readonly size: number;
  /** From 1. */
  readonly page: number;
}

export interface Listed<Line> {
  readonly lines: readonly Line[];
  readonly hasNext: boolean;
}

export async function listingPage<DB, TB extends keyof DB, Line>(
  statement: SelectQueryBuilder<DB, TB, Line>,
  { size, page }: ListPage,
): Promise<Listed<Line>> {
  const rows = await statement
    .limit(size + 1)
    .offset((page - 1) * size)
    .execute();
  return { lines: rows.slice(0, size), hasNext: rows.length > size };
}

/** Playbooks with `metadata.agent`, and resources of kind agent. */
export function isAgent({ capabilities, path }: AgentFilter): RawBuilder<boolean> {
  const required = JSON.stringify(capabilities);
  return sql<boolean>`(entry.kind = 'agent' OR entry.payload #>> '{metadata,agent}' = 'true')
    AND (${path ?? null}::text IS NULL OR entry.path = ${path ?? null})
    AND (${required} = '[]' OR (entry.payload #> '{metadata,capabilities}')::jsonb @> ${required}::jsonb)`;
}
