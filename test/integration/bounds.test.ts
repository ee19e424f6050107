/** Nothing that a playbook or a client of Temporal sends stops workers, other executions or readers. */
import { type WorkflowFailedError } from '@temporalio/client';
import { type ApplicationFailure } from '@temporalio/common';
import { eventMillis, recordedExecution } from '../../src/history';
import {
  CASCADE_DONE_SIGNAL,
  CASCADE_WORKFLOW_TYPE,
  cascadeWorkflowId,
  executionIdOf,
  type Plan,
  WORKFLOW_TASK_QUEUE,
  workflowId,
} from '../../src/language/plan';
import { cancelFamily, historyPages } from '../../src/temporal/client';
import { playbooksOf } from '../support/playbooks';
import { isNightly, someOf } from '../support/sampled';
import { planOf, playbookOf } from '../support/simulator';
import { type Stack, startStack } from '../support/stack';
import { until } from '../support/until';

const FAMILY_LIMIT = isNightly ? 30 : 12;

const twice = playbookOf(`
- step: start
  tool: {kind: noop}
  next: {spec: {mode: inclusive}, arcs: [{step: a}, {step: b}]}
- step: a
  tool: {kind: playbook, path: lib/twice}
- step: b
  tool: {kind: playbook, path: lib/twice, wait: false}`).replace('path: test/test', 'path: lib/twice');

/** Goes on by a detached call of itself, and stays. */
const grows = playbookOf(`
- step: start
  tool: {kind: noop}
  next: {spec: {mode: inclusive}, arcs: [{step: a}, {step: b}, {step: stay}]}
- step: a
  tool: {kind: playbook, path: lib/grows, wait: false}
- step: b
  tool: {kind: playbook, path: lib/grows, wait: false}
- step: stay
  tool: {kind: wait, for: 600}`).replace('path: test/test', 'path: lib/grows');
const leaves = playbookOf('- step: start\n  tool: {kind: playbook, path: lib/goes, wait: false}');
const goes = playbookOf('- step: start\n  tool: {kind: playbook, path: lib/stays, wait: false}').replace(
  'path: test/test',
  'path: lib/goes',
);
const stays = playbookOf('- step: start\n  tool: {kind: wait, for: 600}').replace(
  'path: test/test',
  'path: lib/stays',
);

/** Calls one that calls another as soon as it is told to, without waiting. */
const callsLater = playbookOf('- step: start\n  tool: {kind: playbook, path: lib/later, wait: false}');
const later = playbookOf(`
- step: start
  tool: {kind: wait, event: go}
  next: {arcs: [{step: call}]}
- step: call
  tool: {kind: playbook, path: lib/stays}`).replace('path: test/test', 'path: lib/later');
/** Calls one that its resolver does not find out about. */
const UNKNOWN = { waited: 'path: lib/unknown', detached: 'path: lib/unknown, wait: false' } as const;
const callsUnknown = (...called: readonly string[]): string =>
  playbookOf(`
- step: start
  tool: {kind: noop}
  next: {spec: {mode: inclusive}, arcs: [${called.map((_, n) => `{step: call_${n}}`).join(', ')}]}
${called.map((fields, n) => `- step: call_${n}\n  tool: {kind: playbook, ${fields}}`).join('\n')}`);

let stack: Stack;
/** What the resolver is asked about `lib/unknown`, and not told before a test does, or all have ended. */
const unanswered: ((plan: Plan | undefined) => void)[] = [];
beforeAll(async () => {
  process.env['NOETL_FAMILY_LIMIT'] = String(FAMILY_LIMIT);
  const known = playbooksOf({
    'lib/twice': twice,
    'lib/grows': grows,
    'lib/goes': goes,
    'lib/stays': stays,
    'lib/later': later,
  });
  stack = await startStack({
    kinds: ['python'],
    playbooks: {
      resolve: (request) =>
        request.path === 'lib/unknown'
          ? new Promise((resolve, reject) =>
              unanswered.push((plan) => (plan ? resolve(plan) : reject(new Error('nobody asks any more')))),
            )
          : known.resolve(request),
    },
  });
});
afterAll(async () => {
  for (const answer of unanswered) answer(undefined);
  delete process.env['NOETL_FAMILY_LIMIT'];
  await stack?.stop();
});

