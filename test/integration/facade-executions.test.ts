/** Executions over REST as the official CLI and GUI ask for them: every answer is held to the published schema. */
import { newestFirst } from '../../src/temporal/client/newest-first';
import { startsOf } from '../../src/temporal/client/visibility';
import {
  EXECUTIONS,
  executionIdOf,
  newExecutionId,
  WORKFLOW_TASK_QUEUE,
  WORKFLOW_TYPE,
  workflowId,
} from '../../src/temporal/client';
import { type Answered } from '../support/contract';
import {
  at,
  FAILING,
  GREETER,
  type Line,
  PARENT,
  useFacadeExecutions,
  WAITING,
} from '../support/facade-executions';
import { playbookOf } from '../support/simulator';
import { until } from '../support/until';

const its = useFacadeExecutions();
const { ask, ran, begun, statusOf, listed } = its;

test('is listed in the order of starts, also with the playbook of one that the temporal CLI started', async () => {
  const waits = await begun(WAITING);
  const bare = newExecutionId();
  const options = { workflowId: workflowId(bare), taskQueue: WORKFLOW_TASK_QUEUE };
  await its.stack.client.workflow.execute(WORKFLOW_TYPE, { ...options, args: [its.stack.compile(GREETER)] });
  const later = await ran(GREETER);
  const ids = [later, bare, waits];
  const lines = await until(async () => {
    const found = (await listed('')).filter(({ execution_id: id }) => ids.includes(id));
    return found.filter(({ status }) => status === 'COMPLETED').length === 2 && found;
  });
  expect(lines.map(({ execution_id: id }) => id)).toEqual(ids);
  expect(lines[1]).toMatchObject({ path: 'test/greeter', error: null });
  await ask('post', `/api/executions/${waits}/cancel`, {});
});

test('lists executions by path, status, time and caller, page by page', async () => {
  const waits = await begun(WAITING);
  const ids = [await ran(GREETER), await ran(GREETER, { name: 'Ada' }), await ran(FAILING), waits];
  const [done] = ids as [string];
  const greeters = await until(async () => {
    const lines = await listed('path=test/greeter&status=completed');
    return lines.length >= 2 && lines;
  });
  expect(greeters.find(({ execution_id }) => execution_id === done)).toMatchObject({
    execution_id: done,
    workflow_id: `noetl-${done}`,
    path: 'test/greeter',
    status: 'COMPLETED',
    progress: 100,
    result: null,
    error: null,
    parent_execution_id: null,
    schedule: null,
    notification_id: null,
    trigger: null,
    start_time: expect.stringMatching(/^\d{4}-.*Z$/),
    duration_human: expect.stringMatching(/^\d+(\.\d+)? m?s$/),
  });
  const [failure] = await until(async () => {
    const lines = await listed('path=test/fail*&status=FAILED');
    return lines.length > 0 && lines;
  });
  expect(failure).toMatchObject({ execution_id: ids[2], error: expect.stringContaining('start') });
  expect(await listed('path=test/nothing')).toEqual([]);
  expect(await listed('started_before=2001-01-01T00:00:00Z')).toEqual([]);
  expect(await listed('path=test/greeter&top_level=false')).toEqual([]);

  const [seen, starts]: [string[], string[]] = [[], []];
  for (let query: string | null = '/api/executions?page_size=1'; query !== null;) {
    const { body, headers }: Answered = await ask('get', query);
    seen.push(...(body as never as Line[]).map((line) => line.execution_id));
    starts.push(...(body as never as Line[]).map((line) => line.start_time));
    query = /^<([^>]*)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1] ?? null;
  }
  expect(seen).toEqual(expect.arrayContaining(ids));
  expect(new Set(seen).size).toBe(seen.length);
  // That it runs brings it no further to the front.
  expect(starts).toEqual([...starts].sort().reverse());
  expect(seen.indexOf(waits)).toBeGreaterThan(seen.indexOf(done));
  // Where more has to be looked at than is sensible, Temporal counts.
  const from = startsOf(its.stack.client, EXECUTIONS, 1);
  let counted = 0;
  const counting = {
    running: from.running,
    over: from.over,
    countOver: async (...asked: Parameters<typeof from.countOver>) => {
      counted += 1;
      return await from.countOver(...asked);
    },
  };
  const { runs } = await newestFirst(counting, 2, undefined, 3);
  expect(runs.map((run) => executionIdOf(run.workflowId))).toEqual(seen.slice(0, 2));
  expect(counted).toBeGreaterThan(0);
  await ask('post', `/api/executions/${waits}/cancel`, {});
  const first = await ask('get', '/api/executions?page_size=1');
  const ofAll = first.headers.get('x-next-cursor')!;
  for (const query of ['cursor=zzz', `path=test/greeter&cursor=${ofAll}`]) {
    const { status, body } = await ask('get', `/api/executions?${query}`);
    expect([status, body]).toMatchObject([
      422,
      { code: 'FILTER', detail: 'the cursor does not belong to this list' },
    ]);
  }
  expect((await ask('get', '/api/executions?status=nosuch')).status).toBe(422);
});

