/**
 * Input of an execution's workflow (`readArguments` of src/storage/payloads), its result, and its signals, updates and queries.
 */
import { type ActivityOptions, defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import {
  type Caller,
  type Chunk,
  type ChunkSettled,
  type EngineEvent,
  type EventAnswer,
  type ExecutionError,
  type EngineNote,
  type Progress,
  type RerunOrigin,
  type State,
  type Trace,
} from '../../engine/machine';
import {
  type AwaitedEvent,
  type GrantRequest,
  type Json,
  type JsonObject,
  type KeeperView,
  type LimitAnswer,
  type LimitRequest,
  type Plan,
  type PlaybookRequest,
  type Secrets,
  type WireCall,
  type WireOutcome,
} from '../../language/plan';

export interface PlaybookInput {
  readonly plan: Plan;
  readonly payload?: JsonObject;
  /** The secrets that handles in the payload refer to: secret fields of the workload. */
  readonly secrets?: Secrets;
  /** The recorded state to continue from: continue-as-new, rerun. */
  readonly state?: State;
  /** For a rerun, in addition to its state: its origin, and the overrides for the recorded variables. */
  readonly rerun?: { readonly origin: RerunOrigin; readonly variables: JsonObject };
  /** For a sub-playbook: its caller. */
  readonly call?: PlaybookCall;
  /** Where its last step returns nothing, the result is that of the latest call, as `return_result` of a call has it. */
  readonly returnResult?: true;
  readonly resolver?: ResolverQueue;
}

/**
 * Task queue of a resolver that takes precedence over the common one for this execution's sub-playbooks: `run FILE` has
 * its own folders beside the running workers. Passed on to all called playbooks.
 */
export type ResolverQueue = string;

/** For an execution whose plan is not resolved yet: by the path in its workflow type, or by a call. */
export interface CalledInput {
  readonly call?: PlaybookCall;
  readonly payload: JsonObject;
  readonly resolver?: ResolverQueue;
  /** Version of the path, unless a call says: as in REST, a catalog version number or a `metadata.version`. */
  readonly version?: string | number;
}

/** A call of a sub-playbook. */
export interface PlaybookCall extends PlaybookRequest {
  readonly returnStep?: string;
  readonly returnResult?: true;
  readonly onlyInputs?: readonly string[];
  readonly detached: boolean;
  readonly caller: Caller;
  readonly callerWorkflowId: string;
}

/** Input of a chunk: iterations of a loop in a workflow of their own. */
export interface ChunkInput {
  /** Reduced to the step. */
  readonly plan: Plan;
  /** Its external name. */
  readonly ref: string;
  readonly loopWorkflowId: string;
  /** The chunk's input at first; later its state. */
  readonly chunk?: Chunk;
  readonly state?: State;
  readonly resolver?: ResolverQueue;
}

export interface PlaybookResult {
  readonly status: 'completed';
  readonly result: Json;
  /** In start order, at most the latest thousand. */
  readonly steps_executed: readonly string[];
  /** Work left undone without a failure; absent if there is none. */
  readonly notes?: readonly EngineNote[];
}

/** Details of the ApplicationFailure that ends a failed execution. */
export interface PlaybookFailure {
  readonly error: ExecutionError;
  /** In start order, at most the latest thousand. */
  readonly steps_executed: readonly string[];
}

export const progressQuery = defineQuery<Progress>('progress');
export const stateQuery = defineQuery<State>('state');
export const variablesQuery = defineQuery<JsonObject>('variables');

export const pauseSignal = defineSignal<[{ reason?: string }?]>('pause');
export const resumeSignal = defineSignal('resume');
export const cancelSignal = defineSignal<[{ reason?: string }?]>('cancel');

/** An event that a task of kind `wait` may wait for. With an id, sending it twice is harmless. */
export interface SentEvent {
  readonly name: string;
  readonly payload?: Json;
  readonly id?: string;
  /** It answers a form. */
  readonly answer?: Pick<EventAnswer, 'of' | 'by' | 'via'>;
}

export const eventSignal = defineSignal<[SentEvent]>('event');
/** Like the signal, but validated and with a reply: how many waits took it (0: it is kept). */
export const sendEventUpdate = defineUpdate<EventUpdateAnswer, [SentEvent]>('sendEvent');

export interface EventUpdateAnswer {
  readonly taken: 0 | 1;
  /** An event with the same id arrived before: this one was ignored. */
  readonly duplicate: boolean;
  /** Why an answer was not accepted: it does not fit the form, or the wait is over. */
  readonly refused?: string;
}

/** What is waited for from outside, the oldest first. */
export const awaitedQuery = defineQuery<readonly AwaitedEvent[]>('awaited');

/** Whether an event with this id has arrived: the answer after the end, when updates are refused. */
export const hasReceivedQuery = defineQuery<boolean, [string]>('hasReceived');

/** From a sub-playbook to its caller. */
export const childStartedSignal =
  defineSignal<[{ child: string; version?: string; digest: string }]>('childStarted');
export const childSettledSignal = defineSignal<[{ child: string; outcome: WireOutcome }]>('childSettled');

/** From a chunk to its loop: its batches since the last report and, at its end, its result. */
export interface ChunkReport {
  readonly ref: string;
  readonly trace: Trace;
  readonly settled?: ChunkSettled;
}
export const chunkSignal = defineSignal<[ChunkReport]>('chunk');

/** Input of the workflow of a long task. */
export interface LongTaskInput {
  readonly taskRunId: string;
  readonly kind: string;
  readonly call: WireCall;
  readonly options: ActivityOptions;
  readonly callerWorkflowId: string;
  /** What the task may open. */
  readonly grant?: GrantRequest;
}

/** From the workflow of a long task to the run that owns it: task run id, outcome, and when the task was scheduled. */
export const taskSettledSignal =
  defineSignal<[taskRunId: string, outcome: WireOutcome, about: LongTaskFacts]>('taskSettled');

export interface LongTaskFacts {
  /** Milliseconds since the epoch. */
  readonly scheduledAt: number;
}

/** The opposite direction: stop it. The argument is for readers of the history. */
export const cancelTaskSignal = defineSignal<[taskRunId: string]>('cancelTask');

/** To a keeper (workflows/limit.ts): a request, and the end of an execution that asked. */
export const askSignal = defineSignal<[LimitRequest]>('ask');
export const leaveSignal = defineSignal<[execution: string]>('leave');
/** From a keeper to whoever asked it. */
export const limitSignal = defineSignal<[LimitAnswer]>('limit');
/** Who holds the key, and who waits. */
export const keeperQuery = defineQuery<KeeperView>('limit');

/** An event before export: the same id, without what only history provides. */
export type RecentEvent = EngineEvent & { readonly event_id: string; readonly timestamp: string };

/** The latest events of this Temporal run, oldest first; the argument is their number (default 100, maximum 1,000). */
export const eventsQuery = defineQuery<readonly RecentEvent[], [number?]>('events');

export const setVariablesUpdate = defineUpdate<{ set: string[] }, [JsonObject]>('setVariables');
export const deleteVariablesUpdate = defineUpdate<{ deleted: string[] }, [string[]]>('deleteVariables');
