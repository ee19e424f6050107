/**
 * The state of an execution: plain JSON, so that continue-as-new, time travel and rerun are one operation: starting the
 * engine from a state.
 */
import {
  type Json,
  type JsonObject,
  type KeptLimit,
  type Outcome,
  type SourcePosition,
  type Secret,
} from '../../../language/plan';
import { type Fork, type Frame, type Reused, type StepResult, type StepRun, type Token } from './marking';
import { type Caller, type CalledChild, type ExternalEvent, type Wait } from './outside';
import { type FailureCause, type TaskResult } from './task-result';
import { type Seed } from './random';

export { type FailureCause, type TaskResult };

export type ExecutionStatus =
  | 'running'
  | 'paused'
  | 'cancelling'
  | 'failing'
  | 'completed'
  | 'failed'
  | 'cancelled';

/** The complete state of an execution. */
export interface State {
  engineVersion: number;
  executionId: string;
  /** Milliseconds since the epoch: time of the last batch and of the first. */
  now: number;
  startedAt: number;
  seed: Seed;
  /** `job.uuid` */
  uuid: string;
  status: ExecutionStatus;
  workload: JsonObject;
  /** By `metadata.run_name`. */
  runName?: string;
  ctx: JsonObject;
  tokens: Record<string, Token>;
  forks: Record<string, Fork>;
  runs: Record<string, StepRun>;
  frames: Record<string, Frame>;
  /** Task runs with a running activity: task run id → frame id, in start order. */
  pending: Record<string, string>;
  /** Task runs in a workflow of their own: task run id → frame id, in start order. */
  longTasks: Record<string, string>;
  /** Frames whose next task is deferred (task limit, pause or continue-as-new). */
  ready: string[];
  timers: Record<string, Timer>;
  /** The caller of this playbook; null for a top-level execution. */
  caller: Caller | null;
  /** Sub-playbooks being waited for, by execution id, in start order. */
  children: Record<string, CalledChild>;
  /** The largest execution id given to a child. */
  lastChild: string;
  /** Tasks of kind `wait`, by task run id, in start order. */
  waits: Record<string, Wait>;
  /** External events not yet taken by a wait, oldest first. */
  inbox: ExternalEvent[];
  /** Ids of the latest external events, oldest first, to detect duplicates. */
  seenEvents: string[];
  /** Chunks of loops that run in child workflows, by chunk id, in creation order. */
  chunks: Record<string, ChunkInFlight>;
  /** The lease while the machine works in an activity (`exec: local`); null: it works here. */
  lease: Lease | null;
  /** Set when this machine runs a chunk of another machine's loop; null: an execution. */
  part: ChunkPart | null;
  /** The last result of every step that ended. */
  results: Record<string, StepResult>;
  /** The step that ended last with the result of a call; absent until there is one. */
  answered?: string;
  runCounts: Record<string, number>;
  /** Names of the steps that started, in order. */
  executed: string[];
  /** Steps where a token ended after success: candidates for the execution's result. */
  leaves: Record<string, true>;
  failure: ExecutionError | null;
  cancelReason: string | null;
  draining: boolean;
  /** How often the execution was continued as new; absent before the first time. */
  continuations?: number;
  /** In a rerun: what the recorded execution finished after the point where this one began, by step. */
  reuse?: Record<string, Reused>;
  /** Nothing follows the step that a rerun began at. */
  alone?: true;
  /** The secrets that handles refer to; absent until there is one. */
  secrets?: Record<string, Secret>;
  /** By keychain entry: the id of its secret. */
  keychain?: Record<string, string>;
  /** Work left undone without a failure; absent until there is some. */
  notes?: Notes;
  /**
   * Set until limits and the keychain check are passed; `rerun`: where a rerun then continues, and its input; `limit`:
   * the limit that is being waited for.
   */
  gate?: { rerun?: { step: string; variables: JsonObject }; limit?: LimitWait };
  /** Keepers of limits to be told of the end. */
  keepers?: string[];
  /** The result if the execution did not run, in favor of another. */
  skipped?: JsonObject;
  /** Tasks that wait for a slot of a rate limit; absent before the first. */
  slots?: SlotRequests;
  /** Remaining micro-steps: empty between batches unless a batch ran out of budget. */
  work: QueuedWork[];
  joinsDirty: boolean;
  counters: { token: number; fork: number; yield: number; lease: number; tasks: number; retries: number };
}

/** The time a machine spends in an activity. Inputs that arrive meanwhile are queued until it returns. */
export interface Lease {
  /** The activity id. */
  ref: string;
  /** Task runs it began with. */
  tasks: string[];
  /** Inputs, in arrival order. */
  pending: Json[];
  /** The worker pool whose tasks it runs. */
  pool?: string;
}

/** The result of a chunk. */
export interface ChunkResult {
  readonly results: readonly Json[];
  readonly done: number;
  readonly failed: number;
  readonly notStarted: number;
  /** Why it stopped before its last iteration. */
  readonly cause: FailureCause | null;
  /** Keys of ctx that it wrote, with their final values. */
  readonly ctx: JsonObject;
  /** As LoopState.writes. */
  readonly writes: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly tasks: number;
  readonly retries: number;
  /** The secrets that handles in its results may refer to. */
  readonly secrets?: State['secrets'];
  readonly notes?: Notes;
}

/** How a chunk ended: with a result, or without. */
export type ChunkSettled =
  | { readonly status: 'done'; readonly result: ChunkResult }
  | { readonly status: 'lost'; readonly cause: FailureCause };

