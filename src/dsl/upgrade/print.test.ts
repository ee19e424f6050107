import {
  GENERATIONS,
  isBroken,
  realPlaybooks,
  testWithRealPlaybooks,
} from '../../../test/support/real-playbooks';
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
