/** Executions take turns at the workers: one with many tasks does not keep the tasks of others waiting. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { type Tool } from '../../activities/framework/tool/tool';
import { executionIdOf } from '../../src/language/plan';
import { turnOf } from '../../src/server/facade/submit/turns';
import { newExecutionId, startExecution } from '../../src/temporal/client';
import { playbooksOf } from '../support/playbooks';
import { startStack, type Stack } from '../support/stack';
import { until } from '../support/until';

const TASK_MS = 200;
const TASKS = 150;
/** Ends the tasks that still run, and those that follow. */
let enough = new AbortController();
/** No task ends before. */
let gate: Promise<void> | undefined;
beforeEach(() => {
  enough = new AbortController();
  gate = undefined;
});
/** The executions whose tasks began, in order, and when. */
const turns: { execution: string; at: number; key: string | undefined }[] = [];

const slow: Tool = {
  kind: 'slow',
  concurrency: 2,
  async run({ execution_id }, { signal }) {
    const key = Context.current().info.priority?.fairnessKey;
    turns.push({ execution: execution_id, at: Date.now(), key });
    const stopped = AbortSignal.any([signal, enough.signal]);
    await gate;
    await sleep(TASK_MS, undefined, { signal: stopped }).catch(() => undefined);
    return { status: 'ok', result: null, error: null, meta: {} };
  },
};

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({
    kinds: ['slow'],
    extensions: [slow],
    playbooks: playbooksOf({ 'fairness/child': playbook('child', '  tool: {kind: noop}') }),
  });
});
afterAll(() => stack.stop());

const playbook = (name: string, step: string): string => `
apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: ${name}, path: fairness/${name}}
executor: {spec: {extensions: {slow: {}}}}
workflow:
- step: start
${step}
`;
const LOOP = `  loop: {in: "{{ range(${TASKS}) | list }}", iterator: n, spec: {mode: parallel, max_in_flight: ${TASKS}}}`;

test('a task waits for the tasks that run, not for all that another execution has scheduled', async () => {
  const crowd = await stack.start(stack.compile(playbook('crowd', `${LOOP}\n  tool: {kind: slow}`)));
  await until(async () => ((await crowd.describe()).raw.pendingActivities?.length ?? 0) > TASKS / 2);
  const alone = await stack.run(stack.compile(playbook('alone', '  tool: {kind: slow}')));
  expect(alone.status).toBe('completed');
  const { events: own } = await alone.handle.fetchHistory();
  const scheduled = own!.find((event) => event.activityTaskScheduledEventAttributes)!.eventTime!;
  const since = Number(scheduled.seconds) * 1000 + Number(scheduled.nanos) / 1e6;
  const id = executionIdOf(alone.handle.workflowId);
  const began = turns.findIndex(({ execution }) => execution === id);
  // Those that its worker had asked for already, and one or two that it was given meanwhile.
  const before = turns.slice(0, began).filter(({ at }) => at > since);
  expect(before.length).toBeLessThan(TASKS / 10);
  expect(turns.length).toBeLessThan(TASKS);
  enough.abort();
  await crowd.result();
  const { events } = await crowd.fetchHistory();
  const keys = events!.flatMap(
    ({ activityTaskScheduledEventAttributes: task }) => task?.priority?.fairnessKey ?? [],
  );
  expect([keys.length, ...new Set(keys)]).toEqual([TASKS, crowd.workflowId]);
});

const keyOf = async (workflow: string): Promise<unknown> => {
  const { events } = await stack.client.workflow.getHandle(workflow).fetchHistory();
  return events![0]!.workflowExecutionStartedEventAttributes!.priority?.fairnessKey;
};

test('workflow tasks take turns too: whoever starts an execution gives it a key, which all that it calls has', async () => {
  const { handle } = await startExecution(stack.client, {
    plan: stack.compile(playbook('root', '  tool: {kind: playbook, path: fairness/child}')),
  });
  await handle.result();
  expect(await keyOf(handle.workflowId)).toBe(handle.workflowId);
  const { events } = await handle.fetchHistory();
  const [child] = events!.flatMap(
    ({ childWorkflowExecutionStartedEventAttributes: started }) =>
      started?.workflowExecution?.workflowId ?? [],
  );
  expect(await keyOf(child!)).toBe(handle.workflowId);
  // One that was started without a key, by another client of Temporal.
  const bare = await stack.run(
    stack.compile(playbook('bare', '  tool: {kind: playbook, path: fairness/child}')),
  );
  const started = (await bare.handle.fetchHistory()).events!.flatMap(
    ({ startChildWorkflowExecutionInitiatedEventAttributes: start }) => start?.priority?.fairnessKey ?? [],
  );
  expect([await keyOf(bare.handle.workflowId), ...started]).toEqual([undefined, bare.handle.workflowId]);
});

test('a task has the key of its execution from Temporal, and not in its own event', async () => {
  const plan = stack.compile(playbook('given', '  tool: {kind: slow}'));
  const { id, handle } = await startExecution(stack.client, { plan });
  await handle.result();
  expect(turns.filter(({ execution }) => execution === id).map(({ key }) => key)).toEqual([
    handle.workflowId,
  ]);
  const { events } = await handle.fetchHistory();
  const scheduled = events!.flatMap(({ activityTaskScheduledEventAttributes: task }) => task ?? []);
  expect(scheduled.map(({ priority }) => priority?.fairnessKey ?? '')).toEqual(['']);
});

test('a caller has as many turns with many executions as with few', async () => {
  const CROWD = 60;
  let open = (): void => undefined;
  gate = new Promise((resolve) => (open = resolve));
  const plan = stack.compile(playbook('one', '  tool: {kind: slow}'));
  const start = async (caller: string) => {
    const id = newExecutionId();
    return await startExecution(stack.client, { plan }, id, { turn: turnOf(caller, id)! });
  };
  const isWaiting = async ({ handle }: Awaited<ReturnType<typeof start>>) =>
    ((await handle.describe()).raw.pendingActivities ?? []).length > 0;
  const crowd = await Promise.all(Array.from({ length: CROWD }, () => start('crowd')));
  await until(async () => (await Promise.all(crowd.map(isWaiting))).every(Boolean), 120_000);
  const alone = await start('alone');
  await until(() => isWaiting(alone), 60_000);
  const before = turns.length;
  open();
  await alone.handle.result();
  const ahead = turns.findIndex(({ execution }) => execution === alone.id) - before;
  enough.abort();
  await Promise.all(crowd.map(async ({ handle }) => await handle.result()));
  // One for each turn of the crowd, and those that its worker had asked for.
  expect(ahead).toBeLessThan(CROWD / 2);
});
