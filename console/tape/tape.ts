/** Events of a run in order, and the spans of its timeline. */
import { type CanonicalEvent } from '../../src/history';
import { type Moment } from '../../src/history/moment';
import { type Graph } from '../../src/language/dsl/graph';
import { Spans } from './spans';

export class Tape {
  readonly events: CanonicalEvent[] = [];
  readonly spans: Spans;
  /** Events of iterations that are not shown. */
  leftOut = 0;
  /** Events behind those of the tape. */
  later = 0;

  /**
   * @param first events of the run before those of the tape
   * @param runs step runs under way there
   */
  constructor(
    readonly graph: Graph,
    readonly first = 0,
    runs: Moment['runs'] = [],
  ) {
    this.spans = new Spans(runs);
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
      this.spans.take(event);
    }
  }

  /** The last event. @param count of the events that have happened by then */
  eventAt(count: number): CanonicalEvent | undefined {
    return this.events[count - this.first - 1];
  }

  /** Position of that event in the run; 0 is before the first. */
  seqAt(count: number): number {
    return this.eventAt(count)?.seq ?? count;
  }

  /** Events up to that one. */
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
