import { TemplateError } from '../errors';
import { type Environment, type Scope } from '../scope';
import { isDict, type Keywords } from '../values/kinds';
import { Meter } from '../values/meter';
import { truthy } from '../values/truth';

/** Applies a builtin by its name; throws for a name that does not exist. */
export type Apply = (
  run: Run,
  name: string,
  subject: unknown,
  args: readonly unknown[],
  keywords: Keywords,
) => unknown;

/** One evaluation: what it may consume, where its names come from, where it is. */
export class Run extends Meter {
  /** The offset of the operation at work: where an error is reported. */
  p = 0;

  constructor(
    readonly scope: Scope,
    private readonly environment: Environment | undefined,
    /** Filters and tests by name, for `map('upper')` and `select('odd')`. */
    readonly filter: Apply,
    readonly test: Apply,
    /** An undefined value that would become text, or the result, is an error. */
    readonly strict = false,
  ) {
    super();
  }

  private emptiness: Map<object, boolean> | undefined;

  /** Whether a value is true. Looking whether a large dict is empty costs its size, so that is looked at once. */
  truth(value: unknown): boolean {
    if (!isDict(value)) return truthy(value);
    this.emptiness ??= new Map();
    let cached = this.emptiness.get(value);
    if (cached === undefined) {
      cached = truthy(value);
      this.emptiness.set(value, cached);
    }
    return cached;
  }

  /** The clock and the randomness of the engine. Throws NT4120 where nobody provides them. */
  world(what: string): Environment {
    if (this.environment) return this.environment;
    throw new TemplateError(
      'noEnvironment',
      `${what} is not available here: this value must not depend on the run`,
    );
  }
}
