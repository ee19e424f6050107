/** The projection on a real Temporal server and a real Postgres: what the tables hold is what the histories say. */
import fs from 'node:fs';
import http from 'node:http';
import { type AddressInfo } from 'node:net';
import path from 'node:path';
import { type WorkflowHandle } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import { Pool } from 'pg';
import { type CanonicalEvent, recordedExecution } from '../../src/history';
import {
  Consumer,
  type Consumed,
  Cursors,
  ProjectionLeases,
  postgresSink,
  storedEvents,
} from '../../src/server/projection';
import { migrate } from '../../src/server/store';
import {
  executionIdOf,
  historyPages,
  newExecutionId,
  WORKFLOW_TASK_QUEUE,
  NOETL_STATUS,
  WORKFLOW_TYPE,
  steer,
} from '../../src/temporal/client';
import { CLI, noetl, ROOT, start } from '../support/process';
import { playbooksOf } from '../support/playbooks';
import { nightlyTest } from '../support/sampled';
import { playbookOf } from '../support/simulator';
import { type Stack, startStack } from '../support/stack';
import { until } from '../support/until';

const echo = playbookOf(
  `
- step: start
  tool: {kind: shell, cmds: ["echo {{ workload.word }}"]}
  set: {ctx.word: "{{ start.stdout | trim }}", ctx.place.deep: [1, null]}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop, input: {said: "{{ ctx.word }}"}}`,
  'workload: {word: hello}',
);
const failing = playbookOf(`
- step: start
  tool:
    kind: shell
    cmds: ["exit 3"]
    spec: {policy: {rules: [{when: "{{ output.status == 'error' }}", then: {do: retry, attempts: 2, delay: 0.05}}]}}`);
const waiting = playbookOf(`
- step: start
  tool: {kind: wait, event: go}
  set: {ctx.went: "{{ start }}"}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop, input: {went: "{{ ctx.went }}"}}`);
const calling = playbookOf(`
- step: start
  tool: {kind: playbook, path: lib/echo}`);
const long = playbookOf(`
- step: start
  loop: {in: "{{ range(24) | list }}", iterator: n}
  tool: {kind: shell, cmds: ["echo {{ iter.n }}"]}
  next: {arcs: [{step: end, when: "{{ event.name == 'loop.done' }}"}]}
- step: end
  tool: {kind: wait, event: go}`);

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({
    kinds: ['shell'],
    postgres: true,
    playbooks: playbooksOf({ 'lib/echo': echo.replace('path: test/test', 'path: lib/echo') }),
    config: ['limit.historyCount.suggestContinueAsNew=60'],
  });
});
afterAll(async () => await stack?.stop());

interface Store {
  readonly url: string;
  readonly pool: Pool;
  consumer(options: { once: boolean; signal?: AbortSignal; concurrency?: number }): {
    done: Promise<Consumed>;
    said: string[];
  };
  close(): Promise<void>;
}

let stores = 0;
async function openStore(): Promise<Store> {
  const url = await stack.postgres.createDatabase(`projection_${++stores}`);
  await migrate(url);
  const pool = new Pool({ connectionString: url });
  pool.on('error', () => undefined);
  const held: ProjectionLeases[] = [];
  return {
    url,
    pool,
    consumer({ once, signal = new AbortController().signal, concurrency = 4 }) {
      const sink = postgresSink(pool);
      const leases = new ProjectionLeases(url);
      held.push(leases);
      const said: string[] = [];
      const cursors = new Cursors(pool, sink.name);
      const report = (line: string): void => void said.push(line);
      const { client } = stack;
      const consumer = new Consumer({ client, sink, cursors, leases, concurrency, once, signal, report });
      return { done: consumer.run(), said };
    },
    async close() {
      await Promise.all(held.map((leases) => leases.close()));
      await pool.end();
    },
  };
}

async function eventsOf(handle: WorkflowHandle): Promise<readonly CanonicalEvent[]> {
  return (await recordedExecution(historyPages(stack.client, handle.workflowId))).events;
}

/** As JSON has them: a field that is undefined is not there. */
const json = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

async function storedOf(store: Store, id: string): Promise<CanonicalEvent[]> {
  const events: CanonicalEvent[] = [];
  for await (const page of storedEvents(store.pool, id)) events.push(...page);
  return events;
}

