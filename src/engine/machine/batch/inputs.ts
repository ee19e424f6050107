/** Inputs to the engine, as a closed union. */
import {
  type Json,
  type JsonObject,
  type LimitAnswer,
  type Outcome,
  type Secrets,
} from '../../../language/plan';
import { type Caller, type ChunkSettled, type EventAnswer } from '../state';

/** All inputs of one workflow task, in canonical order; `at` is its start time, the engine's only clock. */
export interface InputBatch {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly inputs: readonly Input[];
  /** Temporal suggests continue-as-new: no new task starts until it has happened. */
  readonly continueAsNewSuggested?: boolean;
}

/** The execution and the point that a rerun starts from. */
export interface RerunOrigin {
  readonly execution_id: string;
  readonly step: string;
  readonly step_run_id: string;
  /** Sequence number of the `token.claimed` event with which the step run began. */
  readonly event_id: string;
  /** Digest of the recorded plan. */
  readonly digest: string;
  /** Only this step runs. */
  readonly alone?: true;
}

/** The batches that a chunk's machine processed, in order: replaying them on another machine yields the same events. */
export type Trace = readonly InputBatch[];

export type Input =
  | {
      readonly type: 'started';
      readonly payload: JsonObject;
      readonly caller?: Caller;
      /** The secrets that handles in the payload refer to: secret fields of the workload. */
      readonly secrets?: Secrets;
    }
  /** First input of a rerun: `payload` is merged over the recorded workload, `variables` over ctx. */
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
  /** A detached sub-playbook has started. `version` and `digest` are those of its plan. */
  | {
      readonly type: 'childStarted';
      readonly child: string;
      readonly version?: string;
      readonly digest: string;
    }
  /** A sub-playbook ended, or could not be started. */
  | { readonly type: 'childSettled'; readonly child: string; readonly outcome: Outcome }
  /** An external event that a task of kind `wait` may wait for; a duplicate id is ignored. */
  | {
      readonly type: 'externalEvent';
      readonly name: string;
      readonly payload: Json;
      readonly id?: string;
      readonly answer?: EventAnswer;
    }
  /** A signal whose arguments do not fit: it is reported, and changes nothing. */
  | { readonly type: 'messageIgnored'; readonly message: string; readonly why: string }
  /** From the keeper of a key. */
  | { readonly type: 'limitAnswered'; readonly answer: LimitAnswer }
  /** First input of a machine that runs a chunk. */
  | { readonly type: 'chunkStarted' }
  | {
      readonly type: 'chunkSettled';
      readonly ref: string;
      readonly settled: ChunkSettled;
      readonly trace?: Trace;
    }
  /**
   * The machine has returned from an activity, with the batches it processed there; `lost`: outcomes of tasks whose end
   * is not in those batches.
   */
  | { readonly type: 'leaseEnded'; readonly ref: string; readonly trace: Trace; readonly lost?: Outcome }
  /** Progress of a chunk: ignored by the machine, needed to derive the chunk's events. */
  | { readonly type: 'chunkTold'; readonly ref: string; readonly trace: Trace }
  | { readonly type: 'timerFired'; readonly key: string }
  | { readonly type: 'paused'; readonly reason?: string }
  | { readonly type: 'resumed' }
  | { readonly type: 'cancelRequested'; readonly reason?: string }
  | { readonly type: 'variablesSet'; readonly variables: Readonly<Record<string, Json>> }
  | { readonly type: 'variablesDeleted'; readonly names: readonly string[] };
