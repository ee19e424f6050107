/**
 * From a Temporal history to the batches the workflow fed its engine (DESIGN.md section 3): the same windows, the same
 * order, so that the same engine says the same again. A window is what stands before the start of a workflow task that
 * completed; external inputs come first, completions sorted by their key.
 */
import { CancelledFailure, type LoadedDataConverter } from '@temporalio/common';
import {
  decodeArrayFromPayloads,
  decodeOptionalFailureToOptionalError,
} from '@temporalio/common/lib/internal-non-workflow';
import { type temporal } from '@temporalio/proto';
import { type Batch, type Input } from '../engine';
import { type JsonObject, type Outcome, unpackOutcome, type WireOutcome } from '../plan';
import { outcomeOfFailure } from '../../workflows/outcomes';
import { type PlaybookInput } from '../../workflows/contract';

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

/** One batch, and where in history it stands. */
export interface Window {
  readonly batch: Batch;
  /** Event id of the workflow task's start. */
  readonly eventId: number;
  /** What history tells of the task runs that settled in this window, by task run id. */
  readonly tasks: ReadonlyMap<string, TaskFacts>;
}

/** What only history knows of a task run. */
export interface TaskFacts {
  /** Milliseconds since the epoch. */
  readonly scheduledAt: number;
  readonly startedAt?: number;
  readonly settledAt: number;
  /** Of the worker that ran it. */
  readonly identity?: string;
  /** Temporal's own attempt: above 1 after a crash. */
  readonly tries: number;
}

export interface Recorded {
  readonly input: PlaybookInput;
  readonly workflowId: string;
  readonly runId: string;
  readonly windows: readonly Window[];
}

/** History that is not one of a playbook. */
export class HistoryError extends Error {
  readonly code = 'HISTORY';
}

/**
 * Reads the history of one Temporal run. `workflowId` is for histories of servers that do not record it.
 *
 * @throws HistoryError when it is not the history of a playbook
 */
export async function readHistory(
  events: readonly HistoryEvent[],
  converter: LoadedDataConverter,
  workflowId = '',
): Promise<Recorded> {
  const reader = new Reader(converter);
  const first = events[0]?.workflowExecutionStartedEventAttributes;
  if (!first) throw new HistoryError('the history does not begin with WorkflowExecutionStarted');
  const [given] = (await reader.decode(first.input?.payloads)) as [PlaybookInput | undefined];
  if (!given || typeof given !== 'object') throw new HistoryError('the workflow has no Plan as its input');
  const input = 'plan' in given ? given : ({ plan: given } as unknown as PlaybookInput);
  const windows = await reader.windows(events, input);
  return {
    input,
    workflowId: first.workflowId || workflowId,
    runId: first.originalExecutionRunId ?? '',
    windows,
  };
}

interface Scheduled {
  readonly id: string;
  readonly scheduledAt: number;
}

class Reader {
  private readonly activities = new Map<number, Scheduled>();
  private readonly timers = new Map<number, string>();
  private readonly starts = new Map<number, HistoryEvent>();

  constructor(private readonly converter: LoadedDataConverter) {}

  async decode(payloads: temporal.api.common.v1.IPayload[] | null | undefined): Promise<unknown[]> {
    return await decodeArrayFromPayloads(this.converter, payloads);
  }

  async windows(events: readonly HistoryEvent[], input: PlaybookInput): Promise<Window[]> {
    const windows: Window[] = [];
    const completed = completedTasks(events);
    let external: Input[] = [];
    let completions: { key: string; input: Input }[] = [];
    let tasks = new Map<string, TaskFacts>();
    let isFirst = true;
    for (const event of events) {
      const id = Number(event.eventId);
      const attributes = event.workflowTaskStartedEventAttributes;
      if (attributes && completed.has(id)) {
        // Accepted updates are written by the completion of the task that took them in.
        external.push(...(await this.updatesOf(events, completed.get(id)!)));
        const at = millis(event.eventTime);
        const continueAsNewSuggested = attributes.suggestContinueAsNew ?? false;
        const inputs = [...external, ...completions.sort(byKey).map((completion) => completion.input)];
        if (isFirst) {
          const start: Input = input.state
            ? { type: 'continued' }
            : { type: 'started', payload: { ...input.payload } };
          windows.push({
            batch: { at, inputs: [start], continueAsNewSuggested },
            eventId: id,
            tasks: new Map(),
          });
        }
        if (inputs.length > 0)
          windows.push({ batch: { at, inputs, continueAsNewSuggested }, eventId: id, tasks });
        isFirst = false;
        external = [];
        completions = [];
        tasks = new Map();
        continue;
      }
      const outside = await this.externalOf(event);
      if (outside) external.push(outside);
      const completion = await this.completionOf(event, tasks);
      if (completion) completions.push(completion);
    }
    return windows;
  }

