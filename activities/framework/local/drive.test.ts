import { type Input, type LeaseInput, Machine, type RunTask, unpackTrace } from '../../../src/engine/machine';
import { type Json, type Outcome } from '../../../src/language/plan';
import { httpError, ok, planOf, playbookOf, simulate } from '../../../test/support/simulator';
import { LEASE_MS, LeaseDrive, type LeasePort } from './drive';

const playbook = (policy: string, exec = 'local', more = ''): string =>
  playbookOf(`
- step: start
  spec: {exec: ${exec}}
  loop: {in: "{{ workload.items }}", iterator: item, spec: {mode: sequential}}
  tool:
    - {name: a, kind: python, input: {x: "{{ item }}"}, code: "result = 1", spec: {policy: {rules: [${policy}]}}}
    - {name: b, kind: python, input: {a: "{{ a.x }}", now: "{{ iter.item }}"}, code: "result = 1"}
${more}`);
const RETRY = (delay: number): string =>
  `{when: "{{ output.status == 'error' }}", then: {do: retry, attempts: 3, delay: ${delay}}}, {else: {then: {do: continue, set: {ctx.done: 1}}}}`;

/** An execution that has just lent its machine, and the input of the activity. */
function lent(yaml: string, items: Json[] = ['i']): { home: Machine; ref: string; input: LeaseInput } {
  const plan = planOf(yaml);
  const home = Machine.create(plan, '77', 0);
  const commands = home.advance({ at: 0, inputs: [{ type: 'started', payload: { items } }] });
  const asked = commands.find((command) => command.type === 'startLease')!;
  const { ref, state, tasks } = asked.type === 'startLease' ? asked : (undefined as never);
  return { home, ref, input: JSON.parse(JSON.stringify({ plan, state, tasks })) as LeaseInput };
}

interface Rig {
  port: LeasePort;
  cancel(): void;
  leave(): void;
  readonly calls: RunTask['call'][];
}

function rig(answer: (call: RunTask['call'], signal: AbortSignal) => Outcome | Promise<Outcome>): Rig {
  const cancelled = new AbortController();
  let leave = (): void => undefined;
  const leaving = new Promise<never>((_, reject) => (leave = () => reject(new Error('leaving'))));
  leaving.catch(() => undefined);
  const calls: RunTask['call'][] = [];
  return {
    port: {
      run: async ({ call }, signal) => {
        calls.push(call);
        return await answer(call, signal);
      },
      cancelled: cancelled.signal,
      leaving,
      now: () => Date.now(),
    },
    cancel: () => cancelled.abort(),
    leave,
    calls,
  };
}

const echo = (call: RunTask['call']): Outcome => ok({ ...call.input });
const never = (): Promise<Outcome> => new Promise(() => undefined);
const flaky = (call: RunTask['call']): Outcome =>
  call.task === 'a' && call.attempt === 1 ? httpError(503) : echo(call);

test('runs all it was lent for, with rules and waits, and the machine at home goes on from its trace', async () => {
  const { home, ref, input } = lent(playbook(RETRY(0.01)), ['i', 'j']);
  const { port, calls } = rig(flaky);
  const trace = unpackTrace(await new LeaseDrive(input, undefined, port).run());
  const commands = home.advance({ at: 9, inputs: [{ type: 'leaseEnded', ref, trace }] });
  expect(commands.map(({ type }) => type)).toEqual(['complete']);
  expect(calls.map((call) => call.task_run_id)).toEqual([
    'start#1[0].a~1@1',
    'start#1[0].a~1@2',
    'start#1[0].b~1@1',
    'start#1[1].a~1@1',
    'start#1[1].a~1@2',
    'start#1[1].b~1@1',
  ]);
  expect(home.state).toMatchObject({ lease: null, ctx: { done: 1 }, counters: { tasks: 6, retries: 2 } });
});

test('its trace tells the same events as a run without a lease', async () => {
  const { home, ref, input } = lent(playbook(RETRY(0.01)));
  const trace = unpackTrace(await new LeaseDrive(input, undefined, rig(flaky).port).run());
  const { events } = home.apply({ at: 9, inputs: [{ type: 'leaseEnded', ref, trace }] });
  const inline = simulate(playbook(RETRY(0.01), 'inline'), {
    payload: { items: ['i'] },
    mocks: {
      a: (call) => (call.attempt === 1 ? httpError(503) : { ...call.input }),
      b: (call) => ({ ...call.input }),
    },
  });
  const told = events.map(({ within: _, ...event }) => JSON.parse(JSON.stringify(event)) as object);
  const untimed = (list: readonly unknown[]): unknown =>
    JSON.parse(JSON.stringify(list), (key, value: unknown) => (key === 'duration_ms' ? 0 : value));
  expect(untimed(told)).toEqual(untimed(inline.events.slice(-told.length)));
  expect(events[0]!.within).toEqual({ lease: ref, at: trace[0]!.at });
});

test('a long wait gives the place back: the timer is set at home', async () => {
  const { home, ref, input } = lent(playbook(RETRY(60)));
  const trace = unpackTrace(await new LeaseDrive(input, undefined, rig(flaky).port).run());
  const commands = home.advance({ at: 9, inputs: [{ type: 'leaseEnded', ref, trace }] });
  expect(commands).toMatchObject([{ type: 'startTimer', key: 'retry:start#1[0].a~1@2' }]);
});

