import { type Client } from '@temporalio/client';
import { type Pool } from 'pg';
import { schedulesDue } from '../temporal';
import { noteLateSchedules } from './late';

jest.mock('../temporal', () => ({ schedulesDue: jest.fn() }));

const NOW = Date.parse('2026-01-02T03:00:00Z');
const before = (seconds: number): Date => new Date(NOW - seconds * 1000);

test('a schedule that starts nothing for two minutes is told once per time that was due, to its own targets and the common ones', async () => {
  const ops = { chat: 'ops' };
  (schedulesDue as jest.Mock).mockResolvedValue(
    new Map([
      [
        'late',
        {
          path: 'etl/load',
          on: { late: [{ chat: 'etl' }, ops], failed: [{ chat: 'no' }] },
          due: before(121),
        },
      ],
      ['nearly', { path: 'etl/load', due: before(119) }],
      ['on-time', { path: 'etl/load' }],
    ]),
  );
  const entered: { id: string; target: object }[] = [];
  const pool = {
    query: (_sql: string, [rows, cause, execution, schedule]: string[]) => {
      expect([cause, execution, schedule]).toEqual(['late', null, 'late']);
      const fresh = (JSON.parse(rows!) as typeof entered).filter(
        ({ id }) => !entered.some((one) => one.id === id),
      );
      entered.push(...fresh);
      return Promise.resolve({ rowCount: fresh.length });
    },
  } as unknown as Pool;
  const client = { options: { namespace: 'default' } } as Client;
  const options = { pool, client, settings: { on: { late: [ops] }, targets: { etl: { chat: 'etl' }, ops } } };
  expect(await noteLateSchedules(options, NOW)).toBe(2);
  expect(entered.map(({ target }) => target)).toEqual([{ chat: 'etl' }, ops]);
  // The same time, seen again and seen by another process.
  expect(await noteLateSchedules(options, NOW + 500)).toBe(0);
});
