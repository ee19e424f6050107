/** The calls of tasks as the engine made them: their fields evaluated, which events do not contain. */
import { type Command, type EngineEvent } from '../engine/machine';
import { type TaskCall } from '../language/plan';

export class Calls {
  private readonly open = new Map<string, TaskCall>();

  /** @param commands of the batch whose events follow */
  note(commands: readonly Command[]): void {
    for (const command of commands)
      if (command.type === 'runTask') this.open.set(command.call.task_run_id, command.call);
  }

  /** The call that a task's event belongs to; undefined for one within another activity (`exec: local`). */
  of({
    event_type: type,
    task_run_id: id,
  }: Pick<EngineEvent, 'event_type' | 'task_run_id'>): TaskCall | undefined {
    if (id === undefined || !type.startsWith('task.')) return undefined;
    const call = this.open.get(id);
    if (type === 'task.done' || type === 'task.failed') this.open.delete(id);
    return call;
  }
}
