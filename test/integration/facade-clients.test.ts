/** What else the official CLI and GUI ask of a server: variables, templates, workers, SQL, numbers, test suites. */
import { NativeConnection } from '@temporalio/worker';
import { executionIdOf } from '../../src/temporal/client';
import { startWorkers } from '../../src/temporal/worker';
import { type ContractClient, contractClient } from '../support/contract';
import { startFacade, type TestFacade } from '../support/facade';
import { playbookOf } from '../support/simulator';
import { type Stack, startStack } from '../support/stack';
import { until } from '../support/until';

let stack: Stack;
let facade: TestFacade;
let ask: ContractClient;
/** An execution that waits for the event `go`, and what it came to when it got it. */
let waiting: string;

beforeAll(async () => {
  stack = await startStack({ kinds: ['shell'] });
  facade = await startFacade(stack);
  ask = contractClient(facade);
  waiting = executionIdOf(
    (
      await stack.start(
        stack.compile(
          playbookOf(
            `
- step: start
  tool: {kind: shell, cmds: ["echo hi {{ workload.who }}"]}
  set: {ctx.said: "{{ start.stdout | trim }}"}
  next: {arcs: [{step: waits}]}
- step: waits
  tool: {kind: wait, event: go}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop, input: {went: "{{ waits }}", vars: "{{ ctx }}"}}`,
            'workload: {who: Ada}',
          ),
        ),
      )
    ).workflowId,
  )!;
  await until(async () => {
    const { body } = await ask('get', `/api/executions/${waiting}/status`);
    return body['current_step'] === 'waits';
  });
});
afterAll(async () => {
  await facade?.stop();
  await stack?.stop();
  expect(facade.reported).toEqual([]);
});

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as string;

test('variables tell where they come from, are set and deleted from outside, and the run sees them', async () => {
  expect((await ask('get', `/api/vars/${waiting}`)).body).toEqual({
    execution_id: waiting,
    count: 1,
    variables: {
      said: {
        value: 'hi Ada',
        type: 'step_result',
        source_step: 'start',
        created_at: TIME,
        updated_at: TIME,
        accessed_at: TIME,
        access_count: 0,
      },
    },
  });
  const set = await ask('post', `/api/vars/${waiting}`, {
    variables: { k: { z: 1 }, m: 's', gone: null },
    var_type: 'user_defined',
    source_step: 'start',
  });
  expect(set.body).toEqual({ execution_id: waiting, variables_set: 3, var_names: ['k', 'm', 'gone'] });
  expect((await ask('get', `/api/vars/${waiting}/k`)).body).toMatchObject({
    execution_id: waiting,
    var_name: 'k',
    value: { z: 1 },
    type: 'user_defined',
  });
  const long = 'x'.repeat(20_000);
  await ask('post', `/api/vars/${waiting}`, { variables: { m: long } });
  const valueOf = async (query: string): Promise<unknown> => {
    const { text } = await ask('get', `/api/vars/${waiting}${query}`);
    return (JSON.parse(text) as { variables: Record<string, { value: unknown }> }).variables['m']!.value;
  };
  expect(await valueOf('')).toMatchObject({ store: 'history', size: expect.any(Number) as number });
  expect(await valueOf('?full=true')).toBe(long);
  expect((await ask('get', `/api/vars/${waiting}/m`)).body).toMatchObject({ value: long });
  expect((await ask('delete', `/api/vars/${waiting}/gone`)).body).toMatchObject({ deleted: true });
  expect((await ask('get', `/api/vars/${waiting}/gone`)).body).toMatchObject({ code: 'VARIABLE_NOT_FOUND' });
  expect((await ask('delete', `/api/vars/${waiting}/gone`)).status).toBe(404);
  expect((await ask('post', `/api/vars/${waiting}`, { variables: { 'a b': 1 } })).status).toBe(422);
  expect((await ask('delete', `/api/vars/${waiting}`)).body).toMatchObject({ deleted_count: 3 });
  expect((await ask('post', `/api/vars/${waiting}`, { variables: { kept: 1 } })).status).toBe(200);
  expect((await ask('get', '/api/vars/1')).status).toBe(404);
});

test.each([
  ['{{ workload.who }}', 'Ada'],
  [
    { a: ['{{ start.stdout | trim }}', 7], b: '{{ nothing }}' },
    { a: ['hi Ada', 7], b: null },
  ],
  ['{{ extra + 1 }}', 2],
  ['{{ execution_id }}', expect.stringMatching(/^\d+$/)],
  [null, null],
])('renders %j with what the execution knows', async (template, rendered) => {
  const { body } = await ask('post', '/api/context/render', {
    execution_id: waiting,
    template,
    extra_context: { extra: 1 },
  });
  expect(body).toMatchObject({ status: 'ok', rendered });
  expect(body['context_keys']).toEqual(
    expect.arrayContaining(['workload', 'ctx', 'start', 'execution_id', 'extra']),
  );
});

