/** The results of all files, as input of the reports. */
import { type Diagnostic } from '../../../language/dsl/format';
import { type RehearsalResult, type PlacedProblem } from '../run';

/** A rehearsal file that was run, or could not be. */
export interface FileReport {
  readonly file: string;
  /** The playbook's path for the user; empty if the file could not be parsed that far. */
  readonly playbook: string;
  readonly diagnostics: readonly Diagnostic[];
  /** Empty exactly if a diagnostic is an error. */
  readonly results: readonly (RehearsalResult & { readonly seconds: number })[];
}

interface Totals {
  readonly passed: number;
  readonly failed: number;
  /** Files that could not be run. */
  readonly broken: number;
}

export function totalsOf(reports: readonly FileReport[]): Totals {
  const results = reports.flatMap((report) => report.results);
  const passed = results.filter(({ ok }) => ok).length;
  return { passed, failed: results.length - passed, broken: reports.filter(isBroken).length };
}

export function isBroken({ diagnostics }: Pick<FileReport, 'diagnostics'>): boolean {
  return diagnostics.some(({ severity }) => severity === 'error');
}

interface Files {
  readonly rehearsal: string;
  readonly playbook: string;
}

/**
 * One block per problem; empty if there is none.
 *
 *     result: 1 difference
 *       result.message: expected "Bonjour, Ada!", came "Hello, Ada!"
 *       at hello_world.rehearsal.yaml:14:16
 */
export function diffText({ problems }: Pick<RehearsalResult, 'problems'>, files: Files): string {
  return problems.map((problem) => problemText(problem, files)).join('\n');
}

function problemText({ part, message, details, at, playbookAt, hint }: PlacedProblem, files: Files): string {
  const places = [`${files.rehearsal}:${at[0]}:${at[1]}`];
  if (playbookAt !== undefined) places.push(`playbook ${files.playbook}:${playbookAt[0]}:${playbookAt[1]}`);
  return [
    `${part}: ${message}`,
    ...details.map((line) => `  ${line}`),
    ...(hint === undefined ? [] : [`  hint: ${hint}`]),
    `  at ${places.join(', ')}`,
  ].join('\n');
}

/** `errors` names files that could not be run; then the exit code is 2. */
export function jsonReport(reports: readonly FileReport[]): object {
  const { passed, failed } = totalsOf(reports);
  return {
    passed,
    failed,
    rehearsals: reports.flatMap(({ file, playbook, results }) =>
      results.map((result) => ({
        file,
        name: result.name,
        ok: result.ok,
        diff: result.ok ? null : diffText(result, { rehearsal: file, playbook }),
        line: result.at[0],
        playbook,
        simulated_ms: result.elapsed,
        calls: result.calls,
        steps: result.steps,
        problems: result.problems.map((problem) => problemOf(problem)),
      })),
    ),
    errors: reports.filter(isBroken).map(({ file, diagnostics }) => ({
      file,
      diagnostics: diagnostics.map(({ code, severity, message, line, column, hint }) => ({
        code,
        severity,
        message,
        line,
        column,
        hint: hint ?? null,
      })),
    })),
  };
}

function problemOf({ part, message, details, at, playbookAt, hint }: PlacedProblem): object {
  return {
    part,
    message,
    details,
    line: at[0],
    column: at[1],
    playbook_line: playbookAt?.[0] ?? null,
    hint: hint ?? null,
  };
}
