/** What the catalog's routes are asked for, as NoETL's clients write it. */
import { z } from 'zod';
import { type CatalogEntry } from '../../../store';
import { type CatalogReference } from '../../catalog/reference';
import { boundedText, mapping } from '../declare';

/** Maximum of Postgres' INTEGER. */
export const MAX_VERSION = 2_147_483_647;
/** A number of the catalog, a `metadata.version`, or `latest`. */
export const versionParam = z.union([boundedText(100), z.int().min(0).max(MAX_VERSION)]).nullish();
const idParam = z.union([boundedText(100), z.int()]);
/** A path or an id. */
export const playbookParam = z.union([boundedText(600), z.int()]);

export const referenceBody = z
  .object({ catalog_id: idParam.nullish(), path: boundedText(600).nullish(), version: versionParam })
  .describe('A `catalog_id`, or a `path` and optionally a `version`: a number, a name, or `latest`');

/** Clients send absent, null and empty values alike. */
export function catalogReferenceOf({
  catalog_id,
  path,
  version,
}: z.output<typeof referenceBody>): CatalogReference {
  return {
    ...(isGiven(catalog_id) && { catalog_id }),
    ...(path && { path }),
    ...(isGiven(version) && { version }),
  };
}

/** What to execute; `playbook_id` is a path or an entry's id, as is any path. */
export function executedOf({
  playbook_id,
  ...named
}: z.output<typeof referenceBody> & { playbook_id?: string | number | null }): CatalogReference {
  const reference = catalogReferenceOf(named);
  if (!isGiven(playbook_id) || reference.catalog_id !== undefined || reference.path !== undefined)
    return reference;
  return { path: String(playbook_id), ...reference };
}

function isGiven<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined && value !== '';
}

export const registration = z.object({
  content: z.string().max(4_000_000).default('').describe('YAML or JSON, plain or in base64'),
  content_base64: z.string().max(6_000_000).optional().describe('Alias of `content`'),
  resource_type: z.string().max(100).nullish().describe('For a document without `kind`'),
  layout: z
    .union([mapping, z.array(z.unknown())])
    .nullish()
    .describe('Layout data of an editor'),
  meta: mapping.nullish().describe('Notes, stored with the content'),
  staged: z.boolean().default(false).describe('Do not make it the latest: `POST /api/catalog/promote` does'),
});

export function asEntry<Entry extends CatalogEntry>({ label: _, ...entry }: Entry): Omit<Entry, 'label'> {
  return entry;
}
