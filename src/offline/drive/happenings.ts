/** Future events in simulated time: tasks that settle, timers that fire, external messages. */
import { type Input } from '../../engine/machine';

/** The place of an event in a recording: its batch, its position in the batch, and the recorded time. */
export interface Mark {
  readonly batch: number;
  readonly position: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export interface Happening {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly input: Input;
  readonly mark?: Mark;
  readonly isCancelled?: boolean;
}

/** Chooses the next of one or more scheduled events, which are given in the order in which they were scheduled. */
export type Pick = (happenings: readonly Happening[]) => Happening;

/** The earliest; of those at the same time, the one scheduled first. */
export const earliest: Pick = (happenings) => happenings.reduce((a, b) => (b.at < a.at ? b : a));

/** Scheduled events that have not occurred yet. */
export class Happenings {
  private list: Happening[] = [];

  get all(): readonly Happening[] {
    return this.list;
  }

  announce(happening: Happening): void {
    this.list.push(happening);
  }

  /** Removes those that occur now. */
  take(taken: readonly Happening[]): void {
    for (const one of taken) this.list.splice(this.list.indexOf(one), 1);
  }

  /** Cancels the scheduled events whose input matches `is`. */
  cancel(is: (input: Input) => boolean): void {
    this.list = this.list.filter(({ input }) => !is(input));
  }

  /** Replaces the matching scheduled event. @returns false if there is none: it has already occurred, or was never scheduled */
  replace(is: (input: Input) => boolean, by: (before: Happening) => Happening): boolean {
    const position = this.list.findIndex(({ input }) => is(input));
    if (position >= 0) this.list[position] = by(this.list[position]!);
    return position >= 0;
  }
}
