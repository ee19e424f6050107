/** The driver on a real Temporal server: control, visibility, long runs, and events derived from history. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { defaultDataConverter } from '@temporalio/common';
import { type WorkflowHandle, WorkflowUpdateFailedError } from '@temporalio/client';
import { heartbeat } from '@temporalio/activity';
import { NativeConnection, Worker } from '@temporalio/worker';
import { type Tool } from '../../activities/framework/tool/tool';
import { type Progress, type State } from '../../src/engine/machine';
import { recordedExecution, type RecordedExecution } from '../../src/history';
import { steer } from '../../src/temporal/client';
import { checkEvents } from '../support/event-checks';
import { playbookOf } from '../support/simulator';
import { type Ended, type Stack, startStack } from '../support/stack';
import { until } from '../support/until';

/** Stops for nobody. */
const deaf: Tool = { kind: 'nats', run: () => new Promise(() => undefined) };
/** The same as another program that serves a kind: it says that it lives, and never answers. */
let hanging: { readonly worker: Worker; readonly stopped: Promise<void>; starts: number; over: boolean };
/** They take 10 and 20 s: the other tests run meanwhile. */
let endless: Readonly<Record<'adapted' | 'foreign', Promise<Ended>>>;

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ kinds: ['http', 'python', 'shell', 'duckdb', 'nats'], extensions: [deaf] });
  const connection = await NativeConnection.connect({ address: stack.server.address });
  const worker = await Worker.create({
    connection,
    taskQueue: 'noetl-far',
    activities: {
      async far() {
        hanging.starts += 1;
        for (;;) {
          heartbeat();
          await new Promise((resolve) => setTimeout(resolve, 1000));
          if (hanging.over) return;
        }
      },
    },
  });
  hanging = { worker, stopped: worker.run().finally(() => connection.close()), starts: 0, over: false };
  const extension = 'executor: {spec: {extensions: [far]}}';
  const start = (tool: string): Promise<Ended> =>
    stack.run(stack.compile(playbookOf(`\n- step: start\n  tool: {timeout: 1, ${tool}}`, extension)));
  endless = {
    adapted: start('kind: nats, operation: kv_get, bucket: b, key: k, auth: bus'),
    foreign: start('kind: far'),
  };
});
afterAll(async () => {
  if (hanging) hanging.over = true;
  hanging?.worker.shutdown();
  await hanging?.stopped;
  await stack?.stop();
});

async function derived(handle: WorkflowHandle): Promise<RecordedExecution> {
  const found = await recordedExecution([await handle.fetchHistory()]);
  expect(found.divergence).toBeUndefined();
  return found;
}

function progressed(handle: WorkflowHandle, holds: (progress: Progress) => boolean): Promise<Progress> {
  return until(async () => {
    const progress = await handle.query<Progress>('progress');
    return holds(progress) && progress;
  });
}

const slow = (gate: string): string =>
  playbookOf(`
- step: start
  tool: {kind: shell, cmds: ["while [ ! -e ${gate} ]; do sleep 0.05; done"]}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop, input: {v: "{{ vars.v | default(0) }}"}}`);

function gateFile(): { file: string; open(): void } {
  const file = path.join(os.tmpdir(), `noetl-gate-${process.pid}-${Math.random().toString(36).slice(2)}`);
  return { file, open: () => fs.writeFileSync(file, '') };
}

test('long templates in a loop take several workflow tasks, each within the limit of Temporal', async () => {
  const ended = await stack.run(
    stack.compile(
      playbookOf(`
- step: start
  loop: {in: "{{ range(150) | list }}", iterator: n, spec: {mode: sequential}}
  tool: {kind: noop, input: {sum: "{{ range(60000) | sum }}"}}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop, input: {n: "{{ start.count }}", sum: "{{ start[149].sum }}"}}`),
    ),
  );
  expect(ended).toMatchObject({ status: 'completed', result: { n: 150, sum: 1_799_970_000 } });
  const { events } = await ended.handle.fetchHistory();
  const completed = events!.filter((event) => event.workflowTaskCompletedEventAttributes);
  expect(completed.length).toBeGreaterThan(2);
  expect(events!.some((event) => event.workflowTaskFailedEventAttributes)).toBe(false);
  await derived(ended.handle);
});

