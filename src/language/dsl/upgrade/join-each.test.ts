import { codes } from '../../../../test/support/compiled';
import { simulate } from '../../../../test/support/simulator';
import { HEAD } from '../../../../test/support/upgraded';
import { upgrade } from './upgrade';

const twice = (arcs: string, work = '- step: work'): string => `${HEAD}workflow:
  - step: start
    tool: { kind: noop }
    next:
      spec: { mode: inclusive }
      arcs: ${arcs}
  ${work}
    tool: { kind: noop, input: { n: "{{ args.n }}" } } # work
`;
/** It is rewritten so, once, and does the same. */
function expectSame(before: string, after: string): void {
  expect(upgrade(before).text).toBe(after);
  expect(upgrade(after).text).toBe(after);
  const run = (text: string): unknown => simulate(text).state.executed;
  expect(run(before)).toEqual(['start', 'work', 'work']);
  expect(run(after)).toEqual(run(before));
}

const TWO = '[{ step: work, set: { n: 1 } }, { step: work, set: { n: 2 } }]';

describe('a step that one router names twice', () => {
  test.each([
    ['without a spec', '- step: work', '- step: work\n    spec: { policy: { join: each } }'],
    [
      'with a spec',
      '- step: work\n    spec: { timeout: 5 }',
      '- step: work\n    spec: { timeout: 5, policy: { join: each } }',
    ],
    [
      'with a policy',
      '- step: work\n    spec:\n      policy:\n        failure: { mode: best_effort } # on',
      '- step: work\n    spec:\n      policy:\n        failure: { mode: best_effort } # on\n        join: each',
    ],
  ])('says that it runs for each, %s', (_, before, after) => {
    expect(codes(twice(TWO, before))).toContain('NT6006');
    expectSame(twice(TWO, before), twice(TWO, after));
    expect(codes(twice(TWO, after))).not.toContain('NT6006');
  });

  test('with guards too, of which any number may hold', () => {
    const guarded =
      '[{ step: work, when: "{{ workload.a }}", set: { n: 1 } }, { step: work, when: "{{ workload.b }}", set: { n: 2 } }]';
    expectSame(
      twice(guarded).replace('workflow:', 'workload: { a: 1, b: 2 }\nworkflow:'),
      twice(guarded, '- step: work\n    spec: { policy: { join: each } }').replace(
        'workflow:',
        'workload: { a: 1, b: 2 }\nworkflow:',
      ),
    );
  });

  test.each([
    [
      'another router leads there',
      `${twice(TWO)}  - step: other\n    tool: { kind: noop }\n    next: { arcs: [{ step: work }] }\n`,
    ],
    [
      'the router is in a cycle',
      twice(TWO.replace(']', ', { step: start, when: "{{ args.n is defined }}" }]')),
    ],
    ['it says how it joins', twice(TWO, '- step: work\n    spec: { policy: { join: merge } }')],
  ])('stays where %s', (_, text) => {
    expect(upgrade(text).text).toBe(text);
  });

  test('is no news where only one arc is followed', () => {
    expect(codes(twice(TWO).replace('inclusive', 'exclusive'))).not.toContain('NT6006');
  });
});
