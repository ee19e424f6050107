import {
  GENERATIONS,
  isBroken,
  realPlaybooks,
  testWithRealPlaybooks,
} from '../../../../test/support/real-playbooks';
import { compile } from '../compile';
import { printPlan } from './print';
import { meaningOf } from './same';

testWithRealPlaybooks();
const playbooks = [...GENERATIONS, 'examples' as const]
  .flatMap((source) => realPlaybooks(source))
  .filter(({ name }) => !isBroken(name));

/** Compiles, prints, compiles again. */
function roundTrip(text: string): { before: unknown; after: unknown; errors: unknown[] } {
  const { plan } = compile(text);
  const again = compile(printPlan(plan!));
  const errors = again.diagnostics.filter(
    ({ code, severity }) => severity === 'error' || code.startsWith('NT5'),
  );
  const meaning = (made: typeof plan): unknown => JSON.parse(made === undefined ? 'null' : meaningOf(made));
  return { before: meaning(plan), after: meaning(again.plan), errors };
}

test.each(playbooks)('$name: the printed plan compiles to the plan', ({ text }) => {
  const { before, after, errors } = roundTrip(text);
  expect(errors).toEqual([]);
  expect(after).toEqual(before);
});

test('a task of the workbook that computes from what its call gives keeps its two layers', () => {
  const text = `apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: layers, path: test/layers }
workload: { city: Rome }
workbook:
  - name: greet
    tool: { kind: noop, input: { text: "hi {{ city }}", city: nowhere, more: [1, "{{ args.city }}"] } }
workflow:
  - step: start
    tool:
      - { name: one, kind: workbook, task: greet, input: { city: "{{ workload.city | upper }}" } }
      - { name: two, kind: workbook, task: greet, input: { city: Oslo } }
      - kind: iterator
        in: [1]
        iterator: x
        tool: [{ name: inner, kind: workbook, task: greet, input: { city: "{{ iter.x }}" } }]
    next: { arcs: [{ step: single, args: { city: Bergen } }] }
  - step: single
    tool: { kind: workbook, name: greet, input: { city: "{{ args.city }}!" } }
`;
  const { before, after, errors } = roundTrip(text);
  expect(errors).toEqual([]);
  expect(after).toEqual(before);
  expect(printPlan(compile(text).plan!).match(/kind: workbook/g)).toHaveLength(4);
});
