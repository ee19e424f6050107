/** Stops what a step run, or a loop inside it, has in flight; once everything has settled, the run or task fails. */
import { type Context } from '../batch';
import { dropSlot, interruptTask } from '../calls';
import { stopChunks } from '../loop';
import { type FailureCause, type Frame, retryTimerKey, type StepRun, taskRunOf } from '../state';

/** Stops a run: running tasks are cancelled, deferred ones end at once; once all have settled it fails with `cause`. */
export function stopRun(context: Context, run: StepRun, cause: FailureCause): void {
  if (run.stopping) return;
  run.stopping = cause;
  const frames = [...context.state.frames.values()].filter((frame) => frame.run === run.id);
  // Without any, the end of the run or of its loop is already queued, and sees `stopping` when its turn comes.
  stopFrames(context, frames, cause);
  stopChunks(context, run, cause);
}

/** Stops only the loop that is the current task of `outer`: the task then fails with `cause`. */
export function stopTaskLoop(context: Context, outer: Frame, cause: FailureCause): void {
  if (outer.loop!.stopping) return;
  outer.loop!.stopping = cause;
  const frames = [...context.state.frames.values()].filter((frame) =>
    context.outersOf(frame).includes(outer),
  );
  stopFrames(context, frames, cause);
}

function stopFrames(context: Context, frames: readonly Frame[], cause: FailureCause): void {
  const { state } = context;
  const ready = new Set(state.ready);
  for (const frame of frames) {
    if (frame.taskRunId !== null && interruptTask(context, frame.taskRunId, cause.message)) continue;
    if (frame.retryAt !== null) {
      context.dropTimer(retryTimerKey(taskRunOf(frame, context.taskOf(frame).name)));
      // An enclosing loop may be stopped at the same time, and would end the frame a second time.
      frame.retryAt = null;
    } else if (!ready.delete(frame.id) && !dropSlot(state, frame.id)) {
      // It or its iterations have queued work, which sees `stopping` when its turn comes.
      continue;
    }
    context.endFrame(frame, cause);
  }
  state.ready = [...ready];
}