test('a run is found by its search attributes and reads well in the Temporal UI', async () => {
  const ended = await stack.run(
    stack.compile(
      playbookOf(`
- step: start
  loop: {in: [1, 2], iterator: n, spec: {mode: parallel}}
  tool: {kind: python, input: {n: "{{ iter.n }}"}, code: "result = n"}`),
    ),
  );
  expect(ended.status).toBe('completed');
  const description = await ended.handle.describe();
  expect(description.searchAttributes).toMatchObject({
    NoetlPlaybook: ['test/test'],
    NoetlStatus: ['started'],
  });
  const { events } = await ended.handle.fetchHistory();
  const scheduled = events!.filter((event) => event.activityTaskScheduledEventAttributes);
  expect(scheduled.map((event) => event.activityTaskScheduledEventAttributes!.activityId)).toEqual([
    'start#1[0]~1@1',
    'start#1[1]~1@1',
  ]);
  expect(scheduled.map((event) => event.activityTaskScheduledEventAttributes!.taskQueue!.name)).toEqual([
    'noetl-python',
    'noetl-python',
  ]);
  const summaries = scheduled.map((event) =>
    defaultDataConverter.payloadConverter.fromPayload(event.userMetadata!.summary!),
  );
  expect(summaries).toEqual(['start[0]', 'start[1]']);
});

test('the state derived from history is the state the workflow itself tells', async () => {
  const ended = await stack.run(
    stack.compile(
      playbookOf(`
- step: start
  tool:
    kind: python
    input: {attempt: "{{ _attempt }}"}
    code: |
      if attempt < 3: raise ValueError("no")
      result = attempt
    spec: {policy: {rules: [{when: "{{ output.status == 'error' }}", then: {do: retry, attempts: 4, delay: 0.05}}]}}
  next: {spec: {mode: inclusive}, arcs: [{step: a}, {step: b}]}
- step: a
  loop: {in: "{{ range(6) | list }}", iterator: n, spec: {mode: parallel, max_in_flight: 3}}
  tool: {kind: shell, cmds: ["echo {{ iter.n }}"]}
  next: {arcs: [{step: end}]}
- step: b
  tool: {kind: duckdb, command: "select 1 as one"}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop, input: {all: "{{ a | map(attribute='stdout') | map('trim') | list }}"}}`),
    ),
  );
  expect(ended.result).toEqual({ all: ['0', '1', '2', '3', '4', '5'] });
  const { state, events } = await derived(ended.handle);
  expect(state).toEqual(ended.state);
  expect(checkEvents(events, true)).toEqual([]);
  const failed = events.filter((event) => event.event_type === 'task.failed');
  expect(failed.map((event) => [event.attempt, event.meta.tries])).toEqual([
    [1, 1],
    [2, 1],
  ]);
});

test('pause holds the next task, resume lets it go; variables are set and deleted by update, and validated', async () => {
  const gate = gateFile();
  const handle = await stack.start(stack.compile(slow(gate.file)));
  await progressed(handle, (progress) => progress.tasks_run === 1);
  await handle.signal('pause', { reason: 'look' });
  await progressed(handle, (progress) => progress.status === 'paused');
  expect(await handle.executeUpdate('setVariables', { args: [{ v: 41, w: 1 }] })).toEqual({
    set: ['v', 'w'],
  });
  expect(await handle.executeUpdate('deleteVariables', { args: [['w']] })).toEqual({ deleted: ['w'] });
  await expect(handle.executeUpdate('setVariables', { args: ['text'] })).rejects.toThrow(
    WorkflowUpdateFailedError,
  );
  gate.open();
  const held = await progressed(handle, (progress) => progress.live.some((live) => live.step === 'end'));
  expect(held).toMatchObject({ status: 'paused', live: [{ step: 'end', state: 'queued' }] });
  expect((await handle.describe()).status.name).toBe('RUNNING');
  await handle.signal('resume');
  expect(await handle.result()).toMatchObject({ result: { v: 41 } });
  const { state } = await derived(handle);
  expect(state).toEqual(await handle.query<State>('state'));
});

