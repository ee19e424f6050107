/** How runs of steps end: once, whatever ended them. */
import { handPlan, type StepSketch } from '../../test/support/plans';
import { httpError, playbookOf, simulate, type SimulationOptions } from '../../test/support/simulator';
import { type Plan } from '../plan';
import { Context } from './context';

/** How often the end of the run `start#1` was queued while the plan ran. */
function endsQueued(plan: Plan | string, options: SimulationOptions = {}): number {
  const enqueue = jest.spyOn(Context.prototype, 'enqueue');
  try {
    simulate(plan, options);
    return enqueue.mock.calls.filter(([work]) => work.op === 'endRun' && work.run === 'start#1').length;
  } finally {
    enqueue.mockRestore();
  }
}

const loop = (more: Partial<StepSketch>, mode: { parallel?: number } = {}): Plan =>
  handPlan([{ name: 'start', tasks: [{ name: 'a' }], loop: { in: [1, 2, 3], as: 'n', ...mode }, ...more }]);
const mocks = { a: httpError(500) };

describe('the end of a step is queued once', () => {
  it.each([
    ['a step', handPlan([{ name: 'start', tasks: [{ name: 'a' }] }])],
    ['a loop that its first failure ends', loop({})],
    ['a parallel loop that its first failure ends', loop({}, { parallel: 2 })],
    ['a parallel loop whose last failure ends it', loop({ bestEffort: true }, { parallel: 3 })],
  ])('%s', (_, plan) => {
    expect(endsQueued(plan, { mocks })).toBe(1);
    expect(endsQueued(plan)).toBe(1);
  });

  it.each([1, 2])('a loop that its time limit ends, %i in flight', (parallel) => {
    // The first iterations wait a minute for another attempt: the limit comes before it.
    const rules = [{ when: "output.status == 'error'", do: 'retry', delay: 60 }] as const;
    const plan = loop({ timeout: 10, tasks: [{ name: 'a', rules }] }, { parallel });
    expect(simulate(plan, { mocks }).error!.code).toBe('STEP_TIMEOUT');
    expect(endsQueued(plan, { mocks })).toBe(1);
  });

  it('and once more behind the rules on its end', () => {
    const plan = playbookOf(`
- step: start
  tool: {kind: python, code: "result = 1"}
  loop: {in: [1, 2], iterator: n}
  case:
    - when: "{{ event.name in ['loop.done', 'step.failed'] }}"
      then: {log: over}`);
    expect(endsQueued(plan, { mocks: { start_task: httpError(500) } })).toBe(2);
    expect(endsQueued(plan)).toBe(2);
  });
});
