/** Stops what a step run, or a loop inside of one, has under way; when all of it settled the run or task fails. */
import { type Context } from '../batch';
import { interruptTask } from '../calls';
import { stopChunks } from '../loop';
import {} from '../scope';
import { type FailureCause, type Frame, retryTimerKey, type StepRun, taskRunOf } from '../state';

/** Stops a run: its tasks are cancelled, waiting ones end at once; when all settled it fails with `cause`. */
export function stopRun(context: Context, run: StepRun, cause: FailureCause): void {
  if (run.stopping) return;
  run.stopping = cause;
  const frames = [...context.state.frames.values()].filter((frame) => frame.run === run.id);
  // Without any, the run's end is queued already, or its loop's, which sees `stopping` when its turn comes.
  stopFrames(context, frames, cause);
  stopChunks(context, run, cause);
}

/** Stops the loop that the current task of `outer` is, and nothing else: the task then fails with `cause`. */
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
      // A loop around may be stopped in the same breath, and would end the frame once more.
      frame.retryAt = null;
    } else if (!ready.delete(frame.id)) {
      // It has work in the queue, or iterations that do, which see `stopping` when their turn comes.
      continue;
    }
    context.endFrame(frame, cause);
  }
  state.ready = [...ready];
}
