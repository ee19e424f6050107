/**
 * Tasks that one workflow task both scheduled and cancelled: Temporal's core settles them at once, within the same
 * workflow task, and the server never learns of them. History has no trace of them, so they are inferred from the
 * commands.
 */
import { CancelledFailure } from '@temporalio/common';
import { type InputBatch, type Command, type Input } from '../engine/machine';
import { type Outcome } from '../language/plan';
import { leaseLost, outcomeOfFailure } from '../temporal/contract/outcomes';
import { type Window } from './reader';

const CANCELLED = new CancelledFailure('cancelled before it was scheduled');

export class UnsentTasks {
  /** By activity id: the input the workflow gets when it was cancelled. */
  private readonly inputs = new Map<string, (outcome: Outcome) => Input>();
  private cancelled = new Set<string>();

  constructor(private readonly window: Window) {}

  /** Registers the engine's requests in this window. */
  note(commands: readonly Command[]): void {
    for (const command of commands) {
      if (command.type === 'runTask' && !command.long) {
        const id = command.call.task_run_id;
        this.inputs.set(id, (outcome) => ({ type: 'taskSettled', taskRunId: id, outcome }));
      } else if (command.type === 'startLease') {
        const { ref } = command;
        this.inputs.set(ref, () => leaseLost(ref, CANCELLED));
      } else if (command.type === 'cancelTask') this.cancel(command.taskRunId);
      else if (command.type === 'cancelLease') this.cancel(command.ref);
    }
  }

  private cancel(id: string): void {
    if (this.inputs.has(id) && !this.window.commands.tasks.has(id)) this.cancelled.add(id);
    else this.inputs.delete(id);
  }

  /** The batch in which the workflow learnt of them, in the order of its queue; undefined when there are none. */
  settle(): InputBatch | undefined {
    const last = this.window.batches.at(-1);
    if (!last || this.cancelled.size === 0) return undefined;
    const ids = [...this.cancelled].sort();
    this.cancelled = new Set();
    const inputs = ids.map((id) => this.inputs.get(id)!(outcomeOfFailure(CANCELLED)));
    for (const id of ids) this.inputs.delete(id);
    return { ...last, inputs };
  }
}
