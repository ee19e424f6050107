/** Pages of the catalog's lists: lines without contents, so that a page costs the same whatever was registered. */
import { type SelectQueryBuilder, sql, type RawBuilder } from 'kysely';
import { isMapping, type Json, type JsonObject } from '../../../language/plan';

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
  /** What its author says of it, shortened. */
  readonly about: JsonObject | null;
}

/** Keys of `metadata` that lists show. */
const SHOWN_KEYS = [
  'description',
  'agent',
  'capabilities',
  'tags',
  'exposed_in_ui',
  'expose',
  'exposes_as_mcp',
  'terminal',
];
/** Of a value, as JSON. */
const SHOWN_BYTES = 2000;

/** What lists show of a document's metadata: kept beside the text, so that a list reads no texts. */
export function aboutOf({ metadata }: JsonObject): JsonObject {
  if (!isMapping(metadata)) return {};
  return Object.fromEntries(
    SHOWN_KEYS.flatMap((key): [string, Json][] => {
      const value = metadata[key];
      const shown = typeof value === 'string' ? value.slice(0, SHOWN_NAME) : value;
      return shown === undefined || JSON.stringify(shown).length > SHOWN_BYTES ? [] : [[key, shown]];
    }),
  );
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
