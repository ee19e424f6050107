/** Future events in simulated time: tasks that settle, timers that fire, external messages. */
import { type Input } from '../../engine';

export interface Happening {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly input: Input;
}

/** Chooses the next of at least one happening, given in the order of their announcement. */
export type Pick = (happenings: readonly Happening[]) => Happening;

/** The earliest; at the same time, the first announced. */
export const earliest: Pick = (happenings) => happenings.reduce((a, b) => (b.at < a.at ? b : a));

/** Announced happenings that have not occurred yet. */
export class Happenings {
  private readonly list: Happening[] = [];

  constructor(private readonly pick: Pick) {}

  announce(happening: Happening): void {
    this.list.push(happening);
  }

  /** Removes and returns the next one; undefined if there is none. */
  next(): Happening | undefined {
    if (this.list.length === 0) return undefined;
    const next = this.pick(this.list);
    this.list.splice(this.list.indexOf(next), 1);
    return next;
  }

  /** Cancels the happening whose input matches `is`. */
  cancel(is: (input: Input) => boolean): void {
    const position = this.list.findIndex(({ input }) => is(input));
    if (position >= 0) this.list.splice(position, 1);
  }

  /** Replaces the matching happening; no effect if it has already occurred. */
  replace(is: (input: Input) => boolean, by: (before: Happening) => Happening): void {
    const position = this.list.findIndex(({ input }) => is(input));
    if (position >= 0) this.list[position] = by(this.list[position]!);
  }
}
