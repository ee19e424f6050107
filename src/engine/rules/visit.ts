/** Entries into a task: each is a unit of work with an idempotency key of its own (D26). */
import { type TaskPlan } from '../../plan';
import { type Context } from '../batch';
import { define, type FailureCause, type Frame, ownValue } from '../state';

/** Enters a task by start, continue or jump: a new visit, attempt 1. */
export function visit(context: Context, frame: Frame, task: TaskPlan): void {
  const cause = countVisit(context, frame, task);
  if (cause) return context.endFrame(frame, cause);
  if (frame.repeats) delete frame.repeats;
  context.enqueue({ op: 'task', frame: frame.id });
}

/** Counts the entry. Returns why it must not take place, when the task was entered too often. */
export function countVisit(context: Context, frame: Frame, task: TaskPlan): FailureCause | null {
  const visits = (ownValue(frame.visits, task.name) ?? 0) + 1;
  const limit = context.plan.limits.maxTaskVisits;
  if (visits > limit) {
    const { step } = context.run(frame.run);
    const message = `task ${task.name} of step ${step} was entered more than ${limit} times in one pipeline: a jump without an end?`;
    return { kind: 'engine', code: 'RUNAWAY_TASK', message, task: task.name, at: task.at };
  }
  define(frame.visits, task.name, visits);
  frame.attempt = 1;
  return null;
}
