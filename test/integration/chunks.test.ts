/** Loops whose iterations run elsewhere on a real Temporal server: activities, child workflows, crashes. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type WorkflowHandle } from '@temporalio/client';
import { type Progress, type State } from '../../src/engine/machine';
import { type CanonicalEvent, recordedExecution } from '../../src/history';
import { EXECUTIONS, historyPages, steer } from '../../src/temporal/client';
import { isRunning } from '../chaos/process-tree';
import { checkEvents } from '../support/event-checks';
import { CLI, type Running, start } from '../support/process';
import { playbookOf } from '../support/simulator';
import { type Stack, startStack } from '../support/stack';
import { until } from '../support/until';

let stack: Stack;
let folder: string;
beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-chunks-'));
  stack = await startStack({ kinds: ['shell', 'python', 'local'] });
});
afterAll(async () => {
  await stack?.stop();
  fs.rmSync(folder, { recursive: true, force: true });
});

const PIPELINE = `
  - {name: twice, kind: python, input: {n: "{{ item }}", seen: "{{ ctx.seed }}"}, code: "result = {'twice': n * 2, 'seen': seen}"}
  - {name: note, kind: noop, input: {at: "{{ loop_index }}", got: "{{ twice.twice }}"}, set: {ctx.last: same}}`;

function loop(exec: string, mode = 'mode: parallel', pipeline = PIPELINE): string {
  return playbookOf(`
- step: start
  tool: {kind: noop, set: {ctx.seed: 7}}
  next: {arcs: [{step: each}]}
- step: each
  loop: {in: "{{ workload.items }}", iterator: item, spec: {${mode}, policy: {exec: ${exec}}}}
  tool:
${pipeline.replace(/^\n/, '').replace(/^ {2}/gm, '  ')}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop, input: {all: "{{ each }}", last: "{{ ctx.last }}"}}`);
}

async function derived(handle: WorkflowHandle, isComplete = true) {
  const converter = stack.client.options.loadedDataConverter;
  const found = await recordedExecution(historyPages(stack.client, handle.workflowId), { converter });
  expect(found.divergence).toBeUndefined();
  expect(checkEvents(found.events, isComplete)).toEqual([]);
  return found;
}

/** What an event says, without when and where it was derived from. */
function told(events: readonly CanonicalEvent[]): string[] {
  return events
    .filter(({ event_type }) => !/^loop\.chunk\.|^playbook\.request\.evaluated$/.test(event_type))
    .map(({ event_type, entity_id, step_run_id, task_run_id, iteration, status, source, payload }) => {
      const { outcome } = payload as { outcome?: { status: string; result: unknown } };
      const seen = outcome && { status: outcome.status, result: outcome.result };
      return JSON.stringify({
        event_type,
        entity_id,
        step_run_id,
        task_run_id,
        iteration,
        status,
        source,
        seen,
      });
    })
    .sort();
}

async function count(
  handle: WorkflowHandle,
  kind: 'activityTaskScheduled' | 'startChildWorkflowExecutionInitiated',
) {
  const { events } = await handle.fetchHistory();
  return (events ?? []).filter((event) => event[`${kind}EventAttributes`]).length;
}

