/** What a task came to, and why what ran it failed. */
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
  /** The outcome's error as the tool gave it, and other outcome parts worth showing (stdout). */
  cause?: Json;
}
