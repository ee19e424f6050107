/** Events of executions that an operator, the temporal CLI or Temporal itself meddled with: derived from history alone. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type WorkflowHandle } from '@temporalio/client';
import { hasCode } from '../../src/language/errors';
import { type State } from '../../src/engine/machine';
import {
  type CanonicalEvent,
  followEvents,
  recordedExecution,
  type RecordedExecution,
} from '../../src/history';
import { historyPages, WORKFLOW_TASK_QUEUE, WORKFLOW_TYPE } from '../../src/temporal/client';
import { type RecentEvent } from '../../src/temporal/contract/definitions';
import { checkEvents } from '../support/event-checks';
import { playbookOf } from '../support/simulator';
import { type Stack, startStack } from '../support/stack';
import { until } from '../support/until';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ kinds: ['shell'] });
});
afterAll(async () => await stack?.stop());

async function recorded({ workflowId }: WorkflowHandle): Promise<RecordedExecution> {
  const found = await recordedExecution(historyPages(stack.server.client, workflowId));
  expect(found.divergence).toBeUndefined();
  expect(checkEvents(found.events)).toEqual([]);
  expect(new Set(found.events.map((event) => event.event_id)).size).toBe(found.events.length);
  expect(found.events.map((event) => event.seq)).toEqual(found.events.map((_, i) => i + 1));
  return found;
}

/** Waits until the history tells of an event of this type for this task or step. */
const told = (handle: WorkflowHandle, type: string, id: string) =>
  until(async () => {
    const { events } = await recordedExecution(historyPages(stack.server.client, handle.workflowId));
    return events.find((event) => event.event_type === type && JSON.stringify(event).includes(id));
  });

function gate(): { file: string; open(): void } {
  const file = path.join(os.tmpdir(), `noetl-gate-${process.pid}-${Math.random().toString(36).slice(2)}`);
  return { file, open: () => fs.writeFileSync(file, '') };
}
const waiting = (file: string): string =>
  `{kind: shell, cmds: ["while [ ! -e ${file} ]; do sleep 0.05; done; echo through"]}`;
const twoSteps = (file: string): string =>
  playbookOf(`
- step: start
  tool: {kind: shell, cmds: ["echo one"]}
  set: {ctx.one: "{{ start.stdout | trim }}"}
  next: {arcs: [{step: second}]}
- step: second
  tool: ${waiting(file)}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop, input: {v: "{{ ctx.one }}"}}`);

test('terminated: the log ends with the operator’s reason, the tasks in flight stay open', async () => {
  const handle = await stack.start(stack.compile(twoSteps('/nowhere')));
  await told(handle, 'task.started', 'second#1');
  await handle.terminate('wrong data');
  const { events, closed } = await recorded(handle);
  expect(closed).toMatchObject({ status: 'terminated', reason: 'wrong data' });
  expect(events.slice(-2)).toMatchObject([
    {
      event_type: 'workflow.finished',
      status: 'error',
      payload: { error: { code: 'TERMINATED', message: 'wrong data' } },
    },
    { event_type: 'playbook.processed', status: 'error', duration_ms: expect.any(Number) as number },
  ]);
});

test('timed out by Temporal, before any worker could say so', async () => {
  const { client } = stack.server;
  const handle = await client.workflow.start(WORKFLOW_TYPE, {
    workflowId: 'timed-out-run',
    taskQueue: WORKFLOW_TASK_QUEUE,
    args: [stack.compile(twoSteps('/nowhere'))],
    workflowExecutionTimeout: 1500,
  });
  await expect(handle.result()).rejects.toThrow();
  const { events, closed } = await recorded(handle);
  expect(closed!.status).toBe('timed_out');
  expect(events.at(-2)).toMatchObject({ payload: { error: { code: 'TIMED_OUT' } } });
});

test('started by another client under an id of its own: the execution id is the one the workflow drew', async () => {
  const handle = await stack.server.client.workflow.start(WORKFLOW_TYPE, {
    workflowId: 'orders-2026-11',
    taskQueue: WORKFLOW_TASK_QUEUE,
    args: [stack.compile(playbookOf('\n- step: start\n  tool: {kind: shell, cmds: [echo hi]}'))],
  });
  await handle.result();
  const { events, state } = await recorded(handle);
  const own = await handle.query<State>('state');
  expect(own.executionId).toMatch(/^\d+$/);
  expect(state).toEqual(own);
  expect(events[0]!.execution_id).toBe(own.executionId);
});

