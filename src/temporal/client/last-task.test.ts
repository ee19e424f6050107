/** When nothing more can come of an execution that has ended: who follows its log needs not wait. */
import { type Client } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time';
import { sinceLastTask } from './locate';

const at = (seconds: number): object => ({ eventTime: msToTs(1000 * seconds) });
const BEGIN = { eventId: 1, ...at(0), workflowExecutionStartedEventAttributes: {} };
const SCHEDULED = { eventId: 2, ...at(1), activityTaskScheduledEventAttributes: {} };
const COMPLETED = { eventId: 3, ...at(2), activityTaskCompletedEventAttributes: {} };
const TIMED_OUT = { eventId: 3, ...at(2), activityTaskTimedOutEventAttributes: {} };
const END = { eventId: 4, ...at(5), workflowExecutionCompletedEventAttributes: {} };

test.each([
  ['had no task', [END, BEGIN], Infinity],
  ['had its last task three seconds before its end', [END, COMPLETED, SCHEDULED, BEGIN], 3_000],
  ['left a task behind', [END, SCHEDULED, BEGIN], 0],
  ['gave up a task whose worker may not know of it', [END, TIMED_OUT, SCHEDULED, BEGIN], 0],
  ['has a longer history than is looked at', [END, COMPLETED, SCHEDULED], 0],
])('of an execution that %s', async (_what, events, since) => {
  const getWorkflowExecutionHistoryReverse = () => Promise.resolve({ history: { events } });
  const client = { options: { namespace: 'n' }, workflowService: { getWorkflowExecutionHistoryReverse } };
  expect(await sinceLastTask(client as unknown as Client, '1001')).toBe(since);
});
