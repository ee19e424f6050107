/** The source of an expression's names. `undefined` is Jinja2's undefined, `null` is Python's None. */
export interface Scope {
  lookup(name: string): unknown;
}

/** Clock and randomness of expressions: provided by the engine, deterministic inside a workflow. */
export interface Environment {
  /** The time returned by `now()`: milliseconds since the epoch. */
  now(): number;
  /** The generator behind `random`, `uuid()` and `shuffle`: a float in [0, 1). */
  random(): number;
  /** Units of work (`Meter`) that evaluations may still take together; each has a limit of its own as well. */
  allowance?(): number;
  /** Receives the units of work (`Meter`) that an evaluation took, whether or not it succeeded. */
  spent?(units: number): void;
}