// Temporal knows a cancellation by its own request only; the reason comes by signal. Either does without the other.
test.each([
  ['by Temporal', 'CANCELLED', null],
  ['by signal', 'FAILED', 'enough'],
  ['as REST does', 'CANCELLED', 'enough'],
])(
  'cancel %s stops the running tool and ends as cancelled, in Temporal as %s',
  async (how, status, reason) => {
    const gate = gateFile();
    const handle = await stack.start(stack.compile(slow(gate.file)));
    await progressed(handle, (progress) => progress.tasks_run === 1);
    if (how === 'by Temporal') await handle.cancel();
    else if (how === 'by signal') await handle.signal('cancel', { reason: 'enough' });
    else await steer(stack.client, handle.workflowId, 'cancel', 'enough');
    await expect(handle.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
    expect(await handle.describe()).toMatchObject({
      status: { name: status },
      searchAttributes: { NoetlStatus: ['cancelled'] },
    });
    const { events } = await derived(handle);
    expect(events.find(({ event_type }) => event_type === 'playbook.cancelled')!.payload).toEqual({ reason });
  },
);

test('an execution that has nothing to stop waits for Temporal’s request before it ends', async () => {
  const waiting = playbookOf(`\n- step: start\n  tool: {kind: wait, for: 3600}`);
  const handle = await stack.start(stack.compile(waiting));
  await progressed(handle, ({ live }) => live.length > 0);
  await steer(stack.client, handle.workflowId, 'cancel', 'enough');
  await expect(handle.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
  expect((await handle.describe()).status.name).toBe('CANCELLED');
  expect((await derived(handle)).state.cancelReason).toBe('enough');
});

test('a failed run fails with the code, and tells step, task, attempt and line', async () => {
  const ended = await stack.run(
    stack.compile(playbookOf(`\n- step: start\n  tool: {kind: python, code: "result = 1 / 0"}`)),
  );
  expect(ended).toMatchObject({ status: 'failed', failure: { type: 'PY_ZeroDivisionError' } });
  expect(ended.failure!.error).toMatchObject({ step: 'start', task: 'start_task', attempt: 1, at: [8, 31] });
});

test('a run that fails while it starts other tasks is derived from history as it was', async () => {
  const ended = await stack.run(
    stack.compile(
      playbookOf(`
- step: start
  tool: {kind: shell, cmds: ["true"]}
  next: {spec: {mode: inclusive}, arcs: [{step: slow}, {step: broken}, {step: late}]}
- step: slow
  tool: {kind: shell, cmds: ["sleep 20"]}
- step: late
  tool: {kind: shell, cmds: ["sleep 0.2"]}
- step: broken
  loop: {in: "{{ 5 }}", iterator: n}
  tool: {kind: noop}`),
    ),
  );
  expect(ended).toMatchObject({ status: 'failed', failure: { type: 'LOOP_IN' } });
  const { state, events } = await derived(ended.handle);
  expect(state).toEqual(ended.state);
  expect(checkEvents(events)).toEqual([]);
});

test('a task whose kind no worker here runs is told by name, not left hanging', async () => {
  const ended = await stack.run(stack.compile(playbookOf(`\n- step: start\n  tool: {kind: gateway}`)));
  expect(ended).toMatchObject({ status: 'failed', failure: { type: 'KIND_UNAVAILABLE' } });
  expect(ended.failure!.message).toMatch(/gateway/);
});

test('a bare Plan and a foreign workflow id are welcome: the way of the temporal command line', async () => {
  const plan = stack.compile(
    playbookOf(`\n- step: start\n  tool: {kind: noop, input: {id: "{{ execution_id }}"}}`),
  );
  const handle = await stack.server.client.workflow.start('playbook', {
    taskQueue: 'noetl-workflows',
    workflowId: 'by-hand',
    args: [plan],
  });
  expect(await handle.result()).toMatchObject({
    status: 'completed',
    result: { id: expect.stringMatching(/^\d+$/) },
  });
});

test('what is not a Plan is refused at once, in words', async () => {
  const handle = await stack.server.client.workflow.start('playbook', {
    taskQueue: 'noetl-workflows',
    workflowId: 'not-a-plan',
    args: [{ hello: 1 }],
  });
  await expect(handle.result()).rejects.toMatchObject({ cause: { type: 'PLAN_INPUT' } });
  expect((await handle.describe()).searchAttributes).toMatchObject({ NoetlStatus: ['started'] });
});

test('a run survives a restart of all its workers', async () => {
  const plan = stack.compile(
    playbookOf(`
- step: start
  loop: {in: "{{ range(12) | list }}", iterator: n, spec: {mode: parallel, max_in_flight: 2}}
  tool: {kind: shell, cmds: ["sleep 0.3; echo {{ iter.n }}"]}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop, input: {n: "{{ start | length }}"}}`),
  );
  const handle = await stack.start(plan);
  await progressed(handle, (progress) => progress.tasks_run >= 4);
  await stack.restartWorkers();
  expect(await handle.result()).toMatchObject({ result: { n: 12 } });
});

test('a task that does not stop at its time limit ends all the same, and is not run again for that', async () => {
  const [adapted, foreign] = await Promise.all([endless.adapted, endless.foreign]);
  expect([adapted, foreign]).toMatchObject(
    ['nats did not stop within 10 s of its time limit, 1 s', 'ran longer than its time limit'].map(
      (said) => ({
        status: 'failed',
        failure: { error: { kind: 'timeout', message: expect.stringContaining(said) as string } },
      }),
    ),
  );
  expect(hanging.starts).toBe(1);
});
