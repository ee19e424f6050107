/** Sub-playbooks and waits on a real Temporal server: calls, cascades, events, and all of it across continuations. */
import { type WorkflowHandle } from '@temporalio/client';
import { type Progress, type State } from '../../src/engine/machine';
import { recordedExecution } from '../../src/history';
import { historyPages, sendEvent, setVariables, steer, workflowId } from '../../src/temporal/client';
import { checkEvents } from '../support/event-checks';
import { playbooksOf } from '../support/playbooks';
import { isNightly } from '../support/sampled';
import { playbookOf } from '../support/simulator';
import { type Stack, startStack } from '../support/stack';
import { looped } from '../support/loops';
import { until as eventually } from '../support/until';

const add = `apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: add, path: lib/add, version: "2"}
workload: {a: 0, b: 0}
workflow:
- step: start
  tool: {kind: noop, input: {sum: "{{ workload.a + workload.b }}", of: "{{ iter.parent.n | default(-1) }}"}}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop, input: {done: true}}`;

const typed = add
  .replace(
    'path: lib/add, version: "2"',
    'path: lib/typed, workload: {a: {type: integer}, c: {required: true}}',
  )
  .replace('name: add', 'name: typed');

const slow = `apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: slow, path: lib/slow}
workflow:
- step: start
  tool: {kind: wait, event: go}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop, input: {went: "{{ start }}"}}`;

const nested = playbookOf(`\n- step: start\n  tool: {kind: playbook, path: lib/slow}`).replace(
  'path: test/test',
  'path: lib/nested',
);

const failing = playbookOf(`
- step: start
  tool: {kind: shell, cmds: ["exit 3"]}`).replace('path: test/test', 'path: lib/failing');

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({
    kinds: ['shell'],
    playbooks: playbooksOf({
      'lib/add': add,
      'lib/typed': typed,
      'lib/slow': slow,
      'lib/nested': nested,
      'lib/failing': failing,
      'lib/broken': add.replace('kind: noop', 'kind: nope'),
    }),
    config: ['limit.historyCount.suggestContinueAsNew=60'],
  });
});
afterAll(async () => await stack?.stop());

const call = (fields: string, more = ''): string =>
  playbookOf(`
- step: start
  tool: {kind: playbook, ${fields}}
${more}  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop, input: {got: "{{ start }}"}}`);

async function derived(handle: WorkflowHandle) {
  const found = await recordedExecution(historyPages(stack.server.client, handle.workflowId));
  expect(found.divergence).toBeUndefined();
  return found;
}

function until(handle: WorkflowHandle, holds: (progress: Progress) => boolean): Promise<Progress> {
  return eventually(async () => {
    const progress = await handle.query<Progress>('progress');
    return holds(progress) && progress;
  });
}

/** The child that an execution waits for. */
async function childOf(handle: WorkflowHandle): Promise<WorkflowHandle> {
  const progress = await until(handle, ({ live }) => live.some((one) => one.child !== undefined));
  const { child } = progress.live.find((one) => one.child)!;
  const started = stack.server.client.workflow.getHandle(workflowId(child!.execution_id));
  // The caller has requested it; Temporal starts it a moment later.
  await eventually(() => started.describe());
  return started;
}

const CLOSES = [
  'workflowExecutionCompletedEventAttributes',
  'workflowExecutionFailedEventAttributes',
  'workflowExecutionCanceledEventAttributes',
  'workflowExecutionContinuedAsNewEventAttributes',
] as const;

/** Workflows that a run of the chain started, and, as its timeline has it, never saw end although they told their end. */
async function leftOpen(handle: WorkflowHandle): Promise<string[]> {
  const open = new Map<string, string>();
  const left: string[] = [];
  for await (const page of historyPages(stack.client, handle.workflowId)) {
    for (const event of page) {
      const asked = event.startChildWorkflowExecutionInitiatedEventAttributes;
      if (asked) open.set(asked.workflowId!, 'running');
      const told = event.workflowExecutionSignaledEventAttributes;
      if (told?.signalName === 'childSettled') {
        const { child } = JSON.parse(Buffer.from(told.input!.payloads![0]!.data!).toString()) as {
          child: string;
        };
        if (open.has(workflowId(child))) open.set(workflowId(child), 'ended');
      }
      const closed =
        event.childWorkflowExecutionCompletedEventAttributes ??
        event.childWorkflowExecutionFailedEventAttributes ??
        event.childWorkflowExecutionCanceledEventAttributes;
      if (closed) open.delete(closed.workflowExecution!.workflowId!);
    }
    const last = page.at(-1);
    if (last && CLOSES.some((end) => last[end])) {
      left.push(...[...open].filter(([, stands]) => stands === 'ended').map(([id]) => id));
      open.clear();
    }
  }
  return left;
}

