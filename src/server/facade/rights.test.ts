/**
 * Every route with every scope, by the tokens that production asks for: who may what stands here once more, so that a
 * route that is added or opened wider is so by decision.
 */
import http from 'node:http';
import express from 'express';
import { z } from 'zod';
import { type Tokens } from '../store';
import { answerErrors } from './http/errors';
import { listen, type Listening } from './http/listen';
import { type Route } from './http/route';
import { SCOPES, type TokenScope } from './http/scopes';
import { routerOf } from './http/router';
import { byToken } from './http/tokens';
import { routesOf } from './routes';
import { type FacadeServices } from './services';

/** By the scope that is asked for; a query stands where it decides. */
const RIGHTS: Readonly<Record<TokenScope | 'public', readonly string[]>> = {
  public: [
    'GET /api/health',
    'GET /health',
    'GET /api/health/live',
    'GET /api/health/ready',
    'POST /api/auth/validate',
    'POST /api/auth/login',
    'POST /api/auth/check-access',
    'GET /api/auth/session',
    'POST /api/auth/session',
    'DELETE /api/auth/session',
    'GET /openapi.json',
    'GET /docs',
    'GET /docs/{file}',
    'GET /api/runtime/contract',
    'GET /answer/{link}',
    'POST /answer/{link}',
    'POST /ingress/{path+}',
  ],
  read: [
    'GET /api/overview',
    'GET /api/audit',
    'GET /api/lineage',
    'GET /api/catalog/activity',
    'GET /api/catalog/{path+}/overview',
    'POST /api/catalog/playbooks/validate',
    'POST /api/catalog/list',
    'GET /api/catalog/list/{type}',
    'POST /api/catalog/agents/list',
    'POST /api/catalog/resource',
    'GET /api/catalog/{path+}/versions',
    'GET /api/catalog/{path+}/staged',
    'GET /api/catalog/playbook/content',
    'GET /api/catalog/{path+}/ui_schema',
    'GET /api/executions',
    'GET /api/executions/causes',
    'POST /api/executions/{id}/what-if',
    'GET /api/bulk',
    'GET /api/bulk/{id}',
    'GET /api/cache',
    'GET /api/executions/{id}',
    'GET /api/executions/{id}/status',
    'GET /api/executions/{id}/events/search',
    'GET /api/executions/{id}/explanation',
    'GET /api/executions/{id}/moment',
    'GET /api/executions/{id}/logs',
    'GET /api/executions/{id}/logs/parts',
    'GET /api/executions/{id}/progress',
    'GET /api/executions/{id}/waits',
    'POST /api/executions/{id}/answer',
    'GET /api/executions/{id}/summary',
    'GET /api/executions/{id}/workflow-task',
    'GET /api/executions/{id}/graph',
    'GET /api/executions/{id}/history',
    'GET /api/executions/{id}/workflow-task',
    'POST /api/executions/{id}/analyze',
    'GET /api/executions/{id}/events',
    'GET /api/executions/{id}/state',
    'GET /api/credentials',
    'GET /api/credentials/{id}',
    'GET /api/credentials/{id}?include_data=false',
    'POST /codec/decode',
    'GET /metrics',
    'GET /api/subscriptions',
    'GET /api/subscriptions/{id}',
    'GET /api/subscriptions/{id}/dead',
    'GET /api/vars/{id}',
    'GET /api/vars/{id}/{name}',
    'POST /api/context/render',
    'GET /api/worker/pools',
    'GET /api/worker/queues',
    'GET /api/dashboard/stats',
    'GET /api/pool/status',
    'GET /api/status',
    'GET /api/threads',
    'GET /api/db/validate',
    'GET /api/playbook-tests/suites/{path+}',
    'POST /api/executions/{id}/analyze/ai',
    'POST /api/catalog/playbooks/explain/ai',
    'POST /api/catalog/playbooks/generate/ai',
    'GET /api/limits',
    'GET /api/notifications',
    'GET /api/notifications/targets',
    'GET /api/notifications/silences',
    'GET /api/executions/{id}/cancellation-check',
    'GET /api/result/resolve',
    'GET /events',
    'GET /api/schedules',
    'GET /api/schedules/{name}',
    'POST /mcp',
    'GET /mcp',
    'DELETE /mcp',
  ],
  run: [
    'POST /api/subscriptions',
    'POST /api/subscriptions/register',
    'POST /api/subscriptions/{id}/{action}',
    'POST /api/subscriptions/{id}/test',
    'POST /api/subscriptions/{id}/dead/replay',
    'POST /api/subscriptions/{id}/dead/drop',
    'POST /api/bulk',
    'POST /api/bulk/{id}/cancel',
    'POST /api/bulk/{id}/resume',
    'DELETE /api/cache',
    'POST /api/catalog/register',
    'PUT /api/catalog/playbook/content',
    'POST /api/catalog/register/batch',
    'POST /api/catalog/promote',
    'POST /api/catalog/unstage',
    'POST /api/execute',
    'POST /api/execute/batch',
    'POST /api/execute/draft',
    'POST /api/events/batch',
    'PUT /api/result/{id}',
    'POST /api/mcp/{path+}/lifecycle/{verb}',
    'POST /api/mcp/{path+}/discover',
    'POST /api/mcp/playbook/{path+}/jsonrpc',
    'GET /api/mcp/playbook/{path+}/jsonrpc',
    'POST /api/executions/{id}/cancel',
    'POST /api/executions/{id}/stop',
    'POST /api/executions/{id}/pause',
    'POST /api/executions/{id}/resume',
    'POST /api/executions/{id}/rerun',
    'POST /api/executions/{id}/answer-link',
    'POST /codec/encode',
    'POST /api/vars/{id}',
    'DELETE /api/vars/{id}/{name}',
    'DELETE /api/vars/{id}',
    'POST /api/events',
    'PUT /api/playbook-tests/suites/{path+}',
    'DELETE /api/playbook-tests/suites/{path+}',
    'POST /api/notifications/retry',
    'POST /api/notifications/silences',
    'DELETE /api/notifications/silences',
    'POST /api/schedules',
    'POST /api/schedules/preview',
    'DELETE /api/schedules/{name}',
    'PATCH /api/schedules/{name}',
    'POST /api/schedules/{name}/pause',
    'POST /api/schedules/{name}/unpause',
    'POST /api/schedules/{name}/trigger',
    'POST /api/schedules/{name}/backfill',
  ],
  worker: [
    'POST /api/catalog/plan',
    'GET /api/credentials/{id}?include_data=true',
    'GET /api/credentials/{id}?include_data=1&execution_id=7',
    'GET /api/credentials/{id}?include_data=YES',
    'GET /api/auth_cache/{key}',
    'PUT /api/auth_cache/{key}',
    'DELETE /api/auth_cache/{key}',
    'POST /api/worker/pool/register',
    'POST /api/worker/pool/heartbeat',
    'POST /api/worker/pool/deregister',
    'DELETE /api/worker/pool/deregister',
  ],
  admin: [
    'GET /api/tokens',
    'DELETE /api/tokens/{id}',
    'POST /api/catalog/delete',
    'POST /api/catalog/restore',
    'POST /api/executions/cleanup',
    'POST /api/credentials',
    'DELETE /api/credentials/{id}',
    'GET /api/credentials/{id}/audit',
    'POST /api/credentials/{id}/test',
    'GET /api/auth_cache',
    'POST /api/postgres/execute',
    'POST /api/db/init',
  ],
};

