/**
 * Golden histories: executions of earlier builds must go on with this one. Each is replayed twice, by Temporal's own
 * replayer and by src/history, which must derive events and end where the execution ended.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type History, historyFromJSON } from '@temporalio/common/lib/proto-utils';
import { defaultPayloadConverter } from '@temporalio/common';
import { Worker } from '@temporalio/worker';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow';
import { openStorage, type Storage } from '../../src/storage/blobs';
import { ENGINE_VERSIONS } from '../../src/engine/machine/batch/versions';
import { recordedExecution } from '../../src/history';
import {
  KEYCHAIN_KIND,
  everyTask,
  LIMIT_KIND,
  LOCAL_KIND,
  RESOLVE_ACTIVITY,
  TASK_WORKFLOW_TYPE,
  CHUNK_WORKFLOW_TYPE,
} from '../../src/language/plan';
import { workflowId } from '../../src/temporal/client';
import { NO_RUN_SPANS } from '../../src/telemetry/tracing';
import { installRuntime, loadWorkflowBundle } from '../../src/temporal/worker';
import { TRACE_HEADER } from '../../src/telemetry/tracing/context';
import { checkEvents } from '../support/event-checks';
import { someOf } from '../support/sampled';

installRuntime();

/** Kinds that nothing outside of the workflow runs. */
const INSIDE = ['noop', 'wait'];

/** What `stored_result` refers to. */
const STORED = pathToFileURL(path.resolve(__dirname, '../stored-values')).href;
let storage: Storage;
beforeAll(async () => {
  storage = await openStorage(STORED);
});

const FOLDER = path.resolve(__dirname, '../histories');
const scenarios = fs
  .readdirSync(FOLDER)
  .flatMap((version) => fs.readdirSync(path.join(FOLDER, version)).map((name) => path.join(version, name)));

/** The runs of an execution, first to last: one file, or a folder of them where it continued as new. */
function runsOf(scenario: string): History[] {
  const place = path.join(FOLDER, scenario);
  const files = place.endsWith('.json')
    ? [place]
    : fs.readdirSync(place).map((_, position) => path.join(place, `${position + 1}.json`));
  return files.map((file) => historyFromJSON(JSON.parse(fs.readFileSync(file, 'utf8'))));
}

/** What the events of each history were when the release was frozen: `npm run release -- freeze` writes it. */
const RELEASES = path.resolve(__dirname, '../releases');
const eventsFile = (release: string): string => path.join(RELEASES, release, 'events.json');
const frozen: Record<string, Record<string, string>> = Object.fromEntries(
  fs
    .readdirSync(FOLDER)
    .map((release) => [
      release,
      process.env['FREEZE_RELEASE'] !== release
        ? (JSON.parse(fs.readFileSync(eventsFile(release), 'utf8')) as Record<string, string>)
        : {},
    ]),
);
afterAll(() => {
  const release = process.env['FREEZE_RELEASE'];
  if (release) fs.writeFileSync(eventsFile(release), `${JSON.stringify(frozen[release], null, 2)}\n`);
});

/** Ids and types, in their order: readers of events know them by these. */
function identityOf(events: readonly { event_id: string; event_type: string }[]): string {
  const lines = events.map(({ event_id, event_type }) => `${event_id} ${event_type}`);
  return `${lines.length} events, ${createHash('sha256').update(lines.join('\n')).digest('hex')}`;
}

/** As if whoever started it had been traced. */
function withTrace(history: History): History {
  const started = history.events![0]!.workflowExecutionStartedEventAttributes!;
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  started.header = { fields: { [TRACE_HEADER]: defaultPayloadConverter.toPayload({ traceparent }) } };
  return history;
}