test('a sub-playbook is an execution of its own, whose result comes back, and its events are derived too', async () => {
  const ended = await stack.run(
    stack.compile(call('path: lib/add, return_step: start, input: {a: 2, b: 3}')),
  );
  expect(ended.result).toEqual({ got: { sum: 5, of: -1 } });
  expect(await leftOpen(ended.handle)).toEqual([]);
  const { state, events } = await derived(ended.handle);
  expect(state).toEqual(ended.state);
  expect(checkEvents(events, true)).toEqual([]);
  const done = events.find(({ event_type }) => event_type === 'task.done')!;
  const { meta } = done.payload['outcome'] as { meta: { child: { execution_id: string } } };
  expect(meta.child).toEqual({
    execution_id: expect.stringMatching(/^\d{18}/) as string,
    path: 'lib/add',
    version: '2',
    digest: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
  });
  const child = stack.server.client.workflow.getHandle(workflowId(meta.child.execution_id));
  const { type, searchAttributes } = await child.describe();
  expect(type).toBe('lib/add');
  expect(searchAttributes).toMatchObject({
    NoetlPlaybook: ['lib/add'],
    NoetlVersion: ['2'],
    NoetlStatus: ['started'],
  });
  const own = await derived(child);
  expect(own.state).toEqual(await child.query<State>('state'));
  expect(checkEvents(own.events, true)).toEqual([]);
  expect(own.events[0]!.payload['caller']).toMatchObject({
    execution_id: ended.state.executionId,
    task_run_id: 'start#1~1@1',
  });
});

test.each([
  [
    'lib/failing',
    { code: 'SHELL_EXIT', step: 'start' },
    /playbook lib\/failing failed at start\/start_task: /,
  ],
  [
    'lib/typed, input: {a: "{{ 1 / 2 }}"}',
    {
      kind: 'validation',
      code: 'WORKLOAD_INVALID',
      fields: [
        { at: 'workload.a', message: 'must be a whole number, not a number' },
        { at: 'workload.c', message: 'is required' },
      ],
    },
    /^playbook lib\/typed does not accept this input: workload\.a must be a whole number/,
  ],
  ['lib/nope', { kind: 'not_found', code: 'PLAYBOOK_NOT_FOUND' }, /no playbook has the path lib\/nope/],
  ['lib/broken', { kind: 'validation', code: 'PLAYBOOK_INVALID' }, /there is no tool of kind `nope`/],
])('a call of %s fails with the error of the child', async (path, error, message) => {
  const ended = await stack.run(stack.compile(call(`path: ${path}`)));
  expect(ended).toMatchObject({ status: 'failed' });
  expect(await leftOpen(ended.handle)).toEqual([]);
  const { cause } = ended.failure!.error as { cause: { error: { message: string } } };
  expect(cause.error.message).toMatch(message);
  if (path === 'lib/failing') delete (error as { code?: string }).code;
  expect(cause.error).toMatchObject(error);
  expect((await derived(ended.handle)).state).toEqual(ended.state);
});

test('what cannot be a workflow type is looked for all the same, and not found', async () => {
  const called = stack.compile(call('path: "{{ workload.path }}"'));
  const paths = ['toString', 'noetl:chunk', `lib/${'x'.repeat(3000)}`, 'two\nlines'];
  const ends = await Promise.all(paths.map((path) => stack.run(called, { path })));
  for (const [position, { failure, state, handle }] of ends.entries()) {
    expect(failure!.message).toContain(`no playbook has the path ${paths[position]!.slice(0, 50)}`);
    expect((await derived(handle)).state).toEqual(state);
  }
});

