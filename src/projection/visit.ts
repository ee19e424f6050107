/** One execution, read from its history and handed to a sink from where the sink left off. */
import { type Client } from '@temporalio/client';
import { type Pages, Derivation, PROFILES, unseenAfter } from '../history';
import { historyPages } from '../temporal';
import { type Cursors } from './cursors';
import { type Followed } from './followed';
import { type Batch, type Sink, type Told } from './sink';

export interface VisitOptions {
  readonly client: Client;
  readonly sink: Sink;
  readonly cursors: Cursors;
  /** Goes on with what a running execution does next, until it ends. */
  readonly follow: boolean;
  /** Ends the visit between two batches; a batch that is being taken is taken. */
  readonly signal: AbortSignal;
  /** A page of history came. */
  readonly received: () => void;
  /** It was taken: how many events of it were new, how long the run's history is so far. */
  readonly taken: (events: number, length: number) => void;
}

/**
 * Reads from the start (an event is derived from all that happened before it), delivers what is after the cursor.
 *
 * @param runId of a run that ended; undefined for the workflow's latest
 * @returns whether the execution is over, and all of it taken
 * @throws what reading, deriving or the sink throws; CodedError `SUPERSEDED` when the run was reset meanwhile
 */
export async function visit(
  execution: Followed,
  runId: string | undefined,
  options: VisitOptions,
): Promise<boolean> {
  const { client, sink, cursors, follow, signal } = options;
  const pages: Pages = historyPages(client, execution.workflowId, { follow, signal, runId });
  const derivation = new Derivation({
    converter: client.options.loadedDataConverter,
    workflowId: execution.workflowId,
  });
  const told = new Teller(await cursors.read(execution.executionId));
  let length = 0;
  for await (const page of pages) {
    options.received();
    length = Number(page.at(-1)?.eventId ?? length);
    const events = told.unseen(await derivation.take(page));
    if (events.length > 0) await sink.take(batch(execution, derivation, events), cursors);
    options.taken(events.length, length);
    if (signal.aborted) break;
  }
  const { closed } = derivation;
  if (!closed || closed.status === 'continued_as_new' || signal.aborted) return false;
  await sink.take({ ...batch(execution, derivation, []), endedAt: closed.at }, cursors);
  return true;
}

function batch(execution: Followed, derivation: Derivation, events: readonly Told[]): Batch {
  const { plan, state, divergence } = derivation;
  return { execution, plan, events, variables: state.ctx, ...(divergence && { divergence }) };
}

type Events = Awaited<ReturnType<Derivation['take']>>;

/** Tells what a cursor has not seen. */
class Teller {
  private readonly project = PROFILES.noetl.project();
  private readonly isUnseen: (eventId: string) => boolean;
  private shift = 0;

  constructor(private readonly cursor: { eventId?: string; seq: number }) {
    this.isUnseen = unseenAfter(cursor.eventId);
  }

  unseen(events: Events): Told[] {
    return events.flatMap((event) => {
      // A projection is told of every event, also of those that are seen.
      const [row] = this.project(event);
      // Positions count from the first run that Temporal still has; the sink may have seen earlier ones.
      if (event.event_id === this.cursor.eventId) this.shift = this.cursor.seq - event.seq;
      if (!this.isUnseen(event.event_id)) return [];
      return [{ event: this.shift === 0 ? event : { ...event, seq: event.seq + this.shift }, row: row! }];
    });
  }
}
