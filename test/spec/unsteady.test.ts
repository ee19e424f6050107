/** scripts/test.mjs, which `npm test` runs: what fails once and passes alone is listed, all else that fails fails the run. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ROOT } from '../support/process';
import { someOf } from '../support/sampled';

const project = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-fake-project-'));
afterAll(() => fs.rmSync(project, { recursive: true, force: true }));

/** Runs a project of these test files, with `isFirst` in their scope: whether no test of this name was run before. */
function run(files: Record<string, string>, env: Record<string, string> = {}) {
  fs.rmSync(project, { recursive: true });
  fs.mkdirSync(project);
  const write = (name: string, text: string) => fs.writeFileSync(path.join(project, name), text);
  write('package.json', '{ "jest": { "transform": {}, "setupFiles": ["./first.js"] } }');
  write(
    'first.js',
    `globalThis.isFirst = (name) => {
      const mark = require('node:path').join(__dirname, name + '.mark'), fs = require('node:fs');
      return !fs.existsSync(mark) && (fs.writeFileSync(mark, ''), true);
    };`,
  );
  for (const [name, text] of Object.entries(files)) write(`${name}.test.js`, text);
  const { status, stderr } = spawnSync(process.execPath, [path.join(ROOT, 'scripts/test.mjs')], {
    cwd: project,
    encoding: 'utf8',
    env: { ...process.env, CI: 'true', ...env },
  });
  return { status, said: stderr };
}

const PASSES = `test('passes', () => {});`;
const FAILS = `test('always', () => { throw new Error('for real'); });`;
const UNSTEADY = `describe('a group', () => test('once', () => { if (isFirst('once')) throw new Error('by chance'); }));`;

test('a test that passes alone is listed at the end, below its first message', () => {
  const { status, said } = run({ good: PASSES, unsteady: UNSTEADY });
  expect(said).toMatch(
    /by chance[^]*\nOnce more, alone: unsteady\.test\.js\n[^]*\nThe first time:\n[^]*by chance[^]*\nUNSTEADY: unsteady\.test\.js › a group › once \(failed once, passed alone\)\n$/,
  );
  expect(said.match(/good\.test\.js/g)).toHaveLength(1);
  expect(status).toBe(0);
});

test('a file that cannot be run the first time, and one that cannot be cleaned up', () => {
  const { status, said } = run({
    load: `if (isFirst('load')) throw new Error('not loaded'); ${PASSES}`,
    clean: `afterAll(() => { if (isFirst('clean')) throw new Error('not cleaned up'); }); ${PASSES}`,
  });
  expect(said).toContain('UNSTEADY: load.test.js › the file itself (failed once, passed alone)');
  expect(said).toContain('UNSTEADY: clean.test.js › the file itself (failed once, passed alone)');
  expect(status).toBe(0);
});

const ALONE = 'It fails alone too.';
const REFUSED = 'Nothing is run again:';

interface Failing {
  readonly what: string;
  readonly files: Record<string, string>;
  readonly reason: string;
  readonly env?: Record<string, string>;
}
const FAILING: readonly Failing[] = [
  { what: 'fails alone too', files: { fails: FAILS, unsteady: UNSTEADY }, reason: ALONE },
  {
    what: 'is skipped the second time',
    files: { skips: `(isFirst('skips') ? test : test.skip)('once', () => expect(1).toBe(2)); ${PASSES}` },
    reason: ALONE,
  },
  {
    what: 'fails in another test the second time',
    files: {
      moves: `const first = isFirst('moves');
        test('one', () => expect(first).toBe(false));
        test('two', () => expect(first).toBe(true));`,
    },
    reason: ALONE,
  },
  {
    what: 'fails in many files',
    files: Object.fromEntries([1, 2, 3, 4].map((n) => [`f${n}`, UNSTEADY.replaceAll('once', `once${n}`)])),
    reason: `${REFUSED} 4 files failed, more than 3.`,
  },
  {
    what: 'fails late',
    files: { unsteady: UNSTEADY },
    env: { NOETL_TEST_RERUN_MINUTES: '0' },
    reason: `${REFUSED} no time is left for it.`,
  },
  { what: 'does not begin', files: {}, reason: `${REFUSED} the run did not end.` },
];

test.each(someOf(FAILING, 2))('what $what fails the run', ({ files, reason, env }) => {
  const { status, said } = run(files, env);
  expect(said).toContain(reason);
  expect(said).not.toContain('UNSTEADY');
  expect(status).toBe(1);
});