test('reset: what had happened keeps its ids, what the new run does gets others, a follower sees both', async () => {
  const { client } = stack.server;
  const hold = gate();
  const handle = await stack.start(stack.compile(twoSteps(hold.file)));
  const seen: CanonicalEvent[] = [];
  const following = (async () => {
    for await (const events of followEvents({
      open: () => historyPages(client, handle.workflowId, { follow: true }),
      again: (error) => Promise.resolve(hasCode(error, 'SUPERSEDED')),
    }))
      seen.push(...events);
  })();
  await told(handle, 'task.started', 'second#1');
  const before = await recorded(handle);
  const { events: raw } = await handle.fetchHistory();
  const [, secondTask] = raw!.filter((event) => event.workflowTaskCompletedEventAttributes);
  await client.workflowService.resetWorkflowExecution({
    namespace: stack.server.namespace,
    workflowExecution: { workflowId: handle.workflowId, runId: (await handle.describe()).runId },
    workflowTaskFinishEventId: secondTask!.eventId,
    reason: 'again, please',
    requestId: 'reset-1',
  });
  hold.open();
  await client.workflow.getHandle(handle.workflowId).result();
  await following;
  const after = await recorded(handle);
  const at = after.events.findIndex((event) => event.event_type === 'playbook.reset');
  expect(after.events[at]).toMatchObject({
    payload: { reason: expect.stringContaining('again, please') as string },
  });
  expect(at).toBeGreaterThan(5);
  // Everything before the reset is as it was told before; nothing after it shares an id with what was told.
  expect(before.events.slice(0, at)).toEqual(after.events.slice(0, at));
  const old = new Set(before.events.map((event) => event.event_id));
  expect(after.events.slice(at).filter((event) => old.has(event.event_id))).toEqual([]);
  expect(after.state).toEqual(await client.workflow.getHandle(handle.workflowId).query('state'));
  expect(after.state.status).toBe('completed');
  const ids = seen.map((event) => event.event_id);
  expect(new Set(ids).size).toBe(ids.length);
  expect([...old, ...after.events.map((event) => event.event_id)].filter((id) => !ids.includes(id))).toEqual(
    [],
  );
  fs.rmSync(hold.file);
});

test('cancelled by Temporal’s own cancel as soon as it was started', async () => {
  const handle = await stack.start(stack.compile(twoSteps('/nowhere')));
  await handle.cancel();
  await expect(handle.result()).rejects.toThrow();
  const { events, state, closed } = await recorded(handle);
  expect(closed!.status).toBe('cancelled');
  expect(state).toEqual(await handle.query('state'));
  expect(events.map((event) => event.event_type)).toEqual(expect.arrayContaining(['playbook.cancelled']));
});

test('cancelled before its first workflow task: the task it asked for never became an activity', async () => {
  const handle = await stack.server.client.workflow.signalWithStart(WORKFLOW_TYPE, {
    workflowId: 'cancelled-at-birth',
    taskQueue: WORKFLOW_TASK_QUEUE,
    args: [stack.compile(twoSteps('/nowhere'))],
    signal: 'cancel',
    signalArgs: [{ reason: 'never mind' }],
  });
  await expect(handle.result()).rejects.toThrow();
  const { events: raw } = await handle.fetchHistory();
  expect(raw!.filter((event) => event.activityTaskScheduledEventAttributes)).toEqual([]);
  const { events, state } = await recorded(handle);
  expect(state).toEqual(await handle.query('state'));
  expect(events.slice(-5)).toMatchObject([
    { event_type: 'playbook.cancel.requested', payload: { reason: 'never mind' } },
    { event_type: 'task.failed', task_run_id: 'start#1~1@1' },
    { event_type: 'playbook.cancelled' },
    { event_type: 'workflow.finished' },
    { event_type: 'playbook.processed' },
  ]);
  const recent = await handle.query<RecentEvent[], [number]>('events', 1000);
  expect(recent.map((event) => event.event_id)).toEqual(events.map((event) => event.event_id));
});

test('signals and updates that came before the first workflow task keep their place', async () => {
  const handle = await stack.server.client.workflow.signalWithStart(WORKFLOW_TYPE, {
    workflowId: 'signalled-at-birth',
    taskQueue: WORKFLOW_TASK_QUEUE,
    args: [stack.compile(playbookOf('\n- step: start\n  tool: {kind: shell, cmds: [echo hi]}'))],
    signal: 'pause',
    signalArgs: [{ reason: 'hold it' }],
  });
  await told(handle, 'playbook.paused', 'hold it');
  await handle.executeUpdate('setVariables', { args: [{ a: 1 }] });
  await handle.signal('resume');
  await handle.result();
  const { events, state } = await recorded(handle);
  expect(state).toEqual(await handle.query('state'));
  const types = events.map((event) => event.event_type);
  const steering = ['playbook.paused', 'variables.set', 'playbook.resumed'];
  expect(types.filter((type) => steering.includes(type))).toEqual(steering);
});
