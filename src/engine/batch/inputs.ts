/** What the world tells the engine: the closed union of inputs. */
import { type Json, type JsonObject, type Outcome, type Secrets } from '../../plan';
import { type Caller, type ChunkSettled } from '../state';

/** All inputs of one wake-up, in canonical order; `at` is the workflow task's start, the engine's only clock. */
export interface Batch {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly inputs: readonly Input[];
  /** Temporal asks for a fresh history: no new task starts until it is there. */
  readonly continueAsNewSuggested?: boolean;
}

/** The execution and the moment that a rerun goes back to. */
export interface RerunOrigin {
  readonly execution_id: string;
  readonly step: string;
  readonly step_run_id: string;
  /** Of the `token.claimed` with which the step run began. */
  readonly event_id: string;
  /** Digest of the recorded plan. */
  readonly digest: string;
}

/** The batches that a chunk's machine took, in order: fed to another one they give the same events. */
export type Trace = readonly Batch[];

export type Input =
  | {
      readonly type: 'started';
      readonly payload: JsonObject;
      readonly caller?: Caller;
      /** What handles in the payload stand for: secret fields of the workload. */
      readonly secrets?: Secrets;
    }
  /** First input of a rerun: `payload` is laid over the recorded workload, `variables` over ctx. */
  | {
      readonly type: 'rerun';
      readonly origin: RerunOrigin;
      readonly payload: JsonObject;
      readonly secrets?: Secrets;
      readonly variables: Readonly<Record<string, Json>>;
    }
  /** First input after continue-as-new: timers are set again. */
  | { readonly type: 'continued' }
  | { readonly type: 'taskSettled'; readonly taskRunId: string; readonly outcome: Outcome }
  /** A detached sub-playbook was found and runs. `version` and `digest` are those of its plan. */
  | {
      readonly type: 'childStarted';
      readonly child: string;
      readonly version?: string;
      readonly digest: string;
    }
  /** A sub-playbook ended, or could not be started. */
  | { readonly type: 'childSettled'; readonly child: string; readonly outcome: Outcome }
  /** Something happened outside that a task of kind `wait` may wait for; an id that came before is ignored. */
  | { readonly type: 'externalEvent'; readonly name: string; readonly payload: Json; readonly id?: string }
  /** First input of a machine that runs a chunk. */
  | { readonly type: 'chunkStarted' }
  | {
      readonly type: 'chunkSettled';
      readonly ref: string;
      readonly settled: ChunkSettled;
      readonly trace?: Trace;
    }
  /** The machine is back from an activity, with what it took there; `lost`: what tasks came to that have no end in it. */
  | { readonly type: 'leaseEnded'; readonly ref: string; readonly trace: Trace; readonly lost?: Outcome }
  /** What a chunk went through so far: nothing to the machine, all to whoever tells the chunk's events. */
  | { readonly type: 'chunkTold'; readonly ref: string; readonly trace: Trace }
  | { readonly type: 'timerFired'; readonly key: string }
  | { readonly type: 'paused'; readonly reason?: string }
  | { readonly type: 'resumed' }
  | { readonly type: 'cancelRequested'; readonly reason?: string }
  | { readonly type: 'variablesSet'; readonly variables: Readonly<Record<string, Json>> }
  | { readonly type: 'variablesDeleted'; readonly names: readonly string[] };
