/**
 * Time zones from a table of our own (zone-data.json): `Intl` has another one in each version of Node, and a replay must
 * come to the same local times.
 */
import { TemplateError } from '../errors';
import { civil, daysOf, fromParts } from './time';
import ZONES from './zone-data.json';

const DAY_MS = 86_400_000;

/** A moment of the year at which a rule changes the offset: `M3.5.0/2`, the fifth (last) Sunday of March at 02:00. */
interface Change {
  readonly month: number;
  readonly week: number;
  readonly weekday: number;
  readonly minute: number;
}

/** What holds after the last transition of the table. Minutes east of UTC. */
interface Rule {
  readonly standard: number;
  readonly summer?: { readonly offset: number; readonly from: Change; readonly to: Change };
}

/** A time zone: minutes east of UTC at every moment since 1970; before, those of 1970. */
export class TemplateZone {
  constructor(
    readonly name: string,
    /** In milliseconds. */
    private readonly moments: readonly number[],
    /** Minutes east of UTC: one before all moments, and one since each. */
    private readonly offsets: readonly number[],
    private readonly rule: Rule,
  ) {}

  /** `Europe/Berlin`, `UTC`, `Z` or a fixed offset, `+02:00`. @throws TemplateError NT4112 */
  static named(name: string): TemplateZone {
    const offset = fixedOffset(name);
    if (offset !== undefined) return new TemplateZone(name, [], [offset], { standard: offset });
    const zone = zones.get(name) ?? unpacked(name);
    zones.set(name, zone);
    return zone;
  }

  /** Minutes east of UTC at a moment. */
  offsetAt(ms: number): number {
    const { moments, offsets } = this;
    if (this.rule.summer && ms >= (moments.at(-1) ?? -Infinity)) return this.offsetByRule(ms);
    let [low, high] = [0, moments.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (moments[middle]! <= ms) low = middle + 1;
      else high = middle;
    }
    return offsets[low]!;
  }

  /** The moment of a local time. Of two, the first; one that is skipped is as far behind the change as it was before it. */
  momentOf(localMs: number): number {
    const [before, after] = [this.offsetAt(localMs - DAY_MS), this.offsetAt(localMs + DAY_MS)];
    const first = localMs - before * 60_000;
    if (before === after || this.offsetAt(first) === before) return first;
    const second = localMs - after * 60_000;
    return this.offsetAt(second) === after ? second : first;
  }

  private offsetByRule(ms: number): number {
    const { standard, summer } = this.rule;
    const { year } = civil(fromParts(ms, 0, standard));
    const from = momentIn(year, summer!.from) - standard * 60_000;
    const to = momentIn(year, summer!.to) - summer!.offset * 60_000;
    const isSummer = from < to ? ms >= from && ms < to : ms >= from || ms < to;
    return isSummer ? summer!.offset : standard;
  }
}

/** Zones that were used, unpacked. */
const zones = new Map<string, TemplateZone>();
/**
 * By name, the row of the table: names of zones that are alike; the offset of 1970, and minutes until each change with the
 * offset since then, in base 36; the rule then.
 */
let rows: ReadonlyMap<string, string> | undefined;

function unpacked(name: string): TemplateZone {
  rows ??= new Map(
    ZONES.flatMap((row) =>
      row
        .slice(0, row.indexOf('|'))
        .split(' ')
        .map((one) => [one, row]),
    ),
  );
  const row = rows.get(name);
  if (row === undefined) {
    const other = [...rows.keys()].find((one) => one.toLowerCase() === name.toLowerCase());
    const hint =
      other === undefined ? 'zones are called as Europe/Berlin, UTC or +02:00' : `did you mean '${other}'?`;
    throw new TemplateError('wrongValue', `'${name.slice(0, 60)}' is not a time zone: ${hint}`);
  }
  const [, transitions = '', rule = ''] = row.split('|');
  const [first = '0', ...pairs] = transitions.split(' ');
  const moments: number[] = [];
  const offsets = [parseInt(first, 36)];
  for (let i = 0; i < pairs.length; i += 2) {
    moments.push((moments.at(-1) ?? 0) + parseInt(pairs[i]!, 36) * 60_000);
    offsets.push(parseInt(pairs[i + 1]!, 36));
  }
  return new TemplateZone(name, moments, offsets, ruleOf(rule));
}

function fixedOffset(name: string): number | undefined {
  if (name === 'Z' || name === 'UTC') return 0;
  const [, sign, hours, minutes = '0'] = /^(?:UTC)?([-+])(\d{2}):?(\d{2})?$/.exec(name) ?? [];
  if (sign === undefined) return undefined;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

const NAME = '(?:[A-Za-z]+|<[^>]+>)';
const TIME = '[-+]?\\d+(?::\\d+)?';
const POSIX = new RegExp(
  `^${NAME}(${TIME})(?:${NAME}(${TIME})?,(M[\\d.]+)(?:/(${TIME}))?,(M[\\d.]+)(?:/(${TIME}))?)?$`,
);

/** A rule as POSIX writes it, west positive: `CET-1CEST,M3.5.0,M10.5.0/3`. */
function ruleOf(text: string): Rule {
  const [, west = '0', summer, from, fromAt, to, toAt] = POSIX.exec(text)!;
  const standard = 0 - minutesOf(west);
  if (from === undefined || to === undefined) return { standard };
  const offset = summer === undefined ? standard + 60 : 0 - minutesOf(summer);
  return { standard, summer: { offset, from: changeOf(from, fromAt), to: changeOf(to, toAt) } };
}

function changeOf(text: string, at = '2'): Change {
  const [month, week, weekday] = text.slice(1).split('.').map(Number) as [number, number, number];
  return { month, week, weekday, minute: minutesOf(at) };
}

function minutesOf(text: string): number {
  const [hours = '0', minutes = '0'] = text.replace(/^[-+]/, '').split(':');
  return (text.startsWith('-') ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

/** The local time of a change, in milliseconds as if it were UTC. */
function momentIn(year: number, { month, week, weekday, minute }: Change): number {
  const first = daysOf(year, month, 1);
  // The first of January 1970 was a Thursday; Sunday is 0.
  const ahead = (((weekday - first - 4) % 7) + 7) % 7;
  let day = first + ahead + (week - 1) * 7;
  const next = month === 12 ? daysOf(year + 1, 1, 1) : daysOf(year, month + 1, 1);
  if (day >= next) day -= 7;
  return day * DAY_MS + minute * 60_000;
}
