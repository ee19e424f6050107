/** `whatif` for people. */
import { type OpenCall, VERDICT_WORDS, type WhatIf } from '../../offline/proof';
import { changedLines, findingLines, type Lines, placeText, reasonLines, valueText } from './finding-text';
import { duration, paint, printable, wantsColor } from './paint';

/** Differences that are listed after the first. */
const MAX_LISTED = 10;

/** @param playbook the new version, as named by the user */
export function whatIfText(result: WhatIf, playbook: string, lines: Lines): string {
  const { bold, dim } = paint(wantsColor(process.stdout));
  const { execution_id, verdict, differences, changes = [], timing, unanswered, moved } = result;
  const head = `execution ${execution_id}, re-decided with ${playbook}: ${bold(VERDICT_WORDS[verdict])}`;
  const [first, ...more] = differences;
  const listed = more.slice(0, MAX_LISTED).map(({ cause }) => `  ${printable(cause)}`);
  const rest = more.length - listed.length;
  return [
    head,
    ...(first
      ? [
          '',
          bold(`first different: ${printable(first.cause)}`),
          `  ${printable(first.what)}`,
          ...indented([...findingLines(first, lines), ...reasonLines(first, changes, playbook)]),
        ]
      : []),
    ...(listed.length > 0 ? ['', bold('then')] : []),
    ...listed,
    ...(rest > 0 ? [dim(`  and ${rest} more (--json shows all)`)] : []),
    ...(timing && !first
      ? [
          '',
          `first at another time: ${timing.what}, after ${duration(timing.now_ms)} instead of ${duration(timing.recorded_ms)}`,
        ]
      : []),
    ...(unanswered.length > 0 ? ['', bold('not answerable from the recording')] : []),
    ...unanswered.slice(0, MAX_LISTED).flatMap((call) => indented(openText(call, lines))),
    ...(unanswered.some(({ kind }) => kind === 'python')
      ? [dim('  → --execute python runs changed Python')]
      : []),
    ...(unanswered.length > 0
      ? [dim("  → --outcome 'STEP#RUN=ANSWER' or --answers FILE answers; 'STEP#RUN=recorded' as recorded")]
      : []),
    ...(moved.length > 0
      ? ['', dim(`${moved.length} calls are answered by the same call at another place`)]
      : []),
    '',
    endText(result),
  ].join('\n');
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}

function openText({ call, kind, reason, path, recorded, now, at }: OpenCall, lines: Lines): string[] {
  const head = `${call} (${kind}): ${reason}${path ? `: ${path}` : ''}${placeText(at, lines.now)}`;
  if (path === undefined) return [printable(head)];
  const changed = changedLines(recorded, now);
  if (changed.length > 0) return [printable(head), ...changed.map((line) => `  ${line}`)];
  return [printable(head), `  recorded ${valueText(recorded)}`, `  now      ${valueText(now)}`];
}

function endText({ status, result, error, elapsed_ms }: WhatIf): string {
  const { green, red, yellow } = paint(wantsColor(process.stdout));
  const after = duration(elapsed_ms);
  switch (status) {
    case 'completed':
      return `${green('completes')} after ${after} with ${valueText(result)}`;
    case 'failed':
      return `${red('fails')} after ${after}: ${printable(error?.message ?? '')} [${error?.code ?? ''}]`;
    case 'cancelled':
      return `is ${yellow('cancelled')} after ${after}`;
    case 'waiting':
      return `${yellow('goes no further')} after ${after}: what it waits for is not known`;
  }
}