const executionRow = async (store: Store, id: string): Promise<Record<string, unknown> | undefined> =>
  (
    await store.pool.query<Record<string, unknown>>('SELECT * FROM noetl.execution WHERE execution_id = $1', [
      id,
    ])
  ).rows[0];
const statusOf = async (store: Store, id: string): Promise<unknown> =>
  (await executionRow(store, id))?.['status'];

/** Visibility comes a moment after the end. */
async function whenListed(...handles: WorkflowHandle[]): Promise<void> {
  for (const { workflowId } of handles) {
    await until(async () => {
      const query = `WorkflowId = '${workflowId}' AND ExecutionStatus != 'Running'`;
      for await (const _one of stack.client.workflow.list({ query })) return true;
      return false;
    });
  }
}

test('executions that ended while nothing followed are found, and the tables say what their histories say', async () => {
  const done = await stack.run(stack.compile(echo), { word: 'Ölbaum', beside: '\0\ud800' });
  await stack.run(stack.compile(echo));
  const failed = await stack.run(stack.compile(failing));
  const parent = await stack.run(stack.compile(calling));
  const cancelled = await stack.start(stack.compile(waiting));
  await steer(stack.client, cancelled.workflowId, 'cancel', 'enough');
  await expect(cancelled.result()).rejects.toThrow();
  // One workflow id of the user's choice, used twice: two executions.
  const ids: string[] = [];
  for (const word of ['first', 'second']) {
    const handle = await stack.client.workflow.start(WORKFLOW_TYPE, {
      workflowId: 'mine',
      taskQueue: WORKFLOW_TASK_QUEUE,
      args: [{ word }, stack.compile(echo)],
    });
    await handle.result();
    ids.push((await eventsOf(handle))[0]!.execution_id);
    await whenListed(handle);
  }
  expect(new Set(ids).size).toBe(2);
  await whenListed(done.handle, failed.handle, parent.handle, cancelled);

  const store = await openStore();
  const first = await store.consumer({ once: true }).done;
  expect([...first.failed]).toEqual([]);
  expect(first.executions).toBeGreaterThanOrEqual(7);
  for (const handle of [done.handle, failed.handle, parent.handle, cancelled]) {
    const id = executionIdOf(handle.workflowId)!;
    const text = JSON.stringify(await eventsOf(handle)).replaceAll(/\\u0000|\\ud800/g, '\uFFFD');
    expect(await storedOf(store, id)).toEqual(JSON.parse(text));
  }
  expect(await executionRow(store, executionIdOf(done.handle.workflowId)!)).toMatchObject({
    status: 'COMPLETED',
    path: 'test/test',
    workload: { word: 'Ölbaum', beside: '\uFFFD\uFFFD' },
    result: { said: 'Ölbaum' },
    error: null,
    last_event_type: 'playbook.processed',
    duration: expect.any(Number) as number,
  });
  expect(await executionRow(store, executionIdOf(failed.handle.workflowId)!)).toMatchObject({
    status: 'FAILED',
    error: 'the command (exit 3) ended with exit code 3 (after 2 attempts)',
    error_detail: { step: 'start' },
  });
  expect(await executionRow(store, executionIdOf(cancelled.workflowId)!)).toMatchObject({
    status: 'CANCELLED',
    error: 'enough',
  });
  for (const [index, id] of ids.entries())
    expect(await executionRow(store, id)).toMatchObject({ result: { said: ['first', 'second'][index] } });
  const { rows: children } = await store.pool.query(
    'SELECT path, status FROM noetl.execution WHERE parent_execution_id = $1',
    [executionIdOf(parent.handle.workflowId)],
  );
  expect(children).toEqual([{ path: 'lib/echo', status: 'COMPLETED' }]);
  const { rows: variables } = await store.pool.query(
    'SELECT var_name, var_type, var_value, source_step FROM noetl.transient WHERE execution_id = $1 ORDER BY var_name',
    [ids[0]],
  );
  expect(variables).toEqual([
    { var_name: 'place', var_type: 'step_result', var_value: { deep: [1, null] }, source_step: 'start' },
    { var_name: 'word', var_type: 'step_result', var_value: 'first', source_step: 'start' },
  ]);
  // Nothing is new: nothing is read again.
  expect(await store.consumer({ once: true }).done).toMatchObject({ executions: 0, events: 0 });
  await store.close();
});

