import { type JsonObject } from '../../../language/plan';
import { playbookOf, simulate } from '../../../../test/support/simulator';

/** `iter` and each of its keys, as the input of a task. */
const READS =
  '{whole: "{{ iter }}", parts: {index: "{{ iter.index }}", _index: "{{ iter._index }}", _first: "{{ iter._first }}", ' +
  '_last: "{{ iter._last }}", n: "{{ iter.n }}", m: "{{ iter.m }}", own: "{{ iter.own }}", parent: "{{ iter.parent }}"}, ' +
  'deep: "{{ iter.parent.n }} {{ iter.parent.index }} {{ iter.parent.own }}", ' +
  "others: \"{{ iter.length is defined }} {{ iter.nothing is defined }} {{ 'm' in iter }} {{ iter.get('m') }}\"}";

it('each key read alone is that of the whole mapping, in nested iterations', () => {
  const seen: JsonObject[] = [];
  simulate(
    playbookOf(`
- step: start
  loop: {in: [10, 20], iterator: n, spec: {mode: sequential}}
  tool:
    - {name: first, kind: noop, spec: {policy: {rules: [{else: {then: {do: continue, set_iter: {own: "{{ n }}", index: mine}}}}]}}}
    - name: inner
      kind: iterator
      in: [a, b]
      iterator: m
      tool: [{name: leaf, kind: python, input: ${READS}, code: "result = 1"}]
`),
    {
      mocks: {
        leaf: ({ input }) => {
          seen.push(input);
          return 1;
        },
      },
    },
  );
  expect(seen.map(({ deep, others }) => [deep, others])).toEqual(
    [10, 20].flatMap((n) => ['a', 'b'].map((m) => [`${n} mine ${n}`, `False False True ${m}`])),
  );
  for (const { whole, parts } of seen) {
    expect({ n: null, own: null, ...(whole as JsonObject) }).toEqual(parts);
  }
  expect(seen[3]!['whole']).toMatchObject({
    m: 'b',
    index: 1,
    _last: true,
    parent: { n: 20, index: 'mine' },
  });
});
