/** Differences between a recorded run and another version, with the values and lines of both. */
import { type Json } from '../../language/plan';
import { type VerifyFinding, type VerdictPlace } from '../../offline/proof';
import { paint, printable, wantsColor } from './paint';

/** Returns the line of a playbook; undefined if it is not available. */
export type LineOf = (line: number) => string | undefined;

export interface Lines {
  readonly recorded: LineOf;
  readonly now: LineOf;
}

/** One line for each side, below the cause. */
export function findingLines(finding: VerifyFinding, lines: Lines): string[] {
  const { red, green } = paint(wantsColor(process.stdout));
  const { recorded, now, recorded_at: recordedAt, now_at: nowAt } = finding;
  const side = (name: string, value: Json | undefined, at: VerdictPlace | undefined, line: LineOf): string =>
    `${name.padEnd(9)} ${valueText(value)}${placeText(at, line)}`;
  return [
    red(side('recorded', recorded, recordedAt, lines.recorded)),
    green(side('now', now, nowAt, lines.now)),
  ];
}

/** ` at file.yaml:12:5: the line` */
export function placeText(at: VerdictPlace | undefined, line: LineOf): string {
  if (!at) return '';
  const source = line(at.line)?.trim();
  const where = `${at.file ?? 'playbook'}:${at.line}:${at.column}`;
  return printable(`  (${where}${source ? `: ${source}` : ''})`);
}

const MAX_VALUE = 200;

export function valueText(value: Json | undefined): string {
  if (value === undefined) return '–';
  const text = JSON.stringify(value);
  return printable(text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text);
}
