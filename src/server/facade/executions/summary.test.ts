/** What lists say of an execution that they know from Temporal's visibility alone. */
import { TypedSearchAttributes } from '@temporalio/common';
import { NOETL_PLAYBOOK, NOETL_STATUS, type VisibleExecution } from '../../../temporal/client';
import { summaryOf } from './summary';

const START = Date.parse('2026-01-02T03:04:05Z');
const NOW = START + 90_000;

const visible = (over: Partial<VisibleExecution>): VisibleExecution =>
  ({
    workflowId: 'noetl-42',
    runId: 'r',
    status: { name: 'RUNNING', code: 1 },
    startTime: new Date(START),
    typedSearchAttributes: new TypedSearchAttributes([{ key: NOETL_PLAYBOOK, value: 'a/b' }]),
    ...over,
  }) as VisibleExecution;

test('how far one that runs has come is not known, rather than nothing', () => {
  expect(summaryOf(visible({}), NOW)).toMatchObject({
    path: 'a/b',
    status: 'RUNNING',
    progress: null,
    start_time: '2026-01-02T03:04:05.000Z',
    end_time: null,
    duration_seconds: 90,
  });
});

test('one that continued as new began when its first run did', () => {
  const memo = { noetl_started: START - 3_600_000 };
  expect(summaryOf(visible({ memo }), NOW)).toMatchObject({
    start_time: '2026-01-02T02:04:05.000Z',
    duration_human: '1 h 1 min',
  });
  expect(summaryOf(visible({ memo: { noetl_started: 'yesterday' } }), NOW).duration_seconds).toBe(90);
});

test('a sub-playbook tells its entry in the catalog and its caller', () => {
  const memo = { noetl_catalog: { catalog_id: '7', version: 3 }, noetl_caller: { execution_id: '41' } };
  expect(summaryOf(visible({ memo }), NOW)).toMatchObject({
    catalog_id: '7',
    version: 3,
    parent_execution_id: '41',
  });
});

test.each([
  [{}, null, null],
  [
    { noetl_schedule: { schedule: 'nightly', scheduled_at: null, deadline: 5 } },
    { name: 'nightly', scheduled_at: null, deadline_s: 5 },
    null,
  ],
  [{ noetl_notification: { id: 'n1' } }, null, 'n1'],
  [{ noetl_schedule: 'of others', noetl_notification: { id: 7 } }, null, null],
])('what started it is in its memo: %j', (memo, schedule, notification_id) => {
  // The workflow of a schedule is not an execution.
  const parentExecution = { workflowId: 'noetl-schedule-nightly-2026-01-01T00:00:00Z', runId: 'r' };
  expect(summaryOf(visible({ memo, parentExecution }), NOW)).toMatchObject({
    schedule,
    notification_id,
    parent_execution_id: null,
  });
});

test.each(['skipped', 'completed'])('one that is %s for Temporal’s lists', (value) => {
  const attributes = new TypedSearchAttributes([
    { key: NOETL_PLAYBOOK, value: 'a/b' },
    { key: NOETL_STATUS, value },
  ]);
  const info = { typedSearchAttributes: attributes, status: { name: 'COMPLETED', code: 2 } } as const;
  expect(summaryOf(visible(info as Partial<VisibleExecution>), NOW)).toMatchObject({
    status: 'COMPLETED',
    skipped: value === 'skipped',
  });
});
