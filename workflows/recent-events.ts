/**
 * The latest events of this run for the query `events`, with the ids of the exported events. The cost falls on the
 * query: the run keeps its latest batches and the state before them, from which a second engine replays them. Covers only
 * this Temporal run, and no more than MAX_RECENT events; the complete log is in history (`noetl-temporal events`). After a
 * reset, exported ids also contain the new Temporal run's id, which a workflow does not know.
 */
import { workflowInfo } from '@temporalio/workflow';
import { type InputBatch, ChunkEvents, Machine, type State } from '../src/engine/machine';
import { jsonSize } from '../src/language/plan';
import { type PlaybookInput, type RecentEvent } from '../src/temporal/contract/definitions';

const MAX_RECENT = 1000;

/** A span has at most so many batches, and so many characters of inputs; two spans are kept. */
const MAX_SPAN_BATCHES = 500;
const MAX_SPAN_SIZE = 4 * 1024 * 1024;

/** Batches one after the other, and the state before the first; undefined: the execution begins with it. */
interface Span {
  readonly state: State | undefined;
  readonly batches: { readonly batch: InputBatch; readonly window: number }[];
  size: number;
}

export class RecentEvents {
  private older: Span | undefined;
  private newer: Span;

  constructor(
    private readonly input: PlaybookInput,
    private readonly executionId: string,
  ) {
    this.newer = { state: input.state, batches: [], size: 0 };
  }

  /** Records a batch that the machine is about to apply. */
  note(batch: InputBatch, machine: Machine): void {
    // Start of the current workflow task, called the window in src/history.
    const window = workflowInfo().historyLength;
    const { batches, size } = this.newer;
    const isFull = batches.length >= MAX_SPAN_BATCHES || size >= MAX_SPAN_SIZE;
    // Events are numbered within a window.
    if (isFull && batches.at(-1)!.window !== window) {
      this.older = this.newer;
      this.newer = { state: machine.snapshot(), batches: [], size: 0 };
    }
    this.newer.batches.push({ batch, window });
    this.newer.size += jsonSize(batch.inputs);
  }

  /** The latest `count`, oldest first. */
  last(count: number): readonly RecentEvent[] {
    const { plan } = this.input;
    const { state } = this.older ?? this.newer;
    const machine = state ? Machine.from(plan, state) : Machine.create(plan, this.executionId);
    const chunks = new ChunkEvents(plan);
    const events: RecentEvent[] = [];
    let ordinal = 0;
    let before = -1;
    let unnumbered = -1;
    for (const { batch, window } of [...(this.older?.batches ?? []), ...this.newer.batches]) {
      if (window !== before) ordinal = 0;
      before = window;
      // Events of a chunk that began before are not known, so that those around them have no numbers.
      if (this.older && chunks.misses(batch)) unnumbered = window;
      const earlier = chunks.before(batch);
      const applied = machine.apply(batch);
      chunks.after(applied.commands);
      if (window === unnumbered) continue;
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
