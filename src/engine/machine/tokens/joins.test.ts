/** Tokens before a join, whatever way they came: states as a fresh history takes them over. */
import { handPlan } from '../../../../test/support/plans';
import { httpError, ok, START } from '../../../../test/support/simulator';
import { type JsonObject, type Outcome } from '../../../language/plan';
import { type EngineEvent } from '../batch/events';
import { type Input } from '../batch/inputs';
import { Machine } from '../machine';
import { type Fork, type Token } from '../state';

const plan = handPlan([
  { name: 'start', tasks: [], inclusive: true, next: [{ step: 'inner' }, { step: 'join' }] },
  { name: 'inner', tasks: [], inclusive: true, next: [{ step: 'busy' }, { step: 'join' }] },
  { name: 'middle', tasks: [], next: [{ step: 'join' }] },
  { name: 'busy', tasks: [{ name: 'a' }], next: [{ step: 'join' }] },
  { name: 'join', tasks: [{ name: 'seen', kind: 'noop', input: { args: '{{ args }}' } }] },
]);

/** A join that one branch, which fails, can never come to. */
const forked = handPlan([
  { name: 'start', tasks: [], inclusive: true, next: [{ step: 'a' }, { step: 'b' }, { step: 'c' }] },
  { name: 'a', tasks: [{ name: 'a' }], next: [{ step: 'join' }] },
  { name: 'b', tasks: [{ name: 'b' }], next: [{ step: 'join' }] },
  { name: 'c', tasks: [{ name: 'c' }] },
  { name: 'join', tasks: [{ name: 'j' }] },
]);

const busyDone: Input = { type: 'taskSettled', taskRunId: 'busy#1.a~1@1', outcome: ok(1) };

type At = [step: string, forks: Token['forks'], args?: JsonObject];

/** What happens to these tokens, all of which wait. */
function met(tokens: Readonly<Record<string, At>>): { events: readonly EngineEvent[]; machine: Machine } {
  const { state } = Machine.create(plan, '1', START);
  for (const [id, [step, forks, args = {}]] of Object.entries(tokens)) {
    state.tokens[id] = { id, step, args, forks, state: 'waiting', parent: null };
    for (const { fork } of forks) {
      const known: Fork = (state.forks[fork] ??= {
        id: fork,
        step: fork === 'f1' ? 'start' : 'inner',
        live: 0,
      });
      known.live++;
    }
  }
  state.counters.fork = Object.keys(state.forks).length;
  state.joinsDirty = true;
  const machine = Machine.from(plan, JSON.parse(JSON.stringify(state)) as typeof state);
  return { events: machine.apply({ at: START, inputs: [] }).events, machine };
}

const merges = (events: readonly EngineEvent[]) =>
  events.filter(({ event_type }) => event_type === 'token.merged').map(({ payload }) => payload['merged']);
const f1 = (branch: number) => ({ fork: 'f1', branch });
const f2 = (branch: number) => ({ fork: 'f2', branch });

