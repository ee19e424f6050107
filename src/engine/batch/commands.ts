/** What the engine asks of its driver: the closed union of commands. */
import { type Json, type TaskCall } from '../../plan';
import { type Chunk } from './chunk-input';
import { type Caller, type ChunkResult, type ExecutionError, type State } from '../state';

export interface RunTask {
  readonly type: 'runTask';
  readonly call: TaskCall;
  /** `step/task[iteration]` */
  readonly summary: string;
  readonly pool?: string;
  readonly atMostOnce: boolean;
  /** It runs under a workflow of its own, which outlives a continuation as new. */
  readonly long?: true;
  /** `exec: local`: on lease it runs where the machine is. */
  readonly local?: true;
  /** Seconds, where the kind's own heartbeat timeout does not hold; 0: none. */
  readonly heartbeat?: number;
}

/** Starts another playbook as an execution of its own. `call.input` is its payload. */
export interface RunPlaybook {
  readonly type: 'runPlaybook';
  /** The child's execution id. */
  readonly child: string;
  readonly call: TaskCall;
  readonly path: string;
  /** The newest unless given. */
  readonly version?: string;
  /** The step whose result comes back; the child's own result unless given. */
  readonly returnStep?: string;
  /** The outcome is that it started; nobody waits for its end. */
  readonly detached: boolean;
  readonly caller: Caller;
  /** `step/task[iteration]` */
  readonly summary: string;
}

/** Runs iterations of a loop in a child workflow (`exec: distributed`). */
export interface RunChunk {
  readonly type: 'runChunk';
  /** What the chunk is called outside: a part of the workflow id. */
  readonly ref: string;
  readonly chunk: Chunk;
  /** `step[first..last]` */
  readonly summary: string;
}

/** Lends the machine to an activity, which goes on with it from these tasks (`exec: local`). */
export interface StartLease {
  readonly type: 'startLease';
  /** The activity id. */
  readonly ref: string;
  readonly tasks: readonly RunTask[];
  readonly pool?: string;
  /** What decides about the next tasks; parts that do not are left out. */
  readonly state: State;
  /** The steps, or iterations, that it begins with. */
  readonly summary: string;
}

export type Command =
  | RunTask
  | RunPlaybook
  /** To whoever sent the external event of that id: did a wait take it, or had it come before? */
  | {
      readonly type: 'answerEvent';
      readonly id: string;
      readonly taken: boolean;
      readonly duplicate: boolean;
    }
  | { readonly type: 'cancelPlaybook'; readonly child: string; readonly reason: string | null }
  | { readonly type: 'pausePlaybook'; readonly child: string; readonly reason: string | null }
  | { readonly type: 'resumePlaybook'; readonly child: string }
  | RunChunk
  | { readonly type: 'cancelChunk'; readonly ref: string }
  | StartLease
  /** It comes back as soon as the tasks under way have stopped. */
  | { readonly type: 'cancelLease'; readonly ref: string }
  /** Only of a machine on lease: it cannot see what follows. */
  | { readonly type: 'leaseSpent' }
  | { readonly type: 'pauseChunk'; readonly ref: string; readonly reason: string | null }
  | { readonly type: 'resumeChunk'; readonly ref: string }
  | { readonly type: 'cancelTask'; readonly taskRunId: string; readonly long?: true }
  /** `deadline`: milliseconds since the epoch. */
  | { readonly type: 'startTimer'; readonly key: string; readonly deadline: number }
  | { readonly type: 'cancelTimer'; readonly key: string }
  | { readonly type: 'continueAsNew' }
  | { readonly type: 'complete'; readonly result: Json }
  /** Only of a machine that runs a chunk. */
  | { readonly type: 'chunkEnded'; readonly result: ChunkResult }
  | { readonly type: 'fail'; readonly error: ExecutionError }
  | { readonly type: 'cancelled'; readonly reason: string | null };
