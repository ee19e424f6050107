/** What is known of a run, as a tape: events in order, and the run at any of them. */
import { type CanonicalEvent } from '../../src/history';
import { BEFORE, type Moment, Moving } from '../../src/history/moment';
import { type Graph } from '../../src/language/dsl/graph';
import { Spans } from './spans';

/** Events between two kept moments: as many as one move of the slider goes through at most. */
const EVERY = 128;

/** Where a tape of a part of a run begins. */
export interface TapeStart {
  /** Events before. */
  readonly first: number;
  readonly moment: Moment;
}

export class Tape {
  readonly events: CanonicalEvent[] = [];
  readonly spans: Spans;
  /** Events of the run before those of the tape. */
  readonly first: number;
  /** Events of iterations that were not told. */
  leftOut = 0;
  /** Events behind those of the tape. */
  later = 0;
  /** After 0, EVERY, 2 × EVERY, … events. */
  private readonly kept: Moment[];
  private readonly last: Moving;

  /** @param start of a tape of a part of the run */
  constructor(
    readonly graph: Graph,
    { first, moment }: TapeStart = { first: 0, moment: BEFORE },
  ) {
    this.first = first;
    this.kept = [moment];
    this.last = new Moving(moment);
    this.spans = new Spans(moment.runs);
  }

  /** Of the events of the tape and those before. */
  get end(): number {
    return this.first + this.events.length;
  }

  /** Of all events. */
  get total(): number {
    return this.end + this.later;
  }

  get isWhole(): boolean {
    return this.first === 0 && this.later === 0;
  }

  take(events: readonly CanonicalEvent[]): void {
    for (const event of events) {
      this.events.push(event);
      this.last.take(event, Date.parse(event.timestamp));
      this.spans.take(event);
      if (this.events.length % EVERY === 0) this.kept.push(this.last.moment);
    }
  }

  /** @param count of the events that have happened by then; 0 is before the first */
  at(count: number): Moment {
    if (count >= this.end) return this.last.moment;
    const offset = Math.max(0, count - this.first);
    const from = Math.floor(offset / EVERY);
    const moving = new Moving(this.kept[from]!);
    for (const event of this.events.slice(from * EVERY, offset))
      moving.take(event, Date.parse(event.timestamp));
    return moving.moment;
  }

  /** The event that was the last one then. */
  eventAt(count: number): CanonicalEvent | undefined {
    return this.events[count - this.first - 1];
  }

  /** Those that had happened by then. */
  until(count: number): readonly CanonicalEvent[] {
    return this.events.slice(0, Math.max(0, count - this.first));
  }

  /** Milliseconds since the epoch; that of the first event before it. */
  timeAt(count: number): number {
    const offset = Math.min(count - this.first, this.events.length);
    const event = this.events[Math.max(0, offset - 1)];
    return event ? Date.parse(event.timestamp) : 0;
  }
}
