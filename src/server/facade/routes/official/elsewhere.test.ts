/**
 * The public routes of the official server and gateway, by name: each is served, or says what to use. The table of the
 * page shows the latter.
 */
import fs from 'node:fs';
import path from 'node:path';
import { ROOT } from '../../../../../test/support/process';
import { type FacadeServices } from '../../services';
import { routesOf } from '..';
import { ELSEWHERE, saidElsewhere } from './elsewhere';

/** Read off the official sources: server 3.83, gateway of August 2026. */
const OFFICIAL = `
GET /api/health
POST /api/catalog/register
POST /api/catalog/list
POST /api/catalog/resource
POST /api/catalog/delete
POST /api/catalog/restore
POST /api/catalog/agents/list
GET /api/catalog/a/b/ui_schema
POST /api/execute
POST /api/execute/batch
GET /api/executions
GET /api/executions/1
GET /api/executions/1/status
GET /api/executions/1/cancellation-check
POST /api/executions/1/cancel
POST /api/executions/1/stop
POST /api/executions/1/finalize
POST /api/executions/1/analyze
POST /api/executions/1/analyze/ai
POST /api/executions/cleanup
POST /api/events
POST /api/events/batch
PUT /api/result/1
GET /api/result/resolve
GET /api/vars/1
GET /api/credentials
POST /api/credentials
GET /api/credentials/x
DELETE /api/credentials/x
POST /api/postgres/execute
GET /api/worker/pools
POST /api/worker/pool/register
POST /api/worker/pool/heartbeat
DELETE /api/worker/pool/deregister
POST /api/worker/pool/drain
GET /api/dashboard/stats
GET /api/dashboard/widgets
GET /api/replay/state
GET /api/keychain/1/openai
POST /api/keychain/1/openai
DELETE /api/keychain/1/openai
GET /api/keychain/catalog/1
POST /api/auth/login
POST /api/auth/validate
POST /api/auth/check-access
POST /api/auth/session/validate
POST /api/auth/check-playbook-access
GET /api/internal/ingress/shop
POST /api/internal/container-callback/1/step
POST /api/internal/callback
POST /api/internal/callback/async
POST /api/internal/progress
POST /api/internal/outbox/claim
GET /api/commands/1
POST /api/commands/1/claim
GET /api/runtime/contract
GET /api/runtime/shard-info
GET /api/profiler/cpu
GET /api/ehdb
GET /api/ehdb/executions
GET /api/ehdb/executions/1
GET /api/ehdb/executions/1/events
GET /api/ehdb/events
GET /api/ehdb/tiers/kv
POST /api/mcp/playbook/a/b/jsonrpc
POST /api/mcp/a/b/lifecycle/deploy
POST /api/mcp/a/b/discover
POST /graphql
GET /graphql
GET /events
`;

const services = { client: { options: {} }, database: {}, metrics: {}, version: '' };
const SERVED = routesOf(services as unknown as FacadeServices).map(({ method, path: template }) => {
  const pattern = template.replace(/\{\w+\+\}/g, '.+').replace(/\{\w+\}/g, '[^/]+');
  return new RegExp(`^${method.toUpperCase()} ${pattern}$`);
});

/** What is said of a path, if something is. */
function said(route: string): { status: number; message: string } | undefined {
  const [method, path] = route.split(' ');
  try {
    void saidElsewhere({ method, path } as never, undefined as never, () => undefined);
    return undefined;
  } catch (error) {
    return error as { status: number; message: string };
  }
}

test.each(OFFICIAL.trim().split('\n'))('%s is served, or says what to use', (route) => {
  // Asked last: a route that is served answers itself.
  if (SERVED.some((pattern) => pattern.test(route))) return;
  const answer = said(route);
  expect([410, 501]).toContain(answer?.status);
  expect(answer?.message).toMatch(new RegExp(`^${route} does not exist here: \\S.{20,}[^.]$`));
});

test('what is in no table is not found, as ever', () => {
  for (const route of ['GET /api/nowhere', 'POST /api/ehdbx', 'GET /ingress/x'])
    expect(said(route)).toBeUndefined();
});

test('docs/noetl.md shows the table, row by row', () => {
  const page = fs.readFileSync(path.join(ROOT, 'docs/noetl.md'), 'utf8');
  for (const { route, use } of ELSEWHERE) expect(page).toContain(`| \`${route}\` | ${use} |`);
});
