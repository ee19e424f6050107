/** `verify --markdown`: for the description or a comment of a pull request. */
import { type VerdictGroup, VERDICT_WORDS, VERDICTS, type Verification } from '../../offline/proof';
import { placeText, reasonLines, valueText } from './finding-text';

export function verificationMarkdown(verification: Verification): string {
  const { executions, counts, groups, coverage, changed, ok } = verification;
  const { arc, rule, error_path } = coverage.totals;
  const never = coverage.parts.filter(({ count }) => count === 0);
  return [
    `### ${ok ? '✅' : '❌'} ${code(verification.new)} against ${executions} past executions`,
    '',
    '| Verdict | Executions |',
    '|---|---|',
    ...VERDICTS.flatMap((kind) =>
      counts[kind] === 0 ? [] : [`| ${VERDICT_WORDS[kind]} | ${counts[kind]} |`],
    ),
    ...groups.flatMap((group) => groupText(group, verification.new)),
    '',
    `Covered: ${arc.touched} of ${arc.all} arcs, ${rule.touched} of ${rule.all} rules, ${error_path.touched} of ${error_path.all} error paths.`,
    ...(changed.length > 0 ? ['', '**Changed steps**', ''] : []),
    ...changed.map(({ step, untouched }) =>
      untouched.length === 0
        ? `- ${code(step)}: all of it was touched`
        : `- ${code(step)}: never touched: ${untouched.map(code).join(', ')}`,
    ),
    ...(never.length > 0 ? ['', `<details><summary>Never touched: ${never.length}</summary>`, ''] : []),
    ...never.map(({ kind, name, at }) => `- ${kind} ${code(name)} (line ${at[0]})`),
    ...(never.length > 0 ? ['', '</details>'] : []),
    '',
  ].join('\n');
}

function groupText(group: VerdictGroup, file: string): string[] {
  const { kind, cause, count, example } = group;
  const { finding, name } = example;
  const { recorded, now, recorded_at: recordedAt, now_at: nowAt } = finding;
  const side = (text: string, value: typeof recorded, at: typeof nowAt): string =>
    `- ${text}: ${code(valueText(value))}${placeText(at, () => undefined)}`;
  return [
    '',
    `**${count} × ${VERDICT_WORDS[kind]}**: ${escaped(cause)}`,
    '',
    `- example: ${code(name)}, ${code(finding.what)}`,
    ...(kind === 'unanswerable' ? [] : [side('recorded', recorded, recordedAt), side('now', now, nowAt)]),
    ...(kind === 'unanswerable'
      ? []
      : reasonLines(finding, group.changes ?? [], file).map((line) => `- ${code(line)}`)),
  ];
}

/** As inline code, whatever it contains. */
function code(text: string): string {
  const flat = text.replaceAll('\n', ' ');
  const longest = Math.max(0, ...[...flat.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return longest === 0 ? `${fence}${flat}${fence}` : `${fence} ${flat} ${fence}`;
}

function escaped(text: string): string {
  return text.replace(/[\\`*_{}[\]<>|#]/g, (char) => `\\${char}`).replaceAll('\n', ' ');
}
