/** The parts of an explanation. */
import { type Json } from '../../language/plan';

export type ExplainedDecisionKind =
  | 'start'
  | 'limit'
  | 'admission'
  | 'rule'
  | 'retry'
  | 'case'
  | 'route'
  | 'join'
  | 'waiting'
  | 'loop'
  | 'note'
  | 'failure'
  | 'control'
  | 'end';

/** A candidate that was evaluated or skipped, and why. */
export interface Considered {
  /** `rule 1`, `arc 2 → end`. */
  readonly what: string;
  readonly guard: string | null;
  readonly verdict: string;
  readonly won: boolean;
  /** The values of the guard's names, if it was evaluated. */
  readonly values?: Readonly<Record<string, Json>>;
  readonly at?: DecisionPlace;
}

/** Line and column in the playbook, from 1. */
export interface DecisionPlace {
  readonly file: string | null;
  readonly line: number;
  readonly column: number;
  /** The text of the line, if the playbook is available and unchanged. */
  readonly source?: string;
}

export interface ExplainedDecision {
  /** Of the event that records it. */
  readonly seq: number;
  readonly timestamp: string;
  readonly kind: ExplainedDecisionKind;
  readonly step: string | null;
  readonly step_run_id: string | null;
  readonly task_run_id: string | null;
  /** A plain-language description. */
  readonly summary: string;
  readonly details: readonly string[];
  readonly considered: readonly Considered[];
  readonly at?: DecisionPlace;
}
