import { type SourcePosition } from '../../../language/plan';

export type RecordedDecisionKind =
  /** A step begins, or is skipped. */
  | 'step'
  /** A task's call: what it asks for. */
  | 'call'
  /** What a task without a tool came to. */
  | 'outcome'
  /** What follows a task: go on, retry, jump, fail. */
  | 'directive'
  /** Which steps follow a step. */
  | 'route'
  /** The arguments given to a following step. */
  | 'arguments'
  /** A write to ctx. */
  | 'write'
  /** The items of a loop, and how it ended. */
  | 'loop'
  /** Which wait took an external event. */
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
  /** What was decided: the same for the same decision of another version. */
  readonly key: string;
  /** What it was decided to be, as canonical JSON. */
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
