import { type SourcePosition } from '../../../language/plan';

export type RecordedDecisionKind =
  /** A step begins, or is skipped. */
  | 'step'
  /** The request of a task's call. */
  | 'call'
  /** The outcome of a task without a tool. */
  | 'outcome'
  /** The move after a task: continue, retry, jump, fail. */
  | 'directive'
  /** The steps selected after a step. */
  | 'route'
  /** The arguments given to a following step. */
  | 'arguments'
  /** A write to ctx. */
  | 'write'
  /** The items of a loop, and how it ended. */
  | 'loop'
  /** The wait that consumed an external event. */
  | 'event'
  /** A message to the event log. */
  | 'log'
  /** A step failed. */
  | 'failure'
  /** The result, or the error, of the execution. */
  | 'end';

/** One thing a run decided, in a form that does not depend on how its playbook is written. */
export interface RecordedDecision {
  readonly kind: RecordedDecisionKind;
  /** Identifies the decision across versions. */
  readonly key: string;
  /** The decided value, as canonical JSON. */
  readonly value: string;
  /** Of a call: its timeouts, as canonical JSON. */
  readonly sent?: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly step?: string;
  readonly task?: string;
  /** Line and column in the playbook, if the event says. */
  readonly place?: SourcePosition;
}
