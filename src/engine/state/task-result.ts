/** What a task came to, and why what ran it failed. */
import { type ErrorKind, type Json, type Outcome, type Position, type TaskPlan } from '../../plan';

export interface TaskResult {
  kind: string;
  outcome: Outcome;
  /** Of an extension that says which field of its result is the data. */
  payload?: TaskPlan['payload'];
}

/** Why a frame, step or execution failed. */
export interface FailureCause {
  kind: ErrorKind | 'engine' | 'expression';
  code: string;
  message: string;
  task?: string;
  iteration?: number;
  attempt?: number;
  at?: Position;
  /** The outcome's error as the tool gave it, and other outcome parts worth showing (stdout). */
  cause?: Json;
}
