import { isDict, resolve } from './kinds';

/** Counts of a loop's iterations. Those started and then cancelled are in `total` only. */
export interface LoopStats {
  readonly total: number;
  readonly success: number;
  readonly failed: number;
  readonly not_started: number;
}

const STATS = ['total', 'success', 'failed', 'not_started'] as const;

/** The value of a loop, as read by tools, documents and events: the results of its iterations, in the order of the items. */
export function loopResult<T>(results: T[], { success, failed, not_started }: Omit<LoopStats, 'total'>) {
  const count = results.length;
  return { results, count, stats: { total: count, success, failed, not_started } };
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
  return isStats && Object.keys(stats).length === STATS.length ? (results as unknown[]) : undefined;
}

/** A value where a list is expected: the value of a loop becomes its results. */
export function listed(value: unknown): unknown {
  const v = resolve(value);
  return resultsOf(v) ?? v;
}
