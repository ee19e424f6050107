/** What rules add to the state of frames and step runs. Plain JSON, and absent where no rule has done anything. */
import { type Assignment, type Happening, type Json, type JsonObject, type Position } from '../../plan';
import { type FailureCause, type TaskResult } from './task-result';

/** Of a frame whose step has rules. */
export interface Passage {
  /** The happening its rules are at; null while its tasks are at work; `over`: nothing of it is left. */
  stage: Happening | 'over' | null;
  /** The failure that stands at this stage. */
  cause: FailureCause | null;
  /** Rules that held at the call: they are not asked at its end. */
  held: number[];
  /** What an action `result` made of the frame's result. */
  result?: TaskResult;
  /** Where `collect` gathered the step's result. */
  gathered?: Target;
  /** A move `skip` ended the frame. */
  skipped?: { reason: Json };
  /** The loop that the frame is an iteration of ends with it. */
  endsLoop?: true;
  /** Of a step with several tasks: how often its rules repeated all of them. */
  round?: Repeats & { attempt: number };
}

/** Of a step run. */
export interface RunRules {
  /** The end was asked about, or there is nothing to ask. */
  exited?: true;
  /** The step's own writes are done. */
  written?: true;
  /** Arcs that moves `next` chose, by index. */
  route?: number[];
  /** The rule whose `next` answers the failure. */
  handled?: { rule: number; at: Position };
  skipped?: { reason: Json };
  /** Rules that held in an iteration: they are not asked at the boundary. */
  held?: number[];
  /** What the frame of ENTER leaves to the next frame of the run: visits go on, so that no task run id repeats. */
  kept?: Kept;
}

export interface Kept {
  visits: Record<string, number>;
  iter: JsonObject;
  locals: JsonObject;
  results: Record<string, TaskResult>;
}

/** Repetitions of one call; absent before the first. */
export interface Repeats {
  /** The page under way, 1-based: calls with overrides turn it. */
  page: number;
  /** Executions so far, the one under way included. */
  count: number;
  /** What the calls so far changed, each deep-merged over those before. */
  config?: JsonObject;
  input?: JsonObject;
  /** The rule that asked for the page under way. */
  asked?: number;
  /** Where the pages gather the result. */
  gathered?: Target;
}

export interface Target {
  scope: Assignment['scope'];
  path: string[];
}

/** What iterations of a parallel loop gathered in one place. */
export interface Gathered {
  /** What stood there before. */
  base: Json;
  /** By iteration, in their order: for lists how many items are its own, else its value. */
  parts: { path: number[]; count: number; value: Json }[];
}

/** What the rules that matched are to do, one action after the other; a sink suspends the rest until it ended. */
export interface Agenda {
  /** Whose rules: of the task at hand, or of the step. */
  of: 'task' | 'step';
  /** Actions still to do. */
  todo: [rule: number, action: number][];
  /** Rules whose moves are taken when all actions are done. */
  moves: number[];
  /** The rule whose attempts are used up, and how many were made. */
  exhausted?: { rule: number; made: number };
  /** Of a task whose outcome stands: what follows once its sinks have run. */
  standing?: Standing;
}

/** What follows for a task, and the rule that says so: null for none. */
export interface Standing {
  do: 'continue' | 'break' | 'jump' | 'fail';
  rule: number | null;
  exhausted?: Agenda['exhausted'];
}

/** A sink under way, and the call and agenda it interrupts. */
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
