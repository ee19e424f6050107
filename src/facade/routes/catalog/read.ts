/** Reads the catalog: lists, an entry, its versions, its input form; deletes and restores entries. */
import { z } from 'zod';
import { isMapping } from '../../../plan';
import { type Catalog, type CatalogEntry } from '../../../store';
import { entryOf } from '../../catalog/reference';
import { ok, type Route, route } from '../../http/route';
import { text } from '../../http/text';
import { type RouteServices } from '../../services';
import { type Form } from '../../threads/jobs';
import {
  asEntry,
  catalogEntry,
  entries,
  marked,
  MAX_VERSION,
  referenceBody,
  referenceOf,
  uiSchema,
  versions,
} from './documents';

const NOUN = 'Catalog entry';
const pathParam = z.object({ path: z.string().max(600) });
const listBody = z.object({
  resource_type: z.string().max(100).nullish().meta({ description: 'Case-insensitive; default: all kinds' }),
  include_deleted: z.boolean().default(false),
});
const agentsBody = z.object({
  capability: z.string().max(200).nullish(),
  capabilities: z.array(z.string().max(200)).max(50).nullish(),
  path: z.string().max(600).nullish(),
});
const markBody = z.object({
  path: text(600).min(1),
  version: z.int().min(1).max(MAX_VERSION).nullish().meta({ description: 'Default: all versions' }),
});

export function readingRoutes({ library: { catalog }, threads }: RouteServices): readonly Route[] {
  return [
    route('POST /api/catalog/list', {
      scope: 'read',
      summary: 'The resources of a kind, all versions that are or were the latest, newest first',
      body: listBody,
      answers: ok('The entries', entries),
      handle: async ({ body }) => ({
        entries: (await catalog.list(body.resource_type || undefined, { deleted: body.include_deleted })).map(
          asEntry,
        ),
      }),
    }),
    route('GET /api/catalog/list/{type}', {
      scope: 'read',
      summary: 'The paths of the resources of a kind',
      params: z.object({ type: z.string().max(100) }),
      answers: ok('The paths, in order', z.array(z.string())),
      handle: async ({ params }) => (await catalog.paths(params.type)).sort(),
    }),
    route('POST /api/catalog/agents/list', {
      scope: 'read',
      summary: 'Agents: playbooks with `metadata.agent`, and resources of kind agent',
      body: agentsBody,
      answers: ok('The entries', entries),
      handle: async ({ body }) => ({ entries: (await catalog.list()).filter(isAgent(body)).map(asEntry) }),
    }),
    route('POST /api/catalog/resource', {
      scope: 'read',
      summary: 'One entry, with its content',
      body: referenceBody,
      answers: ok('The entry', catalogEntry),
      errors: [404, 409],
      handle: async ({ body }) => asEntry(await entryOf(catalog, referenceOf(body), NOUN)),
    }),
    route('GET /api/catalog/{path+}/versions', {
      scope: 'read',
      summary: 'The versions of a path, newest first',
      params: pathParam,
      answers: ok('The entries', versions),
      errors: [404],
      async handle({ params: { path } }) {
        const versions = await catalog.versions(path);
        if (versions.length === 0) await entryOf(catalog, { path }, NOUN);
        return { entries: versions.map(asEntry) };
      },
    }),
    route('GET /api/catalog/{path+}/ui_schema', {
      scope: 'read',
      summary: 'The inputs of a playbook, as fields of a form',
      params: pathParam,
      query: z.object({ version: z.string().max(100).optional() }),
      answers: ok('The form', uiSchema),
      errors: [404, 409],
      async handle({ params: { path }, query: { version }, principal }) {
        const entry = await entryOf(catalog, { path, version: version || 'latest' }, NOUN);
        return formOf(entry, await threads.run('form', { content: entry.content }, principal.name));
      },
    }),
    ...marking(catalog),
  ];
}

function marking(catalog: Catalog): Route[] {
  const verbs = [
    ['delete', 'Delete a version, or all of a path', 'Deleted'],
    ['restore', 'Restore a deleted version or path', 'Restored'],
  ] as const;
  return verbs.map(([verb, summary, done]) =>
    route(`POST /api/catalog/${verb}`, {
      scope: 'admin',
      summary,
      description:
        'A deleted entry is no longer found by its path; its executions are not affected, and it can be restored. ' +
        'Repeating the request changes nothing.',
      body: markBody,
      answers: ok('What was changed', marked),
      async handle({ body: { path, version } }) {
        const changed = await catalog[verb](path, version ?? undefined);
        return {
          status: 'success',
          message: `${done} ${changed.length} version(s) of catalog entry '${path}'.`,
          path,
          count: changed.length,
          entries: changed.map(({ catalog_id, version: number }) => ({ catalog_id, version: number })),
        };
      },
    }),
  );
}

function isAgent({
  capability,
  capabilities,
  path,
}: z.output<typeof agentsBody>): (entry: CatalogEntry) => boolean {
  const required = [...(capabilities ?? []), ...(capability ? [capability] : [])];
  return (entry) => {
    const metadata = isMapping(entry.payload['metadata']) ? entry.payload['metadata'] : {};
    const can = Array.isArray(metadata['capabilities']) ? metadata['capabilities'] : [];
    return (
      (entry.kind === 'agent' || metadata['agent'] === true) &&
      (!path || entry.path === path) &&
      required.every((one) => can.includes(one))
    );
  };
}

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