test('tells Temporal what its messages are, and which are none of a user’s business', async () => {
  const id = await begun(WAITING);
  const handle = its.stack.client.workflow.getHandle(`noetl-${id}`);
  const { definition } = await handle.query<{
    definition: Record<string, { name: string; description?: string }[]>;
  }>('__temporal_workflow_metadata');
  const { signalDefinitions = [], queryDefinitions = [], updateDefinitions = [] } = definition;
  const internal = signalDefinitions.filter(({ description }) => description?.startsWith('Internal'));
  expect(internal.map(({ name }) => name).sort()).toEqual(
    ['childSettled', 'childStarted', 'chunk', 'limit', 'taskSettled'].sort(),
  );
  const named = [...signalDefinitions, ...queryDefinitions, ...updateDefinitions].filter(
    ({ name }) => !name.startsWith('__'),
  );
  expect(named.filter(({ description }) => !description)).toEqual([]);
  await ask('post', `/api/executions/${id}/cancel`, {});
});

test('shows an execution with its events newest first, from an event on, of a type', async () => {
  const id = await ran(GREETER, { name: 'Ada' });
  const { body } = await ask('get', `/api/executions/${id}?page=1&page_size=5`);
  const events = body['events'] as unknown as { event_id: string; event_type: string; node_name: string }[];
  expect(body).toMatchObject({
    status: 'COMPLETED',
    path: 'test/greeter',
    result: { said: 'hello Ada' },
    events_included: true,
    pagination: { page: 1, page_size: 5, has_next: true, has_prev: false },
  });
  expect(events[0]).toMatchObject({ event_type: 'playbook.completed', status: 'COMPLETED' });
  const numbers = events.map((event) => Number(event.event_id));
  expect(numbers).toEqual([...numbers].sort((a, b) => b - a));
  const since = numbers[2]!;
  const later = await ask('get', `/api/executions/${id}?since_event_id=${since}`);
  expect((later.body['events'] as unknown as object[]).length).toBe(2);
  const { body: same } = await ask('get', `/api/executions/${id}/events?after=${since}`);
  expect((same['events'] as never as unknown[]).reverse()).toEqual(later.body['events']);
  const ofType = await ask('get', `/api/executions/${id}?event_type=call.done`);
  expect(ofType.body['events']).toMatchObject([
    { event_type: 'call.done', node_name: 'end' },
    { event_type: 'call.done', node_name: 'start', result: { context: { stdout: 'hello Ada\n' } } },
  ]);
  expect((await ask('get', `/api/executions/${id}?page=9`)).body).toMatchObject({ events: [] });
  expect((await ask('get', '/api/executions/1')).status).toBe(404);
});

test('says of a failure what the official CLI prints: completed and failed', async () => {
  const id = await ran(FAILING);
  expect((await ask('get', `/api/executions/${id}/status`)).body).toMatchObject({
    status: 'FAILED',
    completed: true,
    failed: true,
    completed_steps: [],
    failed_steps: ['start'],
    current_step: 'start',
    error: expect.stringMatching(/^start/),
    completion_inferred: false,
  });
});

test('an execution that an operator ended has failed, and says why', async () => {
  const id = await begun(WAITING);
  await its.stack.client.workflow.getHandle(`noetl-${id}`).terminate('taken off');
  expect((await ask('get', `/api/executions/${id}/status`)).body).toMatchObject({
    status: 'FAILED',
    completed: true,
    failed: true,
    error: 'taken off',
  });
  const { body } = await ask('get', `/api/executions/${id}`);
  expect(body).toMatchObject({ status: 'FAILED', progress: 100, end_time: expect.any(String) });
});

