/** The outcome of a task, and why it failed. */
import {
  type ErrorKind,
  type Json,
  type Outcome,
  type SourcePosition,
  type TaskPlan,
} from '../../../language/plan';

export interface TaskResult {
  kind: string;
  outcome: Outcome;
  /** Of an extension that says which field of its result is the data. */
  payload?: TaskPlan['payload'];
  /** Of a result that is what pages collected: their last call, until the step has ended. */
  call?: TaskResult;
}

/** Why a frame, step or execution failed. */
export interface FailureCause {
  kind: ErrorKind | 'engine' | 'expression';
  code: string;
  message: string;
  task?: string;
  iteration?: number;
  attempt?: number;
  at?: SourcePosition;
  /** The outcome's error as reported by the tool, and other parts worth showing (stdout). */
  cause?: Json;
}