const CUBE = '{{ [[[1]*1000]*1000]*1000 }}';
const end = '- step: end\n  tool: {kind: noop}';
const BOMBS: Readonly<Record<string, string>> = {
  noop: `- step: start\n  tool: {kind: noop, input: {x: "${CUBE}"}}`,
  set: `- step: start\n  tool: {kind: noop}\n  set: {ctx.x: "${CUBE}"}\n  next: {arcs: [{step: end}]}\n${end}`,
  texts: `- step: start\n  tool: {kind: noop}\n  set: {ctx.x: "{{ [['x'*100000]*1000]*1000 }}"}\n  next: {arcs: [{step: end}]}\n${end}`,
  python: `- step: start\n  tool: {kind: python, input: {x: "${CUBE}"}, code: "result = 1"}`,
  arc: `- step: start\n  tool: {kind: noop}\n  next: {arcs: [{step: end, args: {x: "${CUBE}"}}]}\n${end}`,
  doubled:
    '- step: start\n  tool: {kind: noop}\n  set: {ctx.x: "{{ [ctx.x, ctx.x] }}", ctx.n: "{{ (ctx.n or 0) + 1 }}"}\n' +
    `  next: {arcs: [{step: start, when: "{{ ctx.n < 60 }}"}, {step: end}]}\n${end}`,
  result: '- step: start\n  tool: {kind: python, code: "result = [\'x\' * 1000] * 17000"}',
};

it.each(someOf(Object.keys(BOMBS), 2))('a bomb ends with a code, and others run: %s', async (name) => {
  // Not `run`, which asks for the state: 8 MiB of it are more than a query can answer.
  const handle = await stack.start(planOf(playbookOf(BOMBS[name]!)));
  const other = await stack.run(
    planOf(playbookOf('- step: start\n  tool: {kind: python, code: "result = 7"}')),
  );
  expect(other).toMatchObject({ status: 'completed', result: 7 });
  const failure = await handle.result().catch((error: WorkflowFailedError) => error.cause);
  expect((failure as ApplicationFailure).type).toMatch(/^((VALUE|RESULT)_TOO_LARGE|NT420[123])$/);
  const history = await handle.fetchHistory();
  const attempts = history.events!.filter(({ workflowTaskFailedEventAttributes: failed }) => failed);
  expect(attempts).toEqual([]);
  const recorded = await recordedExecution([history]);
  expect(recorded.divergence).toBeUndefined();
  expect(JSON.stringify(recorded.events).length).toBeLessThan(2_000_000);
});

it('signals with null, wrong types and unknown references are ignored by the workflow and by readers', async () => {
  const handle = await stack.start(planOf(playbookOf('- step: start\n  tool: {kind: wait, event: go}')));
  const sent: readonly (readonly [string, ...unknown[]])[] = [
    ...['chunk', 'childSettled', 'childStarted', 'limit', 'taskSettled', 'event'].flatMap(
      (name): (readonly [string, ...unknown[]])[] => [
        [name, null],
        [name],
        [name, 'text', 7, []],
        [name, {}],
      ],
    ),
    ['chunk', { ref: 'x', trace: null }],
    ['chunk', { ref: 'x', trace: [{ at: 1, inputs: [{ type: 'nothing' }] }] }],
    ['childSettled', { child: '7', outcome: { result: 1 } }],
    ['taskSettled', 'keychain', { status: 'ok' }, { scheduledAt: 1 }],
    ['pause', null],
    ['resume', null],
    ['nothing', null],
  ];
  for (const [name, ...args] of sent) await handle.signal(name, ...args);
  await handle.signal('event', { name: 'go', payload: 'went' });
  expect(await handle.result()).toMatchObject({ result: 'went' });
  const recorded = await recordedExecution(historyPages(stack.client, handle.workflowId));
  expect(recorded.divergence).toBeUndefined();
  const dropped = recorded.events.filter(({ event_type }) => event_type === 'external.dropped');
  expect(dropped.length).toBe(6 * 4 + 2);
  const types = recorded.events.map(({ event_type }) => event_type);
  expect(types).toEqual(
    expect.arrayContaining(['playbook.paused', 'playbook.resumed', 'playbook.processed']),
  );
});

it('a playbook that calls itself twice, waited for and not, ends', async () => {
  const handle = await stack.start(planOf(twice));
  const query = `RootWorkflowId = '${handle.workflowId}'`;
  await handle.result().catch(() => undefined);
  await until(async () => {
    const { count } = await stack.client.workflow.count(`${query} AND ExecutionStatus = 'Running'`);
    return count === 0;
  }, 60_000);
  const { count } = await stack.client.workflow.count(query);
  expect(count).toBeGreaterThan(FAMILY_LIMIT);
  // Those that start before the list of executions shows the others come on top.
  expect(count).toBeLessThan(FAMILY_LIMIT * 10 + 200);
  let refused = 0;
  for await (const { workflowId: id } of stack.client.workflow.list({
    query: `${query} AND ExecutionStatus = 'Failed'`,
  })) {
    const failure: unknown = await stack.client.workflow
      .getHandle(id)
      .result()
      .catch((error: unknown) => (error as { cause?: { type?: string } }).cause?.type);
    if (failure === 'PLAYBOOK_FAMILY') refused++;
  }
  expect(refused).toBeGreaterThan(0);
});

