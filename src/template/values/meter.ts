import { TemplateError } from '../errors';

/** Limits of one evaluation. Counted, not timed: the same template ends at the same point on every replay. */
export const limits = {
  /**
   * Units of work, each about 0.1 to 0.2 µs: a node evaluated, an element visited, a piece of text processed.
   * Expensive operations charge more, so that the limit is reached within 100 ms for any template.
   */
  steps: 400_000,
  /** UTF-16 units of text, and eighths of list elements, that an evaluation may produce, including output. */
  output: 16 * 1024 * 1024,
  /** Maximum nesting of data, macro calls or recursive loops. */
  depth: 200,
} as const;

/** Counts the resources of an evaluation and throws a clear error at the limit. */
export class Meter {
  /** Units of work charged so far. */
  steps = 0;
  private produced = 0;
  private depth = 0;

  /** @param most units of work allowed, at most those of one evaluation */
  constructor(private readonly most: number = limits.steps) {}

  /** Charges `n` units of work. Throws NT4201 beyond the limit. */
  charge(n: number): void {
    this.steps += n;
    if (this.steps > this.most) {
      const which =
        this.most < limits.steps ? 'the templates of this step together take' : 'the template takes';
      throw new TemplateError('tooManySteps', `${which} too many steps: loop over less, or use a task`);
    }
  }

  /** Charges `n` units of text before they are produced. Throws NT4202 beyond the limit. */
  produce(n: number): void {
    this.produced += n;
    if (!(this.produced <= limits.output)) {
      throw new TemplateError('tooMuchOutput', 'the template produces more than 16 MiB');
    }
    this.charge(n / 64);
  }

  /** Charges a list of `n` elements before it is built. */
  elements(n: number): void {
    this.produce(n * 8);
    this.charge(n);
  }

  /** Runs `f` one level deeper. Throws NT4203 beyond the limit. */
  nested<T>(f: () => T): T {
    if (this.depth >= limits.depth) {
      throw new TemplateError('tooDeep', `nested deeper than ${String(limits.depth)} levels`);
    }
    this.depth++;
    try {
      return f();
    } finally {
      this.depth--;
    }
  }
}
