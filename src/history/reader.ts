/**
 * Converts a Temporal history to the batches that the workflow fed its engine: the same windows in the same order, so
 * that the same engine produces the same output. A window is what precedes the start of a completed workflow task;
 * signals and updates come first, then a cancellation, then completions sorted by key. The reader consumes one history
 * event at a time and keeps only what is still open, so that histories of any length can be streamed.
 */
import { type LoadedDataConverter } from '@temporalio/common';
import { CodedError } from '../language/errors';
import { type InputBatch, executionIdFor } from '../engine/machine';
import { type CalledInput, type PlaybookInput } from '../temporal/contract/definitions';
import { firstInput } from '../temporal/contract/first-input';
import { INTERNAL_PREFIX, isMapping, type Plan } from '../language/plan';
import { readArguments } from '../storage/payloads';
import { type Completion, type HistoryEvent } from './event';
import { Inputs, eventMillis, type Intake, type TaskFacts } from './inputs';
import { type ExecutionOrigin, executionOrigin } from './origin';

/** The first event: the input of the Temporal run. */
export interface HistoryStarted {
  readonly type: 'started';
  readonly input: PlaybookInput;
  readonly workflowId: string;
  readonly executionId: string;
  readonly origin: ExecutionOrigin;
  /** Milliseconds since the epoch: when it was asked for. */
  readonly at?: number;
}

/** A completed workflow task: its inputs, and its requests to Temporal. */
export interface Window {
  readonly type: 'window';
  /** Event id of the workflow task's start. */
  readonly eventId: number;
  /** In the driver's order: one, or two if signals arrived with the start. */
  readonly batches: readonly InputBatch[];
  /** Facts about the task runs that settled in this window, by task run id. */
  readonly tasks: ReadonlyMap<string, TaskFacts>;
  readonly commands: RequestedCommands;
}

/** The commands of a workflow task, as history recorded them. */
export interface RequestedCommands {
  /** Activity id → activity type. */
  readonly tasks: Map<string, string>;
  readonly timers: Set<string>;
  /** Execution ids of sub-playbooks, references of chunks. */
  readonly children: Set<string>;
  end?: 'complete' | 'fail' | 'cancelled' | 'continueAsNew';
}

/** `temporal workflow reset`: what follows belongs to a new Temporal run. */
export interface Reset {
  readonly type: 'reset';
  readonly eventId: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly baseRunId: string;
  readonly newRunId: string;
  readonly reason: string;
}

export const CLOSINGS = [
  'completed',
  'failed',
  'cancelled',
  'terminated',
  'timed_out',
  'continued_as_new',
] as const;

/** How the Temporal run ended. */
export interface Closed {
  readonly type: 'closed';
  readonly eventId: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly status: (typeof CLOSINGS)[number];
  /** The reason of whoever terminated it, or the message of the failure. */
  readonly reason?: string;
}

export type Item = HistoryStarted | Window | Reset | Closed;

interface Called extends CalledInput {
  readonly workflowId: string;
  readonly executionId: string;
  readonly origin: ExecutionOrigin;
}

/** A completed workflow task, as long as its own events may still follow. */
interface Open extends Intake {
  readonly eventId: number;
  readonly at: number;
  readonly continueAsNewSuggested: boolean;
  readonly commands: RequestedCommands;
}

export class HistoryReader {
  private readonly inputs: Inputs;
  private started: HistoryStarted | undefined;
  /** A sub-playbook whose plan is still being resolved. */
  private called: Called | undefined;
  /** It was cancelled before: what is resolved after that, it does not run. */
  private isGivenUp = false;
  /** A detached sub-playbook begins once its caller has been notified. */
  private callerHeard = false;
  private intake = emptyIntake();
  private begun: { eventId: number; at: number; continueAsNewSuggested: boolean } | undefined;
  private open: Open | undefined;
  private isFirst = true;

  /** @param workflowId for histories of servers that do not record it */
  constructor(
    converter: LoadedDataConverter,
    private readonly workflowId = '',
  ) {
    this.inputs = new Inputs(converter);
  }

