/** Differences between a recorded run and another version, with the values and lines of both. */
import { type Json } from '../../language/plan';
import { type VerifyFinding, type VerdictPlace, type VersionChange } from '../../offline/proof';
import { hunksOf } from '../../language/dsl/unified-diff';
import { paint, printable, wantsColor } from './paint';

/** Returns the line of a playbook; undefined if it is not available. */
export type LineOf = (line: number) => string | undefined;

export interface Lines {
  readonly recorded: LineOf;
  readonly now: LineOf;
}

/** One line for each side, below the cause. */
export function findingLines(finding: VerifyFinding, lines: Lines): string[] {
  const { red, green, dim } = paint(wantsColor(process.stdout));
  const { recorded, now, recorded_at: recordedAt, now_at: nowAt } = finding;
  const changed = changedLines(recorded, now);
  if (changed.length > 0) return [dim(`now ${placeText(nowAt, lines.now).trim()}`), ...changed];
  const side = (name: string, value: Json | undefined, at: VerdictPlace | undefined, line: LineOf): string =>
    `${name.padEnd(9)} ${valueText(value)}${placeText(at, line)}`;
  // Not decided by a value.
  if (recorded === undefined && now === undefined) return [];
  return [
    red(side('recorded', recorded, recordedAt, lines.recorded)),
    green(side('now', now, nowAt, lines.now)),
  ];
}

/** The changes of the text that may be the reason; the line of the difference itself says it already. */
export function reasonLines(
  { now_at: now }: VerifyFinding,
  changes: readonly VersionChange[],
  file: string,
): string[] {
  return changes.map(({ what, was, is, line }) => {
    const value = (text: string | undefined): string => (text === undefined ? 'nothing' : shortened(text));
    const here = line === now?.line ? '' : `  (${file}:${line})`;
    return printable(`changed   ${what}: ${value(is)} instead of ${value(was)}${here}`);
  });
}

/** ` at file.yaml:12:5: the line` */
export function placeText(at: VerdictPlace | undefined, line: LineOf): string {
  if (!at) return '';
  const source = line(at.line)?.trim();
  const where = `${at.file ?? 'playbook'}:${at.line}:${at.column}`;
  return printable(`  (${where}${source ? `: ${source}` : ''})`);
}

const MAX_VALUE = 200;
/** Of the difference of two texts. */
const MAX_LINES = 60;

/** The lines in which two texts differ, of code for example; none if they are not of several lines. */
export function changedLines(recorded: Json | undefined, now: Json | undefined): string[] {
  if (typeof recorded !== 'string' || typeof now !== 'string' || !`${recorded}${now}`.includes('\n'))
    return [];
  const { red, green } = paint(wantsColor(process.stdout));
  const lines = hunksOf(recorded, now).map(printable);
  const shown = lines
    .slice(0, MAX_LINES)
    .map((line) => (line.startsWith('-') ? red(line) : line.startsWith('+') ? green(line) : line));
  return lines.length > MAX_LINES ? [...shown, `… ${lines.length - MAX_LINES} more lines`] : shown;
}

export function valueText(value: Json | undefined): string {
  if (value === undefined) return '–';
  return printable(shortened(JSON.stringify(value)));
}

function shortened(text: string): string {
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
}
