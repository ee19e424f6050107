/** The timeline's axis: where a time is, with long pauses folded, and its ticks. */
import { duration } from '../../src/language/plan/duration';
import { type TapeSpan } from '../tape/spans';

/** Milliseconds since the epoch. */
export type Stretch = readonly [from: number, to: number];

interface Gap {
  readonly from: number;
  readonly to: number;
  /** Percent of the width. */
  readonly left: number;
}

export interface Scale {
  /** Percent of the width; outside of 0 to 100 it is not in sight. */
  readonly place: (time: number) => number;
  readonly timeAt: (percent: number) => number;
  readonly ticks: readonly { readonly left: number; readonly label: string }[];
  /** Folded pauses. */
  readonly gaps: readonly Gap[];
}

/** A pause is folded if it takes more than this part of what is shown. */
const LONG = 0.12;
/** Width of a folded pause, in percent. */
export const GAP = 3;
const TICKS = 7;
/** Percent between two ticks, at least. */
const APART = 9;

/** When tasks work or are in queues, in order and without overlaps. @param until of what still runs */
export function busyStretches(spans: readonly TapeSpan[], until: number): readonly Stretch[] {
  const all: Stretch[] = [];
  const visit = ({ kind, children, parts }: TapeSpan): void => {
    if (kind !== 'task' && children.length > 0) return children.forEach(visit);
    for (const part of parts)
      if (part.kind === 'work' || part.kind === 'queue') all.push([part.from, part.to ?? until]);
  };
  spans.forEach(visit);
  const merged: [number, number][] = [];
  for (const [from, to] of all.sort(([one], [other]) => one - other)) {
    const last = merged.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}

/** @param start of the run: ticks are counted from there @param busy without it, nothing is folded */
export function scaleOf([from, to]: Stretch, start: number, busy?: readonly Stretch[]): Scale {
  const length = Math.max(1, to - from);
  const pauses = busy ? pausesIn([from, to], busy).filter(([a, b]) => b - a > LONG * length) : [];
  const folded = pauses.reduce((sum, [a, b]) => sum + (b - a), 0);
  const perMs = (100 - pauses.length * GAP) / Math.max(1, length - folded);
  // Corners of the broken line from time to place.
  const corners: [time: number, left: number][] = [[from, 0]];
  for (const [begin, end] of pauses) {
    const [time, left] = corners.at(-1)!;
    const at = left + (begin - time) * perMs;
    corners.push([begin, at], [end, at + GAP]);
  }
  corners.push([from + length, 100]);
  const along = (value: number, by: 0 | 1): number => {
    const index = Math.max(
      1,
      corners.findIndex((corner) => corner[by] >= value),
    );
    const [one, other] =
      value > corners.at(-1)![by] ? corners.slice(-2) : corners.slice(index - 1, index + 1);
    const width = other![by] - one![by];
    const share = width === 0 ? 0 : (value - one![by]) / width;
    return one![1 - by]! + share * (other![1 - by]! - one![1 - by]!);
  };
  const place = (time: number): number => along(time, 0);
  return {
    place,
    timeAt: (percent) => along(percent, 1),
    ticks: ticksOf({ from, to, start, step: niceStep((length - folded) / TICKS) }, pauses, place),
    gaps: pauses.map(([begin, end]) => ({ from: begin, to: end, left: place(begin) })),
  };
}

function pausesIn([from, to]: Stretch, busy: readonly Stretch[]): Stretch[] {
  const pauses: Stretch[] = [];
  let last = from;
  for (const [begin, end] of busy) {
    if (begin > last) pauses.push([last, Math.min(begin, to)]);
    last = Math.max(last, end);
    if (last >= to) break;
  }
  if (last < to) pauses.push([last, to]);
  return pauses;
}

const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000];
const STEPS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR),
];

function niceStep(ms: number): number {
  return STEPS.find((step) => step >= ms) ?? Math.ceil(ms / DAY) * DAY;
}

interface Axis {
  readonly from: number;
  readonly to: number;
  readonly start: number;
  readonly step: number;
}

function ticksOf(
  { from, to, start, step }: Axis,
  pauses: readonly Stretch[],
  place: Scale['place'],
): Scale['ticks'] {
  const ticks: { left: number; label: string }[] = [];
  for (let offset = Math.ceil((from - start) / step) * step; start + offset <= to; offset += step) {
    const pause = pauses.find(([begin, end]) => start + offset > begin && start + offset < end);
    // Over a pause in one go: it may be days.
    if (pause) {
      offset = Math.ceil((pause[1] - start) / step) * step - step;
      continue;
    }
    const left = place(start + offset);
    if (left < 97 && (ticks.length === 0 || left - ticks.at(-1)!.left >= APART))
      ticks.push({ left, label: labelOf(offset, step) });
  }
  return ticks;
}

function labelOf(offset: number, step: number): string {
  if (offset === 0) return '0';
  return step < SECOND && offset > SECOND
    ? `${(offset / SECOND).toFixed(step < 10 ? 3 : step < 100 ? 2 : 1)} s`
    : duration(offset);
}
