/**
 * Sinks under way: tasks that a frame runs beside its pipeline (S1 §10, S2 §7.3, S5 §3). What they interrupt waits in
 * the frame's state and goes on when they ended.
 */
import { type Aside } from './case-state';
import { asidePlace } from './call-place';
import { type Context } from './context';
import { type EngineEvent } from './events';
import { asideNamed } from './frame';
import { taskRunBase } from './ids';
import { define, ownValue } from './record';
import { type FailureCause, type Frame } from './state';
import { holds } from './values';

/**
 * Starts a sink and suspends the frame's agenda. False when its `when` skips it.
 *
 * @throws TemplateError as its `when` does
 */
export function startAside(context: Context, frame: Frame, name: string, rule: number | null): boolean {
  const { attempt, taskRunId, repeats, agenda } = frame;
  const aside: Aside = { name, rule, attempt, taskRunId, agenda: agenda!, ...(repeats ? { repeats } : {}) };
  (frame.asides ??= []).push(aside);
  define(frame.visits, name, (ownValue(frame.visits, name) ?? 0) + 1);
  frame.attempt = 1;
  frame.taskRunId = null;
  delete frame.repeats;
  delete frame.agenda;
  said(context, frame, aside, 'sink.started', 'in_progress', null);
  const { when } = asideNamed(context, frame, name);
  if (when) {
    try {
      if (!holds(context, when, asidePlace(context, frame))) {
        said(context, frame, aside, 'sink.processed', 'skipped', null);
        restore(frame);
        return false;
      }
    } catch (error) {
      said(context, frame, aside, 'sink.processed', 'error', null);
      restore(frame);
      throw error;
    }
  }
  context.enqueue({ op: 'task', frame: frame.id });
  return true;
}

/** The frame's current task is over: its sink goes back to what it interrupted, its pipeline ends. */
export function leaveTask(context: Context, frame: Frame, cause: FailureCause | null): void {
  const aside = frame.asides?.at(-1);
  if (!aside) return context.enqueue({ op: 'frameEnded', frame: frame.id, cause });
  said(context, frame, aside, 'sink.processed', cause ? 'error' : 'success', cause);
  restore(frame);
  context.enqueue({ op: 'agenda', frame: frame.id, cause });
}

/** Gives up the sinks under way: the frame is being stopped. */
export function dropAsides(context: Context, frame: Frame, cause: FailureCause): void {
  for (let aside = frame.asides?.at(-1); aside; aside = frame.asides?.at(-1)) {
    said(context, frame, aside, 'sink.processed', 'error', cause);
    restore(frame);
  }
  delete frame.agenda;
}

function restore(frame: Frame): void {
  const { attempt, taskRunId, repeats, agenda } = frame.asides!.pop()!;
  if (frame.asides!.length === 0) delete frame.asides;
  frame.attempt = attempt;
  frame.taskRunId = taskRunId;
  frame.retryAt = null;
  frame.agenda = agenda;
  if (repeats) frame.repeats = repeats;
  else delete frame.repeats;
}

function said(
  context: Context,
  frame: Frame,
  aside: Aside,
  event_type: 'sink.started' | 'sink.processed',
  status: EngineEvent['status'],
  cause: FailureCause | null,
): void {
  // The entry that the sink began with: each page of its own `retry` was one more.
  const visit = frame.visits[aside.name]! - ((frame.repeats?.page ?? 1) - 1);
  context.emit?.({
    event_type,
    entity_type: 'sink',
    entity_id: aside.name,
    status,
    step_run_id: frame.run,
    iteration: frame.index ?? undefined,
    parent_id: aside.taskRunId ?? frame.run,
    payload: {
      of: aside.agenda.of,
      sink: taskRunBase(frame.id, aside.name, visit),
      ...(cause ? { error: cause as never } : {}),
    },
  });
}
