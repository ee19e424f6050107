/** State that rules add to frames and step runs. Plain JSON; absent where no rule has acted. */
import {
  type Assignment,
  type Collect,
  type RuleHappening,
  type Json,
  type JsonObject,
  type SourcePosition,
} from '../../../language/plan';
import { type FailureCause, type TaskResult } from './task-result';

/** For a frame whose step has rules. */
export interface Passage {
  /** The stage its rules are at; null while its tasks run; `over`: all stages are done. */
  stage: RuleHappening | 'over' | null;
  /** The failure of this stage. */
  cause: FailureCause | null;
  /** The failure that a `result` of this stage has answered: what else its rules do still reads it. */
  answered?: FailureCause;
  /** Rules that matched at the call: they are not evaluated at its end. */
  matched: number[];
  /** The frame's result as set by an action `result`. */
  result?: TaskResult;
  /** Where `collect` gathered the step's result. */
  gathered?: ValueTarget;
  /** A move `skip` ended the frame. */
  skipped?: { reason: Json };
  /** The frame's loop ends with it. */
  endsLoop?: true;
  /** A `next` of its rules handles its failure, and ends its loop. */
  handles?: true;
  /** For a step with several tasks: how often its rules repeated them all. */
  round?: Repeats & { attempt: number };
}

/** For a step run. */
export interface RunRules {
  /** The rules of the end have been evaluated, or there are none. */
  exited?: true;
  /** The step's own writes are done. */
  written?: true;
  /** Indexes of the arcs chosen by `next`. */
  route?: number[];
  /** The rule whose `next` handles the failure. */
  handled?: { rule: number; at: SourcePosition };
  skipped?: { reason: Json };
  /** A rule of the step matched, at whatever stage. */
  fired?: true;
  /** The rule and action whose `result`, in an iteration, is evaluated at the boundary. */
  result?: [rule: number, action: number];
  /** Rules that matched in an iteration: they are not evaluated at the boundary. */
  matched?: number[];
  /** What the frame of ENTER, or of a stopped pipeline, passes to the run's next frame: visits keep counting, so that task run ids stay unique. */
  kept?: KeptVisit;
}

export interface KeptVisit {
  visits: Record<string, number>;
  iter: JsonObject;
  locals: JsonObject;
  results: Record<string, TaskResult>;
}

/** Repetitions of one call; absent before the first. */
export interface Repeats {
  /** The current page, 1-based: calls with overrides advance it. */
  page: number;
  /** Executions so far, including the current one. */
  count: number;
  /** The overrides so far, each deep-merged over the previous ones. */
  config?: JsonObject;
  input?: JsonObject;
  /** The rule that requested the current page. */
  rule?: number;
  /** Where the pages collect the result. */
  gathered?: ValueTarget;
}

export interface ValueTarget {
  readonly scope: Assignment['scope'];
  readonly path: readonly string[];
}

/**
 * What a step run collected in one place: by iteration, in the order of the items. The path of a step without a loop, and
 * of what the step itself wrote there, is empty.
 */
export interface CollectedValues {
  mode: Collect['mode'];
  parts: { path: number[]; value: Json }[];
}

/** Actions of the matching rules, carried out one after the other; a sink suspends the rest until it has ended. */
export interface Agenda {
  /** Owner of the rules: the current task, or the step. */
  of: 'task' | 'step';
  /** Remaining actions. */
  todo: [rule: number, action: number][];
  /** Rules whose moves apply when all actions are done. */
  moves: number[];
  /** The rule whose attempts are used up, and how many were made. */
  exhausted?: { rule: number; attempts: number };
  /** For a task with a final outcome: what follows once its sinks have run. */
  standing?: RuleStanding;
}

/** What follows for a task, and the rule that decided it (null: none). */
export interface RuleStanding {
  do: 'continue' | 'break' | 'jump' | 'fail';
  rule: number | null;
  exhausted?: Agenda['exhausted'];
}

/** A running sink, with the call and agenda it interrupts. */
export interface Suspended {
  /** The sink. */
  name: string;
  /** The rule it belongs to. */
  rule: number;
  attempt: number;
  taskRunId: string | null;
  repeats?: Repeats;
  agenda: Agenda;
}
