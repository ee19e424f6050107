/** Every playbook of `playbooks/`, run as a user runs it: the command line, exit codes, signals. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { canariesIn, contentsOfHistory } from '../support/canary';
import { CLI, noetl, ROOT, type Running, start } from '../support/process';
import { inProcess } from '../support/program';
import { ownSeconds, running as processes } from '../support/running';
import { startTestPostgres, type TestPostgres } from '../support/postgres';
import { nightlyTest } from '../support/sampled';
import { startTestServer, type TestServer } from '../support/temporal';
import { until } from '../support/until';

interface RunDocument {
  execution_id: string;
  workflow_id: string;
  status: string;
  result: Record<string, unknown>;
  error: {
    code: string;
    step: string;
    task: string;
    attempt: number;
    at: { file: string; line: number };
  } | null;
  steps_executed: string[];
}

let server: TestServer;
let postgres: TestPostgres;
let api: Running;
let apiUrl: string;

beforeAll(async () => {
  [server, postgres] = await Promise.all([startTestServer(), startTestPostgres()]);
  api = start(process.execPath, [path.join(ROOT, 'playbooks/api/server.mjs'), '--port', '0']);
  await api.says(/127\.0\.0\.1:\d+/);
  apiUrl = /http:\/\/\S+/.exec(api.output())![0];
});
afterAll(async () => {
  api?.child.kill('SIGTERM');
  await server?.stop({ query: true });
  await postgres?.stop();
});

async function run(
  playbook: string,
  ...args: string[]
): Promise<{ code: number | null; document: RunDocument; stderr: string }> {
  const env = { TEMPORAL_ADDRESS: server.address, NOETL_CREDENTIAL_PG_LOCAL: postgres.url };
  const { code, stdout, stderr } = await inProcess(
    ['run', `playbooks/${playbook}.yaml`, '--json', ...args],
    env,
  );
  return { code, document: JSON.parse(stdout) as RunDocument, stderr };
}

/** In the database that the examples write to. */
async function query(text: string): Promise<{ rows: Record<string, unknown>[] }> {
  const client = new Client({ connectionString: postgres.url });
  await client.connect();
  try {
    return await client.query<Record<string, unknown>>(text);
  } finally {
    await client.end();
  }
}

/** Fails with what went wrong where something did. */
function completed({ code, document }: { code: number | null; document: RunDocument }): RunDocument {
  expect({ code, error: document.error }).toEqual({ code: 0, error: null });
  return document;
}

test('hello_world says hello', async () => {
  const { code, document } = await run('hello_world', '--set', 'name=Ada', '--set', 'workload.language=fr');
  expect({ code, result: document.result }).toEqual({ code: 0, result: { message: 'Bonjour, Ada!' } });
  expect(document.steps_executed).toEqual(['start', 'greet', 'end']);
});

test('loop_elsewhere runs iterations in child workflows and activities', async () => {
  const { code, document } = await run('loop_elsewhere');
  expect({ code, result: document.result }).toEqual({
    code: 0,
    result: { measured: 40, largest: 1522, even: [0, 2] },
  });
});

nightlyTest(
  'streaming_pagination stores every page of every endpoint, and the missing one apart',
  async () => {
    const document = completed(await run('streaming_pagination', '--set', `api_url=${apiUrl}`));
    expect(document.result).toMatchObject({ pages: 12, items: 105, missing: 1, failed_endpoints: 0 });
  },
);

nightlyTest('fetch_transform_store streams sequential endpoints', async () => {
  const document = completed(
    await run('fetch_transform_store', '--payload', JSON.stringify({ api_url: apiUrl })),
  );
  expect(document.result['stored']).toEqual([
    { path: '/api/v1/assessments', pages: 4, items: 35 },
    { path: '/api/v1/users', pages: 2, items: 35 },
  ]);
});

