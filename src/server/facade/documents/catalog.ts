/** Documents of the catalog, as NoETL's clients expect them. */
import { z } from 'zod';
import { FIELD_KINDS } from '../../../language/dsl';
import { VERDICTS } from '../../../offline/proof/verify/verdicts';
import { paginationSchema } from '../http/pages';
import { component, mapping } from '../http/schema';

export const diagnosticBody = component(
  'Diagnostic',
  {
    code: z.string(),
    severity: z.enum(['error', 'warning', 'info']),
    message: z.string(),
    line: z.int(),
    column: z.int(),
    end_line: z.int(),
    end_column: z.int(),
    path: z.string(),
    hint: z.string().nullable(),
    docs: z.string().describe('Where the code is explained'),
  },
  'A finding about a document; lines and columns count from 1.',
);

export const registered = component('Registered', {
  status: z.literal('success'),
  message: z.string(),
  path: z.string(),
  version: z.int(),
  catalog_id: z.string(),
  kind: z.string(),
  digest: z.string().describe('SHA-256 of the content'),
  created: z.boolean().describe('False if this content already existed'),
  staged: z.boolean().describe('It is staged, and not the latest'),
  diagnostics: z.array(diagnosticBody).describe('Warnings and notes'),
  warnings: z.array(z.string()).describe('Schedules that will not start it'),
});

export const catalogEntry = component('CatalogEntry', {
  catalog_id: z.string(),
  path: z.string(),
  version: z.int(),
  kind: z.string(),
  name: z.string(),
  digest: z.string(),
  content: z.string(),
  payload: mapping.describe('The content as JSON'),
  layout: z.unknown(),
  meta: mapping,
  created_at: z.string(),
  deleted_at: z.string().nullable(),
});

export const catalogLine = catalogEntry
  .omit({ content: true, payload: true, layout: true })
  .extend({
    bytes: z.int().describe('Of the content'),
    latest: z.boolean(),
    staged: z.boolean(),
    meta: z.object({ registered_at: z.string().nullable() }),
    payload: z
      .object({ metadata: mapping })
      .describe(
        'Of `metadata`: name, description, agent, capabilities, tags, exposed_in_ui, exposes_as_mcp, terminal',
      ),
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
    .describe('Schedules of a path that has no version any more: their starts will fail'),
});

const verification = z
  .looseObject({
    executions: z.int(),
    counts: z.record(z.enum(VERDICTS as unknown as [string, ...string[]]), z.int()),
    groups: z.array(z.looseObject({ kind: z.string(), cause: z.string(), count: z.int() })),
    ok: z.boolean(),
  })
  .meta({ id: 'Verification', description: 'As `noetl-temporal verify --json`' });

export const stagedVersion = component('StagedVersion', {
  path: z.string(),
  version: z.int(),
  catalog_id: z.string(),
  staged_at: z.string().nullable().describe('null: it is not staged'),
  latest: z.int().nullable().describe('The version that it would replace'),
  pending: z.int().describe('Executions that ended and are still to be judged'),
  verification,
  objection: z.string().nullable().describe('Why it is promoted only with `force`'),
  warnings: z.array(z.string()).describe('Schedules that will not start it'),
});
