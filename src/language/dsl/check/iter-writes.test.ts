import { codes } from '../../../../test/support/compiled';

const step = (rest: string): string => `workload: {items: [1]}\nworkflow:\n  - step: start\n${rest}`;
const LOOP = '    loop: { in: "{{ workload[\'items\'] }}", iterator: item }\n';
const RULE = (then: string): string =>
  `    tool: { kind: noop, spec: { policy: { rules: [{ when: "{{ outcome.status == 'error' }}", then: { do: fail } }, { else: { then: ${then} } }] } } }\n`;

/** Every place from which a variable of the iteration can be written. */
const WRITES: readonly (readonly [string, string])[] = [
  ['set of a task', '    tool: { kind: noop, set: { iter.seen: 1 } }\n'],
  ['set_iter of a rule', RULE('{ do: continue, set_iter: { seen: 1 } }')],
  ['set of a rule', RULE('{ do: continue, set: { iter.seen: 1 } }')],
  ['set of the step', '    tool: { kind: noop }\n    set: { iter.seen: 1 }\n'],
  [
    'a rule of case',
    '    tool: { kind: noop }\n    case: [{ when: "{{ event.name == \'call.done\' }}", then: { set: { iter.seen: 1 } } }]\n',
  ],
  [
    'collect',
    '    tool: { kind: noop }\n    case: [{ when: "{{ event.name == \'call.done\' }}", then: { collect: { from: response, into: iter.seen } } }]\n',
  ],
];

test.each(WRITES)('%s: iter outside of a loop is reported', (_, rest) => {
  expect(codes(step(rest))).toContain('NT3029');
});

test.each(WRITES)('%s: within a loop it is not', (_, rest) => {
  expect(codes(step(LOOP + rest))).not.toContain('NT3029');
});

test('the body of an iterator has iterations, and what is beside it has none', () => {
  const body =
    '{ kind: iterator, in: [1], iterator: x, tool: [{ name: a, kind: noop, set: { iter.seen: 1 } }] }';
  expect(codes(step(`    tool: [${body.replace('{ kind', '{ name: each, kind')}]\n`))).not.toContain(
    'NT3029',
  );
  expect(
    codes(step(`    tool: [${body.replace('{ kind', '{ name: each, set: { iter.seen: 1 }, kind')}]\n`)),
  ).toContain('NT3029');
});
