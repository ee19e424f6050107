/** `verify` for people. */
import { type VerdictGroup, VERDICT_WORDS, VERDICTS, type Verification } from '../../offline/proof';
import { coverageLines } from './coverage-text';
import { findingLines, reasonLines } from './finding-text';
import { paint, printable, wantsColor } from './paint';

/** Causes that are listed. */
const MAX_GROUPS = 20;

const NO_LINES = { recorded: () => undefined, now: () => undefined };

export function verificationText(verification: Verification): string {
  const { bold, dim, green, red, yellow } = paint(wantsColor(process.stdout));
  const { executions, counts, groups, changed, ok } = verification;
  const { unanswerable } = counts;
  const lines = VERDICTS.flatMap((kind) =>
    counts[kind] === 0 ? [] : [`  ${String(counts[kind]).padStart(6)}  ${VERDICT_WORDS[kind]}`],
  );
  const shown = groups.slice(0, MAX_GROUPS);
  return [
    `${executions} ${executions === 1 ? 'execution' : 'executions'} of ${verification.old}, re-decided with ${verification.new}`,
    ...lines,
    ...shown.flatMap((group) => groupLines(group, verification.new)),
    ...(groups.length > shown.length
      ? [dim(`and ${groups.length - shown.length} more causes (--json)`)]
      : []),
    '',
    ...coverageLines(verification.coverage),
    ...(changed.length > 0 ? ['', bold('changed steps')] : []),
    ...changed.map(({ step, untouched }) => `  ${printable(step)}: ${touchText(untouched, step)}`),
    '',
    ok ? (unanswerable > 0 ? yellow : green)(headline(verification)) : red('executions would have differed'),
  ].join('\n');
}

/** What is known, and no more. */
function headline({ executions, counts: { unanswerable } }: Verification): string {
  if (unanswerable === executions) return 'nothing is proven: no execution could be judged';
  return unanswerable === 0
    ? 'no execution would have decided differently'
    : `${executions - unanswerable} of ${executions} executions would have decided the same; ${unanswerable} cannot be judged`;
}

function touchText(untouched: readonly string[], step: string): string {
  if (untouched.includes(`step ${step}`))
    return 'never reached by these executions: nothing is proven about it';
  return untouched.length === 0
    ? 'all of it was touched'
    : printable(`never touched: ${untouched.join(', ')}`);
}

function groupLines(group: VerdictGroup, file: string): string[] {
  const { kind, cause, count, example } = group;
  const { bold, dim } = paint(wantsColor(process.stdout));
  const { finding, name } = example;
  const values =
    kind === 'unanswerable'
      ? []
      : [...findingLines(finding, NO_LINES), ...reasonLines(finding, group.changes ?? [], file)];
  return [
    '',
    bold(printable(`${count} × ${VERDICT_WORDS[kind]}: ${cause}`)),
    dim(printable(`  e.g. ${name}: ${finding.what}`)),
    ...values.map((line) => `  ${line}`),
  ];
}