describe('tokens that wait at one step', () => {
  it('merge in the order of the arcs; of one branch the older first, by number', () => {
    const { events, machine } = met({
      t12: ['join', [f1(0)], { who: 't12', b: { twelve: true } }],
      t3: ['join', [f1(1)], { who: 't3' }],
      t5: ['join', [f1(0)], { who: 't5', b: { five: true } }],
    });
    expect(merges(events)).toEqual([['t5', 't12', 't3']]);
    expect(machine.resultOf('join')).toEqual({ args: { who: 't3', b: { five: true, twelve: true } } });
    expect(machine.state).toMatchObject({ status: 'completed', tokens: {}, forks: {} });
  });

  it('merge when a third is the sibling of both, though they are none of each other', () => {
    const { events, machine } = met({
      t1: ['join', [f1(0)]],
      t2: ['join', [f2(0)]],
      t3: ['join', [f1(1), f2(1)]],
    });
    expect(merges(events)).toHaveLength(1);
    expect(machine.state.executed).toEqual(['join']);
    expect(machine.state).toMatchObject({ tokens: {}, forks: {} });
  });

  it('of different forks never merge', () => {
    const { events, machine } = met({
      t1: ['join', [f1(0)]],
      t2: ['join', [f1(1)]],
      t3: ['join', [f2(0)]],
      t4: ['join', [f2(1)]],
    });
    expect(merges(events)).toEqual([
      ['t1', 't2'],
      ['t3', 't4'],
    ]);
    expect(machine.state.executed).toEqual(['join', 'join']);
  });

  it('that closed an inner fork wait at the next join for the siblings of the outer one', () => {
    const { events, machine } = met({
      t1: ['middle', [f1(0), f2(0)], { l: 1 }],
      t2: ['middle', [f1(0), f2(1)], { r: 2 }],
      t3: ['busy', [f1(1)]],
    });
    expect(merges(events)).toEqual([['t1', 't2']]);
    expect(machine.state.executed).toEqual(['middle', 'busy']);
    const [waiting] = Object.values(machine.state.tokens).filter(({ step }) => step === 'join');
    expect(waiting).toMatchObject({ state: 'waiting', forks: [f1(0)] });
    expect(machine.state.forks).toEqual({ f1: { id: 'f1', step: 'start', live: 2 } });
    machine.apply({ at: START, inputs: [busyDone] });
    expect(machine.state.executed).toEqual(['middle', 'busy', 'join']);
    expect(machine.state).toMatchObject({ status: 'completed', tokens: {}, forks: {} });
  });

  it('do not start their step any more when a sibling failed in the same batch', () => {
    const machine = Machine.create(forked, '1', START);
    machine.advance({ at: START, inputs: [{ type: 'started', payload: {} }] });
    const settled = (taskRunId: string, outcome: Outcome): Input => ({
      type: 'taskSettled',
      taskRunId,
      outcome,
    });
    const commands = machine.advance({
      at: START,
      inputs: [
        settled('a#1.a~1@1', ok(1)),
        settled('b#1.b~1@1', ok(1)),
        settled('c#1.c~1@1', httpError(500)),
      ],
    });
    expect(commands.map(({ type }) => type)).toEqual(['fail']);
    expect(machine.state.executed).toEqual(['start', 'a', 'b', 'c']);
  });

  it('keep the forks around the one that closes', () => {
    const { events, machine } = met({
      t1: ['join', [f1(0), f2(0)]],
      t2: ['join', [f1(0), f2(1)]],
      t3: ['busy', [f1(1)]],
    });
    // t3 may still come to the join: nobody goes on, and it is not held up by those who wait for it.
    expect(merges(events)).toEqual([]);
    expect(machine.state.executed).toEqual(['busy']);
    const { commands } = machine.apply({
      at: START,
      inputs: [busyDone],
    });
    expect(commands).toEqual([{ type: 'complete', result: expect.anything() }]);
    expect(machine.state.executed).toEqual(['busy', 'join']);
  });
});

it('a token that comes back to its forking step leaves the fork: rounds of a cycle never merge', () => {
  const rounds = handPlan([
    {
      name: 'start',
      tasks: [],
      set: { 'ctx.round': '{{ (ctx.round | default(0)) + 1 }}' },
      inclusive: true,
      next: [
        { step: 'store', args: { round: '{{ ctx.round }}' } },
        { step: 'start', when: 'ctx.round < 3' },
      ],
    },
    { name: 'store', tasks: [], next: [{ step: 'join' }] },
    { name: 'join', tasks: [{ name: 'seen', kind: 'noop' }] },
  ]);
  const machine = Machine.create(rounds, '1', START);
  const { events } = machine.apply({ at: START, inputs: [{ type: 'started', payload: {} }] });
  expect(merges(events)).toEqual([]);
  expect(machine.state.executed.filter((step) => step === 'join')).toHaveLength(3);
  expect(machine.state).toMatchObject({ status: 'completed', tokens: {}, forks: {} });
});
