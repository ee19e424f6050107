import { isDict, resolve } from './kinds';

/** How the iterations of a loop went. Those that were begun and then cancelled count in `total` only. */
export interface LoopStats {
  readonly total: number;
  readonly success: number;
  readonly failed: number;
  readonly not_started: number;
}

/** What a loop came to, as tools, documents and events read it. */
export interface LoopResult<T = unknown> {
  readonly results: readonly T[];
  readonly count: number;
  readonly stats: LoopStats;
}

const STATS = ['total', 'success', 'failed', 'not_started'] as const;

/** The value of a loop: the results of its iterations, in the order of the items. */
export function loopResult<T>(results: T[], { success, failed, not_started }: Omit<LoopStats, 'total'>) {
  const count = results.length;
  return { results, count, stats: { total: count, success, failed, not_started } };
}

/**
 * The results in the value of a loop; undefined for any other value. The mapping is its own mark: nothing has to be
 * added when it is stored or taken away when it is handed to a tool, and data from outside that has the very shape reads
 * as the list that it holds, which is all it gains.
 */
export function resultsOf(value: unknown): readonly unknown[] | undefined {
  if (!isDict(value) || !Array.isArray(value['results']) || Object.keys(value).length !== 3) return undefined;
  const { results, count, stats } = value;
  if (count !== results.length || !isDict(stats) || stats['total'] !== count) return undefined;
  const isStats = STATS.every((key) => Object.hasOwn(stats, key) && Number.isInteger(stats[key]));
  return isStats && Object.keys(stats).length === STATS.length ? (results as unknown[]) : undefined;
}

/** The value behind a view as one that is asked for a list: that of a loop is its results. */
export function listed(value: unknown): unknown {
  const v = resolve(value);
  return resultsOf(v) ?? v;
}
