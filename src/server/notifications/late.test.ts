import { type Client } from '@temporalio/client';
import { type Pool } from 'pg';
import { CodedError } from '../../language/errors';
import { failedStarts, scheduledInputOf, schedulesDue } from '../../temporal/client';
import { noteFailedStarts, noteLateSchedules } from './late';

jest.mock('../../temporal/client', () => ({
  schedulesDue: jest.fn(),
  // Deleted meanwhile, but for one that tells others since.
  scheduledInputOf: jest.fn((_client: Client, name: string) =>
    name === 'changed'
      ? Promise.resolve({ path: 'etl/load', on: { late: [{ chat: 'now' }] } })
      : Promise.reject(new CodedError('SCHEDULE_NOT_FOUND', 'there is no such schedule')),
  ),
  failedStarts: jest.fn(),
  startErrorOf: jest.fn(() =>
    Promise.resolve({ code: 'PLAYBOOK_NOT_FOUND', message: 'no playbook etl/load' }),
  ),
}));

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

test('a start that failed before there was an execution is told once, to the targets of failures', async () => {
  const run = { workflowId: 'noetl-schedule-changed-2026', runId: 'r1' };
  const start = { schedule: 'changed', run, scheduledAt: null, endedAt: before(5) };
  (failedStarts as jest.Mock).mockResolvedValue([start, { ...start, schedule: 'silent' }]);
  const entered: string[][] = [];
  const pool = {
    query: (sql: string, values: string[]) => {
      if (sql.startsWith('SELECT')) return Promise.resolve({ rows: entered.length > 0 ? [{}] : [] });
      entered.push(values);
      return Promise.resolve({ rowCount: 1 });
    },
  } as unknown as Pool;
  const client = { options: { namespace: 'default' } } as Client;
  const ops = { chat: 'ops' };
  const settings = { on: { failed: [ops] }, targets: { ops } };
  expect(await noteFailedStarts({ pool, client, settings }, NOW)).toBe(1);
  const [rows, cause, execution, schedule, path, message] = entered[0]!;
  expect([cause, execution, schedule, path]).toEqual(['failed', null, 'changed', 'etl/load']);
  expect(JSON.parse(rows!)).toMatchObject([{ target: ops }]);
  expect(JSON.parse(message!)).toMatchObject({
    type: 'schedule.failed',
    data: { status: 'not_started', error: { code: 'PLAYBOOK_NOT_FOUND' }, schedule: { name: 'changed' } },
  });
  expect(await noteFailedStarts({ pool, client, settings: { on: {}, targets: {} } }, NOW)).toBe(0);
});

test('while Temporal does not say whom a schedule tells, nothing is entered, and the round is repeated', async () => {
  const away = new Error('unavailable');
  (scheduledInputOf as jest.Mock).mockRejectedValue(away);
  (failedStarts as jest.Mock).mockResolvedValue([
    { schedule: 's', run: { workflowId: 'w', runId: 'r' }, scheduledAt: null, endedAt: before(5) },
  ]);
  (schedulesDue as jest.Mock).mockResolvedValue(new Map([['s', { path: 'etl/load', due: before(300) }]]));
  const query = jest.fn();
  const client = { options: { namespace: 'default' } } as Client;
  const options = {
    pool: { query } as unknown as Pool,
    client,
    settings: {
      on: { failed: [{ chat: 'ops' }], late: [{ chat: 'ops' }] },
      targets: { ops: { chat: 'ops' } },
    },
  };
  await expect(noteFailedStarts(options, NOW)).rejects.toBe(away);
  await expect(noteLateSchedules(options, NOW)).rejects.toBe(away);
  expect(query).not.toHaveBeenCalled();
});
