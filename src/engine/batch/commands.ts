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

/** Runs iterations of a loop elsewhere: in an activity (`local`) or a child workflow (`distributed`). */
export interface RunChunk {
  readonly type: 'runChunk';
  readonly exec: 'local' | 'distributed';
  /** What the chunk is called outside: the activity id, a part of the workflow id. */
  readonly ref: string;
  readonly chunk: Chunk;
  /** Of a local chunk that waited: the machine to go on with. */
  readonly machine: State | null;
  /** `step[first..last]` */
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
  | { readonly type: 'cancelChunk'; readonly ref: string; readonly exec: 'local' | 'distributed' }
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
