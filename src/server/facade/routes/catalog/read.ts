/** Reads the catalog: lists, an entry, its versions, its input form; deletes and restores entries. */
import { z } from 'zod';
import { catalogPath, compact, isMapping } from '../../../../language/plan';
import { type CatalogEntry } from '../../../store';
import { entryOf } from '../../catalog/reference';
import { type Form } from '../../threads/jobs';
import { asEntry, MAX_VERSION, referenceBody, catalogReferenceOf } from './documents';
import { asPage, pageFrom } from './pages';
import { catalogEntry, entries, uiSchema, marked } from '../../documents/catalog';
import { okAnswer, route, pageOfBody, pageOfQuery, boundedText, integerFrom } from '../declare';

const NOUN = 'Catalog entry';
const WITHOUT_CONTENT = 'In pages, without contents: `POST /api/catalog/resource` has the content of one.';
/** Of a list of paths, which has no pages for the official clients. */
const MAX_PATHS = 10_000;
const pathParam = z.object({ path: z.string().max(600) });
const listBody = z.object({
  resource_type: z.string().max(100).nullish().describe('Case-insensitive; default: all kinds'),
  include_deleted: z.boolean().default(false),
  latest: z.boolean().default(false).describe('Only the latest version of each path'),
  ...pageOfBody,
});
const agentsBody = z.object({
  ...pageOfBody,
  capability: z.string().max(200).nullish(),
  capabilities: z.array(z.string().max(200)).max(50).nullish(),
  path: z.string().max(600).nullish(),
});
const markBody = z.object({
  path: boundedText(600).min(1),
  version: z.int().min(1).max(MAX_VERSION).nullish().describe('Default: all versions'),
});

const MARKS = [
  ['delete', 'Delete a version, or all of a path', 'Deleted'],
  ['restore', 'Restore a deleted version or path', 'Restored'],
] as const;

export const readingRoutes = [
  route('POST /api/catalog/list', {
    scope: 'read',
    summary: 'The resources of a kind, all versions that are or were the latest, newest first',
    description: WITHOUT_CONTENT,
    body: listBody,
    answers: okAnswer('A page', entries),
    async handle({ body: { resource_type, include_deleted, latest, ...page } }, { library: { catalog } }) {
      const kind = resource_type || undefined;
      const filter = { ...compact({ kind }), deleted: include_deleted, latest };
      return asPage(await catalog.list(filter, pageFrom(page)), page);
    },
  }),
  route('GET /api/catalog/list/{type}', {
    scope: 'read',
    summary: 'The paths of the resources of a kind',
    params: z.object({ type: z.string().max(100) }),
    query: z.object({
      after: boundedText(600).default('').describe('Those after this path'),
      limit: integerFrom(1).max(MAX_PATHS).default(MAX_PATHS),
    }),
    answers: okAnswer('The first paths, in order', z.array(z.string())),
    handle: ({ params, query }, { library: { catalog } }) =>
      catalog.pathsFrom(params.type, query.after, query.limit),
  }),
  route('POST /api/catalog/agents/list', {
    scope: 'read',
    summary: 'Agents: playbooks with `metadata.agent`, and resources of kind agent',
    description: WITHOUT_CONTENT,
    body: agentsBody,
    answers: okAnswer('A page', entries),
    async handle({ body: { capability, capabilities, path, ...page } }, { library: { catalog } }) {
      const required = [...(capabilities ?? []), ...(capability ? [capability] : [])];
      const agents = { capabilities: required, ...(path && { path }) };
      return asPage(await catalog.list({ agents }, pageFrom(page)), page);
    },
  }),
  route('POST /api/catalog/resource', {
    scope: 'read',
    summary: 'One entry, with its content',
    body: referenceBody,
    answers: okAnswer('The entry', catalogEntry),
    errors: [404, 409],
    handle: async ({ body }, { library: { catalog } }) =>
      asEntry(await entryOf(catalog, catalogReferenceOf(body), NOUN)),
  }),
  route('GET /api/catalog/{path+}/versions', {
    scope: 'read',
    summary: 'The versions of a path, newest first',
    description: WITHOUT_CONTENT,
    params: pathParam,
    query: z.object(pageOfQuery),
    answers: okAnswer('A page', entries),
    errors: [404],
    async handle({ params: { path }, query: page }, { library: { catalog } }) {
      const versions = await catalog.versions(catalogPath(path), pageFrom(page));
      if (versions.lines.length === 0 && page.page === 1) await entryOf(catalog, { path }, NOUN);
      return asPage(versions, page);
    },
  }),
  route('GET /api/catalog/{path+}/ui_schema', {
    scope: 'read',
    summary: 'The inputs of a playbook, as fields of a form',
    params: pathParam,
    query: z.object({ version: z.string().max(100).optional() }),
    answers: okAnswer('The form', uiSchema),
    errors: [404, 409],
    async handle({ params: { path }, query: { version }, principal }, { library: { catalog }, threads }) {
      const entry = await entryOf(catalog, { path, version: version || 'latest' }, NOUN);
      return formOf(entry, await threads.run('form', { content: entry.content }, principal.name));
    },
  }),
  ...MARKS.map(([verb, summary, done]) =>
    route(`POST /api/catalog/${verb}`, {
      scope: 'admin',
      summary,
      description:
        'A deleted entry is no longer found by its path; its executions are not affected, and it can be restored. ' +
        'Repeating the request changes nothing.',
      body: markBody,
      answers: okAnswer('What was changed', marked),
      async handle({ body: { path: named, version } }, { library: { catalog }, scheduled }) {
        const path = catalogPath(named);
        const changed = await catalog[verb](path, version ?? undefined);
        // One version of several leaves others for them.
        const isLeft = verb === 'restore' || (await catalog.find(path)) !== undefined;
        const schedules = isLeft ? [] : await scheduled.of(path);
        const of =
          schedules.length === 0 ? '' : ` Schedules that would start it fail: ${schedules.join(', ')}.`;
        return {
          status: 'success',
          message: `${done} ${changed.length} version(s) of catalog entry '${path}'.${of}`,
          path,
          count: changed.length,
          entries: changed.map(({ catalog_id, version: number }) => ({ catalog_id, version: number })),
          schedules,
        };
      },
    }),
  ),
];

function formOf(entry: CatalogEntry, { name, description, fields }: Form): unknown {
  const metadata = isMapping(entry.payload['metadata']) ? entry.payload['metadata'] : {};
  return {
    path: entry.path,
    version: entry.version,
    kind: entry.kind,
    title: name ?? null,
    description_markdown: description ?? null,
    exposed_in_ui: metadata['exposed_in_ui'] === true,
    fields,
    generated_at: new Date().toISOString(),
  };
}
