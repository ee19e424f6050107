/**
 * Limits by key on a real server: who runs, who waits, who is told what. One server and one worker for all tests, but the
 * last: LIMITS_EXECUTIONS (20; 500 by hand), LIMITS_KILLS, LIMITS_TERMINATIONS and LIMITS_SEED choose how large it is.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type WorkflowHandle } from '@temporalio/client';
import { type Tool } from '../../activities/framework/tool/tool';
import { recordedExecution } from '../../src/history';
import { type JsonObject, type Plan } from '../../src/language/plan';
import {
  eachVisible,
  executionIdIn,
  executionIdOf,
  executionQuery,
  historyPages,
  limitsInUse,
  type ListedStatus,
  listedStatus,
} from '../../src/temporal/client';
import { type Progress } from '../../src/engine/machine';
import { limitsChaos } from '../support/limits-chaos';
import { startTestPostgres } from '../support/postgres';
import { nightlyTest } from '../support/sampled';
import { startStack, type Stack } from '../support/stack';
import { until } from '../support/until';

/** Which executions were inside, in order; and how many at most. */
const visits: { execution: string }[] = [];
let inside = 0;
let most = 0;
/** Ends what tasks do, however long they were to take. */
let enough = new AbortController();

const critical: Tool = {
  kind: 'critical',
  async run({ execution_id: execution, config }, { signal }) {
    visits.push({ execution });
    most = Math.max(most, ++inside);
    try {
      const stopped = AbortSignal.any([signal, enough.signal]);
      await sleep(Number(config['ms'] ?? 50), undefined, { signal: stopped }).catch(() => undefined);
      return { status: 'ok', result: null, error: null, meta: {} };
    } finally {
      inside--;
    }
  },
};

const ONE = { offset: 0, limit: 1 };
let stack: Stack;
beforeAll(async () => {
  stack = await startStack({
    kinds: ['critical', 'shell', 'local'],
    extensions: [critical],
    playbooks: { resolve: async () => plan('called', 'concurrency: {scope: shared, limit: 1}') },
  });
});
afterAll(() => stack.stop());
beforeEach(() => {
  visits.length = 0;
  most = 0;
  enough = new AbortController();
});

function plan(name: string, spec: string, task = 'kind: critical, ms: "{{ workload.ms }}"'): Plan {
  return stack.compile(`
apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: ${name}, path: limits/${name}}
workload: {customer: acme, ms: 50}
executor: {spec: {extensions: {critical: {fields: [ms]}}, ${spec}}}
workflow:
- step: start
  tool: {${task}}
`);
}

const idOf = ({ workflowId }: WorkflowHandle): string => executionIdOf(workflowId)!;
const eventsOf = async (handle: WorkflowHandle, type: string): Promise<JsonObject[]> => {
  const { events, divergence } = await recordedExecution(historyPages(stack.client, handle.workflowId));
  expect(divergence).toBeUndefined();
  return events.flatMap(({ event_type, payload }) => (event_type === type ? [payload as JsonObject] : []));
};
const isInside = async (handle: WorkflowHandle): Promise<boolean> =>
  visits.some(({ execution }) => execution === idOf(handle));
const queuedOf = async (handle: WorkflowHandle): Promise<Progress['queued']> =>
  (await handle.query<Progress>('progress')).queued;
const isQueued = (handle: WorkflowHandle): Promise<boolean> =>
  queuedOf(handle).then((queued) => queued?.holders.length === 1);
const outcome = (handle: WorkflowHandle) =>
  handle.result().then(
    (ended) => ended as { result: JsonObject; notes?: { code: string; message: string }[] },
    (error: { cause?: { name: string; type?: string; message: string } }) => error.cause!,
  );

