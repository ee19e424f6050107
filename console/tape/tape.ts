/** All that is known of a run, as a tape: events in order, and the run at any of them. */
import { type CanonicalEvent } from '../../src/history';
import { type Graph } from '../../src/dsl/graph';
import { ArcIndex, BEFORE, type Moment, Moving } from './moment';
import { Spans } from './spans';

/** Events between two kept moments: as many as one move of the slider goes through at most. */
const EVERY = 128;

export class Tape {
  readonly events: CanonicalEvent[] = [];
  readonly spans = new Spans();
  /** Events of iterations that were not told. */
  leftOut = 0;
  /** After 0, EVERY, 2 × EVERY, … events. */
  private readonly kept: Moment[] = [BEFORE];
  private readonly arcs: ArcIndex;
  private readonly last: Moving;

  constructor(readonly graph: Graph) {
    this.arcs = new ArcIndex(graph);
    this.last = new Moving(this.arcs);
  }

  take(events: readonly CanonicalEvent[]): void {
    for (const event of events) {
      this.events.push(event);
      this.last.take(event);
      this.spans.take(event);
      if (this.events.length % EVERY === 0) this.kept.push(this.last.moment);
    }
  }

  /** @param count of the events that have happened by then; 0 is before the first */
  at(count: number): Moment {
    if (count >= this.events.length) return this.last.moment;
    const from = Math.floor(count / EVERY);
    const moving = new Moving(this.arcs, this.kept[from]!);
    for (const event of this.events.slice(from * EVERY, count)) moving.take(event);
    return moving.moment;
  }

  /** Milliseconds since the epoch; that of the first event before it. */
  timeAt(count: number): number {
    const event = this.events[Math.max(0, Math.min(count, this.events.length) - 1)];
    return event ? Date.parse(event.timestamp) : 0;
  }
}