test('the same results, state and events, wherever the iterations run', async () => {
  const items = [...Array(20).keys()];
  const [inline, local, distributed] = await Promise.all(
    ['inline', 'local', 'distributed'].map((exec) => stack.run(stack.compile(loop(exec)), { items })),
  );
  expect(inline!.result).toMatchObject({ last: 'same' });
  const runs = await Promise.all([inline!, local!, distributed!].map(({ handle }) => derived(handle)));
  for (const [position, run] of [inline!, local!, distributed!].entries()) {
    expect(run.result).toEqual(inline!.result);
    expect(run.state.ctx).toEqual(inline!.state.ctx);
    expect(run.state.results).toEqual(inline!.state.results);
    expect(runs[position]!.state).toEqual(run.state);
    expect(told(runs[position]!.events)).toEqual(told(runs[0]!.events));
  }
  expect(await count(inline!.handle, 'activityTaskScheduled')).toBe(20);
  expect(await count(local!.handle, 'activityTaskScheduled')).toBe(1);
  expect(await count(distributed!.handle, 'activityTaskScheduled')).toBe(0);
  expect(await count(distributed!.handle, 'startChildWorkflowExecutionInitiated')).toBe(10);
  // Lists of executions know the loop, and not its parts.
  const { workflowId: id } = distributed!.handle;
  const family = async (more: string): Promise<string[]> => {
    const found: string[] = [];
    const query = `RootWorkflowId = '${id}'${more}`;
    for await (const one of stack.client.workflow.list({ query })) found.push(one.workflowId);
    return found;
  };
  await until(async () => (await family('')).length === 11);
  expect(await family(` AND ${EXECUTIONS}`)).toEqual([id]);
  // Tasks of a local iteration name the worker that ran it.
  const done = runs[1]!.events.filter(
    ({ event_type, step_run_id }) => event_type === 'task.done' && step_run_id === 'each#1',
  );
  expect(done.map(({ meta }) => meta.worker)).not.toContain(undefined);
  // What a run remembers of itself has the ids of what history tells.
  const remembered = await distributed!.handle.query<{ event_id: string }[], [number]>('events', 1000);
  expect(remembered.map(({ event_id }) => event_id)).toEqual(runs[2]!.events.map(({ event_id }) => event_id));
});

test('a lease goes on where its worker died, without doing again what was done', async () => {
  const log = path.join(folder, 'crash');
  const pipeline = `
  - {name: first, kind: shell, cmds: ["echo first >> ${log}"]}
  - {name: second, kind: shell, cmds: ["echo second >> ${log}; echo $$ >> ${log}.pids; while [ ! -e ${log}.go ]; do sleep 0.1; done; echo over >> ${log}"]}`;
  const said = (): string[] => (fs.existsSync(log) ? fs.readFileSync(log, 'utf8').trim().split('\n') : []);
  // A server of its own, where only the process below serves the queue.
  const own = await startStack({ kinds: ['shell'] });
  const env = { TEMPORAL_ADDRESS: own.server.address, NOETL_STORAGE: 'none' };
  const worker = (): Running => start(process.execPath, [CLI, 'worker', '--kinds', 'local'], env);
  let running = worker();
  try {
    const handle = await own.start(own.compile(loop('local', 'mode: sequential', pipeline)), { items: [1] });
    await until(() => said().includes('second') || undefined);
    // What it died at is known to the server: that the first task is over.
    await until(async () => (await heartbeatOf(handle)).includes('first~1') || undefined);
    running.child.kill('SIGKILL');
    await running.finished;
    const [second] = fs.readFileSync(`${log}.pids`, 'utf8').trim().split('\n');
    await until(() => !isRunning(Number(second)) || undefined);
    fs.writeFileSync(`${log}.go`, '');
    running = worker();
    await handle.result();
    expect(said()).toEqual(['first', 'second', 'second', 'over']);
    const { events } = await recordedExecution(historyPages(own.client, handle.workflowId));
    const done = events.filter(({ event_type }) => event_type === 'task.done');
    expect(done.find(({ entity_id }) => entity_id === 'second')!.meta.tries).toBe(2);
  } finally {
    running.child.kill('SIGKILL');
    await running.finished;
    await own.stop();
  }
});

async function heartbeatOf(handle: WorkflowHandle): Promise<string> {
  const { pendingActivities } = (await handle.describe()).raw;
  const [payload] = pendingActivities?.[0]?.heartbeatDetails?.payloads ?? [];
  return Buffer.from(payload?.data ?? []).toString();
}

const HELD = (log: string): string => `
  - {name: begin, kind: shell, cmds: ["echo {{ item }} >> ${log}"]}
  - {name: held, kind: shell, cmds: ["while [ ! -e ${log}.go ]; do sleep 0.1; done"]}
  - {name: finish, kind: shell, cmds: ["echo over {{ item }} >> ${log}"]}`;

