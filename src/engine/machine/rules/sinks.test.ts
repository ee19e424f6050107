/** Sinks of tasks and steps: when they run, and what they leave behind. */
import { handPlan, type StepSketch, type TaskSketch } from '../../../../test/support/plans';
import { httpError, type Mocks, ok, simulate, type Simulation } from '../../../../test/support/simulator';

const store: TaskSketch = { name: 'store', kind: 'postgres', input: { got: '{{ result }}' } };
const run = (
  step: Omit<StepSketch, 'name'>,
  mocks: Mocks = {},
  more: readonly StepSketch[] = [],
): Simulation => simulate(handPlan([{ name: 'start', ...step }, ...more]), { mocks });
const stored = ({ calls }: Simulation): unknown[] =>
  calls.flatMap(({ task, input }) => (task === 'store' ? [input['got']] : []));

it('a call that failed is not stored, though a rule goes on after it', () => {
  const simulated = run(
    { tasks: [{ name: 'call', sinks: ['store'], rules: [{ do: 'continue' }] }], asides: [store] },
    { call: httpError(503) },
  );
  expect([simulated.end, stored(simulated)]).toEqual(['complete', []]);
});

it('each task of a pipeline stores its own, and no sink is among its results', () => {
  const simulated = run(
    {
      tasks: [
        { name: 'one', sinks: ['store'] },
        { name: 'two', sinks: ['store'] },
      ],
      asides: [store],
    },
    { one: ok({ n: 1 }), two: ok({ n: 2 }) },
  );
  expect(stored(simulated)).toEqual([{ n: 1 }, { n: 2 }]);
  expect(simulated.state.results['start']).toMatchObject({ last: { outcome: { result: { n: 2 } } } });
  const { tasks } = simulated.state.results['start'] as { tasks: Record<string, unknown> };
  expect(Object.keys(tasks)).toEqual(['one', 'two']);
});

describe('the pages of a call', () => {
  const pages: TaskSketch = {
    name: 'call',
    retry: [
      {
        when: 'success and data.more',
        attempts: 5,
        overrides: { input: { next: true } },
        actions: [
          { do: 'collect', from: '{{ data.items }}', into: 'ctx.items', mode: 'concat', isResult: true },
        ],
      },
    ],
  };
  const first = ok({ items: [1], more: true });

  it.each([
    ['the last one is collected where the others were', ok({ items: [2] }), 'complete', [1, 2]],
    ['one that failed is not', httpError(503), 'fail', [1]],
  ])('%s', (_, last, end, items) => {
    const simulated = run({ tasks: [pages] }, { call: { sequence: [first, last] } });
    expect([simulated.end, simulated.state.ctx]).toEqual([end, { items }]);
  });

  it('all together are what the step is to others', () => {
    const simulated = run(
      { tasks: [pages], next: [{ step: 'end' }] },
      { call: { sequence: [first, ok({ items: [2] })] } },
      [{ name: 'end', tasks: [{ name: 'seen', kind: 'noop', input: { all: '{{ start }}' } }] }],
    );
    expect(simulated.result).toEqual({ all: [1, 2] });
  });
});
