import { type Client } from '@temporalio/client';
import { SCHEDULED_WORKFLOW_TYPE } from '../../language/plan';
import { ScheduleShares, type ScheduleShare, startsInMinute } from './share';

test.each([
  [{ cron: ['0 3 * * *'] }, 1],
  [{ cron: ['TZ=Europe/Berlin */5 * * * *', '0 0 1 1 * 2027'] }, 2],
  [{ cron: ['* * * * * * *'] }, 60],
  [{ cron: ['*/10 * * * * * * # often'] }, 6],
  [{ cron: ['0,30,45-47 * * * * * *'] }, 5],
  [{ cron: ['50/5 * * * * * *'] }, 2],
  [{ cron: ['@every 10s', '@every 1m30s', '@daily'] }, 6 + 60 / 90 + 1],
  [{ intervals: [{ every_s: 1 }, { every_s: 120 }] }, 60.5],
  [
    { calendars: [{ hour: 3 }, { second: '*' as const }, { second: [1, { start: 10, end: 20, step: 5 }] }] },
    65,
  ],
])('%j makes at most %d starts in a minute', (times, starts) =>
  expect(startsInMinute(times)).toBeCloseTo(starts),
);

/** A server whose list is a moment behind. */
function server(listed: object[]): { client: Client; lists: () => number } {
  let lists = 0;
  const list = async function* () {
    lists++;
    for (const one of listed)
      yield { action: { type: 'startWorkflow', workflowType: SCHEDULED_WORKFLOW_TYPE }, ...one };
  };
  return { client: { schedule: { list } } as unknown as Client, lists: () => lists };
}

test('what is listed and what was just created count once, for their owner; requests at once share a list', async () => {
  const { client, lists } = server([
    { scheduleId: 'a', memo: { noetl: { by: 'ann' } }, spec: { intervals: [{ every: 1000 }] } },
    {
      scheduleId: 'b',
      memo: { noetl: { by: 'bob' } },
      spec: { calendars: [{ second: [{ start: 0, end: 0 }] }] },
    },
    { scheduleId: 'c', memo: {}, spec: {} },
  ]);
  const shares = new ScheduleShares(client);
  const seen: ScheduleShare[] = [];
  const claim = (name: string, every_s: number) =>
    shares.claim(name, 'ann', { intervals: [{ every_s }] }, (share) => seen.push(share));
  const [undo] = await Promise.all([claim('d', 2), claim('e', 60)]);
  expect(lists()).toBe(1);
  undo!();
  await claim('e', 30);
  await claim('a', 60);
  expect(seen).toEqual([
    { all: 4, own: 2, starts: 90 },
    { all: 5, own: 3, starts: 91 },
    { all: 4, own: 2, starts: 62 },
    { all: 4, own: 2, starts: 3 },
  ]);
});

test('what is refused does not count', async () => {
  const shares = new ScheduleShares(server([]).client);
  const refuse = () => {
    throw new Error('too much');
  };
  await expect(shares.claim('a', 'ann', {}, refuse)).rejects.toThrow('too much');
  await shares.claim('b', 'ann', {}, (share) => expect(share.own).toBe(1));
  expect.assertions(2);
});
