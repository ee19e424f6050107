/** The birth of a frame. */
import { type Context } from '../batch';
import { type Frame, frameId, innerFrameId, type StepRun, table } from '../state';

/**
 * Adds a frame for the step run (index null), one iteration of it, or, with `outer`, one of the loop that the current
 * task of that frame is.
 */
export function newFrame(context: Context, run: StepRun, index: number | null, outer: Frame | null): Frame {
  const id = outer ? innerFrameId(outer.taskRunId!, index!) : frameId(run.id, index);
  const frame: Frame = {
    id,
    run: run.id,
    parent: outer?.id ?? null,
    index,
    loop: null,
    pc: 0,
    visits: table(),
    attempt: 1,
    args: outer?.args ?? run.args,
    iter: {},
    locals: {},
    results: table(),
    last: null,
    taskRunId: null,
    retryAt: null,
  };
  if (index === null && run.rules?.kept) Object.assign(frame, run.rules.kept);
  context.state.frames.set(id, frame);
  return frame;
}
