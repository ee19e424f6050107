/** One execution, read from its history and delivered to a sink from its cursor on. */
import { type Client } from '@temporalio/client';
import { type Pages, Derivation, PROFILES, unseenAfter } from '../history';
import { compact } from '../plan';
import { historyPages } from '../temporal';
import { type Cursors } from './cursors';
import { type Followed } from './followed';
import { type Batch, type Sink, type EventItem } from './sink';

export interface VisitOptions {
  readonly client: Client;
  readonly sink: Sink;
  readonly cursors: Cursors;
  /** Continues with a running execution until it ends. */
  readonly follow: boolean;
  /** Stops the visit between batches; a batch in progress is completed. */
  readonly signal: AbortSignal;
  /** Called for each page of history. */
  readonly received: () => void;
  /** Called after each delivery: the number of new events, and the length of the run's history so far. */
  readonly taken: (events: number, length: number) => void;
}

/**
 * Reads from the start (an event is derived from everything before it), and delivers what follows the cursor.
 *
 * @param runId of a closed run; undefined for the workflow's latest
 * @returns whether the execution has ended and was taken completely
 * @throws errors of reading, deriving or the sink; CodedError `SUPERSEDED` if the run was reset meanwhile
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
    calls: sink.readsCalls,
  });
  const teller = new Teller(await cursors.read(execution.executionId), (event) => derivation.callOf(event));
  let length = 0;
  for await (const page of pages) {
    options.received();
    length = Number(page.at(-1)?.eventId ?? length);
    let count = 0;
    for await (const derived of derivation.portions(page)) {
      const events = teller.unseen(derived);
      count += events.length;
      if (events.length > 0) await sink.take(batch(execution, derivation, events), cursors);
      if (signal.aborted) break;
    }
    options.taken(count, length);
    if (signal.aborted) break;
  }
  const { closed } = derivation;
  if (!closed || closed.status === 'continued_as_new' || signal.aborted) return false;
  await sink.take({ ...batch(execution, derivation, []), endedAt: closed.at }, cursors);
  return true;
}

function batch(execution: Followed, derivation: Derivation, events: readonly EventItem[]): Batch {
  const { plan, state, divergence, origin = { rootWorkflowId: execution.workflowId } } = derivation;
  const callerId = state.caller?.executionId;
  return {
    execution,
    plan,
    origin,
    events,
    variables: state.ctx,
    ...compact({ callerId, divergence }),
  };
}

type Events = Awaited<ReturnType<Derivation['take']>>;

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

  unseen(events: Events): EventItem[] {
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
