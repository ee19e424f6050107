import { TemplateError } from '../errors';
import { type TemplateEnvironment, type TemplateScope } from '../scope';
import { isDict, type Keywords } from '../values/kinds';
import { templateLimits, Meter } from '../values/meter';
import { type Regex } from '../regex/match';
import { truthy } from '../values/truth';

/** Applies a builtin by name; throws for an unknown name. */
export type Apply = (
  run: Evaluation,
  name: string,
  subject: unknown,
  args: readonly unknown[],
  keywords: Keywords,
) => unknown;

/** One evaluation: its limits, the source of its names, its current position. */
export class Evaluation extends Meter {
  /** The offset of the current operation, for errors. */
  p = 0;

  constructor(
    readonly scope: TemplateScope,
    private readonly environment: TemplateEnvironment | undefined,
    /** Filters and tests by name, for `map('upper')` and `select('odd')`. */
    readonly filter: Apply,
    readonly test: Apply,
    /** An undefined value that would be converted to text, or be the result, is an error. */
    readonly strict = false,
  ) {
    super(
      environment?.budget && Math.min(templateLimits.steps, environment.budget.left),
      environment?.prices,
    );
  }

  override digitsLost(literal: string): void {
    this.environment?.digitsLost?.(literal);
  }

  /** Takes the work of this evaluation from the budget it shares with others. */
  end(): void {
    if (this.environment?.budget) this.environment.budget.left -= this.steps;
  }

  /** The patterns compiled so far, by flags and source. */
  patterns: Map<string, Regex> | undefined;

  private emptiness: Map<object, boolean> | undefined;

  /**
   * Whether a value is true. Testing a large dict for emptiness takes time proportional to its size, so this is
   * done once.
   */
  truth(value: unknown): boolean {
    if (!isDict(value)) return truthy(value);
    this.emptiness ??= new Map();
    let cached = this.emptiness.get(value);
    if (cached === undefined) {
      this.charge(this.prices.dictKey * Object.keys(value).length);
      cached = truthy(value);
      this.emptiness.set(value, cached);
    }
    return cached;
  }

  /** The clock and randomness of the engine. Throws NT4120 if not provided. */
  world(what: string): TemplateEnvironment {
    if (this.environment) return this.environment;
    throw new TemplateError(
      'noEnvironment',
      `${what} is not available here: this value must not depend on the run`,
    );
  }
}
