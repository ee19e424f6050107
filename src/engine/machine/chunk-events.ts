/**
 * Derives the events of a run's chunks. A chunk returns the batches its machine processed; replayed on an identical
 * machine they yield the events the iterations would have had without chunking. They are emitted when the loop receives
 * them, so that the order of an execution's events never changes.
 */
import { type Applied, type InputBatch, type Command, type EngineEvent, type Observer } from './batch';
import { planOfChunk } from './loop';
import { Machine } from './machine';
import { type Plan } from '../../language/plan';
import { chunkOfRef, type State } from './state';

interface ChunkEvent {
  readonly event: EngineEvent;
  /** The chunk. */
  readonly ref: string;
  /** When it happened in the chunk, in milliseconds since the epoch. */
  readonly at: number;
}

export class ChunkEvents {
  private readonly machines = new Map<string, Machine>();
  /** Ended in the current batch: their loop has not taken their results yet. */
  private settled: string[] = [];

  /** @param chunks that have started, as `states` told them */
  constructor(
    private readonly plan: Plan,
    chunks: Readonly<Record<string, State>> = {},
  ) {
    for (const [ref, state] of Object.entries(chunks)) {
      const { step } = state.runs[state.part!.run]!;
      this.machines.set(ref, Machine.from(planOfChunk(plan, step), state));
    }
  }

  /** Of chunks that have started and whose end was not taken yet, by reference; they share parts with the machines. */
  get states(): Readonly<Record<string, State>> {
    return Object.fromEntries([...this.machines].map(([ref, machine]) => [ref, machine.state]));
  }

  /**
   * The chunk events of a batch; call this before the machine applies the batch, so that the observer sees them in the
   * right order.
   */
  before(batch: InputBatch, observer?: Observer): ChunkEvent[] {
    const reported: ChunkEvent[] = [];
    for (const input of batch.inputs) {
      if (input.type !== 'chunkTold' && input.type !== 'chunkSettled') continue;
      // Unknown when its start is in a run whose history we were not given.
      const machine = this.machines.get(input.ref);
      for (const one of (machine && input.trace) ?? []) {
        const { events } = machine!.apply(one, ofChunk(observer, chunkOfRef(input.ref)));
        for (const event of events) reported.push({ event, ref: input.ref, at: one.at });
      }
      if (input.type === 'chunkSettled') this.settled.push(input.ref);
    }
    return reported;
  }

  /** Whether the batch has reports of chunks whose start is not known: their events are missing. */
  misses({ inputs }: InputBatch): boolean {
    return inputs.some(
      (input) =>
        (input.type === 'chunkTold' || input.type === 'chunkSettled') && !this.machines.has(input.ref),
    );
  }

  /** The commands that the batch produced, new chunks among them. */
  after(commands: readonly Command[]): void {
    for (const ref of this.settled) this.machines.delete(ref);
    this.settled = [];
    for (const command of commands) {
      if (command.type !== 'runChunk') continue;
      const { ref, chunk } = command;
      this.machines.set(ref, Machine.forChunk(planOfChunk(this.plan, chunk.run.step), chunk));
    }
  }
}

/** The observer, for the machine of a chunk. */
export function ofChunk(observer: Observer | undefined, chunk: string): Observer | undefined {
  if (!observer) return observer;
  const { between: _between, applying, applied, ...others } = observer;
  return {
    ...others,
    ...(applying && { applying: (batch: InputBatch) => applying(batch, chunk) }),
    ...(applied && { applied: (batch: InputBatch, outcome: Applied) => applied(batch, outcome, chunk) }),
  };
}
