import { type Client } from '@temporalio/client';
import { eachVisible } from '../client/visibility';
import { schedulesDue, latenessOf } from './lateness';

jest.mock('../client/visibility', () => ({ eachVisible: jest.fn() }));

const NOW = Date.parse('2026-01-01T12:00:00Z');
const before = (seconds: number): Date => new Date(NOW - seconds * 1000);

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

test('a schedule is late when Temporal has not fired, and when nobody has started what it fired', async () => {
  const schedule = (scheduleId: string, due: number, more: object = {}): object => ({
    scheduleId,
    memo: { noetl: { path: 'etl' } },
    state: { paused: false },
    info: { nextActionTimes: [before(due)] },
    ...more,
  });
  const all = [
    schedule('well', -60),
    schedule('unfired', 90),
    schedule('paused', 90, { state: { paused: true } }),
    schedule('waiting', -60),
    schedule('waiting-2', -60),
    schedule('of-others', 90, { memo: {} }),
  ];
  const run = (of: string, seconds: number, memo: object = {}): object => ({
    memo,
    startTime: before(1),
    typedSearchAttributes: {
      get: ({ name }: { name: string }) => (name === 'TemporalScheduledById' ? of : before(seconds)),
    },
  });
  const runs = [
    run('waiting', 30),
    run('waiting', 20),
    run('waiting-2', 900, { noetl_run: { execution_id: '1' } }),
  ];
  (eachVisible as jest.Mock).mockReturnValue(each(runs));
  const client = { schedule: { list: () => each(all) } } as unknown as Client;
  const found = await schedulesDue(client, NOW);
  expect([...found].map(([name, one]) => [name, latenessOf(one, NOW)])).toEqual([
    ['well', 0],
    ['unfired', 90],
    ['paused', 0],
    ['waiting', 30],
    ['waiting-2', 0],
  ]);
});
