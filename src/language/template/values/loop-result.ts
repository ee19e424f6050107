import { isDict, resolve } from './kinds';

/** Counts of a loop's iterations; `cancelled`: started, and stopped because the loop ended. Absent without any. */
export interface LoopStats {
  readonly total: number;
  readonly success: number;
  readonly failed: number;
  readonly not_started: number;
  readonly cancelled?: number;
  /** Of a cursor loop, whose other counts are of rows. */
  readonly frames?: number;
}

/** The counts of which the others of a loop's value follow. */
type LoopCounts = Pick<LoopStats, 'success' | 'failed' | 'not_started' | 'frames'>;

const STATS = ['total', 'success', 'failed', 'not_started'] as const;

/**
 * The value of a loop, as read by tools, documents and events: the results of its iterations, in the order of the items.
 * `count`: of a loop that keeps none.
 */
export function loopResult<T>(results: T[], counts: LoopCounts, count = results.length) {
  return { results, count, stats: loopStats(count, counts) };
}

/** The counts of a loop that has ended. */
export function loopStats(total: number, { success, failed, not_started, frames }: LoopCounts) {
  const cancelled = total - success - failed - not_started;
  return {
    total,
    success,
    failed,
    not_started,
    ...(cancelled > 0 && { cancelled }),
    ...(frames !== undefined && { frames }),
  };
}

/**
 * The results in the value of a loop; undefined for any other value. The mapping is recognised by its shape:
 * nothing is added when it is stored or removed when it is passed to a tool, and external data of the same shape is
 * merely readable as the list it contains.
 */
export function resultsOf(value: unknown): readonly unknown[] | undefined {
  if (!isDict(value) || !Array.isArray(value['results']) || Object.keys(value).length !== 3) return undefined;
  const { results, count, stats } = value;
  if (count !== results.length || !isDict(stats) || stats['total'] !== count) return undefined;
  const isStats = STATS.every((key) => Object.hasOwn(stats, key) && Number.isInteger(stats[key]));
  const keys = STATS.length + (Number.isInteger(stats['cancelled']) ? 1 : 0);
  return isStats && Object.keys(stats).length === keys ? (results as unknown[]) : undefined;
}

/** A value where a list is expected: the value of a loop becomes its results. */
export function listed(value: unknown): unknown {
  const v = resolve(value);
  return resultsOf(v) ?? v;
}
