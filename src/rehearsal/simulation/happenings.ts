/** What is going to happen in simulated time: tasks that settle, timers that fire, messages from outside. */
import { type Input } from '../../engine';

export interface Happening {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly input: Input;
}

/** Chooses what happens next, out of at least one happening in the order they were announced. */
export type Pick = (happenings: readonly Happening[]) => Happening;

/** The earliest; of those at the same time, the one that was announced first. */
export const earliest: Pick = (happenings) => happenings.reduce((a, b) => (b.at < a.at ? b : a));

/** What is announced and has not happened yet. */
export class Happenings {
  private readonly list: Happening[] = [];

  constructor(private readonly pick: Pick) {}

  announce(happening: Happening): void {
    this.list.push(happening);
  }

  /** Takes the next one out; undefined when nothing is going to happen any more. */
  next(): Happening | undefined {
    if (this.list.length === 0) return undefined;
    const next = this.pick(this.list);
    this.list.splice(this.list.indexOf(next), 1);
    return next;
  }

  /** Takes back the happening whose input `is` the meant one. */
  cancel(is: (input: Input) => boolean): void {
    const position = this.list.findIndex(({ input }) => is(input));
    if (position >= 0) this.list.splice(position, 1);
  }

  /** Puts another happening in the place of the meant one; without effect when that has happened already. */
  replace(is: (input: Input) => boolean, by: (before: Happening) => Happening): void {
    const position = this.list.findIndex(({ input }) => is(input));
    if (position >= 0) this.list[position] = by(this.list[position]!);
  }
}