/** Whom each scope lets in. */
const HOLDERS: Readonly<Record<TokenScope | 'public', readonly (TokenScope | 'nobody')[]>> = {
  public: [...SCOPES, 'nobody'],
  read: ['read', 'run', 'admin'],
  run: ['run', 'admin'],
  worker: ['worker', 'admin'],
  admin: ['admin'],
};

/** Tokens of every scope that count no longer. */
const STALE = ['expired', 'revoked'] as const;

/** A worker's token, limited in every way: it may what such a token may, and nothing else. */
const LIMITED = {
  scopes: ['worker'],
  credentials: ['pg_*'],
  kinds: ['http'],
  pools: ['a'],
  playbooks: ['a/*'],
  granted: true,
  state: 'valid',
};

/** A token of each scope: what the table of tokens would answer. */
const tokens = {
  find: (token: string) =>
    Promise.resolve(
      token === 'limited'
        ? { id: token, name: token, ...LIMITED }
        : (SCOPES as readonly string[]).includes(token)
          ? { id: token, name: token, scopes: [token], state: 'valid' }
          : (STALE as readonly string[]).includes(token)
            ? { id: token, name: token, scopes: [...SCOPES], state: token }
            : undefined,
    ),
  touch: () => Promise.resolve(),
} as unknown as Tokens;

const declared = routesOf({
  database: { query: {} },
  metrics: {},
  client: { options: {} },
} as unknown as FacadeServices);