const lines = (log: string): string[] =>
  fs.existsSync(log) ? fs.readFileSync(log, 'utf8').trim().split('\n') : [];

test.each(['local', 'distributed'])('a cancellation stops the iterations of exec %s', async (exec) => {
  const log = path.join(folder, `cancel-${exec}`);
  const handle = await stack.start(stack.compile(loop(exec, 'mode: parallel', HELD(log))), {
    items: [1, 2, 3],
  });
  await until(() => lines(log).length === 3 || undefined);
  await steer(stack.client, handle.workflowId, 'cancel', 'enough');
  await expect(handle.result()).rejects.toThrow();
  const { events, state } = await derived(handle, false);
  expect(state.status).toBe('cancelled');
  const stopped = exec === 'local' ? ['task.failed', 'held'] : ['loop.chunk.failed', 'each'];
  const ends = events.filter(
    ({ event_type, entity_id }) => `${event_type} ${entity_id}` === stopped.join(' '),
  );
  expect(ends).toHaveLength(3);
  expect(lines(log).filter((line) => line.startsWith('over'))).toEqual([]);
});

test('a pause reaches the iterations in child workflows, and a resume', async () => {
  const log = path.join(folder, 'pause');
  const handle = await stack.start(stack.compile(loop('distributed', 'mode: parallel', HELD(log))), {
    items: [1, 2, 3],
  });
  await until(() => lines(log).length === 3 || undefined);
  await handle.signal('pause');
  await until(async () => (await handle.query<Progress>('progress')).status === 'paused' || undefined);
  const children = await chunksOf(handle);
  for (const child of children)
    await until(async () => (await child.query<State>('state')).status === 'paused' || undefined);
  fs.writeFileSync(`${log}.go`, '');
  // The tasks under way end, and no other starts.
  for (const child of children)
    await until(
      async () => Object.keys((await child.query<State>('state')).pending).length === 0 || undefined,
    );
  expect(lines(log)).toHaveLength(3);
  await handle.signal('resume');
  await handle.result();
  expect(lines(log)).toHaveLength(6);
  const { events } = await derived(handle);
  expect(events.filter(({ event_type }) => event_type === 'playbook.paused')).toHaveLength(1);
});

test('a failing iteration cancels the other child workflows, and one terminated from outside fails the loop', async () => {
  const log = path.join(folder, 'fail');
  const failing = `
  - {name: begin, kind: shell, cmds: ["echo {{ item }} >> ${log}; [ {{ item }} != 2 ] || exit 3"]}
  - {name: held, kind: shell, cmds: ["sleep 120"]}`;
  const failed = await stack.run(stack.compile(loop('distributed', 'mode: parallel', failing)), {
    items: [1, 2, 3],
  });
  expect(failed.failure).toMatchObject({
    error: { step: 'each', task: 'begin', iteration: 1, code: 'EXIT_3' },
  });
  expect((await derived(failed.handle, false)).state).toEqual(failed.state);

  const handle = await stack.start(stack.compile(loop('distributed', 'mode: parallel', HELD(`${log}-2`))), {
    items: [1, 2],
  });
  await until(() => lines(`${log}-2`).length === 2 || undefined);
  const [first] = await chunksOf(handle);
  await first!.terminate('by hand');
  await expect(handle.result()).rejects.toMatchObject({ cause: { type: 'TERMINATED' } });
  await derived(handle, false);
});

/** The workflows of an execution's chunks. */
async function chunksOf(handle: WorkflowHandle): Promise<WorkflowHandle[]> {
  const { events } = await handle.fetchHistory();
  return (events ?? []).flatMap((event) => {
    const id = event.childWorkflowExecutionStartedEventAttributes?.workflowExecution?.workflowId;
    return id ? [stack.client.workflow.getHandle(id)] : [];
  });
}
