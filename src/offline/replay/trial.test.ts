/** Workflow tasks, each tried in a process of its own: which can be repeated for ever without success. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { bundleWorkflowCode } from '@temporalio/worker';
import { someOf } from '../../../test/support/sampled';
import { type HistoryEvent } from '../../history';
import { isHopeless } from '../../temporal/client';
import { tryAlone } from './trial';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-trial-'));
const bundle = path.join(folder, 'troubled.js');

beforeAll(async () => {
  const workflowsPath = path.resolve(__dirname, '../../../test/support/workflows/troubled.ts');
  const quiet = () => undefined;
  const logger = { log: quiet, trace: quiet, debug: quiet, info: quiet, warn: quiet, error: quiet };
  fs.writeFileSync(bundle, (await bundleWorkflowCode({ workflowsPath, logger })).code);
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

/** A workflow whose first task was given to a worker, and perhaps what came of it. */
function historyOf(type: string, ...more: HistoryEvent[]): HistoryEvent[] {
  const events: HistoryEvent[] = [
    {
      eventType: 1,
      workflowExecutionStartedEventAttributes: {
        workflowType: { name: type },
        taskQueue: { name: 'q' },
        originalExecutionRunId: '5e6a5b4d-cf5d-4b9a-8d31-6f5b6b5f0c11',
        firstExecutionRunId: '5e6a5b4d-cf5d-4b9a-8d31-6f5b6b5f0c11',
        workflowTaskTimeout: { seconds: 10 as never },
        attempt: 1,
      },
    },
    { eventType: 5, workflowTaskScheduledEventAttributes: { taskQueue: { name: 'q' }, attempt: 1 } },
    { eventType: 6, workflowTaskStartedEventAttributes: { scheduledEventId: 2 as never } },
    ...more,
  ];
  const at = { seconds: 1_790_000_000 as never };
  return events.map((event, index) => ({ ...event, eventId: (index + 1) as never, eventTime: at }));
}

const TYPES = [
  ['endless', 'hopeless'],
  ['recursive', 'hopeless'],
  ['tooLong', 'hopeless'],
  ['greedy', 'hopeless'],
  ['failing', 'waits'],
  ['absent', 'waits'],
  ['fine', 'succeeds'],
] as const;

test.each(someOf(TYPES, 2))('a workflow task of the kind %s that is tried alone: %s', async (type, kind) => {
  expect(await tryAlone('noetl-1', historyOf(type), { bundle })).toMatchObject({ kind });
});

test('one whose code differs from the one that ran waits for that code', async () => {
  const other: HistoryEvent[] = [
    { eventType: 7, workflowTaskCompletedEventAttributes: { scheduledEventId: 2 as never } },
    {
      eventType: 10,
      activityTaskScheduledEventAttributes: {
        activityId: 'a',
        activityType: { name: 'other' },
        workflowTaskCompletedEventId: 4 as never,
      },
    },
    { eventType: 5, workflowTaskScheduledEventAttributes: { taskQueue: { name: 'q' }, attempt: 1 } },
    { eventType: 6, workflowTaskStartedEventAttributes: { scheduledEventId: 6 as never } },
  ];
  expect(await tryAlone('noetl-1', historyOf('timing', ...other), { bundle })).toMatchObject({
    kind: 'waits',
  });
});

test('one that takes longer than there is time is not judged', async () => {
  expect(await tryAlone('noetl-1', historyOf('fine'), { bundle, limitMs: 1 })).toMatchObject({
    kind: 'waits',
  });
});

test('what comes after the pending task is not replayed', async () => {
  const signal: HistoryEvent = { eventType: 26, markerRecordedEventAttributes: { markerName: 'later' } };
  expect(await tryAlone('noetl-1', historyOf('fine', signal), { bundle })).toMatchObject({
    kind: 'succeeds',
  });
});

test.each([
  ['Script execution timed out after 5000ms', true],
  ['Maximum call stack size exceeded', true],
  ['Invalid string length', true],
  ['Unhandled Promise rejection: ValueError: Unable to convert [object Object] to payload', true],
  ['templates take too long: 2100 ms so far, at most 2000 ms.', true],
  ['Nondeterminism error: No command scheduled for event', false],
  ['this release has engine version 1, the execution needs 2', false],
  ['the storage s3://results does not respond', false],
  ['no key k1', false],
])('%s', (message, hopeless) => expect(isHopeless(message)).toBe(hopeless));
