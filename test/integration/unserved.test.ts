/** Tasks wait for workers that never came, or have died: every door tells of them. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { temporal } from '@temporalio/proto';
import { Meters } from '../../src/telemetry/metrics';
import { compile } from '../../src/language/dsl';
import { measureExecutions } from '../../src/server/facade/executions/measured';
import { startExecution, type UnservedQueue, unservedQueues } from '../../src/temporal/client';
import { startFacade, type TestFacade } from '../support/facade';
import { CLI, type Running, start } from '../support/process';
import { inProcess } from '../support/program';
import { nightlyTest } from '../support/sampled';
import { playbookOf } from '../support/simulator';
import { type Stack, startStack } from '../support/stack';
import { until } from '../support/until';

/** Hung, rather than slow. What is told, is told after 10 s and 75 s; the times are printed. */
const LIMIT_MS = 150_000;

let stack: Stack;
let facade: TestFacade;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-unserved-'));
const running: Running[] = [];

beforeAll(async () => {
  stack = await startStack({ kinds: ['nats'] });
  facade = await startFacade(stack);
});
afterAll(async () => {
  for (const { child } of running) child.kill('SIGKILL');
  await Promise.all(running.map(({ finished }) => finished));
  await facade?.stop();
  await stack?.stop();
  fs.rmSync(folder, { recursive: true, force: true });
});

const ask = async <T>(route: string): Promise<T> =>
  (await (await fetch(`${facade.url}${route}`)).json()) as T;
const cli = (...args: string[]): Promise<string> =>
  inProcess([...args, '--server', facade.url]).then(({ stdout, stderr }) => stdout + stderr);
const begun = async (task: string, head?: string): Promise<string> => {
  const plan = compile(playbookOf(`\n- step: start\n  tool: ${task}`, head)).plan!;
  return (await startExecution(stack.client, { plan })).id;
};
const unservedOf = (id: string): Promise<UnservedQueue[]> => unservedQueues(stack.client, `noetl-${id}`);
const told = (id: string): Promise<UnservedQueue> => until(async () => (await unservedOf(id))[0], LIMIT_MS);

test('a queue that nobody has ever polled is told at every door', async () => {
  const plan = compile(
    playbookOf('\n- step: start\n  tool: {kind: python, code: "1"}', 'executor: {spec: {pool: gpu}}'),
  ).plan!;
  const { id } = await startExecution(stack.client, { plan });
  const from = Date.now();
  const queue = await told(id);
  process.stderr.write(`never polled: told after ${Date.now() - from} ms\n`);
  const wanted = {
    queue: 'noetl-gpu-python',
    kind: 'python',
    pool: 'gpu',
    waiting: 1,
    last_seen: null,
    fix: 'noetl-temporal worker --kinds python --pool gpu',
  };
  expect(queue).toMatchObject(wanted);
  for (const page of ['status', 'progress', 'explanation', 'summary'])
    expect(await ask(`/api/executions/${id}/${page}`)).toMatchObject({ unserved: [wanted] });
  const { queues: all } = await ask<{ queues: object[] }>('/api/worker/queues');
  expect(all).toContainEqual(
    expect.objectContaining({ name: 'noetl-gpu-python', pool: 'gpu', backlog: 1, served: false }),
  );
  const meters = new Meters();
  measureExecutions(meters, stack.client);
  const scrape = await meters.text();
  expect(scrape).toContain('noetl_task_queue_backlog{kind="python",pool="gpu"} 1');
  expect(scrape).toContain('noetl_task_queue_pollers{kind="python",pool="gpu"} 0');
  const says =
    /no worker serves noetl-gpu-python: 1 task waits since .*start one: noetl-temporal worker --kinds python --pool gpu/;
  expect(await cli('status', id)).toMatch(says);
  expect(await cli('explain', id)).toMatch(says);
  await stack.client.workflow.getHandle(`noetl-${id}`).cancel();
});

test('`run --server` tells it while it waits', async () => {
  const file = path.join(folder, 'waits.yaml');
  fs.writeFileSync(file, playbookOf('\n- step: start\n  tool: {kind: container, image: x}'));
  const run = start(process.execPath, [CLI, 'run', file, '--server', facade.url, '--timeout', '60s']);
  running.push(run);
  await run.says('no worker serves noetl-container', LIMIT_MS);
  run.child.kill('SIGINT');
  await run.finished;
});

const isPolled = async (name: string): Promise<boolean> => {
  const { namespace } = stack.client.options;
  const taskQueueType = temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY;
  const request = { namespace, taskQueue: { name }, taskQueueType };
  const { pollers } = await stack.client.workflowService.describeTaskQueue(request);
  return (pollers?.length ?? 0) > 0;
};
const worker = async (...args: string[]): Promise<Running> => {
  const env = { TEMPORAL_ADDRESS: stack.server.address, NOETL_STORAGE: 'none', NOETL_DATA_DIR: folder };
  const one = start(process.execPath, [CLI, 'worker', ...args], env);
  running.push(one);
  await one.says('serving ', 60_000);
  return one;
};

