/** `tokens` and `serve` as an operator uses them: a real Temporal server and Postgres. */
import { openDatabase, Tokens } from '../../src/server/store';
import { startTestPostgres, type TestPostgres } from '../support/postgres';
import { CLI, noetl, type Running, start } from '../support/process';
import { inProcess } from '../support/program';
import { type Collector, startCollector } from '../support/otlp';
import { type Stack, startStack } from '../support/stack';
import { executionIdOf } from '../../src/temporal/client';
import { playbookOf } from '../support/simulator';

let stack: Stack;
let postgres: TestPostgres;
let env: Record<string, string>;
let collector: Collector;
const processes: Running[] = [];

beforeAll(async () => {
  [stack, postgres, collector] = await Promise.all([
    startStack({ kinds: [] }),
    startTestPostgres(),
    startCollector(),
  ]);
  env = { TEMPORAL_ADDRESS: stack.server.address, DATABASE_URL: postgres.url, NOETL_STORAGE: 'none' };
});
afterAll(async () => {
  for (const { child } of processes) child.kill('SIGKILL');
  await postgres?.stop();
  await stack?.stop();
  await collector?.close();
});

async function serve(...options: string[]): Promise<{ running: Running; url: string }> {
  const running = start(process.execPath, [CLI, 'serve', '--port', '0', ...options], {
    ...env,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '600000',
  });
  processes.push(running);
  await running.says(/"msg":"serving"/, 120_000);
  return { running, url: /"url":"([^"]+)"/.exec(running.output())![1]! };
}

test('tokens are made on the database; serve lets them in, and ends without dropping what was asked', async () => {
  const made = await inProcess(['tokens', 'create', 'ci', '--scopes', 'run', '--expires', '30d'], env);
  expect(made).toMatchObject({ code: 0, stderr: expect.stringContaining('is not shown again') as string });
  const token = made.stdout.trim();
  const listed = await inProcess(['tokens', 'list', '--json'], env);
  expect(JSON.parse(listed.stdout)).toMatchObject({
    tokens: [{ name: 'ci', scopes: ['run'], last_used_at: null }],
  });
  // The secret is base64url: it may have underscores of its own, at its beginning too.
  const secret = /^noetl_[0-9a-f]{12}_(.{20,})$/.exec(token)![1]!;
  expect(listed.stdout).not.toContain(secret);

  const { running, url } = await serve();
  const headers = { authorization: `Bearer ${token}` };
  expect((await fetch(`${url}/api/health/ready`)).status).toBe(200);
  expect((await fetch(`${url}/metrics`)).status).toBe(401);
  expect((await fetch(`${url}/metrics`, { headers })).status).toBe(200);

  // A reader of a running execution is told to come back when the process is asked to end.
  const handle = await stack.start(
    stack.compile(playbookOf(`\n- step: start\n  tool: {kind: wait, for: 3600}`)),
  );
  const id = executionIdOf(handle.workflowId)!;
  const stream = await fetch(`${url}/api/executions/${id}/events`, {
    headers: { ...headers, accept: 'text/event-stream' },
  });
  expect(stream.status).toBe(200);
  running.child.kill('SIGTERM');
  expect(await stream.text()).toMatch(/retry: 2000\n: the server is stopping\n\n$/);
  const { code, stderr, stdout } = await running.finished;
  expect(code).toBe(0);
  expect(stdout).toBe('');
  expect(stderr).toContain('"msg":"stopped"');
  expect(stderr).not.toContain(token);
  // Spans wait to be sent in batches; an end in peace sends what waits.
  const stopped = collector.spans.find(({ name }) => name === 'GET /api/executions/{id}/events')!;
  expect(stopped).toMatchObject({ service: 'noetl-serve' });
  expect(stderr).toContain(`"trace_id":"${stopped.traceId}"`);
  await handle.cancel();
  await handle.result().catch(() => undefined);

  expect(await inProcess(['tokens', 'revoke', 'ci'], env)).toMatchObject({ code: 0 });
  expect(await inProcess(['tokens', 'revoke', 'ci'], env)).toMatchObject({ code: 2 });
  const database = await openDatabase(postgres.url);
  expect(await new Tokens(database).find(token)).toMatchObject({ state: 'revoked' });
  await database.close();
}, 240_000);

test('what would be unsafe is refused with a reason', async () => {
  const [unguarded, homeless, taken] = await Promise.all([
    noetl(['serve', '--no-auth', '--host', '0.0.0.0'], env),
    noetl(['serve'], { ...env, NOETL_STORAGE: '' }),
    noetl(['serve', '--port', new URL(`http://${stack.server.address}`).port], env),
  ]);
  expect(unguarded).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('noetl-temporal tokens create') as string,
  });
  expect(homeless).toMatchObject({ code: 2, stderr: expect.stringContaining('no storage') as string });
  expect(taken).toMatchObject({ code: 1, stderr: expect.stringContaining('[PORT_IN_USE]') as string });
}, 240_000);
