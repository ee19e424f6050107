/** `test --format json`. */
import { type PlacedProblem } from '../run';
import { type FileReport, isBroken, totalsOf } from './report';
import { diffText } from './text';

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
