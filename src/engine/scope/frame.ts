/**
 * Where a frame stands: which tasks it walks, which loop it is an iteration of, what encloses it (D20). Frames of a
 * loop inside a pipeline have a parent, the frame whose current task is that loop; parents nest.
 */
import { type Json, type LoopPlan, type TaskPlan } from '../../plan';
import { type Context } from '../batch';
import { type FailureCause, type Frame, type LoopState, ownValue, taskRunBase } from '../state';

/** The frame whose task's loop this is an iteration of. */
export function outerOf(context: Context, frame: Frame): Frame | null {
  return frame.parent === null ? null : context.state.frames.get(frame.parent)!;
}

/** The tasks a frame walks: the step's, or the body of the loop it is an iteration of. */
export function tasksOf(context: Context, frame: Frame): readonly TaskPlan[] {
  const outer = outerOf(context, frame);
  return outer ? taskOf(context, outer).body! : context.step(context.run(frame.run).step).tasks;
}

/** The task a frame is at: its sink, while one is under way. */
export function taskOf(context: Context, frame: Frame): TaskPlan {
  const sink = frame.suspended?.at(-1);
  return sink ? sinkNamed(context, frame, sink.name) : tasksOf(context, frame)[frame.pc]!;
}

/** A task that runs only when a sink calls it. */
export function sinkNamed(context: Context, frame: Frame, name: string): TaskPlan {
  return context.step(context.run(frame.run).step).sinks!.find((sink) => sink.name === name)!;
}

/** The loop a frame is an iteration of, as planned and as it stands; null outside of loops. */
export function loopOf(context: Context, frame: Frame): { plan: LoopPlan; loop: LoopState } | null {
  if (frame.index === null) return null;
  const outer = outerOf(context, frame);
  if (outer) return { plan: taskOf(context, outer).loop!, loop: outer.loop! };
  const run = context.run(frame.run);
  return { plan: context.step(run.step).loop!, loop: run.loop! };
}

/** The item of an iteration. */
export function itemOf(loop: LoopState, index: number): Json | undefined {
  return loop.items[index - loop.first];
}

/** Why a frame must not go on: its step run, or a loop around it, is being stopped. */
export function stoppingOf(context: Context, frame: Frame): FailureCause | null {
  const { stopping } = context.run(frame.run);
  if (stopping) return stopping;
  for (let outer = outerOf(context, frame); outer; outer = outerOf(context, outer)) {
    if (outer.loop?.stopping) return outer.loop.stopping;
  }
  return null;
}

/** Is the frame an iteration, however deep, of the loop that `outer` holds? */
export function isInside(context: Context, frame: Frame, outer: Frame): boolean {
  for (let around = outerOf(context, frame); around; around = outerOf(context, around)) {
    if (around === outer) return true;
  }
  return false;
}

/** Indexes of the iterations around a place, outermost first. */
export function iterationsOf(context: Context, frame: Frame): number[] {
  const outer = outerOf(context, frame);
  const around = outer ? iterationsOf(context, outer) : [];
  return frame.index === null ? around : [...around, frame.index];
}

/**
 * The unit of work that the frame's current task is, whatever the attempts of it and of the loops around it:
 * `fetch#2[7].inner~1[3].store~1`, the tail of the idempotency key (D26).
 */
export function workOf(context: Context, frame: Frame): string {
  const outer = outerOf(context, frame);
  const base = outer ? `${workOf(context, outer)}[${frame.index}]` : frame.id;
  const { name } = taskOf(context, frame);
  return taskRunBase(base, name, ownValue(frame.visits, name) ?? 1);
}