let facade: Listening;
beforeAll(async () => {
  // The rights of the routes, and nothing of what they do.
  const bare = declared.map(({ query: _query, body, ...route }): Route => ({
    ...route,
    ...(body && { body: z.unknown() }),
    handle: () => ({ done: true }),
  }));
  const unforeseen = (error: unknown): void => {
    throw error;
  };
  const app = express();
  app.use(routerOf(bare, byToken(tokens, unforeseen).authenticate));
  app.use(answerErrors(unforeseen, () => undefined));
  facade = await listen(app, 0);
});
afterAll(() => facade.close());

test('every declared route is in the table, and no other', () => {
  const known = Object.values(RIGHTS).flatMap((routes) => routes.map((route) => route.split('?')[0]!));
  const routes = declared.map(({ method, path }) => `${method.toUpperCase()} ${path}`);
  expect([...new Set(known)].sort()).toEqual(routes.sort());
});

const CELLS = Object.entries(RIGHTS).flatMap(([scope, routes]) =>
  routes.map((route) => [route, scope as TokenScope] as const),
);

test.each(CELLS)('%s: for the scope %s', async (route, scope) => {
  const [method, path] = route.split(' ') as [string, string];
  const url = `${facade.url}${path.replace(/\{\w+\+?\}/g, '1')}`;
  for (const holder of [...SCOPES, 'limited', ...STALE, 'nobody', 'a stranger'] as const) {
    const headers: Record<string, string> = holder === 'nobody' ? {} : { authorization: `Bearer ${holder}` };
    const { status } = await fetch(url, { method, headers });
    const as = holder === 'limited' ? 'worker' : holder;
    const isLetIn = HOLDERS[scope].includes(as as TokenScope) || scope === ('public' as TokenScope);
    const refused = (SCOPES as readonly string[]).includes(as) ? 403 : 401;
    expect({ route, holder, refused: status === 401 || status === 403 ? status : false }).toEqual({
      route,
      holder,
      refused: isLetIn ? false : refused,
    });
  }
});

test.each(CELLS)('%s: who may not is told so before a byte of the body came', async (route, scope) => {
  if (scope === ('public' as TokenScope)) return;
  const [method, path] = route.split(' ') as [string, string];
  const url = `${facade.url}${path.replace(/\{\w+\+?\}/g, '1')}`;
  for (const holder of ['nobody', 'a stranger', ...SCOPES.filter((one) => !HOLDERS[scope].includes(one))]) {
    const answer = await withoutBody(url, method, { authorization: `Bearer ${holder}` });
    const refused = (SCOPES as readonly string[]).includes(holder) ? 403 : 401;
    expect({ holder, ...answer }).toEqual({ holder, status: refused, connection: 'close' });
  }
});

/** Announces a body, and sends none of it. */
async function withoutBody(url: string, method: string, headers: Record<string, string>) {
  const type = { 'content-type': 'application/json', 'content-length': '7000000' };
  return await new Promise<object>((resolve, reject) => {
    const request = http.request(url, { method, headers: { ...headers, ...type } }, (answer) => {
      resolve({ status: answer.statusCode, connection: answer.headers.connection });
      request.destroy();
    });
    request.once('error', reject);
    request.flushHeaders();
  });
}

test('a token in the query opens the stream of the gateway, and nothing else', async () => {
  const status = async (path: string, method = 'GET'): Promise<number> =>
    (await fetch(`${facade.url}${path}?session_token=admin`, { method })).status;
  expect(await status('/events')).toBe(200);
  for (const path of ['/api/credentials', '/api/executions', '/api/result/resolve'])
    expect(await status(path)).toBe(401);
  expect(await status('/api/execute', 'POST')).toBe(401);
});

test('sent by the Temporal UI, the cookie of the console decrypts payloads, and is good for nothing else', async () => {
  const status = async (method: string, path: string): Promise<number> =>
    (await fetch(`${facade.url}${path}`, { method, headers: { cookie: 'a=b; noetl_session=admin; c=d' } }))
      .status;
  expect(await status('POST', '/codec/decode')).toBe(200);
  for (const [method, path] of [
    ['POST', '/codec/encode'],
    ['GET', '/api/credentials'],
    ['POST', '/api/execute'],
    ['POST', '/codec/decode/..%2fencode'],
  ] as const)
    expect({ path, status: [401, 404].includes(await status(method, path)) }).toEqual({ path, status: true });
});
