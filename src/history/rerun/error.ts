import { CodedError } from '../../plan';

/** Why an execution cannot be rerun from a step: for whoever asked, who can mend it. */
export type RerunRefusal =
  /** The playbook has no step of that name. */
  | 'RERUN_STEP_UNKNOWN'
  /** The execution never came to the step. */
  | 'RERUN_STEP_NOT_RUN'
  /** The new revision differs before the step. */
  | 'RERUN_GRAPH_DIFFERS'
  /** This release does not follow the history up to the step. */
  | 'RERUN_DIVERGED';

export class RerunError extends CodedError<RerunRefusal> {}
