/** Chunks that are paused, resumed and stopped, wherever they stand: queued, running or waiting. */
import { ok, planOf, playbookOf } from '../../../../test/support/simulator';
import { type Command } from '../batch/commands';
import { type Input } from '../batch/inputs';
import { Machine } from '../machine';

const LIMIT_S = 50;
const plan = planOf(
  playbookOf(`
- step: start
  next: {spec: {mode: inclusive}, arcs: [{step: far}, {step: near}]}
- step: far
  spec: {lifecycle: {timeout_s: ${LIMIT_S}}}
  loop: {in: [1, 2], iterator: item, spec: {mode: parallel, policy: {exec: distributed}}}
  tool: {kind: python, code: "result = 1"}
- step: near
  spec: {lifecycle: {timeout_s: ${LIMIT_S}}}
  tool: {kind: python, code: "result = 1"}`),
);
const started: Input = { type: 'started', payload: {} };
/** No new task or chunk begins: the history is about to be continued in a new one. */
const draining = (machine: Machine): void =>
  void machine.apply({ at: 0, inputs: [started], continueAsNewSuggested: true });
const paused: Input = { type: 'paused', reason: 'lunch' };
const resumed: Input = { type: 'resumed' };
const timeout = (step: string): Input => ({ type: 'timerFired', key: `timeout:${step}#1` });

const create = () => Machine.create(plan, '1', 0);
const asked = (machine: Machine, at: number, ...inputs: Input[]): readonly Command[] =>
  machine.apply({ at, inputs }).commands;
const about = (commands: readonly Command[]): unknown[] =>
  commands.flatMap((command) =>
    command.type === 'startTimer' || command.type === 'fail'
      ? []
      : [[command.type, 'ref' in command && command.ref]],
  );

it('a pause reaches all chunks', () => {
  const machine = create();
  asked(machine, 0, started);
  const refs = Object.values(machine.state.chunks).map(({ ref }) => ref);
  expect(refs).toHaveLength(2);
  expect(asked(machine, 1, paused)).toEqual(
    refs.map((ref) => ({ type: 'pauseChunk', reason: 'lunch', ref })),
  );
  expect(asked(machine, 2, resumed)).toEqual(refs.map((ref) => ({ type: 'resumeChunk', ref })));
});

it('one that has not begun has nothing to pause: it begins when the execution is resumed', () => {
  const machine = create();
  draining(machine);
  expect(machine.state.ready).toHaveLength(3);
  expect(about(asked(machine, 0, { type: 'continued' }, paused))).toEqual([]);
  expect(asked(machine, 1, resumed).map(({ type }) => type)).toEqual(['runTask', 'runChunk', 'runChunk']);
});

it('a time limit cancels those that run', () => {
  const machine = create();
  asked(machine, 0, started);
  const commands = asked(machine, LIMIT_S * 1000, timeout('far'));
  expect(commands.map(({ type }) => type)).toEqual(['cancelChunk', 'cancelChunk']);
  expect(Object.values(machine.state.chunks)).toHaveLength(2);
});

it('a time limit drops those that have not begun, and no others', () => {
  const machine = create();
  draining(machine);
  const { events } = machine.apply({ at: LIMIT_S * 1000, inputs: [timeout('far')] });
  const failed = events.filter(({ event_type }) => event_type === 'loop.chunk.failed');
  expect(failed.map(({ payload }) => [payload['chunk'], payload['failed'], payload['not_started']])).toEqual([
    ['far#1[0]', 0, 1],
    ['far#1[1]', 0, 1],
  ]);
  expect(failed[0]!.payload['error']).toMatchObject({ code: 'STEP_TIMEOUT' });
});

