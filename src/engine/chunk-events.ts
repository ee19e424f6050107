/**
 * The events of a run's chunks (D20). A chunk comes back with the batches its machine took; fed to the same machine
 * again they give the events that the iterations would have had where the loop is. They are told when the loop hears
 * of them, so that an execution's events never change their order.
 */
import { type Batch, type Command, type EngineEvent, type Observer } from './batch';
import { planOfChunk } from './loop';
import { Machine } from './machine';
import { type Plan } from '../plan';

export interface ChunkEvent {
  readonly event: EngineEvent;
  /** The chunk. */
  readonly ref: string;
  /** Milliseconds since the epoch: when it happened in the chunk. */
  readonly at: number;
}

export class ChunkEvents {
  private readonly machines = new Map<string, Machine>();

  constructor(private readonly plan: Plan) {}

  /** What the chunks tell with a batch; asked before the machine takes it, which gives the observer the right order. */
  before(batch: Batch, observer?: Observer): ChunkEvent[] {
    const reported: ChunkEvent[] = [];
    for (const input of batch.inputs) {
      if (input.type !== 'chunkTold' && input.type !== 'chunkSettled') continue;
      // Unknown: its start is in a run that nobody has shown us.
      const machine = this.machines.get(input.ref);
      for (const one of (machine && input.trace) ?? []) {
        // A copy: machines keep parts of what they take, and a trace may be told again.
        const { events } = machine!.apply(JSON.parse(JSON.stringify(one)) as Batch, observer);
        for (const event of events) reported.push({ event, ref: input.ref, at: one.at });
      }
      if (input.type === 'chunkSettled') this.machines.delete(input.ref);
    }
    return reported;
  }

  /** The commands that the batch led to: among them are new chunks. */
  after(commands: readonly Command[]): void {
    for (const command of commands) {
      if (command.type !== 'runChunk') continue;
      const { ref, chunk } = JSON.parse(JSON.stringify(command)) as typeof command;
      this.machines.set(ref, Machine.forChunk(planOfChunk(this.plan, chunk.run.step), chunk));
    }
  }
}