nightlyTest(
  'collect_pages gathers and stores every page by rules on events, and reports what it has when it must stop',
  async () => {
    const document = completed(await run('collect_pages', '--set', `api_url=${apiUrl}`));
    expect(document.result).toEqual({
      pages: 4,
      items: 35,
      others: [35, 35],
      stored: { pages: 4, items: 35, of_others: 70 },
      failed: null,
    });
    const gone = ['--set', `api_url=${apiUrl}`, '--set', 'first=/api/v1/nowhere'];
    const stopped = completed(await run('collect_pages', ...gone));
    expect(stopped.result).toMatchObject({ items: 0, stored: null, failed: 'HTTP_404' });
    expect(stopped.steps_executed).toEqual(['start', 'fetch_first', 'report']);
  },
);

nightlyTest('fan_out_reduce reduces once, with the arguments of all branches', async () => {
  const document = completed(await run('fan_out_reduce'));
  expect(document.result).toEqual({ total: 650, largest: 144, agrees: true, counted: 12 });
  expect(document.steps_executed.filter((step) => step === 'reduce')).toHaveLength(1);
});

test('error_path recovers, and says why when it may not', async () => {
  const rescued = completed(await run('error_path'));
  expect(rescued.result).toMatchObject({ attempts: 3, recovered_from: 'PY_ZeroDivisionError' });
  const failed = await run('error_path', '--set', 'rescue=false');
  expect(failed.code).toBe(1);
  expect(failed.document).toMatchObject({
    status: 'failed',
    error: { code: 'PY_ZeroDivisionError', step: 'risky', task: 'risky_task', attempt: 1 },
  });
  expect(failed.document.error!.at.file).toMatch(/error_path\.yaml$/);
});

test('keychain opens an API and signs, and without its secret does not begin', async () => {
  const secret = 'swordfish-of-the-e2e-4711';
  const history = path.join(os.tmpdir(), `noetl-keychain-${process.pid}.json`);
  const args = [
    'run',
    'playbooks/keychain.yaml',
    '--json',
    '--set',
    `api_url=${apiUrl}`,
    '--history',
    history,
  ];
  const env = { TEMPORAL_ADDRESS: server.address, NOETL_SECRET_DEMO_CLIENT: secret };
  const { code, stdout } = await inProcess(args, env);
  expect({ code, result: (JSON.parse(stdout) as RunDocument).result }).toEqual({
    code: 0,
    result: { client: 'noetl-demo', signature: expect.stringMatching(/^[0-9a-f]{16}$/) as string },
  });
  expect(canariesIn(contentsOfHistory(history), [secret])).toEqual([]);
  fs.rmSync(history);
  const refused = await run('keychain');
  expect(refused).toMatchObject({
    code: 1,
    document: { steps_executed: [], error: { code: 'KEYCHAIN_UNRESOLVED', at: { line: 17 } } },
  });
  expect(refused.stderr).toContain('the worker has no variable NOETL_SECRET_DEMO_CLIENT');
});

test('sub_playbook prices every order by an execution of its own, and counts the one that failed', async () => {
  const document = completed(await run('sub_playbook'));
  expect(document.result).toEqual({ prices: [15, 30], sum: 45, not_priced: 1 });
});

nightlyTest('link_pages follows the addresses in headers to the last page', async () => {
  const { result } = completed(await run('link_pages', '--set', `url=${apiUrl}/api/v1/repos`));
  expect((result['rows'] as { id: number }[]).map(({ id }) => id)).toEqual(
    Array.from({ length: 35 }, (_, n) => n + 1),
  );
});

nightlyTest('order_saga ships, or undoes what it did, last first', async () => {
  const shop = `${apiUrl}/shop`;
  const doneBy = async (): Promise<string[]> =>
    ((await (await fetch(shop)).json()) as { done: string[] }).done.map((one) => one.replace(/\/\d+$/, ''));
  expect(completed(await run('order_saga', '--set', `api=${shop}`)).result).toEqual({
    order: 17,
    shipment: '3',
  });
  const before = (await doneBy()).length;
  const { code, document } = await run('order_saga', '--set', `api=${shop}`, '--set', 'order=1001');
  expect({ code, error: document.error }).toMatchObject({
    code: 1,
    error: { step: 'undone', message: 'order 1001 was undone: HTTP_422' },
  });
  expect((await doneBy()).slice(before)).toEqual([
    'POST /shop/stock/reserve',
    'POST /shop/charges',
    'DELETE /shop/charges',
    'POST /shop/stock/release',
  ]);
});

