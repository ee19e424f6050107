/** Where an execution stands: its tokens, step runs, pipelines and loops, and their results. */
import { type Json, type JsonObject } from '../../../language/plan';
import {
  type Agenda,
  type CollectedValues,
  type Passage,
  type Repeats,
  type RunRules,
  type Suspended,
} from './passage';
import { type FailureCause, type TaskResult } from './task-result';

export interface Token {
  id: string;
  step: string;
  args: JsonObject;
  /** Forks the token passed through, outermost first. */
  forks: { fork: string; branch: number }[];
  state: 'queued' | 'waiting' | 'running';
  /** The step run whose arc created it; null for the entry token. */
  parent: string | null;
  /** The end of that step run, for the admission rules of the token's step; stored only if there are any. */
  event?: BoundaryEvent;
  /** It came to its step during a pause, and is claimed when that ends. */
  afterPause?: true;
  /** Another arc of the same firing leads to the same step: the token does not wait and does not merge there. */
  alone?: true;
  /** In a rerun: the token follows the step the rerun began at, so that no recorded result may replace its runs. */
  anew?: true;
}

/** The end of a step run, as guards see it in `event`. */
export interface BoundaryEvent {
  /** Canonical name first, then the aliases that apply. */
  names: string[];
  fields: { step: string; step_run_id: string; status: 'ok' | 'error'; error: JsonObject | null };
}

export interface Fork {
  id: string;
  /** The forking step. */
  step: string;
  /** Live tokens that carry this fork. */
  live: number;
}

export interface StepRun {
  id: string;
  step: string;
  token: string;
  args: JsonObject;
  /** The step's inputs over them, once they are known; in a loop those without the iterator. */
  inputs?: JsonObject;
  /** Step-scope variables (`set: {step.x}`) and bare names set at step level. */
  vars: JsonObject;
  locals: JsonObject;
  loop: LoopState | null;
  /**
   * Set when the run is being stopped: its tasks are cancelled, and it fails with this cause once they have settled.
   */
  stopping: FailureCause | null;
  startedAt: number;
  /** Decisions of its rules. */
  rules?: RunRules;
  /** By scope and path: what `collect` gathered there. */
  collected?: Record<string, CollectedValues>;
}

/** Consecutive items of a loop whose iterations start in order: all items of a list, or the rows of one claim. */
export interface Span {
  /** The items from `first` on; in a chunk, only its share. */
  items: Json[];
  /** Index of the first of `items`: 0 except in a chunk and for rows. */
  first: number;
  /** Index after the last item of the whole span. */
  total: number;
  next: number;
  inFlight: number;
  maxInFlight: number;
}

/** A running loop: owned by the step run, or by the frame whose current task is the loop. */
export interface LoopState extends Span {
  /** Iterations that `next` has passed but that never began: the loop, or their chunk, ended early. */
  notStarted: number;
  done: number;
  failed: number;
  results: Json[];
  /** True: the first failure ends the loop. False: all iterations run and failures are counted. */
  failFast: boolean;
  /** A loop inside a pipeline that is being stopped: it fails with this cause once its iterations have settled. */
  stopping: FailureCause | null;
  /** Parallel loops: ctx key → iteration → JSON of the value it left there. */
  writes: Record<string, Record<string, string>>;
  /** How the loop is divided into chunks; null: its iterations run in this workflow. */
  chunks: Chunking | null;
  /** On a leased machine: `items` and `results` contain only what it needs; the lender determines how the loop ends. */
  cut?: true;
  /** A loop over claimed rows: it has no items of its own, and `total` counts the rows claimed so far. */
  cursor?: CursorState;
}

/** What a cursor loop has claimed and not yet finished. */
export interface CursorState {
  /** Its settings: `frame` of the loop with its defaults. */
  policy: JsonObject;
  /** Iterations of one frame in flight. */
  rowsAtOnce: number;
  /** Slots that may claim. One whose claim returned nothing is gone. */
  free: number[];
  /** How many have claimed or may, and how many there may be. */
  begun: number;
  slots: number;
  /** Number of claims so far, and of those in flight. */
  claims: number;
  claiming: number;
  /** Number of frames so far. */
  count: number;
  /** Rows after which nothing more is claimed; null: no limit. */
  maxRows: number | null;
  /** In order of their claims. */
  frames: ClaimedFrame[];
  /** The last claim's rows, as a digest, and how many claims in a row returned the same. */
  last: { digest: string; times: number };
  /** Why nothing is claimed any more: a claim failed. */
  failure: FailureCause | null;
}

/** The rows of one claim. With `process: frame` they are one item, a list. */
export interface ClaimedFrame extends Span {
  /** Number of the frame in its loop, and the slot that claimed it. */
  index: number;
  slot: number;
  /** Number of its rows, and index of the first of them among all rows of the loop. */
  rows: number;
  base: number;
}

/** One pass through a pipeline: of the step itself, of one iteration of its loop, or of a loop inside a pipeline. */
export interface Frame {
  id: string;
  run: string;
  /** The frame whose current task is the loop this frame iterates; null for the step's own pipeline. */
  parent: string | null;
  /** Iteration; null outside loops. */
  index: number | null;
  /** The slot of a cursor loop whose claim this is: not a pass through a pipeline, and its only task is the claim. */
  claim?: number;
  /** The loop that is the current task. */
  loop: LoopState | null;
  /** Program counter: index of the current task. */
  pc: number;
  visits: Record<string, number>;
  attempt: number;
  /** Absent at rest if they are those of the frame or the run around it. */
  args: JsonObject;
  iter: JsonObject;
  locals: JsonObject;
  /** Results of this pass's tasks, by name. */
  results: Record<string, TaskResult>;
  /** Name of the task that ran last (`_prev`). */
  last: string | null;
  /** What it came to, if it is the current task again. */
  previous?: TaskResult;
  /** The current attempt; null between tasks. */
  taskRunId: string | null;
  retryAt: number | null;
  /** Reserved by a rate limit for the next call, in milliseconds since the epoch. */
  slot?: number;
  /** Repetitions of the current task's call. */
  repeats?: Repeats;
  passage?: Passage;
  agenda?: Agenda;
  /** Running sinks, innermost last: the innermost is the current task. */
  suspended?: Suspended[];
}

export type StepResult =
  | {
      type: 'tasks';
      status: 'ok' | 'error';
      last: TaskResult | null;
      tasks: Record<string, TaskResult> | null;
      iter: JsonObject;
    }
  | {
      type: 'loop';
      status: 'ok' | 'error';
      results: Json[];
      success: number;
      failed: number;
      notStarted: number;
      error: FailureCause | null;
      /** Of a cursor loop, whose results are not kept: rows and frames. */
      cursor?: { rows: number; frames: number };
    };

/** A step run of another execution whose end is reused in this one. */
export interface Reused {
  from: { execution_id: string; step_run_id: string };
  result: StepResult;
  run: Pick<StepRun, 'vars' | 'locals' | 'rules' | 'loop'>;
  /** Its writes to ctx: path → value, in order. */
  patches: JsonObject[];
}

/** How a loop is divided: iterations per chunk, how many of them are in flight in each chunk, and chunks in flight. */
export interface Chunking {
  size: number;
  share: number;
  atOnce: number;
}
