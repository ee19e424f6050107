/**
 * Reads a long run as the server's tables have it: a window of its events around a moment, with how the run stood before them.
 * However long the run is, the page holds no more.
 */
import { type CanonicalEvent } from '../../src/history';
import { type Graph } from '../../src/language/dsl/graph';
import { type Moment } from '../../src/history/moment';
import { askApi } from '../server/api';
import { Tape } from './tape';

/** Events of a page; a window has those around its moment, and of a run that goes on some more. */
const PAGE = 500;
const MOST = 4 * PAGE;

interface EventsPage {
  readonly events: readonly CanonicalEvent[];
  readonly pagination: { readonly total_events: number | null };
}

const OVER: ReadonlySet<string> = new Set(['COMPLETED', 'FAILED', 'CANCELLED']);
/** The last event of a run. */
const LAST = 'playbook.processed';

export class WindowReader {
  /** Of all events, as far as is known. */
  private total = 0;
  private tape: Tape | undefined;
  isOver = false;

  constructor(
    private readonly id: string,
    private readonly graph: Graph,
    readonly signal: AbortSignal,
  ) {}

  async around(at: number | undefined): Promise<Tape> {
    if (!this.isOver) await this.look();
    const here = Math.min(at ?? this.total, this.total);
    if (this.tape && here > this.tape.first && here <= this.tape.end)
      this.tape.later = this.total - this.tape.end;
    else this.tape = await this.read(here);
    const { tape } = this;
    this.isOver ||= tape.later === 0 && tape.events.at(-1)?.event_type === LAST;
    return tape;
  }

  /** What has happened since. */
  private async look(): Promise<void> {
    const { tape } = this;
    const last = tape?.events.at(-1);
    if (!tape || !last || tape.later > 0) {
      const { seq, status } = await this.ask<Moment & { readonly seq: number }>('moment');
      this.total = seq;
      this.isOver = OVER.has(status);
      return;
    }
    const query = `profile=canonical&page_size=${String(PAGE)}&after=${encodeURIComponent(last.event_id)}`;
    const { events, pagination } = await this.ask<EventsPage>(`events?stored=true&${query}`);
    // While it is derived, the number is not known yet.
    this.total = Math.max(this.total, tape.end + (pagination.total_events ?? events.length));
    if (tape.events.length + events.length <= MOST) tape.take(events);
  }

  private async read(here: number): Promise<Tape> {
    const page = Math.max(1, Math.ceil(here / PAGE));
    const first = Math.max(0, page - 2) * PAGE;
    const pages = [page - 1, page, page + 1].filter((one) => one >= 1 && (one - 1) * PAGE < this.total);
    const [moment, ...rest] = await Promise.all([
      first === 0 ? undefined : this.ask<Moment>(`moment?at=${String(first)}`),
      ...pages.map((one) =>
        this.ask<EventsPage>(
          `events?stored=true&profile=canonical&page_size=${String(PAGE)}&page=${String(one)}`,
        ),
      ),
    ]);
    const tape = new Tape(this.graph, first, moment?.runs);
    for (const { events } of rest) tape.take(events);
    tape.later = Math.max(0, this.total - tape.end);
    return tape;
  }

  private ask<T>(what: string): Promise<T> {
    return askApi<T>(`/api/executions/${this.id}/${what}`, { signal: this.signal });
  }
}