const openOf = async (root: string): Promise<number> =>
  (await stack.client.workflow.count(`RootWorkflowId = '${root}' AND ExecutionStatus = 'Running'`)).count;

const markOf = (root: string): string => cascadeWorkflowId(executionIdOf(root)!);

it('a family that grows ends when it is cancelled: of what is called after that, nothing begins', async () => {
  const handle = await stack.start(planOf(grows));
  await until(async () => (await openOf(handle.workflowId)) > 5);
  await cancelFamily(stack.client, handle.workflowId, { cascade: true });
  await until(async () => (await openOf(handle.workflowId)) === 0, 60_000);
  const { startTime } = await stack.client.workflow.getHandle(markOf(handle.workflowId)).describe();
  const begun: string[] = [];
  for await (const { workflowId: name } of stack.client.workflow.list({
    query: `RootWorkflowId = '${handle.workflowId}'`,
  })) {
    const { events } = await stack.client.workflow.getHandle(name).fetchHistory();
    const asked = events!.find((event) => event.activityTaskStartedEventAttributes);
    const isAnswered = events!.some((event) => event.activityTaskCompletedEventAttributes);
    if (isAnswered && eventMillis(asked!.eventTime) > startTime.getTime()) begun.push(name);
  }
  expect(begun).toEqual([]);
});

it('what a cancelled family calls is refused, also by a member that has not heard of it', async () => {
  const handle = await stack.start(planOf(callsLater));
  await handle.result();
  const running = `RootWorkflowId = '${handle.workflowId}' AND ExecutionStatus = 'Running'`;
  const members: string[] = [];
  await until(async () => {
    for await (const { workflowId: name } of stack.client.workflow.list({ query: running }))
      members.push(name);
    return members.length > 0;
  });
  // Only the mark, which is the first thing that a cancel does.
  await stack.client.workflow.start(CASCADE_WORKFLOW_TYPE, {
    workflowId: markOf(handle.workflowId),
    args: [{ executionId: executionIdOf(handle.workflowId)! }],
    taskQueue: WORKFLOW_TASK_QUEUE,
    startDelay: '10 minutes',
  });
  const member = stack.client.workflow.getHandle(members[0]!);
  await member.signal('event', { name: 'go' });
  await expect(member.result()).rejects.toMatchObject({
    cause: { type: 'PLAYBOOK_CANCELLED', message: expect.stringContaining('lib/stays was not started') },
  });
  const recorded = await recordedExecution(historyPages(stack.client, members[0]!));
  expect(recorded.divergence).toBeUndefined();
  const failed = recorded.events.find(({ event_type }) => event_type === 'task.failed');
  expect(failed?.payload).toMatchObject({
    outcome: { error: { kind: 'cancelled', code: 'PLAYBOOK_CANCELLED' } },
  });
});

it('a family is cancelled although the process that began to do so has ended', async () => {
  const handle = await stack.start(planOf(callsLater));
  await handle.result();
  await until(async () => (await openOf(handle.workflowId)) === 1);
  // Only the mark, as from a process that was killed after it.
  await stack.client.workflow.start(CASCADE_WORKFLOW_TYPE, {
    workflowId: markOf(handle.workflowId),
    args: [{ executionId: executionIdOf(handle.workflowId)!, reason: 'enough' }],
    taskQueue: WORKFLOW_TASK_QUEUE,
  });
  await stack.client.workflow.getHandle(markOf(handle.workflowId)).result();
  await until(async () => (await openOf(handle.workflowId)) === 0, 60_000);
  const ended: Record<string, unknown>[] = [];
  for await (const { workflowId: name } of stack.client.workflow.list({
    query: `RootWorkflowId = '${handle.workflowId}' AND ExecutionStatus != 'Completed'`,
  }))
    ended.push({ ...(await recordedExecution(historyPages(stack.client, name))).state });
  expect(ended.length).toBeGreaterThan(0);
  for (const state of ended) expect(state).toMatchObject({ status: 'cancelled', cancelReason: 'enough' });
});

it('a mark that was told that all is done does nothing', async () => {
  const executionId = '7';
  const mark = await stack.client.workflow.signalWithStart(CASCADE_WORKFLOW_TYPE, {
    workflowId: cascadeWorkflowId(executionId),
    args: [{ executionId }],
    taskQueue: WORKFLOW_TASK_QUEUE,
    signal: CASCADE_DONE_SIGNAL,
  });
  await mark.result();
  const { events } = await mark.fetchHistory();
  expect(events!.some((event) => event.activityTaskScheduledEventAttributes)).toBe(false);
});

