/** Documents of the catalog's routes, as NoETL's clients expect them. */
import { z } from 'zod';
import { FIELD_KINDS } from '../../../../language/dsl';
import { type CatalogEntry } from '../../../store';
import { boundedText } from '../../http/text';
import { diagnosticBody } from '../../catalog/diagnostics';
import { type CatalogReference } from '../../catalog/reference';
import { paginationSchema } from '../../http/pages';

const mapping = z.record(z.string(), z.unknown());

/** Maximum of Postgres' INTEGER. */
export const MAX_VERSION = 2_147_483_647;
/** A number of the catalog, a `metadata.version`, or `latest`. */
const versionParam = z.union([boundedText(100), z.int().min(0).max(MAX_VERSION)]).nullish();
const idParam = z.union([boundedText(100), z.int()]);
/** A path or an id. */
export const playbookParam = z.union([boundedText(600), z.int()]);

export const referenceBody = z
  .object({ catalog_id: idParam.nullish(), path: boundedText(600).nullish(), version: versionParam })
  .meta({
    description: 'A `catalog_id`, or a `path` and optionally a `version`: a number, a name, or `latest`',
  });

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
  content: z.string().max(4_000_000).default('').meta({ description: 'YAML or JSON, plain or in base64' }),
  content_base64: z.string().max(6_000_000).optional().meta({ description: 'Alias of `content`' }),
  resource_type: z.string().max(100).nullish().meta({ description: 'For a document without `kind`' }),
  layout: z
    .union([mapping, z.array(z.unknown())])
    .nullish()
    .meta({ description: 'Layout data of an editor' }),
  meta: mapping.nullish().meta({ description: 'Notes, stored with the content' }),
  staged: z
    .boolean()
    .default(false)
    .meta({ description: 'Do not make it the latest: `POST /api/catalog/promote` does' }),
});

export const registered = z
  .object({
    status: z.literal('success'),
    message: z.string(),
    path: z.string(),
    version: z.int(),
    catalog_id: z.string(),
    kind: z.string(),
    digest: z.string().meta({ description: 'SHA-256 of the content' }),
    created: z.boolean().meta({ description: 'False if this content already existed' }),
    staged: z.boolean().meta({ description: 'It is staged, and not the latest' }),
    diagnostics: z.array(diagnosticBody).meta({ description: 'Warnings and notes' }),
    warnings: z.array(z.string()).meta({ description: 'Schedules that will not start it' }),
  })
  .meta({ id: 'Registered' });

export const catalogEntry = z
  .object({
    catalog_id: z.string(),
    path: z.string(),
    version: z.int(),
    kind: z.string(),
    name: z.string(),
    digest: z.string(),
    content: z.string(),
    payload: mapping.meta({ description: 'The content as JSON' }),
    layout: z.unknown(),
    meta: mapping,
    created_at: z.string(),
    deleted_at: z.string().nullable(),
  })
  .meta({ id: 'CatalogEntry' });

export function asEntry<Entry extends CatalogEntry>({ label: _, ...entry }: Entry): Omit<Entry, 'label'> {
  return entry;
}

const catalogLine = catalogEntry
  .omit({ content: true, payload: true, layout: true })
  .extend({
    bytes: z.int().meta({ description: 'Of the content' }),
    latest: z.boolean(),
    staged: z.boolean(),
    meta: z.object({ registered_at: z.string().nullable() }),
  })
  .meta({ id: 'CatalogLine' });

export const entries = z.object({ entries: z.array(catalogLine), pagination: paginationSchema });

const field = z
  .object({
    name: z.string(),
    kind: z.enum(FIELD_KINDS),
    default: z.unknown(),
    description: z.string().nullable(),
    secret: z.boolean(),
    credential_glob: z.string().nullable(),
    options: z.array(z.unknown()).nullable(),
    get children(): z.ZodNullable<z.ZodArray<typeof field>> {
      return z.array(field).nullable();
    },
  })
  .meta({ id: 'InputField' });

export const uiSchema = z.object({
  path: z.string(),
  version: z.int(),
  kind: z.string(),
  title: z.string().nullable(),
  description_markdown: z.string().nullable(),
  exposed_in_ui: z.boolean(),
  fields: z.array(field),
  generated_at: z.string(),
});

export const marked = z.object({
  status: z.literal('success'),
  message: z.string(),
  path: z.string(),
  count: z.int(),
  entries: z.array(z.object({ catalog_id: z.string(), version: z.int() })),
  schedules: z
    .array(z.string())
    .meta({ description: 'Schedules of a path that has no version any more: their starts will fail' }),
});
