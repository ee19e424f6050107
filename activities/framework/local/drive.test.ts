import { type Json, type Outcome } from '../../../src/plan';
import {
  type Batch,
  type EngineEvent,
  type LocalAnswer,
  Machine,
  planOfChunk,
  type RunTask,
} from '../../../src/engine';
import { httpError, ok, planOf, playbookOf, simulate } from '../../../test/support/simulator';
import { type Checkpoint, driveLocal, type LocalPort } from './drive';

const playbook = (policy: string, mode = 'sequential'): string =>
  playbookOf(`
- step: start
  loop: {in: "{{ workload.items }}", iterator: item, spec: {mode: ${mode}, policy: {exec: local}}}
  tool:
    - {name: a, kind: python, input: {x: "{{ item }}"}, code: "result = 1", spec: {policy: {rules: [${policy}]}}}
    - {name: b, kind: python, input: {a: "{{ a.x }}", now: "{{ iter.item }}"}, code: "result = 1"}
`);
const RETRY = (delay: number): string =>
  `{when: "{{ output.status == 'error' }}", then: {do: retry, attempts: 3, delay: ${delay}}}, {else: {then: {do: continue, set: {ctx.done: 1}}}}`;

/** The input of the local activity for the only item of the playbook. */
function inputOf(yaml: string): { plan: ReturnType<typeof planOf>; chunk: never; machine: null } {
  const plan = planOf(yaml);
  const { commands } = Machine.create(plan, '77', 0).apply({
    at: 0,
    inputs: [{ type: 'started', payload: { items: ['i'] } }],
  });
  const asked = commands.find((command) => command.type === 'runChunk')!;
  const chunk: unknown = JSON.parse(JSON.stringify(asked.type === 'runChunk' && asked.chunk));
  return { plan: planOfChunk(plan, 'start'), chunk: chunk as never, machine: null };
}

interface Rig {
  port: LocalPort;
  cancel(): void;
  leave(): void;
  readonly checkpoints: Checkpoint[];
  readonly calls: RunTask['call'][];
}

function rig(answer: (call: RunTask['call'], signal: AbortSignal) => Outcome | Promise<Outcome>): Rig {
  const cancelled = new AbortController();
  let leave = (): void => undefined;
  const leaving = new Promise<never>((_, reject) => (leave = () => reject(new Error('leaving'))));
  leaving.catch(() => undefined);
  const checkpoints: Checkpoint[] = [];
  const calls: RunTask['call'][] = [];
  return {
    port: {
      run: async ({ call }, signal) => {
        calls.push(call);
        return await answer(call, signal);
      },
      checkpoint: (checkpoint) => checkpoints.push(JSON.parse(JSON.stringify(checkpoint)) as Checkpoint),
      cancelled: cancelled.signal,
      leaving,
      now: () => Date.now(),
    },
    cancel: () => cancelled.abort(),
    leave,
    checkpoints,
    calls,
  };
}

const echo = (call: RunTask['call']): Outcome => ok({ ...call.input });

/** The events that traces tell, when a machine is fed with them. */
function eventsOf(
  plan: ReturnType<typeof planOf>,
  chunk: never,
  traces: readonly (readonly Batch[])[],
): EngineEvent[] {
  const machine = Machine.forChunk(plan, chunk, 0);
  return traces.flat().flatMap((batch) => [...machine.apply(batch).events]);
}

function done(answer: LocalAnswer): Extract<LocalAnswer['settled'], { status: 'done' }>['result'] {
  if (answer.settled.status !== 'done') throw new Error(JSON.stringify(answer.settled));
  return answer.settled.result;
}

test('runs a pipeline with its rules, and gives back what it did', async () => {
  const input = inputOf(playbook(RETRY(0.01)));
  const { port, calls } = rig((call) =>
    call.task === 'a' && call.attempt === 1 ? httpError(503) : echo(call),
  );
  const answer = await driveLocal(input, undefined, port);
  expect(done(answer)).toMatchObject({
    results: [{ a: 'i', now: 'i' }],
    done: 1,
    failed: 0,
    ctx: { done: 1 },
    retries: 1,
    tasks: 3,
  });
  expect(calls.map((call) => call.task_run_id)).toEqual([
    'start#1[0].a~1@1',
    'start#1[0].a~1@2',
    'start#1[0].b~1@1',
  ]);
});

