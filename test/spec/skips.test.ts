/** What a machine lacks is skipped, with the reason, and listed; where CI is set it fails, extras aside. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';

const ROOT = path.resolve(__dirname, '../..');
const CONFIG = path.join(ROOT, 'jest.config.cjs');

interface Report {
  readonly testResults: readonly { assertionResults: readonly { fullName: string; status: string }[] }[];
}

function run(env: Record<string, string>): {
  tests: Record<string, string>;
  said: string;
  status: number | null;
} {
  // The projects' own settings, for a folder that none of them has.
  const program = `const { projects: [unit], ...all } = require(${JSON.stringify(CONFIG)});
    const config = { ...all, ...unit, projects: undefined, displayName: undefined, roots: ['<rootDir>/test/fixtures/skips'] };
    require('jest').run(['--json', '--rootDir', ${JSON.stringify(ROOT)}, '--config', JSON.stringify(config)]);`;
  const { stdout, stderr, status } = spawnSync(process.execPath, ['-e', program], {
    cwd: ROOT,
    encoding: 'utf8',
    env: { ...process.env, CI: '', ...env },
  });
  const { testResults } = JSON.parse(stdout) as Report;
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  return { tests: Object.fromEntries(tests.map((one) => [one.fullName, one.status])), said: stderr, status };
}

const EXTRA = 'an extra is not there (skipped: no such-file beside the repository (NOETL_TEST_EXTRAS))';

test('skipped, with the reason, and listed; a failure beside it stays a failure', () => {
  const { tests, said, status } = run({});
  expect(tests).toEqual({
    'is there': 'passed',
    'is not there (skipped: no such server)': 'pending',
    [EXTRA]: 'pending',
    'a failure stays one': 'failed',
  });
  expect(said).toContain(
    `Skipped:\ntest/fixtures/skips/some.test.ts\n  is not there (skipped: no such server)\n  ${EXTRA}\n`,
  );
  expect(status).toBe(1);
});

test('a failure where CI is set, extras aside', () => {
  const { tests, said } = run({ CI: 'true' });
  expect(tests).toMatchObject({ 'is there': 'passed', 'is not there': 'failed', [EXTRA]: 'pending' });
  expect(said).toContain('no such server; where CI is set, it must be there');
});