test('large variables come whole with ?full', async () => {
  const id = await ran(
    playbookOf(
      `\n- step: start\n  tool: {kind: noop, input: {x: 1}}\n  set: {ctx.large: "{{ 'x' * 20000 }}", ctx.small: 1}`,
    ),
  );
  const short = (await ask('get', `/api/executions/${id}/status`)).body['variables'];
  expect(short).toMatchObject({ small: 1, large: { store: 'history' } });
  const full = (await ask('get', `/api/executions/${id}/status?full=true`)).body['variables'];
  expect(full).toEqual({ small: 1, large: 'x'.repeat(20000) });
  const { variables } = (await ask('get', `/api/executions/${id}/progress`)).body;
  expect(variables).toEqual(short);
});

test('draws the steps with how far each has come', async () => {
  const id = await ran(GREETER);
  expect((await ask('get', `/api/executions/${id}/graph`)).body).toMatchObject({
    execution_id: id,
    entry: 'start',
    nodes: [
      { step: 'start', status: 'done', runs: 1 },
      { step: 'end', status: 'done', runs: 1 },
    ],
    arcs: [{ from: 'start', to: 'end' }],
  });
});

test('explains why an execution went where it went, with the lines of the playbook as it was when it ran', async () => {
  const deciding = at(
    'test/deciding',
    playbookOf(`
- step: start
  tool: {kind: noop, input: {n: "{{ workload.n }}"}}
  next:
    arcs:
      - {step: many, when: "{{ start.n > 10 }}"}
      - {step: few}
- step: many
  tool: {kind: noop}
- step: few
  tool: {kind: noop}`),
  );
  const content = (text: string): object => ({ content: text, resource_type: 'Playbook' });
  expect(await ask('post', '/api/catalog/register', content(deciding))).toMatchObject({ status: 200 });
  const { body: started } = await ask('post', '/api/execute', { path: 'test/deciding', workload: { n: 12 } });
  const id = started['execution_id'] as unknown as string;
  // What runs is that text, whatever is registered later, or taken away.
  await ask('post', '/api/catalog/register', content(deciding.replace('n > 10', 'n > 100')));
  await until(async () => (await statusOf(id)) === 'COMPLETED' || undefined);

  const { body } = await ask('get', `/api/executions/${id}/explanation?step=start`);
  const line = deciding.split('\n').findIndex((one) => one.includes('step: many')) + 1;
  expect(body).toMatchObject({ execution_id: id, playbook: 'test/deciding', status: 'completed' });
  expect(body['decisions']).toContainEqual(
    expect.objectContaining({
      kind: 'route',
      step: 'start',
      considered: [
        expect.objectContaining({
          guard: '{{ start.n > 10 }}',
          won: true,
          values: { 'start.n': 12 },
          at: {
            file: 'catalog://test/deciding@1',
            line,
            column: expect.any(Number),
            source: expect.stringContaining('start.n > 10'),
          },
        }),
        expect.objectContaining({ won: false }),
      ],
    }),
  );
  const { body: whole } = await ask('get', `/api/executions/${id}/explanation`);
  const kinds = (whole['decisions'] as unknown as { kind: string; seq: number }[]).map(({ kind }) => kind);
  expect(kinds).toEqual(['start', 'route', 'end']);
  const { body: last } = await ask('get', `/api/executions/${id}/explanation?at=10000`);
  expect(last['decisions']).toMatchObject([{ kind: 'end' }]);
  expect(await ask('get', `/api/executions/${id}/explanation?at=0`)).toMatchObject({ status: 422 });
  expect(await ask('get', '/api/executions/987654321/explanation')).toMatchObject({ status: 404 });
});

test('analyses an execution by facts, and says that it asks no model', async () => {
  const id = await ran(FAILING);
  const { body } = await ask('post', `/api/executions/${id}/analyze`, { event_sample_size: 5 });
  expect(body).toMatchObject({
    execution_id: id,
    status: 'FAILED',
    findings: [{ severity: 'error', code: 'EXECUTION_FAILED', step: 'start' }],
    recommendations: [expect.stringContaining('rerun')],
    summary: { tasks_run: 1, is_over: true },
    playbook: { path: 'test/failing', steps: ['start'] },
    ai_prompt: expect.stringContaining('exit'),
  });
  expect(body['event_sample']).toHaveLength(5);
  expect((await ask('post', `/api/executions/${id}/analyze/ai`, {})).body).toMatchObject({
    code: 'NO_LANGUAGE_MODEL',
    detail: expect.stringContaining('/analyze'),
  });
});