test('there are golden histories of every engine version, and of every way a run is put together', () => {
  for (const { since } of ENGINE_VERSIONS)
    expect(scenarios.filter((name) => name.startsWith(`${since}/`)).length).toBeGreaterThanOrEqual(6);
  const all = scenarios.flatMap(runsOf).flatMap((history) => history.events!);
  const has = (attributes: keyof (typeof all)[number]) => all.some((event) => event[attributes]);
  expect(has('workflowExecutionContinuedAsNewEventAttributes')).toBe(true);
  expect(has('workflowExecutionUpdateAcceptedEventAttributes')).toBe(true);
  const children = all.flatMap(
    (event) => event.startChildWorkflowExecutionInitiatedEventAttributes?.workflowType?.name ?? [],
  );
  expect([...new Set(children)].sort()).toEqual(
    expect.arrayContaining(['examples/lib/price_order', TASK_WORKFLOW_TYPE]),
  );
});

describe.each(scenarios)('%s', (scenario) => {
  const runs = runsOf(scenario);

  it('replays in Temporal without divergence, be it part of a trace or not', async () => {
    const { workflowBundle } = await loadWorkflowBundle();
    const isTraced = someOf(scenarios, 4).includes(scenario);
    const traced = isTraced ? runsOf(scenario).map(withTrace) : [];
    for (const history of [...runs, ...traced]) {
      await Worker.runReplayHistory(
        {
          workflowBundle,
          replayName: scenario,
          dataConverter: storage.dataConverter,
          sinks: NO_RUN_SPANS,
        },
        history,
        // Ids of children and chunks are made from it.
        history.events![0]!.workflowExecutionStartedEventAttributes!.workflowId || workflowId('1'),
      );
    }
  });

  it('gives the same canonical events every time, in order and paired, and ends as the execution did', async () => {
    const { plan, events, state, divergence } = await recordedExecution(runs, {
      converter: loadDataConverter(storage.dataConverter),
    });
    expect(divergence).toBeUndefined();
    const last = runs.at(-1)!.events!.at(-1)!;
    const expected = last.workflowExecutionCompletedEventAttributes ? 'completed' : 'failed';
    expect(state.status).toBe(expected);
    expect(checkEvents(events)).toEqual([]);
    expect(
      (await recordedExecution(runs, { converter: loadDataConverter(storage.dataConverter) })).events,
    ).toEqual(events);
    expect(new Set(events.map((event) => event.event_id)).size).toBe(events.length);
    const [release = '', name = ''] = scenario.split(path.sep);
    if (process.env['FREEZE_RELEASE'] === release) frozen[release]![name] = identityOf(events);
    expect(identityOf(events)).toBe(frozen[release]![name]);
    const all = runs.flatMap((history) => history.events!);
    const scheduled = all.flatMap(({ activityTaskScheduledEventAttributes: asked }) =>
      asked &&
      ![LOCAL_KIND, KEYCHAIN_KIND, LIMIT_KIND, RESOLVE_ACTIVITY].includes(asked.activityType?.name ?? '')
        ? asked.activityId!
        : [],
    );
    const apart = all.filter(
      ({ startChildWorkflowExecutionInitiatedEventAttributes: asked }) =>
        asked && asked.workflowType?.name !== CHUNK_WORKFLOW_TYPE,
    );
    // Their activities are in histories of their own, or within one of kind `local`.
    const chunks = events.filter(({ event_type }) => event_type === 'loop.chunk.started');
    const elsewhere = new Set(chunks.map(({ step_run_id }) => step_run_id));
    const local = new Set(
      plan.steps.flatMap((step) => (everyTask(step).some((task) => task.local) ? [step.name] : [])),
    );
    const started = events.filter(
      ({ event_type, payload, step_run_id }) =>
        event_type === 'task.started' &&
        !INSIDE.includes(String(payload['kind'])) &&
        !elsewhere.has(step_run_id) &&
        !local.has(step_run_id!.split('#')[0]!),
    );
    // Each as an activity, or under a workflow of its own (a sub-playbook, a long task).
    expect(started).toHaveLength(scheduled.length + apart.length);
    const ids = started.map((event) => event.task_run_id);
    expect(ids).toEqual(expect.arrayContaining(scheduled));
  });
});