  private async externalOf(event: HistoryEvent): Promise<Input | undefined> {
    if (event.workflowExecutionCancelRequestedEventAttributes) return { type: 'cancelRequested' };
    const signal = event.workflowExecutionSignaledEventAttributes;
    if (!signal) return undefined;
    const [asked] = (await this.decode(signal.input?.payloads)) as [{ reason?: string } | undefined];
    switch (signal.signalName) {
      case 'pause':
        return { type: 'paused', reason: asked?.reason };
      case 'resume':
        return { type: 'resumed' };
      case 'cancel':
        return { type: 'cancelRequested', reason: asked?.reason };
      default:
        return undefined;
    }
  }

  private async updatesOf(events: readonly HistoryEvent[], completion: number): Promise<Input[]> {
    const inputs: Input[] = [];
    for (const event of events) {
      const accepted = event.workflowExecutionUpdateAcceptedEventAttributes;
      if (!accepted || Number(event.eventId) < completion) continue;
      if (this.windowOf(events, Number(event.eventId)) !== completion) continue;
      const [argument] = await this.decode(accepted.acceptedRequest?.input?.args?.payloads);
      if (accepted.acceptedRequest?.input?.name === 'setVariables') {
        inputs.push({ type: 'variablesSet', variables: argument as JsonObject });
      } else if (accepted.acceptedRequest?.input?.name === 'deleteVariables') {
        inputs.push({ type: 'variablesDeleted', names: argument as string[] });
      }
    }
    return inputs;
  }

  /** The completion event whose commands an event belongs to: the last one before it. */
  private windowOf(events: readonly HistoryEvent[], id: number): number {
    for (let position = id - 1; position >= 0; position--) {
      const event = events[position];
      if (event?.workflowTaskCompletedEventAttributes) return Number(event.eventId);
    }
    return -1;
  }

  private async completionOf(
    event: HistoryEvent,
    tasks: Map<string, TaskFacts>,
  ): Promise<{ key: string; input: Input } | undefined> {
    const id = Number(event.eventId);
    if (event.activityTaskScheduledEventAttributes) {
      const { activityId } = event.activityTaskScheduledEventAttributes;
      this.activities.set(id, { id: activityId!, scheduledAt: millis(event.eventTime) });
    } else if (event.activityTaskStartedEventAttributes) {
      this.starts.set(Number(event.activityTaskStartedEventAttributes.scheduledEventId), event);
    } else if (event.timerStartedEventAttributes) {
      const [key] = await this.decode(event.userMetadata?.summary ? [event.userMetadata.summary] : []);
      this.timers.set(id, String(key));
    } else if (event.timerFiredEventAttributes) {
      const key = this.timers.get(Number(event.timerFiredEventAttributes.startedEventId))!;
      return { key, input: { type: 'timerFired', key } };
    }
    const settled =
      event.activityTaskCompletedEventAttributes ??
      event.activityTaskFailedEventAttributes ??
      event.activityTaskTimedOutEventAttributes ??
      event.activityTaskCanceledEventAttributes;
    if (!settled) return undefined;
    const scheduledId = Number(settled.scheduledEventId);
    const { id: taskRunId, scheduledAt } = this.activities.get(scheduledId)!;
    const start = this.starts.get(scheduledId);
    const started = start?.activityTaskStartedEventAttributes;
    tasks.set(taskRunId, {
      scheduledAt,
      settledAt: millis(event.eventTime),
      startedAt: start ? millis(start.eventTime) : undefined,
      identity: started?.identity ?? undefined,
      tries: started?.attempt ?? 1,
    });
    const outcome = await this.outcomeOf(event);
    return { key: taskRunId, input: { type: 'taskSettled', taskRunId, outcome } };
  }

  private async outcomeOf(event: HistoryEvent): Promise<Outcome> {
    const completed = event.activityTaskCompletedEventAttributes;
    if (completed) {
      const [outcome] = (await this.decode(completed.result?.payloads)) as [WireOutcome];
      return unpackOutcome(outcome);
    }
    const failure = (event.activityTaskFailedEventAttributes ?? event.activityTaskTimedOutEventAttributes)
      ?.failure;
    const error = await decodeOptionalFailureToOptionalError(this.converter, failure);
    return outcomeOfFailure(error ?? new CancelledFailure('the task was cancelled'));
  }
}

/** Event id of a workflow task's start → event id of its completion, for those that completed. */
function completedTasks(events: readonly HistoryEvent[]): Map<number, number> {
  const found = new Map<number, number>();
  for (const event of events) {
    const attributes = event.workflowTaskCompletedEventAttributes;
    if (attributes) found.set(Number(attributes.startedEventId), Number(event.eventId));
  }
  return found;
}

function byKey(a: { key: string }, b: { key: string }): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}

/** Milliseconds since the epoch of a protobuf timestamp, object or RFC 3339 text. */
function millis(time: temporal.api.history.v1.IHistoryEvent['eventTime']): number {
  if (!time) return 0;
  return Number(time.seconds ?? 0) * 1000 + Math.floor((time.nanos ?? 0) / 1e6);
}
