/** Numbers about runs. */
import { type z } from 'zod';
import { type overviewSchema, type statisticsSchema } from '../documents/operations';
import { type RecentRun, type RecentRuns } from './recent';

/** The value that so much of them do not exceed (nearest rank). @param sorted ascending */
export function percentile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;
}

/** Seconds, ascending, of those that completed. */
function durationsOf(runs: readonly RecentRun[]): number[] {
  const ended = runs.filter(({ status }) => status === 'COMPLETED');
  return ended.map(({ start, end }) => (end! - start) / 1000).sort((a, b) => a - b);
}

function countsOf(runs: readonly RecentRun[]) {
  const count = (...of: readonly string[]): number => runs.filter(({ status }) => of.includes(status)).length;
  return {
    completed: count('COMPLETED'),
    failed: count('FAILED'),
    cancelled: count('CANCELLED'),
    skipped: count('SKIPPED'),
  };
}

export function statisticsOf({
  source,
  since,
  complete,
  runs,
}: RecentRuns): z.input<typeof statisticsSchema> {
  const counts = countsOf(runs);
  const durations = durationsOf(runs);
  const judged = counts.completed + counts.failed;
  return {
    ...{ source, since: new Date(since).toISOString(), complete },
    running: runs.filter(({ end }) => end === null).length,
    ...counts,
    success_rate: judged === 0 ? null : counts.completed / judged,
    ...{
      p50: percentile(durations, 0.5),
      p95: percentile(durations, 0.95),
      longest: durations.at(-1) ?? null,
    },
  };
}

const BUCKETS = 24;

/** Equal parts of the time up to `until`, by when runs ended. */
export function bucketsOf(
  { runs }: RecentRuns,
  since: number,
  until: number,
): z.input<typeof overviewSchema>['buckets'] {
  const width = (until - since) / BUCKETS;
  return Array.from({ length: BUCKETS }, (_, n) => {
    const from = since + n * width;
    const own = runs.filter(({ end }) => end !== null && end >= from && end < from + width);
    const durations = durationsOf(own);
    return {
      at: new Date(from).toISOString(),
      ...countsOf(own),
      ...{ p50: percentile(durations, 0.5), p95: percentile(durations, 0.95) },
    };
  });
}
