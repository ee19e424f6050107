/**
 * Loops: run a pipeline once per item, sequentially or in parallel. A step's loop belongs to its run; a loop inside a
 * pipeline (kind `iterator`, or a task with `loop`) belongs to the frame whose current task it is.
 */
import { type Json, type JsonObject, okOutcome } from '../../../language/plan';
import { loopResult } from '../../../language/template/runtime';
import { type Context, type EventStatus, type EventType, isLoopBroken, outcomeOfCause } from '../batch';
import {
  type FailureCause,
  innerFrameId,
  isLoopBusy,
  type LoopState,
  placeAt,
  type Span,
  spanOf,
  spansOf,
  weightOf,
} from '../state';
import { openChunks } from './chunks';
import { claimFrames, forgetWrites, retireFrames } from './cursor';
import { resultsIn, statsOf } from './loop-stats';
import { type LoopHolder, loopPlanOf, loopWhere } from './open';
import { openFrame } from './pipeline';

/** Opens as many iterations as may be in flight; ends the loop when all have settled. */
export function iterateLoop(context: Context, holder: LoopHolder): void {
  const { run, outer } = holder;
  const { loop } = outer ?? run;
  if (!loop) return;
  const own = outer ? loop.stopping : run.stopping;
  const stopping = own ?? (outer ? context.stoppingOf(outer) : null);
  if (stopping) {
    if (isLoopBusy(loop)) return;
    const conflicts = isLoopBroken(own) ? conflictingWrites(context, holder, loop) : null;
    return end(context, holder, loop, conflicts ?? stopping);
  }
  openAll(context, holder, loop);
  if (isLoopBusy(loop)) return;
  end(context, holder, loop, conflictingWrites(context, holder, loop) ?? loop.cursor?.failure ?? null);
}

/** Opens iterations of all spans; what is then free of a cursor claims. */
function openAll(context: Context, holder: LoopHolder, loop: LoopState): void {
  const { chunks, cursor } = loop;
  if (cursor) retireFrames(cursor);
  for (const span of spansOf(loop)) {
    if (chunks) openChunks(context, holder.run, span, chunks);
    else openIterations(context, holder, loop, span);
  }
  if (!cursor) return;
  loop.inFlight = cursor.frames.reduce((sum, frame) => sum + frame.inFlight, 0);
  claimFrames(context, holder.run, loop, cursor);
}

function openIterations(context: Context, holder: LoopHolder, loop: LoopState, span: Span): void {
  const after = span.first + span.items.length;
  while (span.next < after && span.inFlight < span.maxInFlight) {
    const index = span.next++;
    span.inFlight++;
    if (context.emit) tell(context, holder, 'loop.iteration.started', 'in_progress', index, {});
    openFrame(context, holder.run, index, holder.outer);
  }
  if (loop.cut && after < span.total && span.inFlight < span.maxInFlight)
    context.command({ type: 'leaseSpent' });
}

/** Records the end of an iteration. Returns true when its failure must stop the loop. */
export function bookIteration(
  context: Context,
  holder: LoopHolder,
  index: number,
  result: Json,
  cause: FailureCause | null,
  skipped?: { reason: Json },
): boolean {
  const loop = (holder.outer ?? holder.run).loop!;
  const span = spanOf(loop, index);
  const weight = weightOf(loop, span);
  span.inFlight--;
  if (loop.cursor) {
    loop.inFlight--;
    forgetWrites(context, holder.run, loop, index);
  } else placeAt(loop.results, index - loop.first, cause ? null : result);
  const isBroken = isLoopBroken(cause);
  if (!cause) loop.done += weight;
  else if (!isBroken) loop.failed += weight;
  if (context.emit) {
    const type = cause ? 'loop.iteration.failed' : 'loop.iteration.done';
    const status = isBroken ? 'cancelled' : cause ? 'error' : skipped ? 'skipped' : 'success';
    tell(context, holder, type, status, index, cause ? { error: cause as never } : { result, ...skipped });
  }
  return cause !== null && loop.failFast;
}

/**
 * All iterations have settled: the step's run ends, or the task gets its outcome, which its rules handle like any
 * other.
 */
function end(context: Context, holder: LoopHolder, loop: LoopState, cause: FailureCause | null): void {
  if (loop.cut) return context.command({ type: 'leaseSpent' });
  const { run, outer } = holder;
  if (!outer) return context.enqueue({ op: 'endRun', run: run.id, cause });
  const stats = statsOf(loop);
  const { subject, name } = loopPlanOf(context, holder);
  const outcome = okOutcome(loopResult(resultsIn(loop), stats));
  if (!cause) context.emit?.('loop.done', name, 'success', { stats }, loopWhere(holder));
  outer.loop = null;
  context.settle(outer.id, cause ? { ...outcomeOfCause(cause, subject), result: outcome.result } : outcome);
}

/** Two iterations of a parallel loop left different values in one ctx key, which is never intended. */
function conflictingWrites(context: Context, holder: LoopHolder, loop: LoopState): FailureCause | null {
  if (context.state.part !== null && !holder.outer) return null; // detected where all parts are merged
  const conflicts = Object.entries(loop.writes).flatMap(([key, byIteration]) => {
    const iterations = Object.keys(byIteration);
    const different = iterations.filter((index) => byIteration[index] !== byIteration[iterations[0]!]);
    return different.length === 0
      ? []
      : [`ctx.${key} (items of index ${[iterations[0]!, ...different].slice(0, 10).join(', ')})`];
  });
  if (conflicts.length === 0) return null;
  const { plan, name } = loopPlanOf(context, holder);
  const message =
    `iterations of the parallel loop ${name} left different values in ${conflicts.join('; ')}: ` +
    'write to iter instead and read the loop results, or run the loop sequentially';
  return { kind: 'engine', code: 'CTX_CONFLICT', message, at: plan.at };
}

/** References of an iteration's event; for a task's loop also its position in the enclosing loops. */
function tell(
  context: Context,
  holder: LoopHolder,
  type: EventType,
  status: EventStatus,
  index: number,
  payload: JsonObject,
): void {
  const { outer } = holder;
  const frame = outer ? { frame: innerFrameId(outer.taskRunId!, index) } : {};
  const where = { ...loopWhere(holder), iteration: index };
  context.emit!(type, loopPlanOf(context, holder).name, status, { ...payload, ...frame }, where);
}