test.each([
  ['{{ keychain.api.token }}', 'SECRETS_REFUSED'],
  [['{{ 1 +', 'x'], 'TEMPLATE'],
  ['{{ 1 // 0 }}', 'TEMPLATE'],
  [JSON.parse(`${'['.repeat(100)}${']'.repeat(100)}`), 'TEMPLATE'],
])('does not render %j', async (template, code) => {
  const { status, body } = await ask('post', '/api/context/render', { execution_id: waiting, template });
  expect([status, body['code']]).toEqual([422, code]);
});

test('tells of living workers, and is polite to those of the official server', async () => {
  const workers = await until(async () => {
    const { body } = await ask('get', '/api/worker/pools');
    const items = body['items'] as unknown as { kinds: string[] }[];
    return items.some(({ kinds }) => kinds.includes('shell') && kinds.includes('workflows')) && items;
  });
  expect(workers[0]).toMatchObject({ status: 'ready', runtime: { type: 'temporal', pid: process.pid } });
  for (const [method, what] of [
    ['post', 'register'],
    ['post', 'heartbeat'],
    ['post', 'deregister'],
    ['delete', 'deregister'],
  ] as const)
    expect((await ask(method, `/api/worker/pool/${what}`, { name: 'w1', runtime: {} })).body).toMatchObject({
      status: 'ok',
      name: 'w1',
    });
});

test('while templates are rendered that take long, everybody else is answered', async () => {
  let isRendered = false;
  const template = Array<string>(2_000).fill('{{ range(2000) | sum }}');
  const rendered = ask('post', '/api/context/render', { execution_id: waiting, template }).finally(
    () => (isRendered = true),
  );
  let answers = 0;
  for (; !isRendered; answers += 1) expect((await ask('get', '/api/health')).status).toBe(200);
  expect((await rendered).body['rendered']).toEqual(Array<number>(2_000).fill(1_999_000));
  expect(answers).toBeGreaterThan(10);
});

test('a worker that was shut down is not among the living, though Temporal lists its polls for minutes', async () => {
  const connection = await NativeConnection.connect({ address: stack.server.address });
  const { namespace } = stack.server;
  const workers = await startWorkers({
    connection,
    namespace,
    kinds: ['shell'],
    workflows: false,
    pool: 'leaving',
  });
  const queues = async (): Promise<string[]> =>
    (
      (await ask('get', '/api/worker/pools?pool=leaving')).body['items'] as unknown as {
        task_queues: string[];
      }[]
    ).flatMap(({ task_queues }) => task_queues);
  await until(async () => (await queues()).includes('noetl-leaving-shell'));
  await workers.stop({ graceMs: 0 });
  await connection.close();
  await until(async () => !(await queues()).includes('noetl-leaving-shell'));
  expect(await queues()).toContain('noetl-shell');
});

test('runs SQL: rows as lists for the table of the official CLI, and by column', async () => {
  const run = async (body: object): Promise<Awaited<ReturnType<ContractClient>>> =>
    await ask('post', '/api/postgres/execute', body);
  const rows = "SELECT 1 AS x, 'a' AS x, NULL AS n UNION ALL SELECT 2, 'b', 'c' ORDER BY 1";
  expect((await run({ query: rows, schema: 'noetl' })).body).toEqual({
    status: 'ok',
    result: [
      [1, 'a', null],
      [2, 'b', 'c'],
    ],
    columns: ['x', 'x', 'n'],
    rows: [
      { x: 'a', n: null },
      { x: 'b', n: 'c' },
    ],
    row_count: 2,
    command: 'SELECT',
    truncated: false,
    error: null,
  });
  const encoded = Buffer.from('SELECT %s + 1 AS y').toString('base64');
  expect((await run({ query_base64: encoded, parameters: [41] })).body).toMatchObject({ result: [[42]] });
  await run({
    query:
      'CREATE SCHEMA other; CREATE TABLE other.t (a int); ' +
      'CREATE PROCEDURE other.fill(n int) LANGUAGE sql AS $$ INSERT INTO other.t VALUES (n) $$;',
  });
  expect((await run({ procedure: 'fill', parameters: [5], schema: 'other' })).body).toMatchObject({
    command: 'CALL',
  });
  const named = { query: 'SELECT a FROM t WHERE a = %(a)s', parameters: { a: 5 }, schema: 'other' };
  expect((await run(named)).body).toMatchObject({ result: [[5]], rows: [{ a: 5 }] });
  expect((await run({ query: 'SELECT * FROM' })).body).toMatchObject({
    status: 'error',
    result: null,
    code: '42601',
    error: expect.stringContaining('syntax error'),
  });
  expect((await run({ query: 'SELECT current_database()', database: 'nosuch' })).status).toBe(400);
  expect((await run({})).status).toBe(422);
  expect((await run({ query: 'SELECT 1', connection_string: 'http://x' })).status).toBe(422);
  expect((await run({ query: 'SELECT 1', credential: 'nosuch' })).body).toMatchObject({
    code: 'KEY_MISSING',
  });
});

