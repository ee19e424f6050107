/**
 * Converts events of a Temporal history to engine inputs, and collects the facts about task runs that only history has.
 */
import { CancelledFailure, type LoadedDataConverter } from '@temporalio/common';
import {
  decodeArrayFromPayloads,
  decodeOptionalFailureToOptionalError,
} from '@temporalio/common/lib/internal-non-workflow';
import { type temporal } from '@temporalio/proto';
import { type Input, type LeaseAnswer } from '../engine/machine';
import {
  asResolved,
  CLOSING_TIMER,
  LOCAL_KIND,
  type Outcome,
  type Plan,
  RESOLVE_ACTIVITY,
  type ResolvedPlaybook,
  type WireOutcome,
} from '../language/plan';
import { leaseEnd, leaseLost, outcomeOfFailure, outcomeOfResult } from '../temporal/contract/outcomes';
import { ChildReader } from './children';
import { type LongTaskFacts } from '../temporal/contract/definitions';
import { type Completion, type HistoryEvent } from './event';
import { signalInput, updateInput } from '../temporal/contract/messages';
import { LongTaskReader } from './long-tasks';
import { fetchStored, fetchStoredFailure } from './stored';

/** Facts about a task run that only history has. */
export interface TaskFacts {
  /** Milliseconds since the epoch. */
  readonly scheduledAt: number;
  readonly startedAt?: number;
  readonly settledAt: number;
  /** Identity of the worker that ran it. */
  readonly identity?: string;
  /** Temporal's own attempt: above 1 after a crash. */
  readonly tries: number;
}

/** Inputs since the last completed workflow task. */
export interface Intake {
  readonly external: Input[];
  readonly cancels: Input[];
  readonly completions: Completion[];
  readonly tasks: Map<string, TaskFacts>;
}

interface Scheduled {
  readonly id: string;
  readonly kind: string;
  readonly scheduledAt: number;
  started?: HistoryEvent;
}

/** The inputs of one Temporal run; keeps track of what is pending, to match completions. */
export class Inputs {
  private readonly activities = new Map<number, Scheduled>();
  private readonly timers = new Map<number, string>();
  private readonly children = new ChildReader((payloads) => this.decode(payloads));
  private readonly longTasks = new LongTaskReader((payloads) => this.decode(payloads));
  /** For a sub-playbook: the event that requested its plan, and the plan once known. */
  private resolving: number | undefined;
  plan: Plan | undefined;
  /** Updates carried over by a reset: their acceptance does not repeat the request. */
  private readonly admitted = new Map<string, temporal.api.update.v1.IRequest>();

  constructor(private readonly converter: LoadedDataConverter) {}

  async decode(payloads: temporal.api.common.v1.IPayload[] | null | undefined): Promise<unknown[]> {
    return await decodeArrayFromPayloads(this.converter, await fetchStored(payloads ?? [], this.converter));
  }

  /** Handles an event that no workflow task caused. */
  async take(event: HistoryEvent, into: Intake): Promise<void> {
    const admitted = event.workflowExecutionUpdateAdmittedEventAttributes?.request;
    const started = event.activityTaskStartedEventAttributes;
    if (event.workflowExecutionCancelRequestedEventAttributes) into.cancels.push({ type: 'cancelRequested' });
    else if (event.workflowExecutionSignaledEventAttributes) {
      const signal = await this.signalOf(event, into.tasks);
      if (signal) into.external.push(signal);
    } else if (admitted) this.admitted.set(admitted.meta?.updateId ?? '', admitted);
    else if (started) {
      const scheduled = this.activities.get(Number(started.scheduledEventId));
      if (scheduled) scheduled.started = event;
    } else {
      const completion = await this.completionOf(event, into.tasks);
      if (completion) into.completions.push(completion);
    }
  }

  /** Registers a workflow task's request; false when the event is not one. */
  async noteCommand(
    event: HistoryEvent,
    commands: { tasks: Map<string, string>; timers: Set<string>; children: Set<string> },
  ): Promise<boolean> {
    const activity = event.activityTaskScheduledEventAttributes;
    const long = await this.longTasks.noteCommand(event);
    const child = long ? undefined : await this.children.noteCommand(event);
    if (long) commands.tasks.set(long.id, long.kind);
    else if (child !== undefined) commands.children.add(child);
    else if (activity?.activityType?.name === RESOLVE_ACTIVITY) this.resolving = Number(event.eventId);
    else if (activity) {
      const id = activity.activityId!;
      const kind = activity.activityType?.name ?? '';
      this.activities.set(Number(event.eventId), { id, kind, scheduledAt: eventMillis(event.eventTime) });
      commands.tasks.set(id, kind);
    } else if (event.timerStartedEventAttributes) {
      const [summary] = await this.decode(event.userMetadata?.summary ? [event.userMetadata.summary] : []);
      const key = String(summary);
      if (key === CLOSING_TIMER) return true;
      this.timers.set(Number(event.eventId), key);
      commands.timers.add(key);
    } else if (event.timerCanceledEventAttributes) {
      this.timers.delete(Number(event.timerCanceledEventAttributes.startedEventId));
    } else return isCommandEvent(event);
    return true;
  }

