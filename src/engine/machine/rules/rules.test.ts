/** What rules decide when a retry is used up, and what admission sees of its token. */
import { handPlan, type RuleSketch } from '../../../../test/support/plans';
import { httpError, simulate } from '../../../../test/support/simulator';

describe('after a retry that is used up', () => {
  const retry: RuleSketch = { when: "output.status == 'error'", do: 'retry', attempts: 2, delay: 0 };
  const HTTP = 'HTTP 503 (after 2 attempts)';

  it('another retry with a guard goes on, up to its own attempts', () => {
    const later: RuleSketch = { when: 'true', do: 'retry', attempts: 4, delay: 0 };
    const plan = handPlan([{ name: 'start', tasks: [{ name: 'a', rules: [retry, later] }] }]);
    const run = simulate(plan, { mocks: { a: httpError(503) } });
    expect([run.error!.message, run.calls.length]).toEqual(['HTTP 503 (after 4 attempts)', 4]);
  });

  it.each<[string, RuleSketch[], string]>([
    ['nothing else', [], HTTP],
    ['an else that continues', [{ do: 'continue' }], HTTP],
    ['an else that breaks', [{ do: 'break' }], HTTP],
    ['another retry without a guard', [{ do: 'retry', attempts: 9 }], HTTP],
    ['a guard that continues', [{ when: 'true', do: 'continue' }], 'a b c'],
    ['a guard that breaks', [{ when: 'true', do: 'break' }], 'a'],
    ['a guard that does not hold', [{ when: 'false', do: 'continue' }], HTTP],
    ['an else that jumps', [{ do: 'jump', to: 'c' }], 'a c'],
    ['an else that fails', [{ do: 'fail' }], 'HTTP 503'],
  ])('%s: %j', (_, later, expected) => {
    const tasks = [{ name: 'a', rules: [retry, ...later] }, { name: 'b' }, { name: 'c' }];
    const run = simulate(handPlan([{ name: 'start', tasks }]), { mocks: { a: httpError(503) } });
    const names = [...new Set(run.calls.map(({ task }) => task))].join(' ');
    expect(run.error?.message ?? names).toBe(expected);
    expect(run.calls.filter(({ task }) => task === 'a')).toHaveLength(2);
  });
});

it('waits for a delay that is a duration', () => {
  const retry: RuleSketch = { when: "output.status == 'error'", do: 'retry', attempts: 2, delay: '2m' };
  const plan = handPlan([{ name: 'start', tasks: [{ name: 'a', rules: [retry] }] }]);
  expect(simulate(plan, { mocks: { a: httpError(503) } }).elapsed).toBeCloseTo(120_000, -1);
});

describe('admission', () => {
  it.each([
    ["token.step == 'gate'", true],
    ["token.id == 't2'", true],
    ["token.parent == 'start#1'", true],
    ['token.args.open', true],
    ['args.open', true],
    ['token.args.closed', false],
    ["token.step == 'start'", false],
  ])('by %s: %s', (admit, allowed) => {
    const run = simulate(
      handPlan([
        { name: 'start', tasks: [], next: [{ step: 'gate', args: { open: true } }] },
        { name: 'gate', tasks: [], admit },
      ]),
    );
    expect(run.state.executed).toEqual(allowed ? ['start', 'gate'] : ['start']);
  });
});
