/** What a chunk is given, what its parent takes of its result, and how both are told. */
import { planOf, playbookOf } from '../../../../test/support/simulator';
import { type Plan } from '../../../language/plan';
import { type Command, type EngineEvent, type Input } from '../batch';
import { Machine } from '../machine';
import { type ChunkResult, type State } from '../state';
import { chunkingOf } from './chunks';

const started: Input = { type: 'started', payload: {} };

function distributed(body: string, spec = 'mode: parallel', items = '[1, 2, 3, 4]'): Plan {
  return planOf(
    playbookOf(`
- step: start
  loop: {in: ${items}, iterator: item, spec: {${spec}, policy: {exec: distributed}}}
${body}`),
  );
}
const PYTHON = '  tool: {kind: python, code: "result = 1"}';

type RunChunk = Extract<Command, { type: 'runChunk' }>;
const chunksIn = (commands: readonly Command[]): RunChunk[] =>
  commands.filter((command) => command.type === 'runChunk');
function begun(plan: Plan, change: (state: State) => void = () => undefined): [Machine, RunChunk[]] {
  const state = Machine.create(plan, '1', 0).state;
  change(state);
  const machine = Machine.from(plan, state);
  return [machine, chunksIn(machine.advance({ at: 0, inputs: [started] }))];
}
const RESULT: ChunkResult = {
  ...{ results: [1], done: 1, failed: 0, notStarted: 0, cause: null },
  ...{ ctx: {}, writes: {}, tasks: 1, retries: 0 },
};
const settled = (ref: string, result: Partial<ChunkResult> = {}): Input => ({
  type: 'chunkSettled',
  ref,
  settled: { status: 'done', result: { ...RESULT, ...result } },
});
const runOf = (machine: Machine) => machine.state.runs['start#1']!;

describe('what it is given', () => {
  it('is what its iterations read, as it stands when it begins', () => {
    const plan = distributed(
      `  set: {step.seen: 1}
  tool: {kind: python, code: "result = 1", input: {a: "{{ ctx.a }}", w: "{{ workload.w }}"}}`,
    );
    const [machine, [first]] = begun(plan, (state) => {
      state.keepers = ['of:a'];
      Object.assign(state.ctx, { a: 1, b: 2 });
      Object.assign(state.secrets ?? (state.secrets = {}), { s1: 'sealed' });
    });
    const chunk = first!.chunk;
    expect(chunk).toMatchObject({ id: 'start#1[0]', executionId: '1', keepers: ['of:a'], ctx: { a: 1 } });
    expect(chunk.ctx).not.toHaveProperty('b');
    expect(chunk.secrets).toEqual({ s1: 'sealed' });
    expect(chunk.run.vars).toEqual(runOf(machine).vars);
    expect(chunk.run.locals).toEqual(runOf(machine).locals);
    const part = Machine.forChunk(plan, chunk, 0).state;
    expect(part).toMatchObject({ keepers: ['of:a'], secrets: { s1: 'sealed' }, ctx: { a: 1 } });
  });

  it('is all of a record that it reads as a whole', () => {
    const plan = distributed(
      '  tool: {kind: python, code: "result = 1", input: {all: "{{ ctx | tojson }}", x: "{{ workload | tojson }}"}}',
    );
    const [, [first]] = begun(plan, (state) => void Object.assign(state.ctx, { a: 1, b: 2 }));
    expect(first!.chunk.ctx).toEqual({ a: 1, b: 2 });
  });

  it('has neither keepers, secrets nor a keychain where the execution has none, and randomness of its own', () => {
    const plan = distributed(PYTHON);
    const [, [first, second]] = begun(plan);
    const parts = [first!.chunk, second!.chunk].map((chunk) => Machine.forChunk(plan, chunk, 0).state);
    for (const part of parts)
      for (const name of ['keepers', 'secrets', 'keychain']) expect(part).not.toHaveProperty(name);
    expect(parts[0]!.seed).not.toEqual(parts[1]!.seed);
  });

  it('has what its step knows by then', () => {
    const plan = distributed(PYTHON);
    const machine = Machine.create(plan, '1', 0);
    machine.advance({ at: 0, inputs: [started], continueAsNewSuggested: true });
    const { state } = machine;
    Object.assign(state.runs['start#1']!, { vars: { v: 1 }, locals: { l: 2 } });
    const [first] = chunksIn(Machine.from(plan, state).advance({ at: 1, inputs: [{ type: 'continued' }] }));
    expect(first!.chunk.run).toMatchObject({ vars: { v: 1 }, locals: { l: 2 } });
  });
});

