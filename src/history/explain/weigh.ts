/** What a decision chose among. */
import { type SourcePosition, type Json } from '../../language/plan';
import { type Template } from '../../language/template/runtime';
import { type Observation } from './operands';

/** The candidates of a decision, with the values their guards saw; matched by the guard itself. */
export function weigh<
  T extends { readonly when?: Template; readonly unless?: Template; readonly at: SourcePosition },
>(
  teller: { place(at: SourcePosition): DecisionPlace | undefined },
  candidates: readonly T[],
  { observed, winners }: { readonly observed: readonly Observation[]; readonly winners: readonly number[] },
  describe: (candidate: T, index: number) => { what: string; verdict?: string },
): Considered[] {
  return candidates.map((candidate, index) => {
    const { when, unless } = candidate;
    const seenOf = (one: Template | undefined): Observation | undefined =>
      observed.findLast(({ guard }) => one !== undefined && guard === one);
    const [seen, stop] = [seenOf(when), seenOf(unless)];
    const won = winners.includes(index);
    const { what, verdict } = describe(candidate, index);
    const stopped =
      stop && `${stop.isTrue ? 'ends here' : 'goes on'}: ${unless!.source} is ${String(stop.isTrue)}`;
    return {
      what,
      guard: when?.source ?? null,
      verdict: verdict ?? stopped ?? verdictOf(seen, won, when === undefined),
      won,
      ...((seen ?? stop) && { values: { ...seen?.values, ...stop?.values } }),
      at: teller.place(candidate.at),
    };
  });
}

function verdictOf(seen: Observation | undefined, won: boolean, isElse: boolean): string {
  if (seen)
    return !seen.isTrue
      ? 'is false'
      : won
        ? 'holds'
        : 'holds, but could not be taken (its retries are exhausted)';
  if (won) return isElse ? 'always holds' : 'won';
  return 'was not evaluated: an earlier one decided, or it does not apply here';
}

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
  | 'write'
  | 'event'
  | 'cache'
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
