/** The outcome of a task, and why it failed. */
import { type ErrorKind, type Json, type Outcome, type Position } from '../../plan';

export interface TaskResult {
  kind: string;
  outcome: Outcome;
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
  /** The outcome's error as reported by the tool, and other parts worth showing (stdout). */
  cause?: Json;
}
