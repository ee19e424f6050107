/** A thread's side of a visit: derives the events of an execution, and hands over those that the sink lacks. */
import {
  type CanonicalEvent,
  type Derivation,
  type HistoryEvent,
  noetlRows,
  unseenAfter,
} from '../../../history';
import { KeyframeWriter } from '../../../history/keyframes';
import { compact } from '../../../language/plan';
import { type HostReading } from '../../reading/from-host';
import { type ReadPlace } from '../followed';
import { type EventBatch, type EventItem } from '../sink';
import { noetlColumns } from '../tables/noetl-row';
import { variableChanges } from '../tables/variables';
import { type CursorPosition } from '../cursors';

export interface EventDelivery {
  readonly workflowId: string;
  readonly position: CursorPosition;
  /** Whether events have the calls of their tasks. */
  readonly calls: boolean;
  /** Where the keyframes that the sink has end; undefined: it keeps none. */
  readonly keyframes?: number;
  /** Events of a keyframe, at least; by default as many as are read quickly. */
  readonly every?: number;
  /** The execution goes on: what its last keyframe leads to is kept too. */
  readonly goesOn?: boolean;
}

/** A batch without what does not change; the plan is in the first one. */
export type Delivered = Omit<EventBatch, 'execution' | 'plan'> & Partial<Pick<EventBatch, 'plan'>>;

/** @returns whether the execution has ended */
export async function deliver(reading: HostReading, delivery: EventDelivery): Promise<boolean> {
  const { workflowId, position, calls, keyframes, every } = delivery;
  const { host } = reading;
  const recorder = keyframes === undefined ? undefined : new KeyframeWriter(keyframes, every);
  const derivation = reading.derivation({ workflowId, calls, ...compact({ recorder }) });
  const teller = new Teller(position, (event) => derivation.callOf(event));
  let isFirst = true;
  const partOf = (events: readonly EventItem[]): Delivered => {
    // What its segments tell of must be in the tables, at the same positions.
    const segments = recorder?.upTo(events.at(-1)?.event.seq ?? derivation.lastSeq) ?? [];
    const part = {
      ...batch(workflowId, derivation, { events, isFirst }),
      ...(!teller.isShifted && segments.length > 0 && { keyframes: segments }),
    };
    isFirst = false;
    return part;
  };
  const reached = new Reached();
  const sink = new SinkSide(host);
  for await (const page of reading.pages()) {
    await sink.finish();
    reached.take(page);
    let count = 0;
    for await (const portion of derivation.portions(page)) {
      const events = teller.unseen(portion);
      if (events.length === 0) continue;
      count += events.length;
      await sink.take(partOf(events));
    }
    const { place } = reached;
    const goesOn = delivery.goesOn && count > 0 && !derivation.closed && !teller.isShifted;
    sink.add({
      reached: place,
      ...compact({ rest: goesOn ? recorder?.part(derivation.lastSeq) : undefined }),
    });
    if (!derivation.closed) await sink.finish();
    await host.ask('taken', { count, length: place.length, ...(teller.isBehind ? {} : { reached: place }) });
  }
  const { closed } = derivation;
  if (!closed || closed.status === 'continued_as_new') {
    await sink.finish();
    return false;
  }
  recorder?.cut(derivation.lastSeq);
  await sink.finish({ ...partOf([]), endedAt: closed.at });
  return true;
}

/**
 * Portions on their way to the sink, which takes one at a time: meanwhile the next is derived. The last one of a page is
 * taken with what is known at the end of the page; a closed run's also with its end, or when another run follows.
 */
class SinkSide {
  private taking: Promise<unknown> = Promise.resolve();
  private last: Delivered | undefined;

  constructor(private readonly host: HostReading['host']) {}

  async take(portion: Delivered): Promise<void> {
    await this.hand();
    this.last = portion;
  }

  add(more: Partial<Delivered>): void {
    if (this.last) this.last = { ...this.last, ...more };
  }

  /** Until everything has been taken. @param end goes with the last portion */
  async finish(end?: Delivered): Promise<void> {
    const keyframes = [...(this.last?.keyframes ?? []), ...(end?.keyframes ?? [])];
    if (end) this.last = { ...end, ...this.last, ...(keyframes.length > 0 && { keyframes }) };
    await this.hand();
    await this.taking;
  }

  private async hand(): Promise<void> {
    if (!this.last) return;
    await this.taking;
    this.taking = this.host.ask('take', this.last);
    this.taking.catch(() => undefined); // whoever waits for it next hears of it
    this.last = undefined;
  }
}

/** Which run of Temporal was read how far. */
class Reached {
  place: ReadPlace = { runId: '', length: 0 };

  take(page: readonly HistoryEvent[]): void {
    let { runId, length } = this.place;
    for (const event of page) {
      const { originalExecutionRunId } = event.workflowExecutionStartedEventAttributes ?? {};
      const { newRunId } = event.workflowTaskFailedEventAttributes ?? {};
      // A reset run begins with the events of the one before, and its own beginning.
      runId = newRunId || originalExecutionRunId || runId;
      length = Number(event.eventId);
    }
    this.place = { runId, length };
  }
}

function batch(
  workflowId: string,
  derivation: Derivation,
  { events, isFirst }: { readonly events: readonly EventItem[]; readonly isFirst: boolean },
): Delivered {
  const { plan, state, divergence, origin = { rootWorkflowId: workflowId, memo: {} } } = derivation;
  const callerId = state.caller?.executionId;
  return {
    origin,
    events,
    variables: variableChanges({ events, variables: state.ctx, plan }),
    ...(isFirst && { plan }),
    ...compact({ callerId, divergence }),
  };
}

/** Selects the events after the cursor. */
class Teller {
  private readonly rowsOf = noetlRows();
  private readonly isUnseen: (eventId: string) => boolean;
  private shift = 0;
  /** The sink has events that did not come yet. */
  isBehind: boolean;

  constructor(
    private readonly cursor: { eventId?: string; seq: number },
    private readonly callOf: Derivation['callOf'],
  ) {
    this.isUnseen = unseenAfter(cursor.eventId);
    this.isBehind = cursor.eventId !== undefined;
  }

  /** Temporal has forgotten the beginning: the sink counts other positions. */
  get isShifted(): boolean {
    return this.shift !== 0;
  }

  unseen(events: readonly CanonicalEvent[]): EventItem[] {
    return events.flatMap((event) => {
      // A projection must see every event, including delivered ones.
      const rows = this.rowsOf(event);
      // Positions count from the first run that Temporal still has; the sink may have seen earlier ones.
      if (event.event_id === this.cursor.eventId) {
        this.shift = this.cursor.seq - event.seq;
        this.isBehind = false;
      }
      if (!this.isUnseen(event.event_id)) return [];
      this.isBehind = false;
      const call = this.callOf(event);
      const { shift } = this;
      const shifted = shift === 0 ? event : { ...event, seq: event.seq + shift };
      const columns = rows.map((row) => noetlColumns(row, shift));
      return [{ event: shifted, rows: columns, ...(call && { call }) }];
    });
  }
}