test('two consumers follow more executions than either reads at once, across continuations and resets', async () => {
  const store = await openStore();
  const stop = new AbortController();
  const signal = stop.signal;
  const consumers = [1, 2].map(() => store.consumer({ once: false, signal, concurrency: 1 }));
  const handles: WorkflowHandle[] = [];
  for (let n = 0; n < 4; n++) handles.push(await stack.start(stack.compile(waiting), {}));
  handles.push(await stack.start(stack.compile(long)));
  const ids = handles.map(({ workflowId }) => executionIdOf(workflowId)!);
  for (const [index, id] of ids.entries()) {
    await until(async () => (await storedOf(store, id)).length > 5);
    await handles[index]!.signal('event', { name: 'go', payload: index });
  }
  // The database drops everybody: leases are gone, transactions are rolled back, and both go on.
  const dropped = await store.pool.query(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  );
  expect(dropped.rowCount).toBeGreaterThan(1);
  for (const handle of handles) await handle.result();
  for (const id of ids) await until(async () => (await statusOf(store, id)) === 'COMPLETED');
  const { rows: runs } = await store.pool.query<{ event_id: string }>(
    `SELECT event_id FROM noetl.canonical_event WHERE execution_id = $1 AND event_id LIKE '%/1/%' LIMIT 1`,
    [ids.at(-1)],
  );
  expect(runs).toHaveLength(1);

  // Back to the first wait of a completed execution.
  const [reset] = handles as [WorkflowHandle];
  const { events: raw } = await reset.fetchHistory();
  const [, woken] = raw!.filter((event) => event.workflowTaskCompletedEventAttributes);
  await stack.client.workflowService.resetWorkflowExecution({
    namespace: stack.server.namespace,
    workflowExecution: { workflowId: reset.workflowId, runId: (await reset.describe()).runId },
    workflowTaskFinishEventId: woken!.eventId,
    reason: 'again',
    requestId: newExecutionId(),
  });
  await stack.client.workflow.getHandle(reset.workflowId).result();
  const left = 'SELECT count(*)::int AS n FROM noetl.canonical_event WHERE execution_id = $1 AND superseded';
  await until(async () => (await store.pool.query<{ n: number }>(left, [ids[0]])).rows[0]!.n > 0);
  await until(async () => (await statusOf(store, ids[0]!)) === 'COMPLETED');
  stop.abort();
  const consumed = await Promise.all(consumers.map((one) => one.done));
  expect(consumed.reduce((sum, one) => sum + one.events, 0)).toBeGreaterThan(0);
  for (const [index, handle] of handles.entries()) {
    expect(await storedOf(store, ids[index]!)).toEqual(json(await eventsOf(handle)));
  }
  const total = await store.pool.query<{ n: number }>('SELECT count(*)::int AS n FROM noetl.canonical_event');
  expect(total.rows[0]!.n).toBe(
    (await store.pool.query('SELECT DISTINCT execution_id, event_id FROM noetl.canonical_event')).rowCount,
  );
  await store.close();
});

test('what is no history of a playbook is named, once, and holds up nothing; the questions of the docs have answers', async () => {
  const strange = await stack.client.workflow.start(WORKFLOW_TYPE, {
    workflowId: `noetl-${newExecutionId()}`,
    taskQueue: WORKFLOW_TASK_QUEUE,
    args: ['not a plan'],
    typedSearchAttributes: new TypedSearchAttributes([{ key: NOETL_STATUS, value: 'started' }]),
  });
  await strange.terminate('no use');
  await whenListed(strange);
  const store = await openStore();
  const { done, said } = store.consumer({ once: true });
  const consumed = await done;
  const id = executionIdOf(strange.workflowId)!;
  expect([...consumed.failed]).toEqual([[id, expect.stringMatching(/^HISTORY: .*does not run a playbook/)]]);
  expect(said).toEqual([expect.stringContaining(id)]);
  expect(consumed.executions).toBeGreaterThan(0);
  const { rows } = await store.pool.query('SELECT error FROM noetl.sink_cursor WHERE execution_id = $1', [
    id,
  ]);
  expect(rows).toEqual([{ error: expect.stringContaining('HISTORY') as string }]);
  expect((await store.consumer({ once: true }).done).failed.size).toBe(0);

  // Every question of the documentation has an answer here.
  const page = fs.readFileSync(path.join(ROOT, 'docs/queries.md'), 'utf8');
  const statements = [...page.matchAll(/```sql\n(.*?)```/gs)].map((match) => match[1]!);
  expect(statements.length).toBeGreaterThan(7);
  for (const statement of statements) {
    const { rowCount } = await store.pool.query(statement);
    expect({ statement, answers: rowCount! > 0 }).toEqual({
      statement,
      answers: true,
    });
  }
  await store.close();
});

