/**
 * The latest events of this run, as the query `events` answers them, with the ids that the exported events have. Only
 * whoever asks pays: the run keeps its batches, and the same engine goes through them once more. Only events of this
 * Temporal run, and no more than MAX_RECENT; the whole story is in history (`noetl-temporal events`). After a reset the
 * exported ids name the new Temporal run too, which a workflow does not know.
 */
import { workflowInfo } from '@temporalio/workflow';
import { type Batch, ChunkEvents, Machine, type State } from '../src/engine';
import { type PlaybookInput, type RecentEvent } from './contract';

const MAX_RECENT = 1000;

export class RecentEvents {
  private readonly batches: { readonly batch: Batch; readonly window: number }[] = [];
  /** The state this run began with, as text: the machine takes the object over. */
  private readonly state: string | undefined;

  constructor(
    private readonly input: PlaybookInput,
    private readonly executionId: string,
  ) {
    this.state = input.state && JSON.stringify(input.state);
  }

  /** Remembers a batch that is about to be applied. */
  note(batch: Batch): void {
    // The start of the workflow task under way: what src/history calls the window.
    this.batches.push({ batch, window: workflowInfo().historyLength });
  }

  /** The last `count`, oldest first. */
  last(count: number): readonly RecentEvent[] {
    const { plan } = this.input;
    const machine =
      this.state === undefined
        ? Machine.create(plan, this.executionId)
        : Machine.from(plan, JSON.parse(this.state) as State);
    const chunks = new ChunkEvents(plan);
    const events: RecentEvent[] = [];
    let ordinal = 0;
    let before = -1;
    for (const { batch, window } of this.batches) {
      if (window !== before) ordinal = 0;
      before = window;
      const told = chunks.before(batch);
      const applied = machine.apply(batch);
      chunks.after(applied.commands);
      const { executionId, continuations = 0 } = machine.live;
      for (const { event, at } of [...told, ...applied.events.map((event) => ({ event, at: batch.at }))]) {
        const event_id = `${executionId}/${continuations}/${window}/${ordinal++}`;
        const { within, ...known } = event;
        events.push({ event_id, timestamp: new Date(within?.at ?? at).toISOString(), ...known });
      }
    }
    return events.slice(-Math.min(MAX_RECENT, Math.max(1, Math.floor(count))));
  }
}
