/**
 * Tasks that a workflow task both asked for and cancelled: Temporal's core settles them at once, inside the same
 * workflow task, and the server never hears of them. History has no trace of it, so it is inferred from the commands.
 */
import { CancelledFailure } from '@temporalio/common';
import { type Batch, type Command } from '../engine';
import { outcomeOfFailure } from '../../workflows/outcomes';
import { type Window } from './reader';

export class UnsentTasks {
  private readonly asked = new Set<string>();
  private cancelled = new Set<string>();

  constructor(private readonly window: Window) {}

  /** Books what the engine asked for in this window. */
  note(commands: readonly Command[]): void {
    for (const command of commands) {
      if (command.type === 'runTask') this.asked.add(command.call.task_run_id);
      else if (command.type === 'cancelTask' && this.asked.delete(command.taskRunId)) {
        if (!this.window.asked.tasks.has(command.taskRunId)) this.cancelled.add(command.taskRunId);
      }
    }
  }

  /** The batch in which the workflow heard of them, in the order of its queue; undefined when there are none. */
  settle(): Batch | undefined {
    const last = this.window.batches.at(-1);
    if (!last || this.cancelled.size === 0) return undefined;
    const ids = [...this.cancelled].sort();
    this.cancelled = new Set();
    const inputs = ids.map((taskRunId) => ({
      type: 'taskSettled' as const,
      taskRunId,
      outcome: outcomeOfFailure(new CancelledFailure('cancelled before it was scheduled')),
    }));
    return { ...last, inputs };
  }
}
