import fs from 'node:fs';
import path from 'node:path';
import { compile } from '../compile';
import { meaningOf } from './same';
import { upgrade } from './upgrade';

/** Real playbooks, read where they are; absent on a machine without them. */
const CONFORMANCE = path.resolve(__dirname, '../../../../shared/conformance/playbooks');
const OWN = path.resolve(__dirname, '../../../playbooks');

function filesIn(folder: string): [string, string][] {
  if (!fs.existsSync(folder)) return [];
  const names = fs.readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => name.endsWith('.yaml'))
    .sort()
    .map((name) => [
      path.join(path.basename(folder), name),
      fs.readFileSync(path.join(folder, name), 'utf8'),
    ]);
}

const old = ['v10', 'current'].flatMap((generation) => filesIn(path.join(CONFORMANCE, generation)));
const early = filesIn(path.join(CONFORMANCE, 'early'));
const own = filesIn(OWN);

test.each([...old, ...own])('%s keeps the meaning of its plan, and no old spelling', (_, text) => {
  const before = compile(text).plan;
  const { text: after, notes } = upgrade(text);
  const { plan, diagnostics } = compile(after);
  expect(plan === undefined).toBe(before === undefined);
  if (before !== undefined && plan !== undefined) expect(meaningOf(plan)).toBe(meaningOf(before));
  expect(diagnostics.filter((each) => each.code.startsWith('NT5'))).toEqual([]);
  expect(notes).toEqual([]);
  expect(after).not.toMatch(/^\s*(set_ctx|set_iter):/m);
  expect(upgrade(after).text).toBe(after);
});

(early.length > 0 ? describe : describe.skip)('playbooks of the first generation', () => {
  test.each(early)('%s gains no error, and settles', (_, text) => {
    const errors = (playbook: string): number =>
      compile(playbook).diagnostics.filter((each) => each.severity === 'error').length;
    const { text: after } = upgrade(text);
    expect(errors(after)).toBeLessThanOrEqual(errors(text));
    expect(upgrade(after).text).toBe(after);
  });
});

test('every comment and line of code of a playbook is still there', () => {
  for (const [, text] of [...old, ...own, ...early]) {
    const after = upgrade(text).text;
    const remarks = [...text.matchAll(/^\s*#.*$/gm)].map(([line]) => line.trim());
    expect(remarks.filter((line) => !after.includes(line))).toEqual([]);
  }
});
