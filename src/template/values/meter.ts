import { TemplateError } from '../errors';

/** What one evaluation may consume. Counted, never timed: the same template ends at the same point on every replay. */
export const limits = {
  /**
   * Units of work, each some 0.1 to 0.2 µs: a node evaluated, an element visited, a run of text handled. What costs
   * more charges more, so that the limit is reached within 100 ms whatever the template does.
   */
  steps: 400_000,
  /** UTF-16 units of text, and eights of list elements, that an evaluation may produce, output included. */
  output: 16 * 1024 * 1024,
  /** Levels of data, macro calls or recursive loops inside one another. */
  depth: 200,
} as const;

/** Counts what an evaluation consumes and ends it with a clear error at the limit. */
export class Meter {
  private steps = 0;
  private produced = 0;
  private depth = 0;

  /** Accounts for `n` units of work. Throws NT4201 beyond the limit. */
  charge(n: number): void {
    this.steps += n;
    if (this.steps > limits.steps) {
      throw new TemplateError(
        'tooManySteps',
        'the template takes too many steps: loop over less, or use a task',
      );
    }
  }

  /** Accounts for `n` units of text about to be produced, before they are. Throws NT4202 beyond the limit. */
  produce(n: number): void {
    this.produced += n;
    if (!(this.produced <= limits.output)) {
      throw new TemplateError('tooMuchOutput', 'the template produces more than 16 MiB');
    }
    this.charge(n / 64);
  }

  /** Accounts for a list of `n` elements about to be built. */
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