  private async signalOf(event: HistoryEvent, tasks: Map<string, TaskFacts>): Promise<Input | undefined> {
    const signal = event.workflowExecutionSignaledEventAttributes!;
    const args = await this.decode(signal.input?.payloads);
    const input = signalInput(signal.signalName ?? '', args);
    if (input?.type === 'taskSettled') {
      const { scheduledAt } = args[2] as LongTaskFacts;
      tasks.set(input.taskRunId, { scheduledAt, settledAt: eventMillis(event.eventTime), tries: 1 });
    }
    return input;
  }

  /** The input of an accepted update. */
  async updateOf(event: HistoryEvent): Promise<Input | undefined> {
    const accepted = event.workflowExecutionUpdateAcceptedEventAttributes;
    if (!accepted) return undefined;
    const request = accepted.acceptedRequest ?? this.admitted.get(accepted.protocolInstanceId ?? '');
    const args = await this.decode(request?.input?.args?.payloads);
    return updateInput(request?.input?.name ?? '', args, request?.meta?.updateId ?? '');
  }

  private async completionOf(
    event: HistoryEvent,
    tasks: Map<string, TaskFacts>,
  ): Promise<Completion | undefined> {
    const fired = event.timerFiredEventAttributes;
    if (fired) {
      const started = Number(fired.startedEventId);
      const key = this.timers.get(started);
      if (key === undefined) return undefined;
      this.timers.delete(started);
      return { key, input: { type: 'timerFired', key } };
    }
    const ofChild = this.longTasks.completionOf(event) ?? this.children.completionOf(event);
    if (ofChild) return ofChild;
    const settled =
      event.activityTaskCompletedEventAttributes ??
      event.activityTaskFailedEventAttributes ??
      event.activityTaskTimedOutEventAttributes ??
      event.activityTaskCanceledEventAttributes;
    if (!settled) return undefined;
    const scheduledId = Number(settled.scheduledEventId);
    if (scheduledId === this.resolving) {
      const [answer] = await this.decode(event.activityTaskCompletedEventAttributes?.result?.payloads);
      this.plan = answer === undefined ? undefined : asResolved(answer as Plan | ResolvedPlaybook).plan;
      return undefined;
    }
    const { id: taskRunId, kind, scheduledAt, started } = this.activities.get(scheduledId)!;
    this.activities.delete(scheduledId);
    const attributes = started?.activityTaskStartedEventAttributes;
    tasks.set(taskRunId, {
      scheduledAt,
      settledAt: eventMillis(event.eventTime),
      startedAt: started ? eventMillis(started.eventTime) : undefined,
      identity: attributes?.identity ?? undefined,
      tries: attributes?.attempt ?? 1,
    });
    if (kind === LOCAL_KIND) return { key: taskRunId, input: await this.leaseEnd(taskRunId, event) };
    const outcome = await this.outcomeOf(event);
    return { key: taskRunId, input: { type: 'taskSettled', taskRunId, outcome } };
  }

  private async outcomeOf(event: HistoryEvent): Promise<Outcome> {
    const completed = event.activityTaskCompletedEventAttributes;
    if (completed) {
      const [outcome] = (await this.decode(completed.result?.payloads)) as [WireOutcome];
      return outcomeOfResult(outcome);
    }
    return outcomeOfFailure(await this.failureOf(event));
  }

  /** How an activity of `exec: local` ended. */
  private async leaseEnd(ref: string, event: HistoryEvent): Promise<Input> {
    const completed = event.activityTaskCompletedEventAttributes;
    if (!completed) return leaseLost(ref, await this.failureOf(event));
    const [answer] = (await this.decode(completed.result?.payloads)) as [LeaseAnswer];
    return leaseEnd(ref, answer);
  }

  private async failureOf(event: HistoryEvent): Promise<Error> {
    const failure = (event.activityTaskFailedEventAttributes ?? event.activityTaskTimedOutEventAttributes)
      ?.failure;
    const fetched = await fetchStoredFailure(failure, this.converter);
    const error = await decodeOptionalFailureToOptionalError(this.converter, fetched);
    return error ?? new CancelledFailure('the task was cancelled');
  }
}

/** Every event caused by a workflow task names that task's completion. */
function isCommandEvent(event: HistoryEvent): boolean {
  const type = Object.keys(event).find((key) => key.endsWith('EventAttributes'));
  const attributes = type === undefined ? undefined : event[type as keyof HistoryEvent];
  const by = (attributes as { workflowTaskCompletedEventId?: unknown } | undefined)
    ?.workflowTaskCompletedEventId;
  return by !== undefined && by !== null && Number(by) > 0;
}

/** Milliseconds since the epoch of a protobuf timestamp; 0 for none. */
export function eventMillis(time: HistoryEvent['eventTime']): number {
  if (!time) return 0;
  return Number(time.seconds ?? 0) * 1000 + Math.floor((time.nanos ?? 0) / 1e6);
}
