/**
 * Golden histories: executions of earlier builds must go on with this one. Each is replayed twice, by Temporal's own
 * replayer and by src/history, which must derive events and end where the execution ended.
 */
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils';
import { Worker } from '@temporalio/worker';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow';
import { openStorage, type Storage } from '../../src/blobs';
import { recordedExecution } from '../../src/history';
import { LOCAL_KIND } from '../../src/plan';
import { workflowId } from '../../src/temporal';
import { installRuntime, loadWorkflowBundle } from '../../src/worker';
import { checkEvents } from '../support/event-checks';

installRuntime();

/** What `stored_result` refers to. */
const STORED = pathToFileURL(path.resolve(__dirname, '../stored-values')).href;
let storage: Storage;
beforeAll(async () => {
  storage = await openStorage(STORED);
});

const FOLDER = path.resolve(__dirname, '../histories');
const histories = fs
  .readdirSync(FOLDER)
  .flatMap((version) => fs.readdirSync(path.join(FOLDER, version)).map((file) => path.join(version, file)));

test('there are golden histories of the first engine version', () => {
  expect(histories.filter((file) => file.startsWith('v1/')).length).toBeGreaterThanOrEqual(6);
});

describe.each(histories)('%s', (file) => {
  const history = historyFromJSON(JSON.parse(fs.readFileSync(path.join(FOLDER, file), 'utf8')));

  it('replays in Temporal without divergence', async () => {
    const workflowBundle = await loadWorkflowBundle();
    await Worker.runReplayHistory(
      { workflowBundle, replayName: file, dataConverter: storage.dataConverter },
      history,
      // Ids of children and chunks are made from it.
      history.events![0]!.workflowExecutionStartedEventAttributes!.workflowId || workflowId('1'),
    );
  });

  it('gives the same canonical events every time, in order and paired, and ends as the execution did', async () => {
    const { events, state, divergence } = await recordedExecution([history], {
      converter: loadDataConverter(storage.dataConverter),
    });
    expect(divergence).toBeUndefined();
    const last = history.events!.at(-1)!;
    const expected = last.workflowExecutionCompletedEventAttributes ? 'completed' : 'failed';
    expect(state.status).toBe(expected);
    expect(checkEvents(events)).toEqual([]);
    expect(
      (await recordedExecution([history], { converter: loadDataConverter(storage.dataConverter) })).events,
    ).toEqual(events);
    expect(new Set(events.map((event) => event.event_id)).size).toBe(events.length);
    const scheduled = history.events!.flatMap(({ activityTaskScheduledEventAttributes: asked }) =>
      asked && asked.activityType?.name !== LOCAL_KIND ? asked.activityId! : [],
    );
    // Their activities are in histories of their own, or within one of kind `local`.
    const chunks = events.filter(({ event_type }) => event_type === 'loop.chunk.started');
    const elsewhere = new Set(chunks.map(({ step_run_id }) => step_run_id));
    const started = events.filter(
      ({ event_type, payload, step_run_id }) =>
        event_type === 'task.started' && payload['kind'] !== 'noop' && !elsewhere.has(step_run_id),
    );
    expect(started.map((event) => event.task_run_id).sort()).toEqual(scheduled.sort());
  });
});
