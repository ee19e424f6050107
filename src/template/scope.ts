/** Where an expression finds its names. `undefined` is Jinja2's undefined, `null` is Python's None. */
export interface Scope {
  lookup(name: string): unknown;
}

/** What an expression may know of the world: fed by the engine, deterministic inside a workflow. */
export interface Environment {
  /** The time `now()` answers: milliseconds since the epoch. */
  now(): number;
  /** The generator behind `random`, `uuid()` and `shuffle`: a float in [0, 1). */
  random(): number;
}
