import { TemplateError } from '../errors';
import { PRICES, type PriceTable } from './prices';
import { hostWatch } from './watch';

/** Limits of one evaluation. Counted, not timed: the same template ends at the same point on every replay. */
export const templateLimits = {
  /**
   * Units of work, each mostly about 0.1 µs, and never much more than 1 µs: a node evaluated, an element visited, a
   * piece of text processed. Expensive operations charge more (`PRICES`), so that any template reaches the limit soon.
   */
  steps: 400_000,
  /** UTF-16 units of text, and eighths of list elements, that an evaluation may produce, including output. */
  output: 16 * 1024 * 1024,
  /** Maximum nesting of data, macro calls or recursive loops. */
  depth: 200,
} as const;

/** Units of work after which the host's clock is asked. */
const PORTION = 4096;

/** Counts the resources of an evaluation and throws a clear error at the limit. */
export class Meter {
  /** Units of work charged so far. */
  steps = 0;
  /** Where `charge` must look closer: at the limit, or before it to ask the clock. */
  private check: number;
  /** When the clock was first asked. */
  private began: number | undefined;
  private produced = 0;
  private depth = 0;
  private readonly most: number;

  /** @param most units of work allowed, at most those of one evaluation */
  constructor(
    most: number = templateLimits.steps,
    /** What operations cost: `meter.charge(meter.prices.element * n)`. */
    readonly prices: PriceTable = PRICES,
  ) {
    this.most = most;
    this.check = Math.min(most, PORTION);
  }

  /** Told of a decimal of which a double does not keep all digits. */
  digitsLost(_literal: string): void {}

  /** Charges `n` units of work. Throws NT4201 beyond the limit. */
  charge(n: number): void {
    this.steps += n;
    if (!(this.steps <= this.check)) this.pause();
  }

  private pause(): void {
    if (!(this.steps <= this.most)) {
      const which =
        this.most < templateLimits.steps ? 'the templates of this step together take' : 'the template takes';
      throw new TemplateError('tooManySteps', `${which} too many steps: loop over less, or use a task`);
    }
    this.check = Math.min(this.most, this.steps + PORTION);
    this.began = hostWatch.ask(this.began);
  }

  /** Charges `n` units of text before they are produced. Throws NT4202 beyond the limit. */
  produce(n: number): void {
    this.produced += n;
    if (!(this.produced <= templateLimits.output)) {
      throw new TemplateError('tooMuchOutput', 'the template produces more than 16 MiB');
    }
    this.charge(n * this.prices.producedChar);
  }

  /** Charges a list of `n` elements before it is built. */
  elements(n: number): void {
    this.produce(n * 8);
    this.charge(n * this.prices.element);
  }

  /** Runs `f` one level deeper. Throws NT4203 beyond the limit. */
  nested<T>(f: () => T): T {
    if (this.depth >= templateLimits.depth) {
      throw new TemplateError('tooDeep', `nested deeper than ${String(templateLimits.depth)} levels`);
    }
    this.depth++;
    try {
      return f();
    } finally {
      this.depth--;
    }
  }
}
