/** `verify` for people. */
import { type VerdictGroup, VERDICT_WORDS, VERDICTS, type Verification } from '../../offline/proof';
import { coverageLines } from './coverage-text';
import { findingLines } from './finding-text';
import { paint, printable, wantsColor } from './paint';

/** Causes that are listed. */
const MAX_GROUPS = 20;

const NO_LINES = { recorded: () => undefined, now: () => undefined };

export function verificationText(verification: Verification): string {
  const { bold, dim, green, red } = paint(wantsColor(process.stdout));
  const { executions, counts, groups, changed, ok } = verification;
  const lines = VERDICTS.flatMap((kind) =>
    counts[kind] === 0 ? [] : [`  ${String(counts[kind]).padStart(6)}  ${VERDICT_WORDS[kind]}`],
  );
  const shown = groups.slice(0, MAX_GROUPS);
  return [
    `${executions} ${executions === 1 ? 'execution' : 'executions'} of ${verification.old}, re-decided with ${verification.new}`,
    ...lines,
    ...shown.flatMap(groupLines),
    ...(groups.length > shown.length
      ? [dim(`and ${groups.length - shown.length} more causes (--json)`)]
      : []),
    '',
    ...coverageLines(verification.coverage),
    ...(changed.length > 0 ? ['', bold('changed steps')] : []),
    ...changed.map(({ step, untouched }) => `  ${printable(step)}: ${touchText(untouched, step)}`),
    '',
    ok ? green('no execution would have decided differently') : red('executions would have differed'),
  ].join('\n');
}

function touchText(untouched: readonly string[], step: string): string {
  if (untouched.includes(`step ${step}`))
    return 'never reached by these executions: nothing is proven about it';
  return untouched.length === 0
    ? 'all of it was touched'
    : printable(`never touched: ${untouched.join(', ')}`);
}

function groupLines({ kind, cause, count, example }: VerdictGroup): string[] {
  const { bold, dim } = paint(wantsColor(process.stdout));
  const { finding, name } = example;
  const values = kind === 'unanswerable' ? [] : findingLines(finding, NO_LINES);
  return [
    '',
    bold(printable(`${count} × ${VERDICT_WORDS[kind]}: ${cause}`)),
    dim(printable(`  e.g. ${name}: ${finding.what}`)),
    ...values.map((line) => `  ${line}`),
  ];
}
