/**
 * The latest events of this run for the query `events`, with the ids of the exported events. The cost falls on the
 * query: the run keeps its batches, and a second engine replays them. Covers only this Temporal run, and no more than
 * MAX_RECENT events; the complete log is in history (`noetl-temporal events`). After a reset, exported ids also contain
 * the new Temporal run's id, which a workflow does not know.
 */
import { workflowInfo } from '@temporalio/workflow';
import { type Batch, ChunkEvents, Machine, type State } from '../src/engine';
import { type PlaybookInput, type RecentEvent } from './contract';

const MAX_RECENT = 1000;

export class RecentEvents {
  private readonly batches: { readonly batch: Batch; readonly window: number }[] = [];
  /** The state this run began with, serialised, because the machine takes ownership of the object. */
  private readonly state: string | undefined;

  constructor(
    private readonly input: PlaybookInput,
    private readonly executionId: string,
  ) {
    this.state = input.state && JSON.stringify(input.state);
  }

  /** Records a batch that is about to be applied. */
  note(batch: Batch): void {
    // Start of the current workflow task, called the window in src/history.
    this.batches.push({ batch, window: workflowInfo().historyLength });
  }

  /** The latest `count`, oldest first. */
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
      const earlier = chunks.before(batch);
      const applied = machine.apply(batch);
      chunks.after(applied.commands);
      const { executionId, continuations = 0 } = machine.live;
      for (const { event, at } of [...earlier, ...applied.events.map((event) => ({ event, at: batch.at }))]) {
        const event_id = `${executionId}/${continuations}/${window}/${ordinal++}`;
        const { within, ...fields } = event;
        events.push({ event_id, timestamp: new Date(within?.at ?? at).toISOString(), ...fields });
      }
    }
    return events.slice(-Math.min(MAX_RECENT, Math.max(1, Math.floor(count))));
  }
}
