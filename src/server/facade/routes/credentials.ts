/** `/api/credentials`: stored encrypted, listed without data, returned in clear text to workers only. */
import { z } from 'zod';
import { compact, type JsonObject } from '../../../language/plan';
import { type CredentialInfo, Credentials, MAX_TTL_MS, type CredentialReader } from '../../store';
import { Gate } from '../credentials/opening';
import { checkCredential, spellingsOf } from '../credentials/types';
import { testCredential } from '../credentials/probe';
import { type RouteServices } from '../services';
import { decimalId, keysOf, remoteOf } from './secrets';
import { credentialSchema, credentialTest } from '../documents/server';
import {
  okAnswer,
  route,
  type FacadeRoute,
  FacadeError,
  invalidField,
  pageOfQuery,
  paginationSchema,
  type RouteRequest,
  integerFrom,
  mapping,
} from './declare';

const MAX_NAME = 255;
const MAX_LISTED = 1000;
/** Lists have it. */
const MAX_META = 10_000;

const name = z
  .string()
  .min(1)
  .max(MAX_NAME)
  .regex(/^[^\u0000-\u001f\u007f]+$/, 'a name cannot contain control characters');

/** As the official CLI sends the JSON file. */
const written = z.object({
  name,
  type: z.string().min(1).max(100),
  data: mapping,
  description: z.string().max(10_000).nullish(),
  tags: z.array(z.string().max(200)).max(100).nullish(),
  meta: mapping
    .refine(
      (given) => JSON.stringify(given).length <= MAX_META,
      `has more than ${MAX_META} characters as JSON`,
    )
    .nullish(),
  paths: z
    .array(z.string().min(1).max(600))
    .max(100)
    .nullish()
    .describe('Paths of playbooks, with *, whose executions may open it; null: all. Absent: as they were.'),
});

const which = z.object({
  id: z.string().max(MAX_NAME).meta({ description: 'Name or id of a credential', example: 'pg_local' }),
});

const auditEntry = z.object({
  at: z.string(),
  action: z.enum(['read', 'write', 'delete', 'rotate', 'refused']),
  credential_id: z.string(),
  credential_name: z.string(),
  principal: z.string(),
  remote: z.string().nullable(),
  execution_id: z.string().nullable(),
  parent_execution_id: z.string().nullable(),
});