it('whoever cancels a family tells its mark when that is done', async () => {
  const handle = await stack.start(planOf(callsLater));
  await handle.result();
  await cancelFamily(stack.client, handle.workflowId, { cascade: true }).catch(() => undefined);
  const { events } = await stack.client.workflow.getHandle(markOf(handle.workflowId)).fetchHistory();
  const signals = events!.flatMap((event) => event.workflowExecutionSignaledEventAttributes ?? []);
  expect(signals.map(({ signalName }) => signalName)).toEqual([CASCADE_DONE_SIGNAL]);
});

it('an execution whose playbook is not resolved yet ends at once when it is cancelled', async () => {
  const handle = await stack.start(planOf(callsUnknown(UNKNOWN.waited, UNKNOWN.detached)));
  await until(() => Promise.resolve(unanswered.length >= 2));
  const [own, ...family] = await cancelFamily(stack.client, handle.workflowId, {
    cascade: true,
    reason: 'enough',
  });
  expect([own, family.length]).toEqual([executionIdOf(handle.workflowId), 2]);
  for (const id of [own!, ...family]) {
    const ended = stack.client.workflow.getHandle(workflowId(id));
    await expect(ended.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
  }
  const recorded = await recordedExecution(historyPages(stack.client, handle.workflowId));
  expect(recorded.divergence).toBeUndefined();
  expect(recorded.state).toMatchObject({ status: 'cancelled', cancelReason: 'enough' });
});

// One at a time: what a caller does about one that ended has no part in how the other ends.
it.each(Object.entries(UNKNOWN))(
  'an execution that was cancelled before its playbook was resolved does not run it when it is: %s',
  async (_, called) => {
    for (const answer of unanswered.splice(0)) answer(undefined);
    const caller = await stack.start(planOf(callsUnknown(called)));
    await until(() => Promise.resolve(unanswered.length > 0));
    const child = await until(async () => {
      const query = `ParentWorkflowId = '${caller.workflowId}'`;
      for await (const { workflowId: name } of stack.client.workflow.list({ query })) return name;
      return undefined;
    });
    const handle = stack.client.workflow.getHandle(child);
    const has = async (name: 'timerStarted' | 'activityTaskCompleted'): Promise<boolean> =>
      (await handle.fetchHistory()).events!.some((event) => event[`${name}EventAttributes`]);
    // The signal alone: it waits for the request that belongs to it.
    await handle.signal('cancel', { reason: 'enough' });
    await until(() => has('timerStarted'));
    await until(() => {
      // Also when it asks again.
      for (const answer of unanswered.splice(0)) answer(planOf(stays));
      return has('activityTaskCompleted');
    }, 60_000);
    await handle.cancel();
    await expect(handle.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
    await expect(recordedExecution([await handle.fetchHistory()])).rejects.toMatchObject({ code: 'HISTORY' });
    await expect(caller.result()).rejects.toMatchObject({ cause: { type: 'CANCELLED' } });
  },
);

it('what an execution started can be cancelled when it, and its caller, have ended', async () => {
  const handle = await stack.start(planOf(leaves));
  await handle.result();
  const running = `RootWorkflowId = '${handle.workflowId}' AND ExecutionStatus = 'Running'`;
  const countOf = async (query: string): Promise<number> => (await stack.client.workflow.count(query)).count;
  const isOnlyOne = async (): Promise<boolean> =>
    (await countOf(running)) === 1 && (await countOf(`${running} AND WorkflowType = 'lib/stays'`)) === 1;
  await until(isOnlyOne, 30_000);
  await expect(cancelFamily(stack.client, handle.workflowId, { cascade: false })).rejects.toMatchObject({
    code: 'EXECUTION_OVER',
  });
  let stays = '';
  for await (const one of stack.client.workflow.list({ query: running })) stays = one.workflowId;
  const [own, ...family] = await cancelFamily(stack.client, handle.workflowId, { cascade: true });
  // Temporal's list may still show one that has ended.
  expect([own, family]).toEqual([
    executionIdOf(handle.workflowId),
    expect.arrayContaining([executionIdOf(stays)]),
  ]);
  await expect(stack.client.workflow.getHandle(stays).result()).rejects.toMatchObject({
    cause: { name: 'CancelledFailure' },
  });
  await expect(cancelFamily(stack.client, handle.workflowId, { cascade: true })).rejects.toMatchObject({
    code: 'EXECUTION_OVER',
  });
});