/** Takes CloudEvents, and says "later" to some of them. */
async function receiver() {
  const taken: { id: string; executionid: string; data: CanonicalEvent }[] = [];
  let requests = 0;
  const server = http.createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (more: string) => (text += more));
    request.on('end', () => {
      const isBusy = ++requests % 13 === 0;
      if (!isBusy) taken.push(JSON.parse(text) as (typeof taken)[number]);
      response.writeHead(isBusy ? 503 : 202).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = (): unknown => (server.closeAllConnections(), server.close());
  return { taken, url: `http://127.0.0.1:${port}/events`, close };
}

// In CI a consumer is killed in notifications.test.ts, and events are read back in events-read-back.test.ts.
nightlyTest(
  'a consumer that is killed again and again loses nothing, in the tables or on the wire',
  async () => {
    const store = await openStore();
    const { taken, url, close } = await receiver();
    const env = { TEMPORAL_ADDRESS: stack.server.address };
    const args = ['project', '--database', store.url, '--cloudevents', url, '--concurrency', '3'];
    const follow = () => start(process.execPath, [CLI, ...args], env);
    const count = async (): Promise<number> =>
      (await store.pool.query<{ n: number }>('SELECT count(*)::int AS n FROM noetl.canonical_event')).rows[0]!
        .n;
    const handles = await Promise.all(
      Array.from({ length: 6 }, (_, n) => stack.start(stack.compile(n % 2 ? long : waiting))),
    );
    for (let kill = 0; kill < 2; kill++) {
      const before = { rows: await count(), posts: taken.length };
      const running = follow();
      await running.says('projecting namespace');
      // Something happens meanwhile, so that there is always something new to take.
      for (const handle of handles.slice(kill * 3, kill * 3 + 3))
        await handle.signal('event', { name: 'go' });
      await until(async () => (await count()) > before.rows && taken.length > before.posts);
      running.child.kill('SIGKILL');
      await running.finished;
    }
    for (const handle of handles) await handle.result();
    const last = start(
      process.execPath,
      [CLI, ...args, '--health-port', '0', '--health-host', '127.0.0.1'],
      env,
    );
    await last.says(/health on port \d+/);
    const port = /health on port (\d+)/.exec(last.output())![1]!;
    const ids = handles.map(({ workflowId }) => executionIdOf(workflowId)!);
    const ended = `SELECT count(*)::int AS n FROM noetl.sink_cursor WHERE ended_at IS NOT NULL AND execution_id = ANY ($1)`;
    await until(
      async () => (await store.pool.query<{ n: number }>(ended, [ids])).rows[0]!.n === 2 * ids.length,
    );
    const ready = await fetch(`http://127.0.0.1:${port}/health/ready`);
    expect([ready.status, await ready.json()]).toMatchObject([
      200,
      { status: 'ok', sinks: [{ sink: 'postgres', status: 'ok' }, { status: 'ok' }] },
    ]);
    last.child.kill('SIGTERM');
    expect(await last.finished).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/postgres: \d+ events/) as string,
    });
    for (const [index, handle] of handles.entries()) {
      const events = json(await eventsOf(handle));
      expect(await storedOf(store, ids[index]!)).toEqual(events);
      // At least once, in order: what comes again was there before.
      const received = taken.filter((one) => one.executionid === ids[index]);
      expect([...new Map(received.map((one) => [one.id, one.data])).values()]).toEqual(events);
    }
    // Read back by the command line, with no Temporal at hand.
    const read = await noetl(['events', ids[1]!, '--database', store.url, '--format', 'ndjson'], {
      TEMPORAL_ADDRESS: '127.0.0.1:1',
    });
    const rows = read.stdout.trim().split('\n');
    expect(rows.map((line) => JSON.parse(line) as unknown)).toEqual(
      json(await eventsOf(handles[1]!)).map((event) => ({ ...event, ts: event.timestamp })),
    );
    close();
    await store.close();
  },
  180_000,
);