describe('what its parent takes', () => {
  const four = distributed(PYTHON);

  it('counts what failed, and what never began', () => {
    const [machine, [first, second]] = begun(four);
    const cause = { kind: 'cancelled', code: 'CHUNK_LOST', message: 'gone' } as const;
    machine.advance({ at: 1, inputs: [settled(first!.ref, { done: 0, notStarted: 1 })] });
    expect(runOf(machine).loop).toMatchObject({ done: 0, failed: 0, notStarted: 1 });
    machine.advance({
      at: 2,
      inputs: [{ type: 'chunkSettled', ref: second!.ref, settled: { status: 'lost', cause } }],
    });
    const { loop } = runOf(machine);
    expect(loop).toMatchObject({ failed: 1, notStarted: 1 });
    expect(loop!.results[1] ?? null).toBeNull();
  });

  it('hears nothing of one by another name', () => {
    const [machine, [first]] = begun(four);
    const before = JSON.stringify(machine.state);
    machine.advance({ at: 0, inputs: [settled(`${first!.ref}0`)] });
    expect(JSON.stringify(machine.state)).toBe(before);
  });

  it('takes secrets and notes where there are some, and has none where there are none', () => {
    const [machine, [first, second]] = begun(four);
    machine.advance({ at: 1, inputs: [settled(first!.ref)] });
    expect(machine.state.secrets).toBeUndefined();
    expect(machine.state.notes).toBeUndefined();
    const notes = { kept: [{ code: 'DIGITS_LOST', message: 'm', step: 'start' }], count: 2 } as never;
    machine.advance({ at: 2, inputs: [settled(second!.ref, { secrets: { s: 'x' } as never, notes })] });
    expect(machine.state.secrets).toEqual({ s: 'x' });
    expect(machine.state.notes).toEqual(notes);
  });

  it('a sequential loop does not remember who wrote what', () => {
    const [machine, [first]] = begun(distributed(PYTHON, 'mode: sequential'));
    machine.advance({ at: 1, inputs: [settled(first!.ref, { writes: { k: { 0: '1' } }, ctx: { k: 1 } })] });
    expect(runOf(machine).loop!.writes).toEqual({});
    expect(machine.state.ctx).toMatchObject({ k: 1 });
  });

  it('one that never began does not stay among those that wait', () => {
    const plan = planOf(
      playbookOf(`
- step: start
  spec: {lifecycle: {timeout_s: 5}}
  loop: {in: [1, 2], iterator: item, spec: {mode: parallel, policy: {exec: distributed}}}
${PYTHON}`),
    );
    const machine = Machine.create(plan, '1', 0);
    machine.advance({ at: 0, inputs: [started], continueAsNewSuggested: true });
    expect(machine.state.ready).toEqual(['start#1[0]', 'start#1[1]']);
    machine.advance({ at: 5000, inputs: [{ type: 'timerFired', key: 'timeout:start#1' }] });
    expect(machine.state.ready).toEqual([]);
  });
});

describe('how both are told', () => {
  const told = (events: readonly EngineEvent[]): unknown[] =>
    events
      .filter(({ event_type }) => event_type.startsWith('loop.chunk.'))
      .map(({ event_type, status, payload }) => [event_type, status, payload['exec'], payload['first']]);

  it.each<[string, Partial<ChunkResult>, unknown[]]>([
    ['done', {}, ['loop.chunk.done', 'success', 'distributed', 0]],
    [
      'failed',
      { done: 0, failed: 1, cause: { kind: 'cancelled', code: 'X', message: 'x' } },
      ['loop.chunk.failed', 'error', 'distributed', 0],
    ],
  ])('its begin, and that it is %s', (_, result, end) => {
    const plan = distributed(PYTHON, 'mode: sequential');
    const machine = Machine.create(plan, '1', 0);
    const { commands, events } = machine.apply({ at: 0, inputs: [started] });
    expect(told(events)).toEqual([['loop.chunk.started', 'in_progress', 'distributed', 0]]);
    const [first] = chunksIn(commands);
    const after = machine.apply({ at: 1, inputs: [settled(first!.ref, result)] });
    expect(told(after.events)[0]).toEqual(end);
  });

  it.each<Partial<ChunkResult>>([
    {},
    { cause: { kind: 'cancelled', code: 'X', message: 'x' }, failed: 1, done: 0 },
  ])('nobody, where no events are asked for: the state is the same', (result) => {
    const plan = distributed(PYTHON, 'mode: sequential');
    const [quiet, loud] = [0, 1].map(() => Machine.create(plan, '1', 0));
    quiet!.advance({ at: 0, inputs: [started] });
    const [first] = chunksIn(loud!.apply({ at: 0, inputs: [started] }).commands);
    quiet!.advance({ at: 1, inputs: [settled(first!.ref, result)] });
    loud!.apply({ at: 1, inputs: [settled(first!.ref, result)] });
    expect(quiet!.state).toEqual(loud!.state);
  });
});

describe('how a loop is cut', () => {
  const plan = (mode: 'parallel' | 'sequential') => ({ exec: 'distributed', mode }) as never;
  it.each<['parallel' | 'sequential', number, number | null, ReturnType<typeof chunkingOf>]>([
    ['parallel', 0, null, null],
    ['sequential', 100, null, { size: 7, share: 1, atOnce: 1 }],
    ['parallel', 32, null, { size: 2, share: 2, atOnce: 16 }],
    ['parallel', 10_000, null, { size: 200, share: 64, atOnce: 16 }],
    ['parallel', 100, 20, { size: 7, share: 1, atOnce: 15 }],
  ])('%s, %d items, limit %s', (mode, total, limit, expected) => {
    expect(chunkingOf(plan(mode), total, limit)).toEqual(expected);
  });
});
