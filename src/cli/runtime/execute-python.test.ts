/** Changed Python in `whatif`, `verify` and `test`, as a user runs them. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { inProcess } from '../../../test/support/program';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-execute-'));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));
const file = (name: string, text: string): string => {
  const where = path.join(folder, name);
  fs.writeFileSync(where, text);
  return where;
};

const FAILED = 'test/histories/0.1.0/error_path_failed.json';
const old = fs.readFileSync('playbooks/error_path.yaml', 'utf8');
const block = /(- step: risky[^]*?code: \|?\n?)([^]*?)(\n {4}\S)/.exec(old)!;
const fixed = file(
  'fixed.yaml',
  old.replace(
    block[0],
    `${block[1]!.replace(/code: \|?\n?$/, 'code: |\n')}        result = {"mended": True}${block[3]}`,
  ),
);

test('a run whose code is mended completes, and the change is shown as lines', async () => {
  const without = await inProcess(['whatif', FAILED, '--playbook', fixed]);
  expect(without.code).toBe(1);
  expect(without.stdout).toMatch(/^ +\+.*result = \{"mended": True\}/m);
  expect(without.stdout).toContain('--execute python runs changed Python');
  const { code, stdout, stderr } = await inProcess([
    'whatif',
    FAILED,
    '--playbook',
    fixed,
    '--execute',
    'python',
    '--sandbox',
    'none',
  ]);
  expect([code, stdout]).toEqual([0, expect.stringContaining('answers otherwise')]);
  expect(stdout).toContain('completes after');
  expect(stderr).toContain('1 call of Python executed');
});

test('verify: the difference is the answer, of code that is only rewritten there is none', async () => {
  const args = ['--execute', 'python', '--sandbox', 'none', '--json'];
  const mended = await inProcess(['verify', 'playbooks/error_path.yaml', fixed, FAILED, ...args]);
  expect(JSON.parse(mended.stdout)).toMatchObject({ counts: { call: 1, unanswerable: 0 }, ok: false });
  const rewritten = file('rewritten.yaml', old.replace(block[2]!, `${block[2]!}  # rewritten`));
  const same = await inProcess(['verify', 'playbooks/error_path.yaml', rewritten, FAILED, ...args]);
  expect(JSON.parse(same.stdout)).toMatchObject({ counts: { call: 0, unanswerable: 0 }, ok: true });
});

test.each([
  [['--execute', 'ruby'], '--execute ruby: only python can be executed'],
  [['--execute', 'python', '--sandbox', 'lax'], '--sandbox lax: expected strict, standard, none'],
])('%j is refused', async (args, message) => {
  const { code, stderr } = await inProcess(['whatif', FAILED, '--playbook', fixed, ...args]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});