test('what only the workflow can do ends it, and what runs is finished', async () => {
  const after = `  next: {arcs: [{step: after}]}
- step: after
  tool: {kind: python, code: "result = 1"}`;
  const { home, ref, input } = lent(playbook(RETRY(1), 'local', after));
  const { port, calls } = rig(echo);
  const trace = unpackTrace(await new LeaseDrive(input, undefined, port).run());
  expect(calls).toHaveLength(2);
  const commands = home.advance({ at: 9, inputs: [{ type: 'leaseEnded', ref, trace }] });
  expect(commands).toMatchObject([{ type: 'runTask', call: { task_run_id: 'after#1~1@1' } }]);
});

test('from where a worker died the next one goes on: what it had under way runs again', async () => {
  const { home, ref, input } = lent(playbook(RETRY(0.01)));
  const dying = rig((call) => (call.task === 'a' ? echo(call) : never()));
  const drive = new LeaseDrive(structuredClone(input), undefined, dying.port);
  const run = drive.run();
  while (dying.calls.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  const told = JSON.parse(JSON.stringify(drive.answer)) as typeof drive.answer;
  dying.leave();
  await expect(run).rejects.toThrow('leaving');
  const next = rig(echo);
  const trace = unpackTrace(await new LeaseDrive(input, told, next.port).run());
  expect(next.calls.map((call) => call.task_run_id)).toEqual(['start#1[0].b~1@1']);
  const commands = home.advance({ at: 9, inputs: [{ type: 'leaseEnded', ref, trace }] });
  expect(commands.map(({ type }) => type)).toEqual(['complete']);
});

test('one that is lost settles what it had begun, and what it told counts', () => {
  const { home, ref } = lent(playbook('{when: "{{ false }}", then: {do: break}}'));
  const lost: Outcome = {
    ...httpError(500),
    error: { kind: 'worker_lost', code: 'WORKER_LOST', message: 'lost', retryable: true },
  };
  const settled: Input = { type: 'taskSettled', taskRunId: 'start#1[0].a~1@1', outcome: ok({ x: 'i' }) };
  home.advance({ at: 9, inputs: [{ type: 'leaseEnded', ref, trace: [{ at: 5, inputs: [settled] }], lost }] });
  expect(home.state.failure).toMatchObject({ code: 'WORKER_LOST', task: 'b' });
});

test('cancellation stops the task under way; the reason comes from home', async () => {
  const { home, ref, input } = lent(playbook(RETRY(0.01)));
  const cancelled: Outcome = {
    ...httpError(499),
    error: { kind: 'cancelled', code: 'CANCELLED', message: 'stopped', retryable: false },
  };
  const stopping = rig(
    (_, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(cancelled))),
  );
  const run = new LeaseDrive(input, undefined, stopping.port).run();
  while (stopping.calls.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(home.advance({ at: 3, inputs: [{ type: 'cancelRequested', reason: 'enough' }] })).toEqual([
    { type: 'cancelLease', ref },
  ]);
  stopping.cancel();
  const trace = unpackTrace(await run);
  const commands = home.advance({ at: 9, inputs: [{ type: 'leaseEnded', ref, trace }] });
  expect(commands).toEqual([{ type: 'cancelled', reason: 'enough' }]);
});

test.each<[string, Json, number]>([
  ['grows large', 'x'.repeat(300_000), 0],
  ['takes long', 'small', LEASE_MS],
])('a lease that %s begins nothing more, and the next one goes on', async (_, result, takes) => {
  const { home, ref, input } = lent(playbook(RETRY(0.01)));
  const begun = Date.now();
  const first = rig(async () => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    return ok({ x: result });
  });
  const port = { ...first.port, now: () => (first.calls.length > 0 ? begun + takes : begun) };
  const trace = unpackTrace(await new LeaseDrive(input, undefined, port).run());
  expect(first.calls).toHaveLength(1);
  const commands = home.advance({ at: 9, inputs: [{ type: 'leaseEnded', ref, trace }] });
  expect(commands).toMatchObject([{ type: 'startLease', ref: 'local#2', tasks: [{ call: { task: 'b' } }] }]);
});

test('of a large loop only the next items travel, and its results stay at home', async () => {
  const items = Array.from({ length: 3000 }, (_, n) => ({ n, text: 'y'.repeat(60) }));
  const { home, ref, input } = lent(playbook(RETRY(0.01)), items);
  expect(JSON.stringify(input.state.runs).length).toBeLessThan(150_000);
  let back: { home: Machine; ref: string; input: LeaseInput } = { home, ref, input };
  let leases = 0;
  for (; home.status === 'running'; leases++) {
    const trace = unpackTrace(await new LeaseDrive(back.input, undefined, rig(echo).port).run());
    const [next] = home.advance({ at: leases, inputs: [{ type: 'leaseEnded', ref: back.ref, trace }] });
    if (next?.type !== 'startLease') break;
    const { state, tasks } = next;
    const again = JSON.parse(JSON.stringify({ plan: input.plan, state, tasks })) as LeaseInput;
    back = { home, ref: next.ref, input: again };
  }
  expect(leases).toBeGreaterThan(2);
  expect(home.status).toBe('completed');
  expect(home.state.results['start']).toMatchObject({ success: 3000, failed: 0 });
});