test('what the database and the process are asked', async () => {
  for (const [method, path, shape] of [
    ['get', '/api/db/validate', { status: 'ok', valid: true }],
    ['post', '/api/db/init', { status: 'ok', valid: true }],
    ['get', '/api/pool/status', { status: 'ok', max: expect.any(Number) }],
    ['get', '/api/status', { status: 'ok', namespace: 'default', pid: process.pid }],
    ['get', '/api/threads', { resources: expect.any(Object) }],
  ] as const)
    expect((await ask(method, path)).body).toMatchObject(shape);
  const stats = await until(async () => {
    const { body } = await ask('get', '/api/dashboard/stats');
    return Number(body['total_executions']) > 0 && body;
  });
  expect(stats).toMatchObject({ status: 'ok', active_executions: 1, failed_executions: 0, success_rate: 0 });
});

test('keeps the test suites of the GUI', async () => {
  const at = '/api/playbook-tests/suites/team/cities';
  const suite = { playbook_path: 'team/cities', tests: [{ name: 'one' }], metadata: { by: 'Ada' } };
  expect((await ask('get', at)).status).toBe(404);
  const kept = await ask('put', at, { ...suite, tests: [] });
  expect(kept.body).toMatchObject({ ...suite, tests: [], suite_id: 'team/cities' });
  expect((await ask('put', at, suite)).body).toMatchObject({ ...suite, updated_at: TIME });
  expect((await ask('get', at)).body).toMatchObject({ ...suite, file_path: 'suites/team/cities.json' });
  expect((await ask('delete', at)).body).toMatchObject({ status: 'deleted', suite_id: 'team/cities' });
  expect((await ask('delete', at)).status).toBe(404);
});

test('an event from outside is taken once, and none by an execution that is over', async () => {
  const event = { execution_id: waiting, name: 'go', payload: { by: 'Bo' }, event_id: 'one' };
  expect((await ask('post', '/api/events', { ...event, name: 'other', event_id: 'two' })).body).toMatchObject(
    {
      fate: 'kept',
    },
  );
  expect((await ask('post', '/api/events', event)).body).toEqual({
    status: 'ok',
    execution_id: waiting,
    event_id: 'one',
    name: 'go',
    fate: 'taken',
  });
  const end = (await stack.client.workflow.getHandle(`noetl-${waiting}`).result()) as { result: unknown };
  expect(end.result).toEqual({ went: { by: 'Bo' }, vars: { kept: 1 } });
  // Repeated after the end, it is still a duplicate, and so is what nobody took; news is refused.
  for (const event_id of ['one', 'two'])
    expect(await ask('post', '/api/events', { ...event, event_id })).toMatchObject({
      status: 200,
      body: { fate: 'duplicate' },
    });
  expect(await ask('post', '/api/events', { ...event, event_id: 'three' })).toMatchObject({
    status: 409,
    body: { code: 'EXECUTION_OVER' },
  });
  const { event_id: _, ...unnamed } = event;
  expect((await ask('post', '/api/events', unnamed)).body).toMatchObject({ code: 'EXECUTION_OVER' });
  expect((await ask('post', `/api/vars/${waiting}`, { variables: { a: 1 } })).status).toBe(409);
  expect((await ask('post', '/api/events', { ...event, execution_id: '1' })).status).toBe(404);
  expect((await ask('post', '/api/events', { execution_id: waiting })).status).toBe(422);
});

test('the numbers count one that a limit skipped apart, and as completed what the list does', async () => {
  const plan = stack.compile(
    playbookOf(
      '- step: start\n  tool: {kind: wait, event: done}',
      'executor: {spec: {concurrency: {key: one, limit: 1, on_conflict: skip}}}',
    ),
  );
  const first = await stack.start(plan);
  await until(async () => {
    const { body } = await ask('get', `/api/executions/${executionIdOf(first.workflowId)}/status`);
    return body['current_step'] === 'start';
  });
  await (await stack.start(plan)).result();
  await ask('post', '/api/events', { execution_id: executionIdOf(first.workflowId), name: 'done' });
  await first.result();
  const completed = async (): Promise<number> =>
    ((await ask('get', '/api/executions?status=COMPLETED')).body as unknown as unknown[]).length;
  await until(async () => {
    const { body } = await ask('get', '/api/dashboard/stats');
    const inList = await completed();
    return inList > 0 && body['skipped_executions'] === 1 && body['successful_executions'] === inList;
  });
});