const NAMED = playbookOf(
  `\n- step: start\n  tool: {kind: shell, cmds: ["exit {{ workload.code }}"]}`,
  'workload: {customer: {id: acme}, code: 0}',
).replace(
  'path: test/test',
  'path: test/named, labels: {team: sales, tier: "1"}, run_name: "load {{ workload.customer.id }}"',
);

test('has labels and a name, is found by them, and keeps its own in a rerun', async () => {
  const start = async (labels: object, workload: object = {}) =>
    await ask('post', '/api/execute/draft', { content: NAMED, labels, workload });
  const { execution_id: id } = (await start({ tier: '2', month: '2026-11' })).body as never as Line;
  const { execution_id: other } = (await start({}, { customer: { id: 'other' } })).body as never as Line;
  const [line] = await until(async () => {
    const lines = await listed('label=tier=2&label=month=2026-11&name=load*&status=completed');
    return lines.length > 0 && lines;
  });
  expect(line).toMatchObject({
    execution_id: id,
    run_name: 'load acme',
    labels: { team: 'sales', tier: '2', month: '2026-11' },
  });
  expect(await listed('label=tier=2&label=month=2026-12')).toEqual([]);
  const counted = await until(async () => {
    const { headers } = await ask('get', '/api/executions?label=team=sales&count=true&page_size=1');
    return headers.get('x-total-count') === '2';
  });
  expect(counted).toBe(true);
  expect((await listed('name=load other')).map((one) => one.execution_id)).toEqual([other]);

  const revised = NAMED.replace('tier: "1"', 'tier: "3"').replace('exit {{', 'exit 0{{');
  const { body: again } = await ask('post', `/api/executions/${id}/rerun`, {
    playbook: revised,
    labels: { month: '2026-12' },
    workload: { customer: { id: 'again' } },
  });
  const [rerun] = await until(async () => {
    const lines = await listed('name=load again');
    return lines.length > 0 && lines;
  });
  expect(rerun).toMatchObject({
    execution_id: again['execution_id'],
    labels: { team: 'sales', tier: '2', month: '2026-12' },
  });
  const { body: whatIf } = await ask('post', `/api/executions/${id}/what-if`, { playbook: revised });
  expect(whatIf).toMatchObject({ verdict: 'call', unanswered: [{ kind: 'shell' }] });
  const { body: same } = await ask('post', `/api/executions/${id}/what-if`, {});
  expect(same).toMatchObject({ verdict: 'same', status: 'completed', differences: [], unanswered: [] });

  for (const labels of [{ team: 'two words' }, { 'a b': 'c' }, { team: 1 }])
    expect((await start(labels)).status).toBe(422);
  for (const query of ['label=team', 'input=db.password=x', 'input=x'])
    expect((await ask('get', `/api/executions?${query}`)).status).toBe(422);
  expect((await ask('post', `/api/executions/${id}/rerun`, { version: 1, playbook: NAMED })).status).toBe(
    422,
  );
});

test('of a sub-playbook labels and name are those of its playbook', async () => {
  const id = await begun(PARENT);
  const children = await until(async () => {
    const lines = await listed(`label=of=child&name=the child&parent_execution_id=${id}`);
    return lines.length === 2 && lines;
  });
  for (const child of children)
    expect(child).toMatchObject({ path: 'test/child', run_name: 'the child', labels: { of: 'child' } });
  for (const { execution_id } of children) await ask('post', `/api/executions/${execution_id}/cancel`, {});
  await ask('post', `/api/executions/${id}/cancel`, {});
});

test('is repeated with the version that ran, with another, and with the latest', async () => {
  const register = (content: string) => ask('post', '/api/catalog/register', { content });
  const text = at('test/versions', playbookOf(`\n- step: start\n  tool: {kind: shell, cmds: ["exit 4"]}`));
  await register(text);
  const { body: started } = await ask('post', '/api/execute', { path: 'test/versions' });
  const id = started['execution_id'] as unknown as string;
  await until(async () => (await statusOf(id)) === 'FAILED');
  await register(text.replace('exit 4', 'echo mended'));
  const again = async (body: object): Promise<unknown[]> => {
    const { body: begunAgain } = await ask('post', `/api/executions/${id}/rerun`, body);
    const other = begunAgain['execution_id'] as unknown as string;
    const ended = await until(async () => {
      const status = await statusOf(other);
      return ['FAILED', 'COMPLETED'].includes(status) && status;
    });
    return [ended, (await ask('get', `/api/executions/${other}/summary`)).body['version']];
  };
  expect(await again({})).toEqual(['FAILED', 1]);
  expect(await again({ version: 'latest' })).toEqual(['COMPLETED', 2]);
  expect(await again({ version: 2, from_failure: true })).toEqual(['COMPLETED', 2]);
  expect((await ask('post', `/api/executions/${id}/rerun`, { version: 9 })).status).toBe(404);
});

