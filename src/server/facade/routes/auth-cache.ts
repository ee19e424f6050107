/** `/api/auth_cache`: tokens fetched by workers, shared among them. */
import { z } from 'zod';
import { KeyRingError } from '../../../storage/keyring';
import { compact, type JsonObject } from '../../../language/plan';
import { AuthCache, type Cached, MAX_KEY_LENGTH } from '../../store';
import { Gate } from '../credentials/opening';
import { type FacadeServices } from '../services';
import { decimalId, keysOf } from './secrets';
import { okAnswer, route, type FacadeRoute, FacadeError, type RouteRequest, mapping } from './declare';

const byKey = z.object({
  key: z
    .string()
    .min(1)
    .max(MAX_KEY_LENGTH)
    // The same table holds secrets in use, under keys with slashes; these cannot be overwritten here.
    .regex(/^[\w.:=-]+$/, 'a key is a digest')
    .describe('The name that workers use for it: a digest'),
});

const described = {
  credential_name: z.string().min(1).max(255),
  credential_type: z.string().min(1).max(100),
  execution_id: decimalId.nullish().describe('Absent: shared by all executions'),
  parent_execution_id: decimalId.nullish(),
};

const kept = z.object({
  cache_key: z.string(),
  credential_name: z.string(),
  credential_type: z.string(),
  cache_type: z.enum(['secret', 'token']),
  scope_type: z.enum(['execution', 'global']),
  execution_id: z.string().nullable(),
  expires_at: z.string(),
  created_at: z.string(),
  accessed_at: z.string(),
  access_count: z.number(),
});

interface Owned {
  readonly credential_name: string;
  readonly execution_id?: string | null | undefined;
}

export function authCacheRoutes(services: FacadeServices): readonly FacadeRoute[] {
  const { database, authCacheTtlMs } = services;
  const gate = new Gate(services);
  /** What a limited token may not read it may not replace either. @throws FacadeError 401, 403 */
  const permit = async (
    asking: Pick<RouteRequest<unknown, unknown, unknown>, 'principal' | 'request'>,
    { credential_name: name, execution_id: executionId }: Owned,
  ): Promise<void> =>
    gate.permit(await gate.readerOf(asking), { name, ...compact({ executionId }) }, asking.request);
  const cache = (): AuthCache => new AuthCache(database, keysOf(services), authCacheTtlMs);
  const common = { errors: [503] } as const;
  const tokenAt = (key: string): Promise<Cached | undefined> =>
    cache()
      .get(key, 'token')
      .catch((error: unknown) => {
        // Encrypted with a key that is gone: treated as missing, so the worker fetches another token.
        if (error instanceof KeyRingError) return undefined;
        throw error;
      });
  return [
    route('GET /api/auth_cache', {
      ...common,
      scope: 'admin',
      summary: 'What is cached and how often it was used, without the values',
      answers: okAnswer('Most recently used first', z.object({ items: z.array(kept) })),
      handle: async () => ({ items: await cache().list() }),
    }),
    route('GET /api/auth_cache/{key}', {
      ...common,
      scope: 'worker',
      summary: 'Get a token that another worker fetched',
      params: byKey,
      answers: okAnswer('Valid until `expires_at`', z.object({ data: mapping, expires_at: z.string() })),
      errors: [404, 503],
      async handle({ params: { key }, ...request }) {
        await gate.readerOf(request);
        const token = await tokenAt(key);
        if (!token) throw new FacadeError(404, 'NOT_CACHED', 'nothing is cached under this key');
        await permit(request, token);
        return { data: token.data, expires_at: token.expires_at };
      },
    }),
    route('PUT /api/auth_cache/{key}', {
      ...common,
      scope: 'worker',
      summary: 'Store a token for other workers, encrypted',
      params: byKey,
      body: z.object({
        ...described,
        data: mapping,
        expires_at: z.iso.datetime({ offset: true }),
      }),
      answers: okAnswer('Stored', z.object({ status: z.literal('ok') })),
      async handle({ params: { key }, body, ...request }) {
        await permit(request, body);
        const { limits } = await gate.readerOf(request);
        const before = limits && (await tokenAt(key));
        if (before) await permit(request, before);
        const [data, expires_at] = [body.data as JsonObject, new Date(body.expires_at)];
        await cache().put({ ...body, cache_key: key, cache_type: 'token', data, expires_at });
        return { status: 'ok' };
      },
    }),
    route('DELETE /api/auth_cache/{key}', {
      ...common,
      scope: 'worker',
      summary: 'Delete a token that was rejected',
      params: byKey,
      answers: okAnswer('Deleted', z.object({ status: z.literal('ok') })),
      async handle({ params: { key }, ...request }) {
        const principal = await gate.readerOf(request);
        const before = principal.limits && (await tokenAt(key));
        if (before) await permit(request, before);
        await cache().drop(key);
        return { status: 'ok' };
      },
    }),
  ];
}
