/** Where an execution stands: its tokens, step runs, pipelines and loops, and what came of them. */
import { type Json, type JsonObject } from '../../plan';
import {
  type Agenda,
  type Gathered,
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
  /** Forks it came through, outermost first. */
  forks: { fork: string; branch: number }[];
  state: 'queued' | 'waiting' | 'running';
  /** The step run whose arc created it; null for the entry token. */
  parent: string | null;
  /** The end of that step run, for the admission rules of the token's step; kept only where there are some. */
  event?: BoundaryEvent;
  /** Of a rerun: comes after the step that it began at, so that nothing recorded may stand for what it does. */
  anew?: true;
}

/** The end of a step run, as guards see it in `event`. */
export interface BoundaryEvent {
  /** Canonical name first, then the aliases that hold. */
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
  /** Step-scope variables (`set: {step.x}`) and bare names set at step level. */
  vars: JsonObject;
  locals: JsonObject;
  loop: LoopState | null;
  /** Set when the run is being stopped: its tasks are cancelled and it fails with this once they settled. */
  stopping: FailureCause | null;
  startedAt: number;
  /** What its rules decided. */
  rules?: RunRules;
}

/** A loop under way: held by the step run, or by the frame whose current task is the loop. */
export interface LoopState {
  /** The items from `first` on; in a chunk, its part of them. */
  items: Json[];
  /** Index of the first of `items`: 0 but in a chunk. */
  first: number;
  /** Items of the whole loop. */
  total: number;
  next: number;
  /** Iterations that `next` has passed, and that were never begun: the loop ended early, or their chunk did. */
  notStarted: number;
  inFlight: number;
  maxInFlight: number;
  done: number;
  failed: number;
  results: Json[];
  /** The first failure ends the loop; false: all iterations run, failures are counted. */
  failFast: boolean;
  /** A loop inside a pipeline that is being stopped: it fails with this once its iterations settled. */
  stopping: FailureCause | null;
  /** Parallel loops: ctx key → iteration → JSON text of the value it left there. */
  writes: Record<string, Record<string, string>>;
  /** Parallel loops: where iterations gather (`collect`) → what came from which of them, in their order. */
  gathered?: Record<string, Gathered>;
  /** How it is cut into chunks; null: its iterations run here. */
  chunks: Chunking | null;
  /** Of a machine on lease: `items` and `results` are only what it needs; how the loop ends, the lender sees. */
  cut?: true;
}

/** One passage of a pipeline: the step itself, one iteration of its loop, or one of a loop inside a pipeline. */
export interface Frame {
  id: string;
  run: string;
  /** The frame whose current task is the loop that this is an iteration of; null for the step's own pipeline. */
  parent: string | null;
  /** Iteration, null outside of a loop. */
  index: number | null;
  /** The loop that the current task is. */
  loop: LoopState | null;
  /** Program counter: index of the current task. */
  pc: number;
  visits: Record<string, number>;
  attempt: number;
  args: JsonObject;
  iter: JsonObject;
  locals: JsonObject;
  /** Results of this passage's tasks, by name. */
  results: Record<string, TaskResult>;
  /** Name of the task that ran last (`_prev`). */
  last: string | null;
  /** The attempt under way, null between tasks. */
  taskRunId: string | null;
  retryAt: number | null;
  /** Repetitions of the current task's call. */
  repeats?: Repeats;
  passage?: Passage;
  agenda?: Agenda;
  /** Sinks under way, the innermost last: it is the current task. */
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
    };

/** A step run of another execution whose end stands in this one too. */
export interface Reused {
  from: { execution_id: string; step_run_id: string };
  result: StepResult;
  run: Pick<StepRun, 'vars' | 'locals' | 'rules' | 'loop'>;
  /** What it wrote to ctx: path → value, in order. */
  patches: JsonObject[];
}

/** How a loop is cut: iterations a chunk, of these in flight at once in each, chunks at once. */
export interface Chunking {
  size: number;
  share: number;
  atOnce: number;
}
