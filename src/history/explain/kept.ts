/** The decisions that were asked for: a run may make hundreds of thousands. */
import { type ExplainedDecision } from './weigh';

/**
 * Decisions about iterations that are kept for each step. A loop may make hundreds of thousands; how many more there
 * were is told, and each can be asked for (`at`).
 */
const KEPT_OF_ITERATIONS = 1000;

/** Which decisions are asked for. */
export interface DecisionSelection {
  /** Those about this step only. */
  readonly step?: string;
  /** The `seq` of an event: its decision, or the last one before it, instead of all. */
  readonly at?: number;
  /** The `seq` of an event: those after it, also all about iterations. */
  readonly after?: number;
}

/** The decisions that were asked for. */
export class KeptDecisions {
  decisions: ExplainedDecision[] = [];
  /** By step: how many decisions about its iterations there were. */
  private readonly ofIterations = new Map<string, number>();

  constructor(private readonly selection: DecisionSelection) {}

  add(decision: ExplainedDecision, isOfIteration = false): void {
    const { step, seq } = decision;
    const { at, after } = this.selection;
    if (this.selection.step !== undefined && step !== this.selection.step) return;
    if (at !== undefined) {
      if (seq <= at) this.decisions = [decision];
      return;
    }
    if (after !== undefined && seq <= after) return;
    if (after === undefined && isOfIteration) {
      const count = (this.ofIterations.get(step ?? '') ?? 0) + 1;
      this.ofIterations.set(step ?? '', count);
      if (count > KEPT_OF_ITERATIONS) return;
    }
    this.decisions.push(decision);
  }

  /** Steps of whose decisions some were left out, and how many. */
  get leftOut(): [string, number][] {
    return [...this.ofIterations].flatMap(([step, count]): [string, number][] =>
      count > KEPT_OF_ITERATIONS ? [[step, count - KEPT_OF_ITERATIONS]] : [],
    );
  }
}
