/** Commands from the engine to its driver, as a closed union. */
import { type Json, type TaskCall, type TaskPriority } from '../../../language/plan';
import { type Chunk } from './chunk-input';
import { type Caller, type ChunkResult, type ExecutionError, type State } from '../state';

export interface RunTask {
  readonly type: 'runTask';
  readonly call: TaskCall;
  /** `step/task[iteration]`, `step[iteration]` for a step's only tool. */
  readonly summary: string;
  readonly pool?: string;
  readonly atMostOnce: boolean;
  /** Runs in a workflow of its own, which survives continue-as-new. */
  readonly long?: true;
  /** `exec: local`: under a lease the task runs in the same process as the machine. */
  readonly local?: true;
  /** Heartbeat timeout in seconds when it differs from the kind's default; 0 means none. */
  readonly heartbeat?: number;
  readonly priority?: TaskPriority;
}

/** Starts another playbook as a separate execution. `call.input` is its payload. */
export interface RunPlaybook {
  readonly type: 'runPlaybook';
  /** The child's execution id. */
  readonly child: string;
  readonly call: TaskCall;
  readonly path: string;
  /** Defaults to the latest version. */
  readonly version?: string;
  /** The step whose result is returned; defaults to the child's own result. */
  readonly returnStep?: string;
  /** The result of that step if it has one, otherwise of the step that ended last with a call's. */
  readonly returnResult?: true;
  /** Keys of its input that must be inputs of the child. */
  readonly onlyInputs?: readonly string[];
  /** The task completes once the child has started; nothing waits for the child to end. */
  readonly detached: boolean;
  readonly caller: Caller;
  /** `step/task[iteration]`, `step[iteration]` for a step's only tool. */
  readonly summary: string;
  readonly priority?: TaskPriority;
}

/** Runs iterations of a loop in a child workflow (`exec: distributed`). */
export interface RunChunk {
  readonly type: 'runChunk';
  /** The chunk's external name, part of its workflow id. */
  readonly ref: string;
  readonly chunk: Chunk;
  /** `step[first..last]` */
  readonly summary: string;
}

/** Lends the machine to an activity, which continues it from these tasks (`exec: local`). */
export interface StartLease {
  readonly type: 'startLease';
  /** The activity id. */
  readonly ref: string;
  readonly tasks: readonly RunTask[];
  readonly pool?: string;
  /** The state needed to decide about the next tasks; everything else is left out. */
  readonly state: State;
  /** The steps or iterations it begins with. */
  readonly summary: string;
  /** Of its first task. */
  readonly priority?: TaskPriority;
}

export type Command =
  | RunTask
  | RunPlaybook
  /** The reply to the sender of the external event with that id: whether a wait took it, or it was a duplicate. */
  | {
      readonly type: 'answerEvent';
      readonly id: string;
      readonly taken: boolean;
      readonly duplicate: boolean;
      /** Why an answer was not accepted. */
      readonly refused?: string;
    }
  | { readonly type: 'cancelPlaybook'; readonly child: string; readonly reason: string | null }
  | { readonly type: 'pausePlaybook'; readonly child: string; readonly reason: string | null }
  | { readonly type: 'resumePlaybook'; readonly child: string }
  | RunChunk
  | { readonly type: 'cancelChunk'; readonly ref: string }
  | StartLease
  /** The lease returns as soon as the tasks in flight have stopped. */
  | { readonly type: 'cancelLease'; readonly ref: string }
  /** Issued only by a machine on lease: it cannot see what follows. */
  | { readonly type: 'leaseSpent' }
  | { readonly type: 'pauseChunk'; readonly ref: string; readonly reason: string | null }
  | { readonly type: 'resumeChunk'; readonly ref: string }
  | { readonly type: 'cancelTask'; readonly taskRunId: string; readonly long?: true }
  /** `deadline`: milliseconds since the epoch. */
  | { readonly type: 'startTimer'; readonly key: string; readonly deadline: number }
  | { readonly type: 'cancelTimer'; readonly key: string }
  /** Tells a keeper that this execution is over. */
  | { readonly type: 'leaveLimit'; readonly keeper: string }
  | { readonly type: 'continueAsNew' }
  | { readonly type: 'complete'; readonly result: Json }
  /** Issued only by a machine that runs a chunk. */
  | { readonly type: 'chunkEnded'; readonly result: ChunkResult }
  | { readonly type: 'fail'; readonly error: ExecutionError }
  | { readonly type: 'cancelled'; readonly reason: string | null };