it.each<[string, Input, string]>([
  ['a cancel', { type: 'cancelRequested' }, 'cancelled'],
  ['a failure', timeout('start'), 'fail'],
])('after %s no chunk follows the one that settles', (_, ending, end) => {
  const one = planOf(
    playbookOf(`
- step: start
  spec: {lifecycle: {timeout_s: ${LIMIT_S}}}
  loop: {in: [1, 2, 3], iterator: item, spec: {mode: sequential, policy: {exec: distributed}}}
  tool: {kind: python, code: "result = 1"}`),
  );
  const machine = Machine.create(one, '1', 0);
  const [first] = asked(machine, 0, started).flatMap((command) =>
    command.type === 'runChunk' ? [command] : [],
  );
  asked(machine, LIMIT_S * 1000, ending);
  const cause = { kind: 'cancelled', code: 'CANCELLED', message: 'cancelled' } as const;
  const settled = { status: 'lost', cause } as const;
  const after = asked(machine, LIMIT_S * 1000 + 1, { type: 'chunkSettled', ref: first!.ref, settled });
  expect(after.filter(({ type }) => type !== 'cancelTimer').map(({ type }) => type)).toEqual([end]);
  expect(machine.state.chunks).toEqual({});
});

it('what has settled in the batch of a cancel is recorded, since it is not said again', () => {
  const machine = create();
  const begun = asked(machine, 0, started);
  const tasks = begun.flatMap((one) => (one.type === 'runTask' ? [one.call.task_run_id] : []));
  const refs = begun.flatMap((one) => (one.type === 'runChunk' ? [one.ref] : []));
  const of = { ctx: {}, writes: {}, retries: 0, failed: 0, notStarted: 0, cause: null };
  const settled = { status: 'done', result: { ...of, results: [1], done: 1, tasks: 1 } } as const;
  const inputs: Input[] = [
    ...refs.map((ref) => ({ type: 'chunkSettled', ref, settled }) as const),
    { type: 'taskSettled', taskRunId: tasks[0]!, outcome: ok(1) },
    { type: 'cancelRequested' },
  ];
  const { commands, events } = machine.apply({ at: 1, inputs });
  const told = events.map(({ event_type }) => event_type);
  expect(told.filter((type) => /done$/.test(type))).toEqual([
    'loop.chunk.done',
    'loop.chunk.done',
    'task.done',
  ]);
  expect(commands.map(({ type }) => type)).toEqual(['cancelTimer', 'cancelTimer', 'cancelled']);
});

describe('two loops at once', () => {
  const LOOP = `
  loop: {in: "{{ range(40) | list }}", iterator: item, spec: {mode: parallel, policy: {exec: distributed}}}
  tool: {kind: python, code: "result = 1"}`;
  const both = planOf(
    playbookOf(`
- step: start
  next: {spec: {mode: inclusive}, arcs: [{step: left}, {step: right}]}
- step: left
  spec: {lifecycle: {timeout_s: ${LIMIT_S}}}${LOOP}
- step: right${LOOP}`),
  );
  const refsOf = (commands: readonly Command[], type: 'runChunk' | 'cancelChunk'): string[] =>
    commands.flatMap((command) => (command.type === type ? [command.ref.replace(/#.*/, '')] : []));

  it('have their own chunks, as many as each alone', () => {
    const commands = asked(Machine.create(both, '1', 0), 0, started);
    const refs = refsOf(commands, 'runChunk');
    const [left, right] = ['left', 'right'].map((step) => refs.filter((ref) => ref === step).length);
    expect(left).toBeGreaterThan(8);
    expect(right).toBe(left);
  });

  it('are stopped one by one', () => {
    const machine = Machine.create(both, '1', 0);
    const begun = refsOf(asked(machine, 0, started), 'runChunk').filter((ref) => ref === 'left');
    const stopped = refsOf(asked(machine, LIMIT_S * 1000, timeout('left')), 'cancelChunk');
    expect(stopped).toEqual(begun);
  });

  it('hear nothing from a chunk that has settled already', () => {
    const machine = Machine.create(both, '1', 0);
    const [first] = asked(machine, 0, started).filter((command) => command.type === 'runChunk');
    const cause = { kind: 'cancelled', code: 'TERMINATED', message: 'gone' } as const;
    const { ref } = first as Extract<Command, { type: 'runChunk' }>;
    const settled: Input = { type: 'chunkSettled', ref, settled: { status: 'lost', cause } };
    asked(machine, 1, settled);
    const state = JSON.stringify(machine.state.chunks);
    asked(machine, 2, settled);
    expect(JSON.stringify(machine.state.chunks)).toBe(state);
  });
});