test('its trace tells the same events as the pipeline where the loop is', async () => {
  const input = inputOf(playbook(RETRY(0.01)));
  const answer = async (call: RunTask['call']): Promise<Outcome> =>
    await Promise.resolve(call.task === 'a' && call.attempt === 1 ? httpError(503) : echo(call));
  const { trace } = await driveLocal(input, undefined, rig(answer).port);
  const inline = simulate(playbook(RETRY(0.01)).replace('exec: local', 'exec: inline'), {
    payload: { items: ['i'] },
    mocks: {
      a: (call) => (call.attempt === 1 ? httpError(503) : { ...call.input }),
      b: (call) => ({ ...call.input }),
    },
  });
  const ofTheLoop = inline.events.filter(({ event_type }) => /^(task|loop.iteration|ctx)/.test(event_type));
  expect(eventsOf(input.plan, input.chunk, [trace])).toEqual(JSON.parse(JSON.stringify(ofTheLoop)));
});

test('a long wait ends the activity with its state; another one goes on with it', async () => {
  const input = inputOf(playbook(RETRY(60)));
  const { port } = rig((call) => (call.attempt === 1 && call.task === 'a' ? httpError(503) : echo(call)));
  const first = await driveLocal(input, undefined, port);
  expect(first.settled).toMatchObject({ status: 'parked' });
  const { machine, until } = first.settled as Extract<LocalAnswer['settled'], { status: 'parked' }>;
  expect(until - Date.now()).toBeGreaterThan(55_000);
  const later = { ...port, now: () => until + 1 };
  const second = await driveLocal(
    { ...input, machine: JSON.parse(JSON.stringify(machine)) as never },
    undefined,
    later,
  );
  expect(done(second)).toMatchObject({ done: 1, retries: 1 });
  const types = eventsOf(input.plan, input.chunk, [first.trace, second.trace]).map(
    ({ event_type }) => event_type,
  );
  expect(types.filter((type) => type === 'task.started')).toHaveLength(3);
  expect(types.at(-1)).toBe('loop.iteration.done');
});

test('a worker that dies leaves a checkpoint, and what it had under way runs again', async () => {
  const input = inputOf(playbook(RETRY(0.01)));
  const dying = rig(async (call) =>
    call.task === 'a' ? echo(call) : await new Promise<Outcome>(() => undefined),
  );
  const run = driveLocal(input, undefined, dying.port);
  while (dying.calls.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  dying.leave();
  await expect(run).rejects.toThrow('leaving');
  const next = rig(echo);
  const answer = await driveLocal(input, dying.checkpoints.at(-1), next.port);
  expect(next.calls.map((call) => call.task_run_id)).toEqual(['start#1[0].b~1@1']);
  expect(done(answer)).toMatchObject({ results: [{ a: 'i' }], done: 1 });
  const types = eventsOf(input.plan, input.chunk, [answer.trace]).map(({ event_type }) => event_type);
  expect(types.filter((type) => type === 'task.started')).toHaveLength(2);
});

test('cancellation stops the task under way and says so', async () => {
  const input = inputOf(playbook(RETRY(0.01)));
  const cancelled: Outcome = {
    ...httpError(499),
    error: { kind: 'cancelled', code: 'CANCELLED', message: 'stopped', retryable: false },
  };
  const stopping = rig(
    (_, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(cancelled))),
  );
  const run = driveLocal(input, undefined, stopping.port);
  while (stopping.calls.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  stopping.cancel();
  expect(done(await run)).toMatchObject({ cause: { kind: 'cancelled' }, failed: 0, results: [null] });
});

test('a trace that grows too large ends the activity between two tasks', async () => {
  const input = inputOf(playbook(RETRY(0.01)));
  const large: Json = 'x'.repeat(600_000);
  const { port, calls } = rig((call) => ok(call.task === 'a' ? { x: large } : 'small'));
  const first = await driveLocal(input, undefined, port);
  expect(first.settled.status).toBe('parked');
  expect(calls).toHaveLength(1);
  const { machine } = first.settled as Extract<LocalAnswer['settled'], { status: 'parked' }>;
  const second = await driveLocal(
    { ...input, machine: JSON.parse(JSON.stringify(machine)) as never },
    undefined,
    port,
  );
  expect(done(second)).toMatchObject({ results: ['small'], done: 1 });
});
