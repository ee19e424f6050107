/** A thread's side of a visit: derives the events of an execution, and hands over those that the sink lacks. */
import { type CanonicalEvent, type Derivation, PROFILES, unseenAfter } from '../../history';
import { KeyframeWriter } from '../../history/keyframes';
import { compact } from '../../plan';
import { type Reading } from '../../reading/from-host';
import { type Batch, type EventItem } from '../sink';
import { variableChanges } from '../tables/variables';
import { type Position } from '../cursors';

export interface Delivery {
  readonly workflowId: string;
  readonly position: Position;
  /** Whether events have the calls of their tasks. */
  readonly calls: boolean;
  /** Where the keyframes that the sink has end; undefined: it keeps none. */
  readonly keyframes?: number;
}

/** A batch without what does not change; the plan is in the first one. */
export type Delivered = Omit<Batch, 'execution' | 'plan'> & Partial<Pick<Batch, 'plan'>>;

/** @returns whether the execution has ended */
export async function deliver(
  reading: Reading,
  { workflowId, position, calls, keyframes }: Delivery,
): Promise<boolean> {
  const { host } = reading;
  const recorder = keyframes === undefined ? undefined : new KeyframeWriter(keyframes);
  const derivation = reading.derivation({ workflowId, calls, ...compact({ recorder }) });
  const teller = new Teller(position, (event) => derivation.callOf(event));
  let isFirst = true;
  const take = async (events: readonly EventItem[], endedAt?: number): Promise<void> => {
    // What its segments tell of must be in the tables, at the same positions.
    const segments = recorder?.upTo(events.at(-1)?.event.seq ?? derivation.lastSeq) ?? [];
    await host.ask('take', {
      ...batch(workflowId, derivation, { events, isFirst }),
      ...compact({ endedAt }),
      ...(!teller.isShifted && segments.length > 0 && { keyframes: segments }),
    });
    isFirst = false;
  };
  for await (const page of reading.pages()) {
    let count = 0;
    for await (const portion of derivation.portions(page)) {
      const events = teller.unseen(portion);
      count += events.length;
      if (events.length > 0) await take(events);
    }
    await host.ask('taken', { count, length: Number(page.at(-1)?.eventId ?? 0) });
  }
  const { closed } = derivation;
  if (!closed || closed.status === 'continued_as_new') return false;
  recorder?.cut(derivation.lastSeq);
  await take([], closed.at);
  return true;
}

function batch(
  workflowId: string,
  derivation: Derivation,
  { events, isFirst }: { readonly events: readonly EventItem[]; readonly isFirst: boolean },
): Delivered {
  const { plan, state, divergence, origin = { rootWorkflowId: workflowId } } = derivation;
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
  private readonly project = PROFILES.noetl.project();
  private readonly isUnseen: (eventId: string) => boolean;
  private shift = 0;

  constructor(
    private readonly cursor: { eventId?: string; seq: number },
    private readonly callOf: Derivation['callOf'],
  ) {
    this.isUnseen = unseenAfter(cursor.eventId);
  }

  /** Temporal has forgotten the beginning: the sink counts other positions. */
  get isShifted(): boolean {
    return this.shift !== 0;
  }

  unseen(events: readonly CanonicalEvent[]): EventItem[] {
    return events.flatMap((event) => {
      // A projection must see every event, including delivered ones.
      const [row] = this.project(event);
      // Positions count from the first run that Temporal still has; the sink may have seen earlier ones.
      if (event.event_id === this.cursor.eventId) this.shift = this.cursor.seq - event.seq;
      if (!this.isUnseen(event.event_id)) return [];
      const call = this.callOf(event);
      const shifted = this.shift === 0 ? event : { ...event, seq: event.seq + this.shift };
      return [{ event: shifted, row: row!, ...(call && { call }) }];
    });
  }
}