test('executions with the same key run one after the other, in order; other keys do not wait', async () => {
  const queue = plan('queue', 'concurrency: {key: "{{ workload.customer }}", limit: 1}');
  const first = await stack.start(queue, { ms: 3_600_000 });
  await until(() => isInside(first));
  const second = await stack.start(queue);
  await until(() => isQueued(second));
  const third = await stack.start(queue);
  await until(() => isQueued(third));
  const other = await stack.start(queue, { customer: 'umbrella' });
  await outcome(other);
  expect(await queuedOf(third)).toMatchObject({ key: 'acme', limit: 1, holders: [idOf(first)], ahead: 1 });
  const keeper = stack.client.workflow.getHandle('noetl-limit:concurrency:limits/queue:acme');
  const inUse = await until(async () => (await limitsInUse(stack.client, { key: 'acme' }, ONE))[0]);
  expect(inUse).toMatchObject({
    ...{ of: 'concurrency', scope: 'limits/queue', key: 'acme', limit: 1 },
    holders: [{ execution_id: idOf(first) }],
    waiting: [{ execution_id: idOf(second) }, { execution_id: idOf(third) }],
  });
  expect(await limitsInUse(stack.client, { key: 'acme' }, { offset: 1, limit: 1 })).toEqual([]);
  expect(await limitsInUse(stack.client, { scope: 'limits/another' }, ONE)).toEqual([]);
  enough.abort();
  await Promise.all([first, second, third].map(outcome));
  expect(visits.map(({ execution }) => execution)).toEqual([first, other, second, third].map(idOf));
  // The first one and that of the other customer.
  expect(most).toBe(2);
  expect(await eventsOf(third, 'limit.queued')).toMatchObject([{ holders: [idOf(first)], ahead: 1 }]);
  expect(await eventsOf(third, 'limit.acquired')).toMatchObject([
    { of: 'concurrency', key: 'acme', limit: 1 },
  ]);
  await until(async () => (await keeper.describe()).status.name === 'COMPLETED');
});

test('at the limit an execution is skipped, fails, or takes the place of the oldest', async () => {
  const of = (onConflict: string): Plan =>
    plan('conflict', `concurrency: {key: all, limit: 1, on_conflict: ${onConflict}}`);
  const holder = await stack.start(of('queue'), { ms: 3_600_000 });
  await until(() => isInside(holder));
  const started = await Promise.all(['skip', 'fail'].map((one) => stack.start(of(one))));
  const [skipped, failed] = await Promise.all(started.map(outcome));
  // Lists, which read no result, tell it from a success.
  const { searchAttributes } = await started[0]!.describe();
  expect(searchAttributes['NoetlStatus']).toEqual(['skipped']);
  expect(skipped).toMatchObject({
    result: { status: 'skipped', limit: 'concurrency', key: 'all', by: [idOf(holder)] },
    notes: [{ code: 'SKIPPED' }],
  });
  const listed = async (status: ListedStatus): Promise<string[]> => {
    const ids: string[] = [];
    const query = executionQuery({ status: [status], path: 'limits/conflict' });
    for await (const info of eachVisible(stack.client, query)) {
      expect(listedStatus(info)).toBe(status);
      ids.push(executionIdIn(info)!);
    }
    return ids;
  };
  // Temporal lists an end a moment later.
  expect(await until(async () => (await listed('SKIPPED'))[0])).toMatch(/^\d+$/);
  expect(await listed('COMPLETED')).toEqual([]);
  expect(failed).toMatchObject({ type: 'LIMIT_REACHED' });
  expect((failed as { message: string }).message).toContain(idOf(holder));
  const taker = await stack.start(of('cancel_running'));
  expect(await outcome(holder)).toMatchObject({ name: 'CancelledFailure' });
  expect((await eventsOf(holder, 'playbook.cancelled'))[0]!['reason']).toContain(idOf(taker));
  await outcome(taker);
  expect(most).toBe(1);
});

test('a holder that was terminated is noticed, and one that waits and is cancelled leaves the queue', async () => {
  const queue = plan('terminated', 'concurrency: {limit: 1}');
  const holder = await stack.start(queue, { ms: 3_600_000 });
  await until(() => isInside(holder));
  const waiter = await stack.start(queue);
  await until(() => isQueued(waiter));
  const last = await stack.start(queue);
  await until(() => isQueued(last));
  await waiter.signal('cancel', { reason: 'not needed' });
  expect(await outcome(waiter)).toMatchObject({ name: 'CancelledFailure' });
  await holder.terminate('by the test');
  expect(await outcome(last)).toMatchObject({ result: null });
  expect(visits.map(({ execution }) => execution)).toEqual([holder, last].map(idOf));
});

test('a sub-playbook that would wait for its own caller fails instead', async () => {
  const caller = plan(
    'caller',
    'concurrency: {scope: shared, limit: 1}',
    'kind: playbook, path: limits/called',
  );
  expect(await outcome(await stack.start(caller))).toMatchObject({ type: 'LIMIT_DEADLOCK' });
  expect(visits).toEqual([]);
});