  /**
   * Consumes the next event, and returns what is certain by then.
   *
   * @throws CodedError `HISTORY` when this is not the history of a playbook
   */
  async take(event: HistoryEvent): Promise<Item[]> {
    if (!this.started && !this.called) return await this.begin(event);
    if (this.open && (await this.belongsTo(this.open, event))) {
      const closed = closingOf(event, await this.endingOf(event));
      return closed ? [...this.flush(), closed] : [];
    }
    const items: Item[] = this.flush();
    const id = Number(event.eventId);
    const begins = event.workflowTaskStartedEventAttributes;
    const completes = event.workflowTaskCompletedEventAttributes;
    const fails = event.workflowTaskFailedEventAttributes;
    const closed = closingOf(event, await this.endingOf(event));
    if (begins) {
      const { suggestContinueAsNew } = begins;
      this.begun = {
        eventId: id,
        at: eventMillis(event.eventTime),
        continueAsNewSuggested: suggestContinueAsNew ?? false,
      };
    } else if (completes) {
      const commands = {
        tasks: new Map<string, string>(),
        timers: new Set<string>(),
        children: new Set<string>(),
      };
      this.open = { ...this.intake, ...this.begun!, commands };
      this.intake = emptyIntake();
    } else if (fails?.newRunId) {
      const { baseRunId, newRunId, failure } = fails;
      const reason = failure?.message ?? '';
      items.push({
        type: 'reset',
        eventId: id,
        at: eventMillis(event.eventTime),
        baseRunId: baseRunId ?? '',
        newRunId,
        reason,
      });
    } else if (closed) items.push(closed);
    else if (this.called && isAnswerOfCaller(event)) this.callerHeard = true;
    else await this.inputs.take(event, this.intake);
    return items;
  }

  /** The message of a failed workflow, which is encoded if payloads are encrypted. */
  private async endingOf(event: HistoryEvent): Promise<string | undefined> {
    const failure = event.workflowExecutionFailedEventAttributes?.failure;
    if (!failure?.encodedAttributes) return failure?.message ?? undefined;
    const [attributes] = (await this.inputs.decode([failure.encodedAttributes])) as [{ message?: string }];
    return attributes.message;
  }

  /** What is certain if nothing follows: at the end of a history, or of a page of it. */
  flush(): Item[] {
    const { open } = this;
    if (!open) return [];
    this.open = undefined;
    const begins = this.called !== undefined;
    if (this.called) {
      const plan = this.planAt(open);
      if (!plan || (this.called.call?.detached && !this.callerHeard)) {
        // No input is consumed before the playbook begins; its first batch takes them all.
        this.intake = { ...open, external: [...open.external, ...open.cancels], cancels: [] };
        return [];
      }
      const { call, payload, ...ids } = this.called;
      this.started = { type: 'started', input: { plan, call, payload }, ...ids };
      this.called = undefined;
    }
    const { at, continueAsNewSuggested } = open;
    const inputs = [
      ...open.external,
      ...open.cancels,
      ...open.completions.sort(byKey).map((completion) => completion.input),
    ];
    const batches: InputBatch[] = [];
    if (this.isFirst) {
      const start = firstInput(this.started!.input);
      batches.push({ at, inputs: begins ? [start, ...inputs] : [start], continueAsNewSuggested });
      this.isFirst = false;
    }
    if (inputs.length > 0 && !begins) batches.push({ at, inputs, continueAsNewSuggested });
    if (batches.length === 0) return [];
    const { eventId, tasks, commands } = open;
    const window: Window = { type: 'window', eventId, batches, tasks, commands };
    return begins ? [this.started!, window] : [window];
  }

  /** Its playbook, if it was resolved before anybody cancelled it. */
  private planAt({ external, cancels }: Open): Plan | undefined {
    const { plan } = this.inputs;
    this.isGivenUp ||= !plan && [...external, ...cancels].some(({ type }) => type === 'cancelRequested');
    return this.isGivenUp ? undefined : plan;
  }

