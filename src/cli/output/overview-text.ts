/** Formats the overview as text. */
import { type OverviewDocument } from '../../server/facade/documents';
import { duration, type Paint, printable } from './paint';

const NEXT_SHOWN = 5;

export function overviewText(
  { ok, at, problems, unknown, runs, starts }: OverviewDocument,
  hours: number,
  { green, red, yellow, dim }: Paint,
): string {
  const ago = (time: string): string => `${duration(Date.parse(at) - Date.parse(time))} ago`;
  const next = starts.filter(({ execution_id: id }) => id === null).slice(0, NEXT_SHOWN);
  return [
    ok ? green('✓ nothing is wrong') : red('✗ something is wrong'),
    ...problems.flatMap(({ kind, wrong, count, title, detail, since, command }) => [
      `${(wrong ? red : yellow)(kind.padEnd(12))} ${count > 1 ? `${count} × ` : ''}${printable(title)}${since === null ? '' : dim(`, ${ago(since)}`)}`,
      ...(detail === null ? [] : [`${' '.repeat(13)}${printable(detail.split('\n')[0]!)}`]),
      ...(command === null ? [] : [dim(`${' '.repeat(13)}→ ${printable(command)}`)]),
    ]),
    ...unknown.map(({ kind, why }) => dim(`${kind.padEnd(12)} not known: ${printable(why)}`)),
    `${'runs'.padEnd(12)} ${runsText(runs)}, ${runs.complete ? `in ${hours} h` : `the newest, since ${runs.since}`}`,
    ...next.map(
      (one) => `${'next'.padEnd(12)} ${one.at}  ${printable(one.path)} ${dim(`(${one.schedule ?? ''})`)}`,
    ),
  ].join('\n');
}

function runsText({
  running,
  completed,
  failed,
  cancelled,
  skipped,
  p50,
  p95,
}: OverviewDocument['runs']): string {
  const counts = { running, completed, failed, cancelled, skipped };
  const text = Object.entries(counts).flatMap(([word, count]) => (count > 0 ? [`${count} ${word}`] : []));
  const took =
    p50 === null || p95 === null
      ? []
      : [`half within ${duration(p50 * 1000)}, 95 % within ${duration(p95 * 1000)}`];
  return [...(text.length > 0 ? text : ['none']), ...took].join(', ');
}
