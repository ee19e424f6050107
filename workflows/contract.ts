/** What goes into the workflow of an execution (`readArguments` of src/payloads), what comes out, and how to talk to it while it runs. */
import { type ActivityOptions, defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import {
  type Caller,
  type Chunk,
  type ChunkSettled,
  type EngineEvent,
  type ExecutionError,
  type Note,
  type Progress,
  type RerunOrigin,
  type State,
  type Trace,
} from '../src/engine';
import {
  type Json,
  type JsonObject,
  type Plan,
  type PlaybookRequest,
  type Secrets,
  type WireCall,
  type WireOutcome,
} from '../src/plan';

export interface PlaybookInput {
  readonly plan: Plan;
  readonly payload?: JsonObject;
  /** What handles in the payload stand for: secret fields of the workload. */
  readonly secrets?: Secrets;
  /** The recorded state to go on from: continue-as-new, rerun. */
  readonly state?: State;
  /** Of a rerun, beside its state: where it comes from, and what is laid over the recorded variables. */
  readonly rerun?: { readonly origin: RerunOrigin; readonly variables: JsonObject };
  /** Of a sub-playbook: who called it. */
  readonly call?: PlaybookCall;
  readonly resolver?: ResolverQueue;
}

/**
 * The task queue of whoever knows the sub-playbooks of this execution better than those who serve the common one: `run
 * FILE` has its own folders beside the workers that are there. Passed on to all that is called.
 */
export type ResolverQueue = string;

/** Of an execution whose plan is still to be found: that of the path which is its workflow's type, or of a call. */
export interface CalledInput {
  readonly call?: PlaybookCall;
  readonly payload: JsonObject;
  readonly resolver?: ResolverQueue;
  /** Which version of the path, where no call says it: as over REST, a number of the catalog or a `metadata.version`. */
  readonly version?: string | number;
}

/** A call of a sub-playbook. */
export interface PlaybookCall extends PlaybookRequest {
  readonly returnStep?: string;
  readonly detached: boolean;
  readonly caller: Caller;
  readonly callerWorkflowId: string;
}

/** Input of a chunk: iterations of a loop in a workflow of their own. */
export interface ChunkInput {
  /** Cut down to the step. */
  readonly plan: Plan;
  /** What the loop calls it. */
  readonly ref: string;
  readonly loopWorkflowId: string;
  /** At first; later its state. */
  readonly chunk?: Chunk;
  readonly state?: State;
  readonly resolver?: ResolverQueue;
}

export interface PlaybookResult {
  readonly status: 'completed';
  readonly result: Json;
  /** In the order they started, the latest thousand. */
  readonly steps_executed: readonly string[];
  /** What is left undone without a failure; absent where nothing is. */
  readonly notes?: readonly Note[];
}

/** Details of the ApplicationFailure that ends a failed execution. */
export interface PlaybookFailure {
  readonly error: ExecutionError;
  /** In the order they started, the latest thousand. */
  readonly steps_executed: readonly string[];
}

export const progressQuery = defineQuery<Progress>('progress');
export const stateQuery = defineQuery<State>('state');
export const variablesQuery = defineQuery<JsonObject>('variables');

export const pauseSignal = defineSignal<[{ reason?: string }?]>('pause');
export const resumeSignal = defineSignal('resume');
export const cancelSignal = defineSignal<[{ reason?: string }?]>('cancel');

/** Something that a task of kind `wait` may wait for. An id makes sending it again harmless. */
export interface SentEvent {
  readonly name: string;
  readonly payload?: Json;
  readonly id?: string;
}

export const eventSignal = defineSignal<[SentEvent]>('event');
/** As the signal, validated, and with an answer: how many waits took it (none: it is kept). */
export const sendEventUpdate = defineUpdate<EventAnswer, [SentEvent]>('sendEvent');

export interface EventAnswer {
  readonly taken: 0 | 1;
  /** An event with its id came before: this one was ignored. */
  readonly duplicate: boolean;
}

/** From a sub-playbook to its caller. */
export const childStartedSignal =
  defineSignal<[{ child: string; version?: string; digest: string }]>('childStarted');
export const childSettledSignal = defineSignal<[{ child: string; outcome: WireOutcome }]>('childSettled');

/** From a chunk to its loop: what it went through since it told last, and, with its end, what it came to. */
export interface ChunkReport {
  readonly ref: string;
  readonly trace: Trace;
  readonly settled?: ChunkSettled;
}
export const chunkSignal = defineSignal<[ChunkReport]>('chunk');

/** Input of the workflow of a task that may take long. */
export interface LongTaskInput {
  readonly taskRunId: string;
  readonly kind: string;
  readonly call: WireCall;
  readonly options: ActivityOptions;
  readonly callerWorkflowId: string;
}

/** From the workflow of a long task to whose task it is: task run id, outcome, and when the task was scheduled. */
export const taskSettledSignal =
  defineSignal<[taskRunId: string, outcome: WireOutcome, about: LongTaskFacts]>('taskSettled');

export interface LongTaskFacts {
  /** Milliseconds since the epoch. */
  readonly scheduledAt: number;
}

/** The other way: stop it. The argument is for whoever reads the history. */
export const cancelTaskSignal = defineSignal<[taskRunId: string]>('cancelTask');

/** An event before its export: the same id, without what only history knows. */
export type RecentEvent = EngineEvent & { readonly event_id: string; readonly timestamp: string };

/** The last events of this Temporal run, oldest first; the argument says how many (default 100, at most 1,000). */
export const eventsQuery = defineQuery<readonly RecentEvent[], [number?]>('events');

export const setVariablesUpdate = defineUpdate<{ set: string[] }, [JsonObject]>('setVariables');
export const deleteVariablesUpdate = defineUpdate<{ deleted: string[] }, [string[]]>('deleteVariables');