test('is found by inputs, texts and errors in the tables, counted, and grouped by cause', async () => {
  const { database, client } = its.facade.services;
  await database.rows(
    `INSERT INTO noetl.execution (execution_id, namespace, workflow_id, path, version, digest, status, skipped, workload,
       error, error_detail, start_time, end_time, run_name, labels, origin)
     SELECT n, $1, 'noetl-' || n, 'rows/' || n % 2, '1', '', CASE WHEN n % 3 = 0 THEN 'FAILED' ELSE 'COMPLETED' END, n = 7,
       jsonb_build_object('customer', jsonb_build_object('id', n % 10), 'pin', jsonb_build_object('$secret', 'x')),
       CASE WHEN n % 3 = 0 THEN 'it broke' END,
       CASE WHEN n % 3 = 0 THEN '{"code": "HTTP_503", "step": "fetch"}'::jsonb END,
       '2026-01-01T00:00:00Z'::timestamptz + n * interval '1 s', '2026-01-02T00:00:00Z', 'row ' || n,
       '{"team": "rows"}', CASE WHEN n = 5 THEN '{"noetl_schedule": {"schedule": "nightly", "scheduled_at": null}}'
         ELSE '{}' END::jsonb
     FROM generate_series(1, 60) n`,
    [client.options.namespace],
  );
  const ids = async (query: string) => (await listed(query)).map(({ execution_id }) => Number(execution_id));
  expect(await ids('input=customer.id=7')).toEqual([57, 47, 37, 27, 17, 7]);
  expect(await ids('input=customer.id=7&label=team=rows&status=failed&path=rows/*')).toEqual([57, 27]);
  expect(await ids('input=customer.id=7&status=skipped')).toEqual([7]);
  expect(await ids('input=customer=*')).toEqual([]);
  expect(await ids('input=pin=*')).toEqual([]);
  expect(await ids('text=NIGHTLY')).toEqual([5]);
  expect((await listed('text=nightly'))[0]).toMatchObject({
    path: 'rows/1',
    run_name: 'row 5',
    labels: { team: 'rows' },
    schedule: { name: 'nightly', scheduled_at: null },
    workflow_id: 'noetl-5',
  });
  const pages: number[][] = [];
  for (let query: string | null = '/api/executions?code=HTTP_5*&step=fetch&page_size=15&count=true'; query;) {
    const { body, headers }: Answered = await ask('get', query);
    expect(headers.get('x-total-count')).toBe('20');
    pages.push((body as never as Line[]).map((line) => Number(line.execution_id)));
    query = /^<([^>]*)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1] ?? null;
  }
  expect(pages.map(({ length }) => length)).toEqual([15, 5]);
  expect(pages.flat()).toEqual(Array.from({ length: 20 }, (_, n) => 60 - 3 * n));
  const { body: causes } = await ask('get', '/api/executions/causes?path=rows/*&status=failed,completed');
  expect(causes).toMatchObject([
    { path: 'rows/0', status: 'COMPLETED', code: null, count: 20 },
    { path: 'rows/1', status: 'COMPLETED', count: 19 },
    { path: 'rows/0', status: 'FAILED', code: 'HTTP_503', step: 'fetch', count: 10 },
    { path: 'rows/1', count: 10, example: { execution_id: '57', message: 'it broke' } },
  ]);
  const where = 'input=customer.id=7,token=x text="row 5" path=rows/*';
  expect((await ask('post', '/api/bulk', { verb: 'rerun', where, dry_run: true })).status).toBe(422);
  const { body: dry } = await ask('post', '/api/bulk', {
    verb: 'rerun',
    where: 'input=customer.id=7 text="row 5" path=rows/*',
    dry_run: true,
  });
  expect(dry).toMatchObject({ total: 1, executions: ['57'], causes: [{ count: 1, code: 'HTTP_503' }] });
});
