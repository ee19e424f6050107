import { CodedError } from '../../plan';

/** Why an execution cannot be rerun from a step; the caller can fix it. */
export type RerunRefusal =
  /** The playbook has no step with that name. */
  | 'RERUN_STEP_UNKNOWN'
  /** The execution never reached the step. */
  | 'RERUN_STEP_NOT_RUN'
  /** The new revision differs before the step. */
  | 'RERUN_GRAPH_DIFFERS'
  /** This release cannot replay the history up to the step. */
  | 'RERUN_DIVERGED';

export class RerunError extends CodedError<RerunRefusal> {}
