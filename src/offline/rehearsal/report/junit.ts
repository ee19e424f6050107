/**
 * `test --format junit`: XML for CI systems (the JUnit schema as read by Jenkins and GitLab). A file is a test
 * suite, a rehearsal a test case; a file that cannot be run is a test case with an error.
 */
import { formatTime } from '../format/amounts';
import { type FileReport, isBroken, totalsOf, diffText } from './report';
import { element, xmlText } from './xml';

export function junitReport(reports: readonly FileReport[]): string {
  const { passed, failed, broken } = totalsOf(reports);
  const counts = { tests: passed + failed + broken, failures: failed, errors: broken, skipped: 0 };
  const seconds = reports.flatMap(({ results }) => results.map((result) => result.seconds));
  const root = { name: 'noetl-temporal test', ...counts, time: sum(seconds) };
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('testsuites', root, reports.map(suite))}\n`;
}

function suite(report: FileReport): string {
  const { file, results } = report;
  const { passed, failed, broken } = totalsOf([report]);
  const counts = { tests: passed + failed + broken, failures: failed, errors: broken, skipped: 0 };
  const cases = isBroken(report) ? [brokenCase(report)] : results.map((result) => testCase(result, report));
  return element(
    'testsuite',
    { name: file, ...counts, time: sum(results.map(({ seconds }) => seconds)) },
    cases,
  );
}

function testCase(result: FileReport['results'][number], { file, playbook }: FileReport): string {
  const { name, at, ok, seconds, problems, elapsed } = result;
  const attributes = { name, classname: classOf(file), file, line: at[0], time: sum([seconds]) };
  const simulated = element('system-out', {}, [xmlText(`${formatTime(elapsed)} of simulated time`)]);
  if (ok) return element('testcase', attributes, [simulated]);
  const first = problems[0]!;
  const diff = diffText(result, { rehearsal: file, playbook });
  const failure = element('failure', { message: `${first.part}: ${first.message}`, type: first.part }, [
    xmlText(diff),
  ]);
  return element('testcase', attributes, [failure, simulated]);
}

function brokenCase({ file, diagnostics }: FileReport): string {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const first = errors[0]!;
  const lines = errors.map(
    ({ line, column, code, message }) => `${file}:${line}:${column}: ${code}: ${message}`,
  );
  const error = element('error', { message: first.message, type: first.code }, [xmlText(lines.join('\n'))]);
  return element(
    'testcase',
    { name: file, classname: classOf(file), file, line: first.line, time: sum([]) },
    [error],
  );
}

/** CI systems group by the dot-separated parts: folders. */
function classOf(file: string): string {
  return file
    .replace(/\.rehearsal\.ya?ml$/, '')
    .replace(/^[./]+/, '')
    .replaceAll('/', '.');
}

function sum(seconds: readonly number[]): string {
  return seconds.reduce((a, b) => a + b, 0).toFixed(3);
}