/** A worker that is busy with a long task, and does not poll: for longer than any worker's last poll may be ago. */
async function busyOneLives(): Promise<void> {
  await worker('--kinds', 'shell', '--pool', 'busy', '--concurrency', '1');
  const task = '{kind: shell, cmds: ["sleep 100"]}';
  const pool = 'executor: {spec: {pool: busy}}';
  const both = [await begun(task, pool), await begun(task, pool)];
  const from = Date.now();
  await until(async () => {
    for (const id of both) expect(await unservedOf(id)).toEqual([]);
    return Date.now() - from > 75_000;
  }, LIMIT_MS);
  for (const id of both) await stack.client.workflow.getHandle(`noetl-${id}`).cancel();
}

test('a worker that is killed is told of when it has been silent for longer than any that lives', async () => {
  const killed = await worker('--kinds', 'duckdb');
  await until(() => isPolled('noetl-duckdb'), LIMIT_MS);
  killed.child.kill('SIGKILL');
  await killed.finished;
  const id = await begun('{kind: duckdb, query: SELECT 1}');
  const after = (seconds: number): Promise<UnservedQueue[]> =>
    unservedQueues(stack.client, `noetl-${id}`, Date.now() + seconds * 1000);
  // As seen then, the queue of its workflow task may look silent too.
  const queue = await until(async () => (await after(70)).find(({ kind }) => kind === 'duckdb'), LIMIT_MS);
  expect(queue).toMatchObject({
    waiting: 1,
    last_seen: expect.stringMatching(/^20/) as string,
  });
  expect(await after(40)).toEqual([]);
  await stack.client.workflow.getHandle(`noetl-${id}`).cancel();
}, 300_000);

// In real time, at every door, and beside a worker that is busy: 75 s in which nothing else happens.
nightlyTest(
  'workers of every kind that are killed are told when they have given no sign of life; metrics say so; one that is busy lives',
  async () => {
    const busy = busyOneLives();
    busy.catch(() => undefined); // awaited below
    const playbooks = path.join(folder, 'playbooks');
    fs.mkdirSync(playbooks);
    const kinds: [string, string][] = [
      ['shell', '{kind: shell, cmds: ["true"]}'],
      ['python', '{kind: python, code: "1"}'],
      ['http', '{kind: http, url: "http://127.0.0.1:1"}'],
      ['postgres', '{kind: postgres, auth: {host: 127.0.0.1}, query: SELECT 1}'],
      ['local', ''],
    ];
    const workers = await Promise.all([
      ...kinds.map(([kind]) => worker('--kinds', kind)),
      worker('--playbooks', playbooks),
    ]);
    // A worker says that it serves before its first poll has come.
    for (const kind of [...kinds.map(([name]) => name), 'playbooks'])
      await until(() => isPolled(`noetl-${kind}`), LIMIT_MS);
    const others = new Map<string, string>();
    for (const one of workers) one.child.kill('SIGKILL');
    await Promise.all(workers.map(({ finished }) => finished));
    const from = Date.now();
    for (const [kind, task] of kinds) if (task !== '') others.set(kind, await begun(task));
    others.set('playbooks', await begun('{kind: playbook, path: some/child}'));
    // At first their last polls are as young as those of workers that live.
    expect(await unservedOf(others.get('shell')!)).toEqual([]);
    const queues = await Promise.all(
      [...others].map(async ([kind, id]) => {
        const queue = await told(id);
        process.stderr.write(`${kind}: told ${Date.now() - from} ms after its worker was killed\n`);
        return [kind, queue] as const;
      }),
    );
    for (const [kind, queue] of queues)
      expect(queue).toMatchObject({
        kind,
        queue: `noetl-${kind}`,
        waiting: 1,
        last_seen: expect.stringMatching(/^20/) as string,
      });
    const meters = new Meters();
    measureExecutions(meters, stack.client);
    const scrape = await meters.text();
    expect(scrape).toContain('noetl_task_queue_pollers{kind="python",pool="default"} 0');
    expect(scrape).toMatch(/noetl_task_queue_backlog\{kind="python",pool="default"\} [1-9]/);
    expect(scrape).toMatch(/noetl_task_queue_backlog_age_seconds\{kind="python",pool="default"\} [1-9]/);
    expect(scrape).toContain('noetl_task_queue_pollers{kind="nats",pool="default"} 1');
    const { queues: all } = await ask<{ queues: { name: string; served: boolean }[] }>('/api/worker/queues');
    const served = Object.fromEntries(all.map((one) => [one.name, one.served]));
    expect(served).toMatchObject({ 'noetl-python': false, 'noetl-nats': true, 'noetl-workflows': true });
    for (const id of others.values()) await stack.client.workflow.getHandle(`noetl-${id}`).cancel();
    await busy;
  },
  300_000,
);

test('workflows without a worker are told', async () => {
  await stack.stopWorkers();
  const id = await begun('{kind: noop}');
  const queue = await told(id);
  expect(queue).toMatchObject({ kind: 'workflows', fix: 'noetl-temporal worker --workflows' });
  expect(await ask(`/api/executions/${id}/summary`)).toMatchObject({ unserved: [{ kind: 'workflows' }] });
  await stack.restartWorkers();
}, 300_000);