/** Iterations of a step's loop in a child workflow (`exec: distributed`). */
export interface ChunkInFlight {
  id: string;
  run: string;
  first: number;
  count: number;
  state: 'queued' | 'running';
  /** Its external name, set once it has started; its end is reported under this name. */
  ref: string;
}

/** The position of a chunk in its execution. */
export interface ChunkPart {
  id: string;
  run: string;
  /** Top-level keys of ctx that it wrote. */
  written: Record<string, true>;
  ended: boolean;
  cause: FailureCause | null;
}

export interface Timer {
  /** Milliseconds since the epoch. */
  deadline: number;
  purpose:
    | { type: 'retry'; frame: string }
    | { type: 'timeout'; run: string }
    | { type: 'child'; child: string }
    | { type: 'wait'; wait: string }
    | { type: 'yield' };
}

/** What an execution waits for before it begins. */
export interface LimitWait extends KeptLimit {
  /** The keeper's workflow id. */
  keeper: string;
  limit: number | null;
  /** What the keeper was asked. */
  request: JsonObject;
  /** Milliseconds since the epoch. */
  since: number;
  /** Absent until the keeper has answered: the executions that hold the key, and how many wait before this one. */
  behind?: { holders: string[]; ahead: number; until: number | null };
}

/** Tasks of one rate limit. */
export interface SlotRequest {
  kept: KeptLimit;
  limit: number;
  per_ms: number;
  burst: number;
  /** In order of arrival. */
  frames: string[];
}

export interface SlotRequests {
  /** Number of requests so far. */
  count: number;
  /** By keeper: to be requested at the end of the batch. */
  waiting: Record<string, SlotRequest>;
  /** By reference: requested. */
  requests: Record<string, SlotRequest>;
  /** Keepers that were asked, by id. */
  keepers: Record<string, 1>;
}

/** Work a run left undone without failing. */
export type NoteCode =
  /** The execution did not run: another one with the same key did. */
  | 'SKIPPED'
  /** `metadata.run_name` gives no name. */
  | 'RUN_UNNAMED'
  /** The page limit was reached while the guard for another page still held. */
  | 'PAGES_LEFT'
  /** The attempts of a poll ended while its condition still held. */
  | 'POLL_GAVE_UP'
  /** A loop ended before its last iteration. */
  | 'LOOP_ENDED_EARLY'
  /** A step ended and none of its arcs matched: its token ended there. */
  | 'NO_ARC_MATCHED'
  /** No rule of `case` matched, and nothing follows the step. */
  | 'NO_RULE_MATCHED'
  /** Parameters of a statement are undefined. */
  | 'UNDEFINED_PARAMS'
  /** A decimal that a task read has more digits than a double. */
  | 'DIGITS_LOST'
  /** A keychain entry did not resolve, and all its readers have a default. */
  | 'SECRET_UNRESOLVED'
  /** Rules chose one step more than once: the first choice and its arguments count. */
  | 'CHOICE_DROPPED'
  /** Tokens merged, and one overwrote arguments of another. */
  | 'ARGS_OVERWRITTEN';

export interface EngineNote {
  code: NoteCode;
  message: string;
  /** Absent: of the execution. */
  step?: string;
  step_run_id?: string;
  iteration?: number;
  at: SourcePosition;
}

/** Notes of an execution. */
export interface Notes {
  kept: EngineNote[];
  /** Total number of notes. */
  count: number;
}

export interface ExecutionError extends FailureCause {
  step?: string;
  /** Number of further unhandled failures (best_effort). */
  others?: number;
}

/**
 * A micro-step. Work that crosses folders of the engine goes through this queue: there is no recursion, and a batch can
 * stop at any point.
 */
export type QueuedWork =
  | { op: 'arrive'; token: string }
  | { op: 'admit'; token: string }
  | { op: 'task'; frame: string }
  | { op: 'settled'; frame: string; outcome: Outcome }
  /** Continues the frame's agenda, or abandons it. */
  | { op: 'agenda'; frame: string; cause: FailureCause | null }
  /** ENTER is over: continue with the loop or the tasks. */
  | { op: 'begin'; frame: string }
  | { op: 'frameEnded'; frame: string; cause: FailureCause | null }
  /** `frame` owns the loop; null: the step run does. */
  | { op: 'iterate'; run: string; frame: string | null }
  | { op: 'chunk'; chunk: string }
  | { op: 'chunkSettled'; ref: string; settled: ChunkSettled }
  /** Stops a step run, which then fails with `cause`. */
  | { op: 'stop'; run: string; cause: FailureCause }
  | { op: 'endRun'; run: string; cause: FailureCause | null };

/** The state of an execution before its first input. */
export function initialState(engineVersion: number, executionId: string, seed: Seed, at: number): State {
  return {
    engineVersion,
    executionId,
    now: at,
    startedAt: at,
    seed,
    uuid: '',
    status: 'running',
    workload: {},
    ctx: {},
    tokens: {},
    forks: {},
    runs: {},
    frames: {},
    pending: {},
    ready: [],
    timers: {},
    caller: null,
    children: {},
    longTasks: {},
    lastChild: '0',
    waits: {},
    inbox: [],
    seenEvents: [],
    chunks: {},
    lease: null,
    part: null,
    results: {},
    runCounts: {},
    executed: [],
    leaves: {},
    failure: null,
    cancelReason: null,
    draining: false,
    work: [],
    joinsDirty: false,
    counters: { token: 0, fork: 0, yield: 0, lease: 0, tasks: 0, retries: 0 },
  };
}
