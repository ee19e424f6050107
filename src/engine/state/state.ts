/**
 * The state of an execution: plain JSON, so that continue-as-new, time travel and rerun are the same operation — start
 * the engine from a state.
 */
import { type Json, type JsonObject, type Outcome, type Position, type Secret } from '../../plan';
import { type Fork, type Frame, type Reused, type StepResult, type StepRun, type Token } from './marking';
import { type Caller, type Child, type ExternalEvent, type Wait } from './outside';
import { type FailureCause, type TaskResult } from './task-result';
import { type Seed } from './random';

export { type FailureCause, type TaskResult };
export { type Caller, type Child, type ExternalEvent, type Wait };

export type ExecutionStatus =
  'running' | 'paused' | 'cancelling' | 'failing' | 'completed' | 'failed' | 'cancelled';

/** Where an execution is, whole. */
export interface State {
  engineVersion: number;
  executionId: string;
  /** Milliseconds since the epoch: the time of the last batch, and of the first. */
  now: number;
  startedAt: number;
  seed: Seed;
  /** `job.uuid` */
  uuid: string;
  status: ExecutionStatus;
  workload: JsonObject;
  ctx: JsonObject;
  tokens: Record<string, Token>;
  forks: Record<string, Fork>;
  runs: Record<string, StepRun>;
  frames: Record<string, Frame>;
  /** Task runs that an activity is working on: task run id → frame id, in the order they started. */
  pending: Record<string, string>;
  /** Task runs under a workflow of their own: task run id → frame id, in the order they started. */
  longTasks: Record<string, string>;
  /** Frames whose next task waits for a free place, for resume or for continue-as-new. */
  ready: string[];
  timers: Record<string, Timer>;
  /** Who called this playbook; null for an execution of its own. */
  caller: Caller | null;
  /** Sub-playbooks that are waited for, by their execution ids, in the order they started. */
  children: Record<string, Child>;
  /** The largest execution id given to a child. */
  lastChild: string;
  /** Tasks of kind `wait`, by task run id, in the order they began. */
  waits: Record<string, Wait>;
  /** External events that nobody has waited for yet, oldest first. */
  inbox: ExternalEvent[];
  /** Ids of external events that came with one: the latest, oldest first. */
  seenEvents: string[];
  /** Parts of loops that run elsewhere, by chunk id, in the order they were made. */
  chunks: Record<string, ChunkInFlight>;
  /** The machine works in an activity for a while (`exec: local`); null: it works here. */
  lease: Lease | null;
  /** This machine runs a part of a loop for another; null: an execution of its own. */
  part: ChunkPart | null;
  /** The last result of every step that ended. */
  results: Record<string, StepResult>;
  runCounts: Record<string, number>;
  /** Names of the steps that started, in order. */
  executed: string[];
  /** Steps at which a token ended after success: candidates for the execution's result. */
  leaves: Record<string, true>;
  failure: ExecutionError | null;
  cancelReason: string | null;
  draining: boolean;
  /** How often the execution was continued as new; absent before the first time. */
  continuations?: number;
  /** Of a rerun: what the recorded execution finished later than where this one began, by step. */
  reuse?: Record<string, Reused>;
  /** What the handles of secrets stand for; absent before the first. */
  secrets?: Record<string, Secret>;
  /** By name of a keychain entry: the id of its secret. */
  keychain?: Record<string, string>;
  /** What is left undone without a failure; absent before the first. */
  notes?: Notes;
  /** Nothing begins before the keychain was checked; `rerun`: where a rerun then goes on, and with what. */
  gate?: { rerun?: { step: string; variables: JsonObject } };
  /** Micro-steps still to do: empty between batches unless a batch ran out of budget. */
  work: Work[];
  joinsDirty: boolean;
  counters: { token: number; fork: number; yield: number; lease: number; tasks: number; retries: number };
}

/** The time that a machine spends in an activity. What it hears meanwhile waits for its return. */
export interface Lease {
  /** The activity id. */
  ref: string;
  /** Task runs that it began with. */
  tasks: string[];
  /** Inputs, in the order they came. */
  held: Json[];
  /** Whose tasks it runs: those of this pool of workers. */
  pool?: string;
}

/** What comes back from a chunk. */
export interface ChunkResult {
  readonly results: readonly Json[];
  readonly done: number;
  readonly failed: number;
  readonly notStarted: number;
  /** Why it stopped before its last iteration. */
  readonly cause: FailureCause | null;
  /** Keys of ctx that it wrote, with the values it left there. */
  readonly ctx: JsonObject;
  /** As LoopState.writes. */
  readonly writes: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly tasks: number;
  readonly retries: number;
  /** What handles of secrets stand for that its results may hold. */
  readonly secrets?: State['secrets'];
  readonly notes?: Notes;
}

/** How a chunk came back: over, or not at all. */
export type ChunkSettled =
  | { readonly status: 'done'; readonly result: ChunkResult }
  | { readonly status: 'lost'; readonly cause: FailureCause };

/** Iterations of a step's loop in a child workflow of their own (`exec: distributed`). */
export interface ChunkInFlight {
  id: string;
  run: string;
  first: number;
  count: number;
  state: 'queued' | 'running';
  /** What it is called outside, since it started; then its end is told by this name. */
  ref: string;
}

/** The place of a chunk in the execution it is a part of. */
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

/** What a run left undone without failing. */
export type NoteCode =
  /** Pages were used up while the guard that asks for more still held. */
  | 'PAGES_LEFT'
  /** A loop ended before its last iteration. */
  | 'LOOP_ENDED_EARLY'
  /** A step was done and none of its arcs matched: its token ended there. */
  | 'NO_ARC_MATCHED';

export interface Note {
  code: NoteCode;
  message: string;
  step: string;
  step_run_id: string;
  iteration?: number;
  at: Position;
}

/** Notes of an execution. */
export interface Notes {
  kept: Note[];
  /** How many there were in all. */
  count: number;
}

export interface ExecutionError extends FailureCause {
  step?: string;
  /** How many more unhandled failures there were (best_effort). */
  others?: number;
}

/** A micro-step. Work that crosses folders of the engine goes through this queue: no recursion, and a batch can stop anywhere. */
export type Work =
  | { op: 'arrive'; token: string }
  | { op: 'admit'; token: string }
  | { op: 'task'; frame: string }
  | { op: 'settled'; frame: string; outcome: Outcome }
  /** Goes on with the frame's agenda, or gives it up. */
  | { op: 'agenda'; frame: string; cause: FailureCause | null }
  /** ENTER is over: on to the loop or the tasks. */
  | { op: 'begin'; frame: string }
  | { op: 'frameEnded'; frame: string; cause: FailureCause | null }
  /** `frame` holds the loop; null: the step run does. */
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
