import fs from 'node:fs';
import path from 'node:path';
import { compile } from '../compile';
import { printPlan } from './print';
import { meaningOf } from './same';

const ROOTS = [
  '../../../../shared/conformance/playbooks/early',
  '../../../../shared/conformance/playbooks/v10',
  '../../../../shared/conformance/playbooks/current',
  '../../../playbooks',
];
const files = ROOTS.map((root) => path.resolve(__dirname, root)).flatMap((root) =>
  (fs.existsSync(root) ? fs.readdirSync(root, { recursive: true, encoding: 'utf8' }) : [])
    .filter((name) => name.endsWith('.yaml') && !name.startsWith('broken'))
    .map((name): [string, string] => [
      path.join(path.basename(root), name),
      fs.readFileSync(path.join(root, name), 'utf8'),
    ]),
);

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

test.each(files)('%s: the printed plan compiles to the plan', (_, text) => {
  const { before, after, errors } = roundTrip(text);
  expect(errors).toEqual([]);
  expect(after).toEqual(before);
});