export function credentialRoutes(services: RouteServices): readonly FacadeRoute[] {
  const { database, authCacheTtlMs } = services;
  const gate = new Gate(services);
  const store = (): Credentials => new Credentials(database, keysOf(services), authCacheTtlMs);
  return [
    route('POST /api/credentials', {
      scope: 'admin',
      summary: 'Store a credential; one with the same name is replaced and keeps its id',
      body: written,
      answers: okAnswer(
        'Stored; `note` lists what was not checked',
        credentialSchema.extend({ note: z.string().optional() }),
      ),
      errors: [503],
      async handle(request) {
        const { body } = request;
        const { problems, note } = checkCredential(body.type, body.data as JsonObject, services.kinds);
        if (problems.length > 0) throw invalidField('body.data', 'CREDENTIAL_INVALID', problems.join('; '));
        const { description = null, tags, meta } = body;
        const stored = await store().put(
          {
            ...body,
            data: body.data as JsonObject,
            description,
            tags: tags ?? [],
            meta: (meta ?? null) as JsonObject | null,
          },
          readerOf(request),
        );
        return { ...documentOf(stored), ...compact({ note }) };
      },
    }),
    route('GET /api/credentials', {
      scope: 'read',
      summary: 'List credentials by name, without their data',
      query: z.object({
        type: z.string().max(100).optional(),
        q: z.string().max(MAX_NAME).optional(),
        ...pageOfQuery,
      }),
      answers: okAnswer(
        'Those that match the filter; a type matches all its spellings',
        z.object({
          items: z.array(credentialSchema),
          filter: z.object({ type: z.string().nullable(), q: z.string().nullable() }),
          pagination: paginationSchema,
        }),
      ),
      errors: [503],
      async handle({ query: { type, q, page, page_size } }) {
        const credentials = await store().list({
          limit: page_size + 1,
          offset: (page - 1) * page_size,
          ...(type && { types: spellingsOf(type, services.kinds) }),
          ...(q && { q }),
        });
        return {
          items: credentials.slice(0, page_size).map((one) => documentOf(one)),
          filter: { type: type ?? null, q: q ?? null },
          pagination: { page, page_size, has_next: credentials.length > page_size },
        };
      },
    }),
    route('GET /api/credentials/{id}', {
      scope: 'read',
      // A token that may read runs may not read secrets.
      scopeOf: (request) => (isTrue(request.query['include_data']) ? 'worker' : 'read'),
      summary:
        'One credential; with `include_data=true` (scope worker or admin, by a token also where none is required), its data in plain text',
      description:
        'The audit log records each read of the data, with the execution it was for, and each refusal. A limited token gets only what it may read (403 CREDENTIAL_REFUSED, GRANT_MISSING, GRANT_REFUSED), and a credential that is bound to playbooks is read for their executions only.',
      params: which,
      query: z.object({
        include_data: z.string().max(10).optional(),
        execution_id: decimalId.optional(),
        parent_execution_id: decimalId.optional(),
        ttl_seconds: integerFrom(1)
          .max(MAX_TTL_MS / 1000)
          .optional()
          .describe('How long `auth_cache` keeps it, overriding the setting of this facade'),
      }),
      answers: okAnswer('The credential', credentialSchema),
      errors: [404, 503],
      async handle(request) {
        const { params, query } = request;
        if (!isTrue(query.include_data)) return documentOf(await orNotFound(store().info(params.id)));
        const principal = await gate.readerOf(request);
        const reader = {
          ...readerOf({ ...request, principal }),
          ...compact({
            execution_id: query.execution_id,
            parent_execution_id: query.parent_execution_id,
          }),
        };
        const ttlMs = query.ttl_seconds === undefined ? undefined : query.ttl_seconds * 1000;
        const credential = await orNotFound(store().info(params.id));
        const opening = { ...credential, ...compact({ executionId: query.execution_id }) };
        await gate.permit(principal, opening, request.request).catch(async (error: unknown) => {
          if (error instanceof FacadeError) await store().refused(credential, reader);
          throw error;
        });
        const { data, ...read } = await orNotFound(store().read(credential.name, reader, ttlMs));
        return documentOf(read, data);
      },
    }),
    route('DELETE /api/credentials/{id}', {
      scope: 'admin',
      summary: 'Delete a credential; its audit log remains',
      params: which,
      answers: okAnswer('Deleted', z.object({ message: z.string(), id: z.string(), name: z.string() })),
      errors: [404, 503],
      async handle(request) {
        const credential = await orNotFound(store().remove(request.params.id, readerOf(request)));
        return { message: 'Credential deleted successfully', id: credential.id, name: credential.name };
      },
    }),
    route('POST /api/credentials/{id}/test', {
      scope: 'admin',
      summary: 'Connect with a credential, on a worker of its kind',
      description:
        'Runs one harmless request, `SELECT 1` or a GET, as an execution with the label `test=credential`. `ok: false` says why it failed.',
      params: which,
      body: z.object({
        url: z.string().min(1).max(2000).optional().meta({
          description: 'What is asked, for credentials that name no server',
          example: 'https://api.example.com/me',
        }),
      }),
      answers: okAnswer('The outcome', credentialTest),
      errors: [404, 503],
      async handle({ params, body, principal }) {
        const credential = await orNotFound(store().info(params.id));
        return await testCredential(services, credential, body.url, principal.name);
      },
    }),
    route('GET /api/credentials/{id}/audit', {
      scope: 'admin',
      summary: 'Who read, wrote or deleted a credential, newest first; also for a deleted one',
      params: which,
      query: z.object({ limit: integerFrom(1).max(MAX_LISTED).default(100) }),
      answers: okAnswer('The record', z.object({ items: z.array(auditEntry) })),
      errors: [503],
      handle: async ({ params, query }) => ({
        items: await store().audit({ name: params.id, limit: query.limit }),
      }),
    }),
  ];
}

function isTrue(text: unknown): boolean {
  return typeof text === 'string' && /^(true|1|yes)$/i.test(text);
}

function readerOf({
  principal,
  request,
}: Pick<RouteRequest<unknown, unknown, unknown>, 'principal' | 'request'>): CredentialReader {
  return { principal: principal.name, ...remoteOf(request) };
}

async function orNotFound<T>(lookup: Promise<T | undefined>): Promise<T> {
  const answer = await lookup;
  if (answer === undefined) throw new FacadeError(404, 'CREDENTIAL_NOT_FOUND', 'Credential not found');
  return answer;
}

function documentOf({ kid: _, ...info }: CredentialInfo, data: JsonObject | null = null): object {
  return { ...info, data };
}
