/** Where `collect` gathers, and how. */
import { type ActionSketch, handPlan, type StepSketch } from '../../../../test/support/plans';
import { ok, simulate, type Simulation } from '../../../../test/support/simulator';
import { type Json, type JsonObject } from '../../../language/plan';

type CollectSketch = Extract<ActionSketch, { do: 'collect' }>;

/** Collects once an iteration of a loop over `items`; `look` is an action of the last rule. */
function collected(
  collects: readonly Omit<CollectSketch, 'do'>[],
  items: Json[] = [1, 2],
  more: { parallel?: number; choose?: (n: number) => number; ctx?: Record<string, Json> } = {},
): Simulation {
  const { parallel, choose, ctx = {} } = more;
  return simulate(
    handPlan([
      { name: 'start', tasks: [], set: ctx, next: [{ step: 'loop' }] },
      {
        name: 'loop',
        loop: { in: items, as: 'n', ...(parallel ? { parallel } : {}) },
        tasks: [{ name: 'a', input: { n: '{{ n }}' } }],
        case: [
          {
            when: "event.name == 'call.done'",
            actions: collects.map((one) => ({ do: 'collect' as const, ...one })),
          },
        ],
      },
    ]),
    { mocks: { a: (call) => ok(call.input['n']!) }, ...(choose ? { choose } : {}), persist: true },
  );
}

const into = (name: string, mode: CollectSketch['mode'], from: Json = '{{ n }}') => ({
  from,
  into: name,
  mode,
});

describe('collect', () => {
  it.each<[CollectSketch['mode'], Json[], Json | undefined, Json]>([
    ['push', [1, [2]], undefined, [1, [2]]],
    ['concat', [[1, 2], 3], undefined, [1, 2, 3]],
    ['push', [2], [1], [2]],
    ['push', [2], 'one', [2]],
    ['push', [2], null, [2]],
    ['replace', [1, 2], [9], 2],
    ['merge', [{ a: 1 }, { b: { c: 2 } }, { b: { d: 3 } }], undefined, { a: 1, b: { c: 2, d: 3 } }],
    ['merge', [{ a: 1 }], { z: 0 }, { a: 1 }],
    ['merge', [{ a: 1 }], 'text', { a: 1 }],
  ])('%s of %j begins anew where %j was', (mode, items, before, after) => {
    const ctx: Record<string, Json> = before === undefined ? {} : { 'ctx.all': before };
    for (const parallel of [undefined, 3]) {
      for (const choose of [() => 0, (n: number) => n - 1]) {
        expect(collected([into('ctx.all', mode)], items, { ctx, parallel, choose }).state.ctx['all']).toEqual(
          after,
        );
      }
    }
  });

  it('gathers in every scope, at any depth; only that of the execution outlives the step', () => {
    const { state, events } = collected([
      into('ctx.deep.list', 'push'),
      into('step.all', 'push'),
      into('iter.own', 'push'),
      into('bare', 'push'),
      { ...into('ctx.seen', 'push', '{{ [step.all, iter.own, bare] }}') },
    ]);
    expect(state.ctx).toEqual({
      deep: { list: [1, 2] },
      seen: [
        [[1], [1], [1]],
        [[1, 2], [2], [2]],
      ],
    });
    const patches = events.filter(({ event_type }) => event_type === 'ctx.patched');
    expect(patches.map(({ payload, parent_id }) => [payload['collect'], parent_id])).toContainEqual([
      { into: 'deep.list', mode: 'push', value: 1 },
      'loop#1',
    ]);
  });

  it('of a parallel loop into the step goes in the order of the items', () => {
    const { state } = collected(
      [into('step.all', 'push'), into('ctx.last', 'replace', '{{ step.all }}')],
      [1, 2, 3],
      { parallel: 3, choose: (n) => n - 1 },
    );
    // The third settles first; in the order of the items its word stands.
    expect(state.ctx['last']).toEqual([3]);
  });

  it('several times in one iteration keeps them together', () => {
    const twice = [into('ctx.all', 'push'), into('ctx.all', 'push', '{{ n * 10 }}')];
    for (const choose of [() => 0, (n: number) => n - 1]) {
      const { state } = collected(twice, [1, 2, 3], { parallel: 3, choose });
      expect(state.ctx['all']).toEqual([1, 10, 2, 20, 3, 30]);
    }
  });

  it('several merges in one iteration are one, whichever iteration settles first', () => {
    const twice = [into('ctx.all', 'merge', { a: '{{ n }}' }), into('ctx.all', 'merge', { b: '{{ n }}' })];
    for (const choose of [() => 0, (n: number) => n - 1]) {
      const { state } = collected(twice, [1, 2, 3], { parallel: 3, choose, ctx: { 'ctx.all': { z: 0 } } });
      expect(state.ctx).toEqual({ all: { a: 3, b: 3 } });
    }
  });

  it('as the result of the iteration is what was gathered so far', () => {
    const { state } = collected([{ ...into('iter.mine', 'push'), isResult: true }]);
    expect(state.results['loop']).toMatchObject({ results: [[1], [2]] });
  });
});

describe('in a parallel loop whose last iteration settles first', () => {
  const collects = (target: string, isResult = false): StepSketch => ({
    name: 'start',
    loop: { in: [1, 2, 3], as: 'n', parallel: 3 },
    tasks: [{ name: 'call' }],
    case: [
      {
        when: "event.name == 'call.done'",
        actions: [
          { do: 'collect', from: '{{ n }}', into: target, mode: 'push' },
          { do: 'collect', from: '{{ n * 10 }}', into: target, mode: 'push', isResult },
        ],
      },
    ],
    next: [{ step: 'end', args: { all: '{{ step.all }}', results: '{{ start.results }}' } }],
  });
  const end: StepSketch = {
    name: 'end',
    tasks: [{ name: 'seen', kind: 'noop', input: { all: '{{ args }}' } }],
  };
  const collectedBy = (step: StepSketch): Json =>
    (simulate(handPlan([step, end]), { choose: (n) => n - 1 }).result as { all: JsonObject }).all;

  it('what goes to the step stands in the order of the items', () => {
    expect(collectedBy(collects('step.all'))).toMatchObject({ all: [1, 10, 2, 20, 3, 30] });
  });

  it.each(['iter.own', 'own'])('what goes to %s is of each iteration alone', (target) => {
    expect(collectedBy(collects(target, true))).toMatchObject({
      results: [
        [1, 10],
        [2, 20],
        [3, 30],
      ],
    });
  });
});