test('a loop calls sub-playbooks, each sees the iteration; the run continues as new under way and loses none', async () => {
  const yaml = playbookOf(`
- step: start
  loop: {in: "{{ range(60) | list }}", iterator: n, spec: {mode: parallel, max_in_flight: 10}}
  tool: {kind: playbook, path: lib/add, return_step: start, input: {a: "{{ iter.n }}", b: 1}}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop, input: {sums: "{{ start | map(attribute='sum') | list }}", of: "{{ start[7].of }}"}}`);
  const ended = await stack.run(stack.compile(yaml));
  expect(ended.result).toEqual({ sums: Array.from({ length: 60 }, (_, n) => n + 1), of: 7 });
  expect(ended.state.continuations).toBeGreaterThan(1);
  expect(await leftOpen(ended.handle)).toEqual([]);
  expect((await ended.handle.describe()).memo).toEqual({ noetl_started: ended.state.startedAt });
  const { state, events } = await derived(ended.handle);
  expect(state).toEqual(ended.state);
  expect(checkEvents(events, true)).toEqual([]);
});

test('pause, resume and cancel reach the child of the child, with the reason', async () => {
  const handle = await stack.start(stack.compile(call('path: lib/nested')));
  const middle = await childOf(handle);
  const inner = await childOf(middle);
  await until(inner, ({ live }) => live.some(({ wait }) => wait?.event === 'go'));
  await handle.signal('pause', { reason: 'look' });
  for (const one of [handle, middle, inner]) await until(one, ({ status }) => status === 'paused');
  await inner.signal('event', { name: 'go', payload: 1 });
  await until(inner, ({ live }) => live.some(({ step, state }) => step === 'end' && state === 'queued'));
  await handle.signal('resume');
  expect(await handle.result()).toMatchObject({ result: { got: { went: 1 } } });

  const again = await stack.start(stack.compile(call('path: lib/nested')));
  const below = await childOf(await childOf(again));
  await steer(stack.client, again.workflowId, 'cancel', 'enough');
  await expect(again.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
  expect(await leftOpen(again)).toEqual([]);
  for (const one of [again, below]) {
    expect((await one.describe()).status.name).toBe('CANCELLED');
    const { state } = await derived(one);
    expect(state).toMatchObject({ status: 'cancelled', cancelReason: 'enough' });
    expect(state).toEqual(await one.query<State>('state'));
  }
});

test('a child that was cancelled by signal waits for the request, which its caller makes later', async () => {
  const handle = await stack.start(stack.compile(call('path: lib/slow')));
  const child = await childOf(handle);
  await child.signal('cancel', { reason: 'enough' });
  // Minutes: its caller may be without a worker.
  const patience = await eventually(async () => {
    const { events } = await child.fetchHistory();
    const timer = events!.findLast((event) => event.timerStartedEventAttributes);
    return timer && Number(timer.timerStartedEventAttributes!.startToFireTimeout!.seconds);
  });
  expect(patience).toBeGreaterThan(60);
  await child.cancel();
  await expect(handle.result()).rejects.toMatchObject({ cause: { type: expect.stringMatching(/CANCEL/) } });
  await expect(child.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
  expect((await child.describe()).status.name).toBe('CANCELLED');
});

test('a child that is terminated, or takes too long, is the error of its task', async () => {
  const handle = await stack.start(stack.compile(call('path: lib/slow')));
  await (await childOf(handle)).terminate('by hand');
  await expect(handle.result()).rejects.toMatchObject({ cause: { type: 'TERMINATED' } });
  expect((await derived(handle)).state).toEqual(await handle.query<State>('state'));
  const late = await stack.run(stack.compile(call('path: lib/slow, timeout: 1')));
  expect(late.failure).toMatchObject({ type: 'TIMEOUT' });
});

test('a detached child goes on when its parent is over; one that cannot be found fails at once', async () => {
  const ended = await stack.run(stack.compile(call('path: lib/slow, wait: false')));
  expect(ended.result).toMatchObject({ got: { status: 'started', path: 'lib/slow' } });
  const { workflow_id } = (ended.result as { got: { workflow_id: string } }).got;
  const child = stack.server.client.workflow.getHandle(workflow_id);
  await child.signal('event', { name: 'go', payload: 'now' });
  expect(await child.result()).toMatchObject({ result: { went: 'now' } });
  expect((await derived(ended.handle)).state).toEqual(ended.state);
  // Nobody waited for its close.
  const { events } = await ended.handle.fetchHistory();
  expect(events!.some(({ timerStartedEventAttributes }) => timerStartedEventAttributes)).toBe(false);
  const missing = await stack.run(stack.compile(call('path: lib/nope, wait: false')));
  expect(missing.failure).toMatchObject({ type: 'PLAYBOOK_NOT_FOUND' });
});

test('events come by signal and by update, which is validated and answers whether a wait took it', async () => {
  const yaml = playbookOf(`
- step: start
  loop: {in: [1, 2, 3], iterator: n, spec: {mode: parallel}}
  tool: {kind: wait, event: "paid-{{ iter.n }}", timeout: PT5M}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop, input: {all: "{{ start }}"}}`);
  const handle = await stack.start(stack.compile(yaml));
  await until(handle, ({ live }) => live.some(({ wait }) => wait?.event === 'paid-1'));
  await handle.signal('event', { name: 'paid-1', payload: 'a', id: 'x' });
  await handle.signal('event', { name: 5 });
  const send = (sent: object) => handle.executeUpdate('sendEvent', { args: [sent] });
  expect(await send({ name: 'paid-1', payload: 'again', id: 'x' })).toEqual({ taken: 0, duplicate: true });
  expect(await send({ name: 'nobody', payload: 1 })).toEqual({ taken: 0, duplicate: false });
  expect(await send({ name: 'paid-2', payload: 'b' })).toEqual({ taken: 1, duplicate: false });
  await expect(send({ name: '' })).rejects.toMatchObject({
    cause: { message: expect.stringMatching(/the name of an event is a string/) as string },
  });
  await handle.signal('event', { name: 'paid-3', payload: 'c' });
  expect(await handle.result()).toMatchObject({ result: { all: looped(['a', 'b', 'c']) } });
  const { state, events } = await derived(handle);
  expect(state).toEqual(await handle.query<State>('state'));
  const recent = await handle.query<{ event_id: string }[], [number]>('events', 5);
  expect(recent.map(({ event_id }) => event_id)).toEqual(events.slice(-5).map(({ event_id }) => event_id));
});

test('signals and updates that pour in while the run continues as new again and again are all taken', async () => {
  const [iterations, ticks] = isNightly ? [80, 40] : [40, 20];
  const yaml = playbookOf(`
- step: start
  next: {spec: {mode: inclusive}, arcs: [{step: work}, {step: child}, {step: sleep}, {step: collect}]}
- step: work
  loop: {in: "{{ range(${iterations}) | list }}", iterator: n, spec: {mode: parallel, max_in_flight: 4}}
  tool: {kind: shell, cmds: ["true"]}
  next: {arcs: [{step: end}]}
- step: child
  tool: {kind: playbook, path: lib/slow}
  next: {arcs: [{step: end}]}
- step: sleep
  tool: {kind: wait, for: 4}
  next: {arcs: [{step: end}]}
- step: collect
  loop: {in: "{{ range(${ticks}) | list }}", iterator: n}
  tool: {kind: wait, event: tick}
  next: {arcs: [{step: end}]}
- step: end
  tool:
    kind: noop
    input: {work: "{{ work | length }}", ticks: "{{ collect }}", went: "{{ child.went }}", slept: "{{ sleep.waited_s >= 4 }}"}`);
  const handle = await stack.start(stack.compile(yaml));
  const child = await childOf(handle);
  for (let n = 0; n < ticks; n++) {
    if (n % 2) await handle.signal('event', { name: 'tick', payload: n, id: `tick-${n}` });
    else await sendEvent(stack.client, handle.workflowId, { name: 'tick', payload: n, id: `tick-${n}` });
    await setVariables(stack.client, handle.workflowId, { [`v${n}`]: n });
  }
  await child.signal('event', { name: 'go', payload: 'late' });
  expect(await handle.result()).toMatchObject({
    result: {
      work: iterations,
      ticks: looped(Array.from({ length: ticks }, (_, n) => n)),
      went: 'late',
      slept: true,
    },
  });
  const own = await handle.query<State>('state');
  expect(own.continuations).toBeGreaterThan(2);
  expect(Object.keys(own.ctx)).toHaveLength(ticks);
  const { state, events } = await derived(handle);
  expect(state).toEqual(own);
  expect(checkEvents(events, true)).toEqual([]);
});
