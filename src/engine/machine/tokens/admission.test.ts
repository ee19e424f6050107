/** Admission rules of a step: the first that matches decides. */
import { playbookOf, simulate, type Simulation } from '../../../../test/support/simulator';

const run = (rules: string): Simulation =>
  simulate(
    playbookOf(`
- step: start
  next: {arcs: [{step: guarded}]}
- step: guarded
  spec: {policy: {admit: {rules: [${rules}]}}}
  tool: {kind: noop}`),
    { payload: { n: 1 } },
  );
const rule = (n: number, allow: boolean): string =>
  `{when: "{{ workload.n == ${n} }}", then: {allow: ${allow}}}`;

test.each<[string, string, boolean, number | null]>([
  ['a rule that matches and allows', rule(1, true), true, 0],
  ['a rule that matches and denies', rule(1, false), false, 0],
  ['of two that match the first', [rule(1, false), rule(1, true)].join(), false, 0],
  ['the second where the first misses', [rule(2, false), rule(1, true)].join(), true, 1],
  ['none that allows: admitted', [rule(2, false), rule(3, false)].join(), true, null],
  ['none that denies: denied', [rule(2, true), rule(3, true)].join(), false, null],
  ['none, and one of them would allow: denied', [rule(2, true), rule(3, false)].join(), false, null],
  ['else', [rule(2, true), 'else: {then: {allow: true}}'].join().replace(/else.*/, '{$&}'), true, 1],
])('%s', (_, rules, allow, index) => {
  const { events, state, end } = run(rules);
  expect(end).toBe('complete');
  expect(state.executed).toEqual(allow ? ['start', 'guarded'] : ['start']);
  const told = events.find(
    ({ event_type, entity_id }) => event_type === 'step.admitted' && entity_id === 'guarded',
  );
  expect(told).toMatchObject({ status: allow ? 'success' : 'skipped', payload: { allow, rule: index } });
});
