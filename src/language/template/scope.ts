import { type PriceTable } from './values/prices';

/** The source of an expression's names. `undefined` is Jinja2's undefined, `null` is Python's None. */
export interface TemplateScope {
  lookup(name: string): unknown;
}

/** Units of work (`Meter`) that evaluations may take together. */
export interface Budget {
  /** Reduced by every evaluation, whether or not it succeeds. */
  left: number;
}

/** Clock and randomness of expressions: provided by the engine, deterministic inside a workflow. */
export interface TemplateEnvironment {
  /** The time returned by `now()`: milliseconds since the epoch. */
  now(): number;
  /** The generator behind `random`, `uuid()` and `shuffle`: a float in [0, 1). */
  random(): number;
  /** Shared by several evaluations; each has a limit of its own as well. */
  readonly budget?: Budget;
  /** What operations cost; absent for those of this release. */
  readonly prices?: PriceTable;
  /** Told of a decimal that `fromjson` read, of which a double does not keep all digits. */
  digitsLost?(literal: string): void;
}