nightlyTest(
  'incremental_sync continues after its watermark, and waits where the server says so',
  async () => {
    const args = ['--set', `api_url=${apiUrl}`];
    expect(completed(await run('incremental_sync', ...args)).result).toEqual({ changes: 35, last: 35 });
    expect(completed(await run('incremental_sync', ...args)).result).toEqual({ changes: 0, last: 35 });
    const gone = await run('incremental_sync', '--set', `api_url=${apiUrl}/nowhere`);
    expect(gone.document.error).toMatchObject({ step: 'fetch', code: 'HTTP_404' });
    const { rows } = await query('SELECT id, name FROM example_customers ORDER BY id');
    expect(rows).toHaveLength(20);
    expect(rows[3]).toEqual({ id: 3, name: 'Customer 3, change 23' });
  },
);

nightlyTest('status_change tells what changed, and nothing else', async () => {
  const check = async (place: string) =>
    completed(await run('status_change', '--set', `url=${place}`, '--set', `webhook=${apiUrl}/shop/told`))
      .result;
  expect(await check(`${apiUrl}/health`)).toEqual({ status: 'up', told: true });
  expect(await check(`${apiUrl}/health`)).toEqual({ status: 'up', told: false });
  await query(`UPDATE example_status SET status = 'down'`);
  expect(await check(`${apiUrl}/health`)).toEqual({ status: 'up', told: true });
  expect(await check(`${apiUrl}/nowhere`)).toEqual({ status: 'down', told: true });
});

nightlyTest('daily_report counts yesterday of its zone, and fails where that cannot be right', async () => {
  await query(`CREATE TABLE example_orders (placed timestamptz, amount numeric);
    INSERT INTO example_orders VALUES ('2026-03-28T22:59:59Z', 1), ('2026-03-28T23:00:00Z', 20), ('2026-03-29T21:59:59Z', 40.5), ('2026-03-29T22:00:00Z', 1)`);
  const at = (time: string) => run('daily_report', '--set', `at=${time}`);
  expect(completed(await at('2026-03-30T05:00:00Z')).result).toEqual({
    day: '2026-03-29',
    orders: 2,
    total: 60.5,
  });
  expect((await at('2026-02-01T05:00:00Z')).document.error).toMatchObject({
    step: 'count',
    message: 'only 0 orders before 2026-02-01T00:00:00+01:00: is the import late?',
  });
});

nightlyTest('day_backfill loads each day since the watermark, once', async () => {
  await query(`CREATE TABLE loaded (day date PRIMARY KEY); CREATE TABLE sales (day date, sold timestamptz, amount int);
    CREATE TABLE raw_sales (day date, sold timestamptz, amount int)`);
  const today = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Berlin' }).format(Date.now());
  const dayBefore = (days: number): string =>
    new Date(Date.parse(today) - days * 86_400_000).toISOString().slice(0, 10);
  const [first, yesterday] = [dayBefore(3), dayBefore(1)];
  await query(`INSERT INTO raw_sales SELECT d, d::timestamp AT TIME ZONE 'Europe/Berlin' + '12 hours', 1
    FROM generate_series('${dayBefore(5)}'::date, '${dayBefore(0)}'::date, '1 day') d`);
  const loaded = completed(await run('day_backfill', '--set', `first="${first}"`)).result;
  expect(loaded).toEqual({ loaded: 3, last: yesterday });
  expect(completed(await run('day_backfill', '--set', `first="${first}"`)).result).toMatchObject({
    loaded: 0,
  });
  const { rows } = await query(
    'SELECT count(*)::int AS n, min(day)::text AS first, max(day)::text AS last FROM sales',
  );
  expect(rows).toEqual([{ n: 3, first, last: yesterday }]);
});

