/**
 * Lists runs by start time, newest first, across pages. Visibility sorts differently: running ones by start, closed
 * ones by end. Because a run ends after it starts, reading closed runs back to the start of a page's last run finds
 * all that belong to the page, and also earlier ones that were still running then. If these are very many (ten
 * thousand runs cancelled at once), the start of the page is found by counting.
 */

/** A run's position in a list. */
export interface ListPosition {
  /** Its start, in whole milliseconds since the epoch. */
  readonly at: number;
  /** Orders runs of the same millisecond. */
  readonly runId: string;
}

export interface ListedStart {
  readonly startTime: Date;
  readonly closeTime?: Date;
  readonly runId: string;
}

/** Runs that started before `before`, milliseconds since the epoch. */
export interface Starts<Run extends ListedStart> {
  /** Running ones, last started first. */
  running(before?: number): AsyncIterable<Run>;
  /** Closed ones, last ended first. @param from only those that ended at or after this time */
  over(before?: number, from?: number): AsyncIterable<Run>;
  countOver(before: number | undefined, from: number): Promise<number>;
}

/** Runs read for a page before its start is found by counting. More than a page has. */
const LOOKED_AT = 5_000;

/** @returns the runs after `after`, and whether there are more */
export async function newestFirst<Run extends ListedStart>(
  starts: Starts<Run>,
  count: number,
  after?: ListPosition,
  lookedAt: number = LOOKED_AT,
): Promise<{ readonly runs: readonly Run[]; readonly isMore: boolean }> {
  const before = after && after.at + 1;
  const first = new First<Run>(count + 1, after);
  // A run that closes meanwhile is also found among the closed ones.
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

/**
 * @param from enough runs started since, but too many to read @returns a time since which enough did, and not many
 * more
 */
async function startOfEnough<Run extends ListedStart>(
  starts: Starts<Run>,
  before: number | undefined,
  from: number,
  { enough, lookedAt }: { enough: number; lookedAt: number },
): Promise<number> {
  let low = from;
  let high = before ?? Date.now() + 60_000;
  let count = await starts.countOver(before, low);
  while (count > lookedAt && high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const since = await starts.countOver(before, middle);
    if (since < enough) high = middle;
    else [low, count] = [middle, since];
  }
  return low;
}

/** Collects the first of a list, from runs in any order. */
class First<Run extends ListedStart> {
  readonly runs: Run[] = [];

  constructor(
    private readonly size: number,
    private readonly after: ListPosition | undefined,
  ) {}

  take(run: Run): void {
    const position = listPositionOf(run);
    if (this.after && compare(position, this.after) <= 0) return;
    let [low, high] = [0, this.runs.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compare(listPositionOf(this.runs[middle]!), position) < 0) low = middle + 1;
      else high = middle;
    }
    const isKnown = this.runs[low]?.runId === run.runId;
    this.runs.splice(low, isKnown ? 1 : 0, run);
    if (this.runs.length > this.size) this.runs.pop();
  }

  /** Start of the last of them; undefined while there are too few. */
  get last(): number | undefined {
    return this.runs[this.size - 1]?.startTime.getTime();
  }

  /** Whether the list is full with runs that started after `time`. */
  isBefore(time: Date): boolean {
    return this.last !== undefined && time.getTime() < this.last;
  }
}

export function listPositionOf({ startTime, runId }: ListedStart): ListPosition {
  return { at: startTime.getTime(), runId };
}

function compare(a: ListPosition, b: ListPosition): number {
  if (a.at !== b.at) return b.at - a.at;
  return a.runId < b.runId ? -1 : a.runId > b.runId ? 1 : 0;
}
