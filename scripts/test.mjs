// Runs jest, and once more, alone, the few files that failed: a test that fails only among thousands of others, on a busy
// machine, is listed as unsteady and hides no result. What fails alone too fails the run.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';

/** More files than these have a cause in common, and it is not chance. */
const MOST_FILES = 3;
/** CI has 20 minutes on a machine of usual speed, and was seen to wait for half an hour on a slow one. */
const LATEST_START_MS = Number(process.env.NOETL_TEST_RERUN_MINUTES ?? 19) * 60_000;
const LATEST_END_MS = LATEST_START_MS + 150_000;

const jest = createRequire(import.meta.url).resolve('jest/bin/jest');
const reports = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-tests-'));
process.on('exit', () => fs.rmSync(reports, { recursive: true, force: true }));

/** The exit code of a run of jest, and its report, if it came so far. */
function run(args, timeout) {
  const file = path.join(reports, `${args.length}.json`);
  const { status } = spawnSync(
    process.execPath,
    ['--max-semi-space-size=64', jest, '--json', `--outputFile=${file}`, ...args],
    { stdio: 'inherit', timeout },
  );
  const report = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : undefined;
  fs.rmSync(file, { force: true });
  return { status: status ?? 1, report };
}

const failedFiles = (report) => report.testResults.filter(({ status }) => status === 'failed');
const failedTests = ({ assertionResults }) => assertionResults.filter(({ status }) => status === 'failed');

/** Why what failed is not run again. */
function reasonAgainst(report) {
  if (!report || report.wasInterrupted) return 'the run did not end';
  const failed = failedFiles(report).length;
  if (failed === 0) return 'no test failed, but jest did';
  if (failed > MOST_FILES) return `${failed} files failed, more than ${MOST_FILES}`;
  if (performance.now() > LATEST_START_MS) return 'no time is left for it';
  return undefined;
}

/** Whether all of a file that failed was run again and passed: a test that was skipped the second time proves nothing. */
function passes(file, again) {
  const tests = again.testResults.find(({ name }) => name === file.name)?.assertionResults ?? [];
  const passed = new Set(tests.filter(({ status }) => status === 'passed').map(({ fullName }) => fullName));
  return passed.size > 0 && failedTests(file).every(({ fullName }) => passed.has(fullName));
}

function unsteadyLines(file) {
  const titles = failedTests(file).map(({ ancestorTitles, title }) => [...ancestorTitles, title].join(' › '));
  if (titles.length === 0) titles.push('the file itself');
  const name = path.relative(process.cwd(), file.name);
  return titles.map((title) => `UNSTEADY: ${name} › ${title} (failed once, passed alone)`);
}

const first = run(['--maxWorkers=3', ...process.argv.slice(2)]);
if (first.status === 0) process.exit(0);

const against = reasonAgainst(first.report);
if (against) {
  console.error(`\nNothing is run again: ${against}.`);
  process.exit(first.status);
}
const files = failedFiles(first.report);
console.error(
  `\nOnce more, alone: ${files.map(({ name }) => path.relative(process.cwd(), name)).join(', ')}`,
);
const second = run(
  ['--runInBand', '--forceExit', '--runTestsByPath', ...files.map(({ name }) => name)],
  Math.round(LATEST_END_MS - performance.now()),
);
const isUnsteady = second.status === 0 && second.report && files.every((file) => passes(file, second.report));
if (!isUnsteady) {
  console.error('\nIt fails alone too.');
  process.exit(second.status || 1);
}
console.error(`\nThe first time:\n${files.map(({ message }) => message).join('\n')}`);
console.error(files.flatMap(unsteadyLines).join('\n'));
