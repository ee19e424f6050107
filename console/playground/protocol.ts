/** What the page asks the worker that proves: rehearsals, simulations, and what can happen at all. */
import { type Item } from '../../src/history/reader';
import { type SourcePosition } from '../../src/language/plan';
import { type DeepChecked } from '../../src/offline/proof/deep';
import { type SimulationResult } from '../../src/offline/simulation';

/** All that is written on the page. */
export interface PlaygroundTexts {
  readonly playbook: string;
  readonly rehearsals: string;
  /** What goes wrong in simulations, and what must hold nevertheless. */
  readonly faults: string;
}

export interface DeepAnswer extends Omit<DeepChecked, 'findings'> {
  readonly findings: readonly DeepProblem[];
}

export interface DeepProblem {
  readonly code: string;
  readonly severity: 'error' | 'warning' | 'info';
  readonly message: string;
  readonly at: SourcePosition;
  readonly trace: readonly string[];
  /** Names of the rehearsals that show it; they are answered by `witness`. */
  readonly shownBy: readonly string[];
}

/** A run, to be read as a history is. */
export type SimulatedRun = readonly Item[];

/** Each fails with what is wrong with the texts. */
export interface ProverAnswers {
  /** @param name of the rehearsal */
  rehearsal(texts: PlaygroundTexts, name: string): SimulatedRun;
  simulate(texts: PlaygroundTexts, first: number, count: number): SimulationResult;
  seed(texts: PlaygroundTexts, seed: number): SimulatedRun;
  deep(playbook: string): DeepAnswer;
  /** @param name one of `shownBy` */
  witness(playbook: string, name: string): SimulatedRun;
}
