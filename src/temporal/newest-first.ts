/**
 * Lists of runs by their start, newest first, over all pages. Visibility has another order: what runs by start, what is
 * over by its end. As nothing ends before it starts, a look at the last ends that goes back to the start of the last run
 * of a page has seen all that belongs there; it also sees what started earlier and was still running then. Where that is
 * very much (ten thousand runs that are cancelled at once), the time from which on enough started is found by counting.
 */

/** Where a run stands in a list. */
export interface Position {
  /** Of its start, in whole milliseconds since the epoch. */
  readonly at: number;
  /** Among those of one millisecond. */
  readonly runId: string;
}

export interface Started {
  readonly startTime: Date;
  readonly closeTime?: Date;
  readonly runId: string;
}

/** Runs that started before `before`, milliseconds since the epoch. */
export interface Starts<Run extends Started> {
  /** Those that go on, the last to start first. */
  running(before?: number): AsyncIterable<Run>;
  /** Those that are over, the last to end first. @param from only what started then or later */
  over(before?: number, from?: number): AsyncIterable<Run>;
  countOver(before: number | undefined, from: number): Promise<number>;
}

/** Runs that are looked at for a page before it is counted where they start. More than a page has. */
const LOOKED_AT = 5_000;

/** @returns what follows `after`, and whether there is more */
export async function newestFirst<Run extends Started>(
  starts: Starts<Run>,
  count: number,
  after?: Position,
  lookedAt: number = LOOKED_AT,
): Promise<{ readonly runs: readonly Run[]; readonly isMore: boolean }> {
  const before = after && after.at + 1;
  const first = new First<Run>(count + 1, after);
  // What ends in between is found among those that are over, too.
  for await (const run of starts.running(before)) {
    first.take(run);
    if (first.isBefore(run.startTime)) break;
  }
  let seen = 0;
  for await (const run of starts.over(before)) {
    first.take(run);
    if (first.isBefore(run.closeTime ?? run.startTime)) break;
    if (++seen < lookedAt) continue;
    const from = await startOfEnough(starts, before, first.last!, { enough: count + 1, lookedAt });
    for await (const one of starts.over(before, from)) first.take(one);
    break;
  }
  return { runs: first.runs.slice(0, count), isMore: first.runs.length > count };
}

/** @param from enough started since, but too much to look at @returns a time since which enough did, and not much more */
async function startOfEnough<Run extends Started>(
  starts: Starts<Run>,
  before: number | undefined,
  from: number,
  { enough, lookedAt }: { enough: number; lookedAt: number },
): Promise<number> {
  let low = from;
  let high = before ?? Date.now() + 60_000;
  let known = await starts.countOver(before, low);
  while (known > lookedAt && high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const since = await starts.countOver(before, middle);
    if (since < enough) high = middle;
    else [low, known] = [middle, since];
  }
  return low;
}

/** The first of a list, from runs that come in any order. */
class First<Run extends Started> {
  readonly runs: Run[] = [];

  constructor(
    private readonly size: number,
    private readonly after: Position | undefined,
  ) {}

  take(run: Run): void {
    const position = positionOf(run);
    if (this.after && compare(position, this.after) <= 0) return;
    let [low, high] = [0, this.runs.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compare(positionOf(this.runs[middle]!), position) < 0) low = middle + 1;
      else high = middle;
    }
    const isKnown = this.runs[low]?.runId === run.runId;
    this.runs.splice(low, isKnown ? 1 : 0, run);
    if (this.runs.length > this.size) this.runs.pop();
  }

  /** Start of the last of them; undefined as long as there are too few. */
  get last(): number | undefined {
    return this.runs[this.size - 1]?.startTime.getTime();
  }

  /** Whether the list is full with what started after `time`. */
  isBefore(time: Date): boolean {
    return this.last !== undefined && time.getTime() < this.last;
  }
}

export function positionOf({ startTime, runId }: Started): Position {
  return { at: startTime.getTime(), runId };
}

function compare(a: Position, b: Position): number {
  if (a.at !== b.at) return b.at - a.at;
  return a.runId < b.runId ? -1 : a.runId > b.runId ? 1 : 0;
}