test('approval waits for the event that the command line sends, and no longer than it was told', async () => {
  const env = { TEMPORAL_ADDRESS: server.address };
  const running = start(process.execPath, [CLI, 'run', 'playbooks/approval.yaml', '--json'], env);
  await running.says(/execution \d+/, 60_000);
  const id = /execution (\d+)/.exec(running.output())![1]!;
  const send = (amount: number) =>
    inProcess(['event', id, 'approved', '--payload', JSON.stringify({ by: 'Ada', amount }), '--json'], env);
  expect(JSON.parse((await send(1)).stdout)).toMatchObject({ fate: 'kept' });
  expect((await send(900)).code).toBe(0);
  const { code, stdout } = await running.finished;
  expect(code).toBe(0);
  expect((JSON.parse(stdout) as RunDocument).result).toEqual({ placed: true, approved_by: 'Ada' });
  const late = await run('approval', '--set', 'patience=1');
  expect(late.document.result).toEqual({ placed: false, approved_by: null });
}, 180_000);

test('on a machine with nothing running, one line starts all it needs, and leaves nothing behind', async () => {
  const data = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-e2e-'));
  fs.chmodSync(data, 0o755);
  const history = path.join(data, 'history.json');
  const env = { TEMPORAL_ADDRESS: '', NOETL_CREDENTIAL_PG_LOCAL: '', DATABASE_URL: '' };
  const { code, stdout, stderr } = await noetl(
    [
      'run',
      'playbooks/streaming_pagination.yaml',
      '--json',
      '--data',
      data,
      '--history',
      history,
      '--set',
      `api_url=${apiUrl}`,
    ],
    env,
  );
  expect(stderr).toMatch(/http:\/\/\S+\/namespaces\/default\/workflows\/noetl-\d+/);
  const document = completed({ code, document: JSON.parse(stdout) as RunDocument });
  expect(document.result).toMatchObject({ pages: 12, items: 105, missing: 1 });
  expect(
    (JSON.parse(fs.readFileSync(history, 'utf8')) as { events: unknown[] }).events.length,
  ).toBeGreaterThan(50);
  fs.rmSync(data, { recursive: true, force: true });
});

test('a worker that is killed takes its shell commands with it', async () => {
  const seconds = ownSeconds();
  const marker = path.join(os.tmpdir(), `noetl-killed-${process.pid}`);
  const playbook = path.join(os.tmpdir(), `noetl-killed-${process.pid}.yaml`);
  fs.writeFileSync(
    playbook,
    `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: slow, path: test/slow}\nworkflow:\n- step: start\n  tool:\n    kind: shell\n    cmds: ["echo started > ${marker}; sleep ${seconds}; echo finished > ${marker}"]\n`,
  );
  const running = start(process.execPath, [CLI, 'run', playbook], { TEMPORAL_ADDRESS: server.address });
  await until(() => processes(seconds).length > 0);
  running.child.kill('SIGKILL');
  await running.finished;
  await until(() => processes(seconds).length === 0);
  expect(fs.readFileSync(marker, 'utf8')).toBe('started\n');
  fs.rmSync(marker);
  fs.rmSync(playbook);
});

test('a wrong playbook or command exits 2 with a message that says where', async () => {
  const missing = await inProcess(['run', 'no/such.yaml']);
  expect(missing.code).toBe(2);
  expect(missing.stderr).toMatch(/no\/such\.yaml/);
  const broken = path.join(os.tmpdir(), `noetl-broken-${process.pid}.yaml`);
  fs.writeFileSync(
    broken,
    'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: x, path: x}\nworkflow:\n- step: start\n  tool: {kind: htp, url: x}\n',
  );
  const refused = await noetl(['run', broken]);
  fs.rmSync(broken);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toMatch(/:6:\d+/);
  expect(refused.stderr).toMatch(/did you mean.*http/i);
  expect(refused.stderr).not.toMatch(/at .*\.js:\d+/);
});
