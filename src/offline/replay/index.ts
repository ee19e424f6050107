/** Whether this release would repeat a recorded run exactly: by the engine, and by Temporal's replayer. */
import { DeterminismViolationError } from '@temporalio/workflow';
import { type DataConverter, type LoadedDataConverter } from '@temporalio/common';
import { Worker } from '@temporalio/worker';
import { EngineError } from '../../engine/machine';
import { messageOf } from '../../language/errors';
import { Derivation, type HistoryEvent, type Pages } from '../../history';
import { NO_RUN_SPANS } from '../../telemetry/tracing';
import { loadWorkflowBundle } from '../../temporal/worker';

export { CANNOT_CONTINUE, HopelessExecutions, type HopelessLog } from './hopeless';
export { tryAlone, type TrialVerdict } from './trial';

/** The first difference between a run and what this release would do. */
export interface ReplayDivergence {
  /** Which check found it: the engine names the command, Temporal's replayer the event. */
  readonly by: 'engine' | 'temporal';
  /** Temporal run in the chain, from 0. */
  readonly run: number;
  readonly history_event_id: number | null;
  readonly recorded: string | null;
  readonly replayed: string | null;
  readonly message: string;
}

export interface ReplayReport {
  readonly ok: boolean;
  /** Temporal runs of the chain, and their history events. */
  readonly runs: number;
  readonly history_events: number;
  readonly events: number;
  readonly divergence?: ReplayDivergence;
}

/** A run to replay. */
export interface ReplayedHistory {
  /** Workflow id, if the history is read from a server. */
  readonly id?: string | undefined;
  /** Fetches payloads that the history only refers to. */
  readonly converter: LoadedDataConverter;
  readonly dataConverter: DataConverter;
  pages(): Pages;
}

/**
 * One Temporal run of the chain at a time, which Temporal's replayer needs as a whole.
 *
 * @throws errors of `pages`; CodedError `HISTORY` if it is not the history of a playbook
 */
export async function replayHistory(recording: ReplayedHistory): Promise<ReplayReport> {
  const { id, converter, dataConverter } = recording;
  const derivation = new Derivation({ workflowId: id, converter });
  let [runs, history_events, events] = [0, 0, 0];
  let divergence: ReplayDivergence | undefined;
  for await (const history of replayedRuns(recording.pages())) {
    const run = runs++;
    history_events += history.length;
    // Only counted.
    if (divergence) continue;
    try {
      for await (const some of derivation.portions(history)) events += some.length;
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      divergence = {
        by: 'engine',
        run,
        history_event_id: 1,
        recorded: null,
        replayed: null,
        message: error.message,
      };
    }
    if (derivation.divergence) divergence ??= { by: 'engine', run, ...derivation.divergence };
    divergence ??= await byTemporal(history, run, id, dataConverter);
  }
  return {
    ok: !divergence,
    runs,
    history_events,
    events,
    ...(divergence ? { divergence } : {}),
  };
}

/** The events by Temporal run. */
export async function* replayedRuns(pages: Pages): AsyncGenerator<readonly HistoryEvent[], void> {
  let run: HistoryEvent[] | undefined;
  for await (const page of pages)
    for (const event of page) {
      if (event.workflowExecutionStartedEventAttributes) {
        if (run) yield run;
        run = [];
      }
      run?.push(event);
    }
  if (run) yield run;
}

async function byTemporal(
  events: readonly HistoryEvent[],
  run: number,
  id: string | undefined,
  dataConverter: DataConverter,
): Promise<ReplayDivergence | undefined> {
  const completed = completedPart(events);
  if (completed.length === 0) return undefined;
  const { workflowId } = events[0]?.workflowExecutionStartedEventAttributes ?? {};
  const { workflowBundle } = await loadWorkflowBundle();
  const options = { workflowBundle, replayName: `run ${run}`, dataConverter, sinks: NO_RUN_SPANS };
  try {
    await Worker.runReplayHistory(options, { events: completed }, workflowId || id || 'noetl-1');
    return undefined;
  } catch (error) {
    const message = readable(error);
    const eventId = /HistoryEvent\(id: (\d+)/.exec(messageOf(error))?.[1];
    const history_event_id = eventId === undefined ? null : Number(eventId);
    return { by: 'temporal', run, history_event_id, recorded: null, replayed: null, message };
  }
}

/**
 * Without a workflow task that was never completed. The replayer would carry it out, in this thread and without any limit,
 * and there is nothing to compare it with.
 */
function completedPart(events: readonly HistoryEvent[]): HistoryEvent[] {
  const last = events.findLastIndex((event) => event.workflowTaskStartedEventAttributes);
  const isCompleted = events.slice(last + 1).some((event) => event.workflowTaskCompletedEventAttributes);
  if (isCompleted || last < 0) return [...events];
  const before = events.slice(0, last).findLastIndex((event) => event.workflowTaskCompletedEventAttributes);
  const next = events.findIndex((event, at) => at > before && event.workflowTaskScheduledEventAttributes);
  return before < 0 ? [] : events.slice(0, next);
}

/** The replayer's messages include advice for authors of workflow code. */
function readable(error: unknown): string {
  const text = messageOf(error);
  const core = /Nondeterminism error: ([^\n"]*)/.exec(text)?.[1];
  if (core !== undefined) return `the workflow code cannot replay the history: ${core.trim()}`;
  const kind =
    error instanceof DeterminismViolationError ? 'the workflow code cannot replay the history: ' : '';
  return `${kind}${text.split('\n')[0]}`;
}
