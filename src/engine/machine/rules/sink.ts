/**
 * Running sinks: tasks that a frame runs beside its pipeline. What they interrupt is kept in the frame's state and
 * continues when they have ended.
 */
import { type Context, type EventStatus, ofFrame } from '../batch';
import { holds } from '../scope';
import {
  type Agenda,
  defineMember,
  type FailureCause,
  type Frame,
  ownValue,
  type Suspended,
  taskRunBase,
} from '../state';
import { sinkPlace } from './place';

/** Actions of matching rules run one at a time, in order. */
export function bookAgenda(context: Context, frame: Frame, agenda: Agenda): void {
  frame.agenda = agenda;
  context.enqueue({ op: 'agenda', frame: frame.id, cause: null });
}

/**
 * Starts a sink and suspends the frame's agenda. False when its `when` skips it.
 *
 * @throws TemplateError as its `when` does
 */
export function startSink(context: Context, frame: Frame, name: string, rule: number): boolean {
  const { attempt, taskRunId, repeats, agenda } = frame;
  const sink: Suspended = { name, rule, attempt, taskRunId, agenda: agenda!, ...(repeats && { repeats }) };
  (frame.suspended ??= []).push(sink);
  defineMember(frame.visits, name, (ownValue(frame.visits, name) ?? 0) + 1);
  frame.attempt = 1;
  frame.taskRunId = null;
  delete frame.repeats;
  delete frame.agenda;
  emitSinkEvent(context, frame, sink, 'sink.started', 'in_progress', null);
  const drop = (status: EventStatus): void => {
    emitSinkEvent(context, frame, sink, 'sink.processed', status, null);
    restore(frame);
  };
  const { when } = context.sinkNamed(frame, name);
  try {
    if (when && !holds(context, when, sinkPlace(context, frame))) {
      drop('skipped');
      return false;
    }
  } catch (error) {
    drop('error');
    throw error;
  }
  context.enqueue({ op: 'task', frame: frame.id });
  return true;
}

/** The frame's current task is done: a sink returns to what it interrupted, a pipeline ends. */
export function leaveTask(context: Context, frame: Frame, cause: FailureCause | null): void {
  const sink = frame.suspended?.at(-1);
  if (!sink) return context.endFrame(frame, cause);
  emitSinkEvent(context, frame, sink, 'sink.processed', cause ? 'error' : 'success', cause);
  restore(frame);
  context.enqueue({ op: 'agenda', frame: frame.id, cause });
}

/** Abandons the running sinks: the frame is being stopped. */
export function dropSinks(context: Context, frame: Frame, cause: FailureCause): void {
  for (let sink = frame.suspended?.at(-1); sink; sink = frame.suspended?.at(-1)) {
    emitSinkEvent(context, frame, sink, 'sink.processed', 'error', cause);
    restore(frame);
  }
  delete frame.agenda;
}

function restore(frame: Frame): void {
  const { attempt, taskRunId, repeats, agenda } = frame.suspended!.pop()!;
  if (frame.suspended!.length === 0) delete frame.suspended;
  frame.attempt = attempt;
  frame.taskRunId = taskRunId;
  frame.retryAt = null;
  frame.agenda = agenda;
  if (repeats) frame.repeats = repeats;
  else delete frame.repeats;
}

function emitSinkEvent(
  context: Context,
  frame: Frame,
  sink: Suspended,
  type: 'sink.started' | 'sink.processed',
  status: EventStatus,
  cause: FailureCause | null,
): void {
  // The entry into the sink itself: each page of the sink's own `retry` added one.
  const visit = frame.visits[sink.name]! - ((frame.repeats?.page ?? 1) - 1);
  const payload = {
    of: sink.agenda.of,
    sink: taskRunBase(frame.id, sink.name, visit),
    ...(cause ? { error: cause as never } : {}),
  };
  context.emit?.(type, sink.name, status, payload, ofFrame(frame, sink.taskRunId ?? frame.run));
}