test('debounce runs the last of several executions', async () => {
  const priority = 'priority: 2, fairness: {key: "{{ workload.customer }}", weight: 2.5}';
  const last = plan('debounce', `debounce: {key: "{{ workload.customer }}", period: 5s}, ${priority}`);
  const first = await stack.start(last);
  await until(async () => (await queuedOf(first))?.until);
  const second = await stack.start(last);
  expect(await outcome(first)).toMatchObject({
    result: { status: 'skipped', limit: 'debounce', by: [idOf(second)] },
  });
  expect(await outcome(second)).toMatchObject({ result: null });
  expect(visits.map(({ execution }) => execution)).toEqual([idOf(second)]);
  expect(await eventsOf(second, 'limit.acquired')).toMatchObject([{ of: 'debounce' }]);
  const { events } = await second.fetchHistory();
  const scheduled = events!.flatMap(({ activityTaskScheduledEventAttributes: one }) => one?.priority ?? []);
  expect(scheduled.at(-1)).toMatchObject({ priorityKey: 2, fairnessKey: 'acme', fairnessWeight: 2.5 });
});

test('a rate limit holds over executions: inline, local and distributed', async () => {
  const loop = (exec: string, tool: string): Plan =>
    stack.compile(`
apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: rate, path: limits/rate_${exec}}
executor: {spec: {extensions: {critical: {fields: [ms]}}, rate_limit: {key: quota, limit: 3, per: 1s}}}
workflow:
- step: start
  loop: {in: "{{ range(4) | list }}", iterator: n, spec: {mode: parallel, exec: ${exec}}}
  tool: {${tool}}
`);
  const plans = [
    loop('inline', 'kind: critical, ms: 1'),
    loop('distributed', 'kind: critical, ms: 1'),
    loop('local', 'kind: shell, cmds: ["true"]'),
  ];
  const begun = Date.now();
  const handles = await Promise.all(plans.map((each) => stack.start(each)));
  await Promise.all(handles.map(outcome));
  const starts: number[] = [];
  for (const handle of handles) {
    const { events } = await recordedExecution(historyPages(stack.client, handle.workflowId));
    starts.push(
      ...events.flatMap(({ event_type, timestamp }) =>
        event_type === 'task.started' ? [Date.parse(timestamp)] : [],
      ),
    );
  }
  expect(starts).toHaveLength(12);
  starts.sort((a, b) => a - b);
  // Three in a second: the fourth is granted a second after the first, and the twelfth three. Compared with the begin of all,
  // because a busy machine starts tasks later than they are granted, and never earlier.
  for (const [n, start] of starts.entries())
    expect(start - begun).toBeGreaterThan(Math.floor(n / 3) * 1000 - 100);
});

const EXECUTIONS = Number(process.env['LIMITS_EXECUTIONS'] ?? 20);
const KILLS = Number(process.env['LIMITS_KILLS'] ?? 1);
const TERMINATIONS = Number(process.env['LIMITS_TERMINATIONS'] ?? 0);

// In CI keepers and holders are killed one at a time: in the tests above, and test/e2e/crash.test.ts.
nightlyTest(
  `${EXECUTIONS} executions are inside one by one, in order, whatever is killed`,
  async () => {
    await stack.stopWorkers();
    const postgres = await startTestPostgres();
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-limits-'));
    try {
      const report = await limitsChaos({
        executions: EXECUTIONS,
        kills: KILLS,
        terminations: TERMINATIONS,
        seed: process.env['LIMITS_SEED'] ?? 'noetl',
        folder,
        client: stack.client,
        env: { TEMPORAL_ADDRESS: stack.server.address, DATABASE_URL: postgres.url, NOETL_STORAGE: 'none' },
      });
      process.stderr.write(`limits: ${JSON.stringify(report)}\n`);
      expect(report).toMatchObject({ ended: EXECUTIONS, inside: { tools: 1, keeper: 1 } });
      expect(report.outOfOrder).toBeUndefined();
      expect(report.killed.workers + report.killed.facades).toBe(KILLS);
    } finally {
      fs.rmSync(folder, { recursive: true });
      await postgres.stop();
      await stack.restartWorkers();
    }
  },
  60_000 + EXECUTIONS * 2000 + KILLS * 30_000,
);
