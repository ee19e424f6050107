/** Numbers about runs, against sums by hand. */
import { type RecentRun } from './recent';
import { bucketsOf, percentile, statisticsOf } from './statistics';

const run = (status: string, start: number, end: number | null): RecentRun => ({
  ...{ id: `${start}`, path: 'p', status, start, end },
});

test.each([
  [[], 0.5, null],
  [[3], 0.95, 3],
  [[1, 2, 3, 4], 0.5, 2],
  [[1, 2, 3, 4], 0.95, 4],
  [Array.from({ length: 100 }, (_, n) => n + 1), 0.95, 95],
])('of %j, %d do not exceed %d', (sorted, share, value) => {
  expect(percentile(sorted, share)).toBe(value);
});

test('what a limit skipped counts neither as a success nor as a failure, and not in durations', () => {
  const runs = [
    run('COMPLETED', 0, 4_000),
    run('COMPLETED', 0, 2_000),
    run('FAILED', 0, 90_000),
    run('SKIPPED', 0, 10),
    run('CANCELLED', 0, 10),
    run('PAUSED', 0, null),
  ];
  const recent = { source: 'projection', since: 0, complete: true, runs } as const;
  expect(statisticsOf(recent)).toMatchObject({
    ...{ running: 1, completed: 2, failed: 1, cancelled: 1, skipped: 1 },
    ...{ success_rate: 2 / 3, p50: 2, p95: 4, longest: 4 },
  });
  expect(statisticsOf({ ...recent, runs: [run('SKIPPED', 0, 1)] }).success_rate).toBeNull();
});

test('a run counts where it ended, once', () => {
  const runs = [
    run('COMPLETED', 5, 50),
    run('FAILED', 5, 100),
    run('FAILED', 5, 239),
    run('COMPLETED', 5, null),
  ];
  const buckets = bucketsOf({ source: 'temporal', since: 0, complete: true, runs }, 0, 240);
  expect(buckets).toHaveLength(24);
  const ended = buckets.flatMap(({ at, completed, failed }) =>
    completed + failed > 0 ? [[Date.parse(at), completed, failed]] : [],
  );
  expect(ended).toEqual([
    [50, 1, 0],
    [100, 0, 1],
    [230, 0, 1],
  ]);
});