  private async begin(event: HistoryEvent): Promise<Item[]> {
    const attributes = event.workflowExecutionStartedEventAttributes;
    if (!attributes)
      throw new CodedError('HISTORY', 'the history does not begin with WorkflowExecutionStarted');
    const type = attributes.workflowType?.name ?? '';
    const args = await this.inputs.decode(attributes.input?.payloads);
    const given = readArguments<PlaybookInput>(type, args);
    const { plan, payload } = given;
    if (type.startsWith(INTERNAL_PREFIX) || !isMapping(payload) || (plan !== undefined && !isMapping(plan)))
      throw new CodedError('HISTORY', 'the input of the workflow is not a Plan: it does not run a playbook');
    const workflowId = attributes.workflowId || this.workflowId;
    const origin = await executionOrigin(event, workflowId, (payloads) => this.inputs.decode(payloads));
    const drawn = executionIdFor(workflowId, attributes.firstExecutionRunId ?? '');
    if (!plan) {
      this.called = { ...given, workflowId, executionId: drawn, origin };
      return [];
    }
    const executionId = given.state?.executionId ?? drawn;
    const at = eventMillis(event.eventTime);
    this.started = { type: 'started', input: { ...given, plan }, workflowId, executionId, origin, at };
    return [this.started];
  }

  /** Whether the completed workflow task itself caused the event. Accepted updates count as such. */
  private async belongsTo(open: Open, event: HistoryEvent): Promise<boolean> {
    const update = await this.inputs.updateOf(event);
    if (update) open.external.push(update);
    if (update || isUpdateEvent(event)) return true;
    const closed = closingOf(event, await this.endingOf(event));
    if (closed) {
      open.commands.end = ENDS[closed.status];
      return open.commands.end !== undefined;
    }
    return await this.inputs.noteCommand(event, open.commands);
  }
}

const ENDS: Readonly<Record<Closed['status'], RequestedCommands['end']>> = {
  completed: 'complete',
  failed: 'fail',
  cancelled: 'cancelled',
  continued_as_new: 'continueAsNew',
  terminated: undefined,
  timed_out: undefined,
};

function emptyIntake(): Intake {
  return { external: [], cancels: [], completions: [], tasks: new Map() };
}

/** Before a sub-playbook begins, it signals only its caller. */
function isAnswerOfCaller(event: HistoryEvent): boolean {
  return Boolean(
    event.externalWorkflowExecutionSignaledEventAttributes ??
    event.signalExternalWorkflowExecutionFailedEventAttributes,
  );
}

function isUpdateEvent(event: HistoryEvent): boolean {
  return Boolean(
    event.workflowExecutionUpdateAcceptedEventAttributes ??
    event.workflowExecutionUpdateCompletedEventAttributes ??
    event.workflowExecutionUpdateRejectedEventAttributes,
  );
}

/** @param failure the message of a failed workflow */
function closingOf(event: HistoryEvent, failure: string | undefined): Closed | undefined {
  const failed = event.workflowExecutionFailedEventAttributes;
  const terminated = event.workflowExecutionTerminatedEventAttributes;
  const closing = (status: Closed['status'], reason?: string | null): Closed => ({
    type: 'closed',
    eventId: Number(event.eventId),
    at: eventMillis(event.eventTime),
    status,
    ...(reason ? { reason } : {}),
  });
  if (event.workflowExecutionCompletedEventAttributes) return closing('completed');
  if (failed) return closing('failed', failure);
  if (event.workflowExecutionCanceledEventAttributes) return closing('cancelled');
  if (terminated) return closing('terminated', terminated.reason);
  if (event.workflowExecutionTimedOutEventAttributes) return closing('timed_out');
  if (event.workflowExecutionContinuedAsNewEventAttributes) return closing('continued_as_new');
  return undefined;
}

function byKey(a: Completion, b: Completion): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}
