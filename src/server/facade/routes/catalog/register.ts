/** Registration of one or many resources, or validation only. */
import { z } from 'zod';
import { diagnosticDocument, inOrder } from '../../../../language/dsl';
import { type Json, type JsonObject } from '../../../../language/plan';
import { EXECUTABLE, type Submitted } from '../../catalog/content';
import { lineOf } from '../../catalog/diagnostics';
import { okAnswer, RouteReply, route, FacadeError, invalidField } from '../declare';
import { type RouteServices } from '../../services';
import { registration } from './documents';
import { registered, diagnosticBody } from '../../documents/catalog';

type Registration = z.output<typeof registration>;
type Services = Pick<RouteServices, 'library' | 'threads' | 'scheduled' | 'triggers'>;

/** Maximum items per request. NoETL's CLI sends a hundred. */
const MAX_ITEMS = 500;

const batchBody = z.object({
  items: z.array(registration).max(MAX_ITEMS),
});

const batchAnswer = z.object({
  registered: z.int(),
  failed: z.int(),
  results: z.array(
    z.object({
      index: z.int(),
      status: z.enum(['registered', 'failed']),
      path: z.string().nullable(),
      version: z.int().nullable(),
      staged: z.boolean(),
      catalog_id: z.string().nullable(),
      error: z.string().nullable(),
      code: z.string().nullable(),
      diagnostics: z.array(diagnosticBody),
      warnings: z.array(z.string()).describe('Schedules that will not start it'),
    }),
  ),
});

/** What became of one of many. */
export type BatchResult = z.input<typeof batchAnswer>['results'][number];

export const registrationRoutes = [
  route('POST /api/catalog/register', {
    scope: 'run',
    summary: 'Register a playbook or another resource',
    description:
      'The same content under the same path is the same version and becomes the latest again; other content becomes the ' +
      'next version. A playbook with errors is rejected with all of them. With `staged` it does not become the latest until it is ' +
      'promoted. A resource in YAML can be the body itself, as `application/yaml`.',
    body: registration,
    resource: true,
    answers: okAnswer('Done', registered),
    errors: [409],
    handle: async ({ body, principal: { name } }, services) =>
      await register(services, body, await read(services, body, name), name),
  }),
  route('POST /api/catalog/register/batch', {
    scope: 'run',
    summary: 'Register many resources, each independently',
    description: 'They can call each other, in any order. A rejected one does not affect the others.',
    body: batchBody,
    answers: okAnswer('The result for each', batchAnswer),
    handle: ({ body, principal }, services) => registerAll(services, body.items, principal.name),
  }),
  route('POST /api/catalog/playbooks/validate', {
    scope: 'read',
    summary: 'Validate a playbook without registering it',
    body: registration,
    resource: true,
    answers: okAnswer(
      'The findings',
      z.object({
        valid: z.boolean(),
        errors: z.array(z.string()),
        warnings: z.array(z.string()),
        diagnostics: z.array(diagnosticBody),
      }),
    ),
    handle: ({ body, principal }, services) => validate(services, body, principal.name),
  }),
];

function textIn({ content, content_base64 }: Registration): string {
  const text = content || content_base64;
  if (text) return text;
  throw invalidField('body.content', 'VALIDATION', 'body.content: the content is required');
}

async function read({ threads }: Services, body: Registration, caller: string): Promise<Submitted> {
  return await threads.run('read', { content: textIn(body), type: body.resource_type ?? 'playbook' }, caller);
}

/** @throws FacadeError 422 with all diagnostics, 409 */
export async function register(
  { library, scheduled, triggers }: Pick<Services, 'library' | 'scheduled' | 'triggers'>,
  { layout, meta, staged }: Partial<Pick<Registration, 'layout' | 'meta' | 'staged'>>,
  submitted: Submitted,
  caller: string,
  siblings?: Iterable<string>,
): Promise<z.input<typeof registered>> {
  const { entry, isNew, diagnostics } = await library.register(submitted, caller, {
    ...(layout && { layout: layout as Json }),
    ...(meta && { meta: meta as JsonObject }),
    ...(staged && { staged }),
    siblings,
  });
  const isRun = !staged && EXECUTABLE.includes(entry.kind) && (await scheduled.of(entry.path)).length > 0;
  const taken = !staged && entry.kind === 'subscription' ? await triggers.registered(entry) : [];
  return {
    status: 'success',
    message: `Resource '${entry.path}' version '${entry.version}' ${staged ? 'staged' : 'registered'}.`,
    path: entry.path,
    version: entry.version,
    catalog_id: entry.catalog_id,
    kind: entry.kind,
    digest: entry.digest,
    created: isNew,
    staged: staged ?? false,
    diagnostics: diagnostics.map(diagnosticDocument),
    warnings: isRun ? await scheduled.misfits(await library.runnable(entry, caller)) : taken,
  };
}

async function registerAll(
  services: Services,
  items: readonly Registration[],
  caller: string,
): Promise<z.input<typeof batchAnswer>> {
  const submitted: (Submitted | FacadeError)[] = [];
  // Sequentially: a batch counts as one job of its caller.
  for (const item of items) submitted.push(await read(services, item, caller).catch(onlyInvalid));
  const siblings = submitted.flatMap((one) => (one instanceof FacadeError ? [] : [one.path]));
  const results: BatchResult[] = [];
  for (const [index, item] of items.entries()) {
    const one = submitted[index]!;
    const done =
      one instanceof FacadeError
        ? one
        : await register(services, item, one, caller, siblings).catch(onlyInvalid);
    if (done instanceof FacadeError) {
      results.push({
        index,
        status: 'failed',
        path: one instanceof FacadeError || one.path === '' ? null : one.path,
        version: null,
        staged: false,
        catalog_id: null,
        error: done.message,
        code: done.code,
        diagnostics: (done.more['diagnostics'] as z.input<typeof diagnosticBody>[] | undefined) ?? [],
        warnings: [],
      });
    } else {
      const { path, version, staged, catalog_id, diagnostics, warnings } = done;
      results.push({
        index,
        status: 'registered',
        path,
        version,
        staged,
        catalog_id,
        error: null,
        code: null,
        diagnostics,
        warnings,
      });
    }
  }
  const failed = results.filter(({ status }) => status === 'failed').length;
  return { registered: results.length - failed, failed, results };
}

async function validate(services: Services, body: Registration, caller: string): Promise<unknown> {
  const submitted = await read(services, { ...body, resource_type: 'playbook' }, caller).catch(onlyInvalid);
  if (submitted instanceof FacadeError) {
    const diagnostics = submitted.more['diagnostics'] ?? [];
    return new RouteReply(200, { valid: false, errors: [submitted.message], warnings: [], diagnostics });
  }
  const checked = await services.library.check(submitted.content, caller, { code: true });
  const diagnostics = inOrder(checked.diagnostics);
  const messagesOf = (severity: string): string[] =>
    diagnostics.filter((one) => one.severity === severity).map(lineOf);
  return {
    valid: checked.metadata !== undefined,
    errors: messagesOf('error'),
    warnings: messagesOf('warning'),
    diagnostics: diagnostics.map(diagnosticDocument),
  };
}

/** Returns invalid content as a result, but rethrows failures of the check itself. */
function onlyInvalid(error: unknown): FacadeError {
  if (error instanceof FacadeError && error.code !== 'TOO_EXPENSIVE' && error.status !== 429) return error;
  throw error;
}
