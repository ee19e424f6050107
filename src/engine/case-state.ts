/**
 * What the `case` vocabulary adds to the state of frames and step runs. Plain JSON, and absent in plans that use none
 * of it, so that a state of an earlier build stays one of this build.
 */
import { type Assignment, type Json, type JsonObject, type Position } from '../plan';
import { type FailureCause, type TaskResult } from './task-result';

/** Where a frame stands in the rules of its step: null while its tasks are at work. */
export type Stage = 'enter' | 'call' | 'exit' | 'sinks' | 'end';

/** Of a frame whose step has `case` rules or step-level sinks. */
export interface Passage {
  stage: Stage | null;
  /** The failure that stands at this stage. */
  cause: FailureCause | null;
  /** Rules that acted on the call under way, by index: they do not act on its EXIT again. */
  fired: number[];
  /** What an action `result` made of the frame's result. */
  result?: TaskResult;
  /** Where `collect` gathered the step's result. */
  gathered?: Target;
  /** An action `skip` ended the frame. */
  skipped?: { reason: Json };
  /** An action `next` ends the loop that the frame is an iteration of. */
  breaks?: true;
  /** Of a step with several tasks: how often the rules repeated all of them. */
  round?: Round;
}

/** Of a step run. */
export interface RunRules {
  /** EXIT is over, or does not take place. */
  exited?: true;
  /** The step's own writes are done. */
  written?: true;
  /** Arcs that an action `next` chose, by index. */
  route?: number[];
  /** The rule whose `next` handled the failure. */
  handled?: { rule: number; at: Position };
  skipped?: { reason: Json };
  /** Rules that acted in an iteration: at the boundary only their moves are left. */
  acted?: number[];
  /** What the frame of ENTER leaves to the next frame of the run: visits go on, so that no task run id repeats. */
  kept?: Kept;
}

export interface Kept {
  visits: Record<string, number>;
  iter: JsonObject;
  locals: JsonObject;
  results: Record<string, TaskResult>;
}

/** Repetitions of one task's call within a frame; absent before the first. */
export interface Repeats {
  /** The page under way, 1-based: calls with overrides turn it. */
  page: number;
  /** Executions so far, the one under way included. */
  count: number;
  /** What the calls so far changed, each deep-merged over those before. */
  config?: JsonObject;
  input?: JsonObject;
  /** The `retry` policy whose `collect` repeated the call: the last page is collected too. */
  collects?: number;
  /** Where it gathered the result. */
  gathered?: Target;
}

export interface Round {
  attempt: number;
  page: number;
  count: number;
  config?: JsonObject;
  input?: JsonObject;
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

/** Actions that are being done, one after the other; a sink among them suspends the rest until it ended. */
export interface Agenda {
  /** Whose actions: rules of `case`, a policy of the task's `retry`, sinks of the task or of the step. */
  of: 'case' | 'retry' | 'task' | 'step';
  todo: Todo[];
  /** `case`: the moves of the matched rules, taken when all actions are done. */
  moves: [rule: number, action: number][];
  /** `retry`: attempts after which the policy was used up. */
  exhausted?: number;
  /** `retry`: the policy that decided, and its verdict on the call. */
  policy?: number;
  verdict?: 'repeat' | 'over' | 'fail';
}

/** An action of a rule or policy, or a sink by name. */
export type Todo = { rule: number; action: number } | { sink: string };

/** A sink under way, and the call and agenda it interrupts. */
export interface Aside {
  name: string;
  /** The rule or policy whose sink it is; null for sinks of a task or step. */
  rule: number | null;
  attempt: number;
  taskRunId: string | null;
  repeats?: Repeats;
  agenda: Agenda;
}
