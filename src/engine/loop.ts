/** Loops: a step's pipeline once per item, in order or in parallel (S3 §7, D19, D20). */
import { isMapping, type Json } from '../plan';
import { typeName } from '../template/runtime';
import { type Context } from './context';
import { EngineError } from './failure';
import { openFrame } from './pipeline';
import { MAX_PENDING_TASKS } from './task';
import { type FailureCause, type Frame, type LoopState, type StepRun } from './state';
import { mappingAt, valueAt } from './values';

const DEFAULT_PARALLEL = 64;

/**
 * Evaluates `loop.in` and opens the loop.
 *
 * @throws EngineError when `in` is not a list (null counts as empty) or max_in_flight is not a positive number.
 */
export function openLoop(context: Context, run: StepRun): void {
  const step = context.step(run.step);
  const plan = step.loop!;
  const input = inputsBeforeTheLoop(context, run);
  const items = valueAt(context, plan.in, { run, input }) ?? [];
  if (!Array.isArray(items)) {
    const hint = isMapping(items) ? '; iterate over a mapping with `| items` or `| list`' : '';
    throw new EngineError(
      'LOOP_IN',
      `loop.in of step ${step.name} must be a list, got ${typeName(items)}${hint}`,
      plan.at,
    );
  }
  let maxInFlight = 1;
  if (plan.mode === 'parallel') {
    const asked =
      plan.maxInFlight === undefined
        ? DEFAULT_PARALLEL
        : Number(valueAt(context, plan.maxInFlight, { run, input }));
    if (!(asked >= 1)) {
      throw new EngineError(
        'LOOP_MAX_IN_FLIGHT',
        `max_in_flight of step ${step.name} must be a number of 1 or more`,
        plan.at,
      );
    }
    maxInFlight = Math.min(Math.floor(asked), MAX_PENDING_TASKS);
  }
  run.loop = { items, next: 0, inFlight: 0, maxInFlight, done: 0, failed: 0, results: [], writes: {} };
  context.emit({
    event_type: 'loop.started',
    entity_type: 'loop',
    entity_id: step.name,
    status: 'in_progress',
    step_run_id: run.id,
    parent_id: run.id,
    payload: { total: items.length, mode: plan.mode, max_in_flight: maxInFlight, iterator: plan.iterator },
  });
  context.enqueue({ op: 'iterate', run: run.id });
}

/** Step inputs may speak of the iterator, which does not exist yet: then only the token's arguments are seen. */
function inputsBeforeTheLoop(context: Context, run: StepRun): typeof run.args {
  try {
    return { ...run.args, ...mappingAt(context, context.step(run.step).input, { run }) };
  } catch {
    return run.args;
  }
}

/** Opens as many iterations as may be in flight; ends the run when all settled. */
export function iterate(context: Context, run: StepRun): void {
  const loop = run.loop!;
  if (run.stopping) {
    if (loop.inFlight === 0) context.enqueue({ op: 'endRun', run: run.id, cause: run.stopping });
    return;
  }
  while (loop.next < loop.items.length && loop.inFlight < loop.maxInFlight) {
    const index = loop.next++;
    loop.inFlight++;
    context.emit({
      event_type: 'loop.iteration.started',
      entity_type: 'loop',
      entity_id: run.step,
      status: 'in_progress',
      step_run_id: run.id,
      iteration: index,
      parent_id: run.id,
      payload: {},
    });
    openFrame(context, run, index);
  }
  if (loop.inFlight === 0)
    context.enqueue({ op: 'endRun', run: run.id, cause: conflictingWrites(context, run, loop) });
}

/** Books an iteration that ended. Returns true when its failure has to stop the loop. */
export function bookIteration(
  context: Context,
  run: StepRun,
  frame: Frame,
  result: Json,
  cause: FailureCause | null,
): boolean {
  const loop = run.loop!;
  loop.inFlight--;
  loop.results[frame.index!] = cause ? null : result;
  if (cause) loop.failed++;
  else loop.done++;
  context.emit({
    event_type: cause ? 'loop.iteration.failed' : 'loop.iteration.done',
    entity_type: 'loop',
    entity_id: run.step,
    status: cause ? 'error' : 'success',
    step_run_id: run.id,
    iteration: frame.index!,
    parent_id: run.id,
    payload: cause ? { error: cause as never } : { result },
  });
  const mode = context.step(run.step).failureMode ?? context.plan.failureMode;
  return cause !== null && mode === 'fail_fast';
}

/** Two iterations of a parallel loop that left different values in one ctx key: nobody meant that (D19). */
function conflictingWrites(context: Context, run: StepRun, loop: LoopState): FailureCause | null {
  const conflicts = Object.entries(loop.writes).flatMap(([key, byIteration]) => {
    const iterations = Object.keys(byIteration);
    const different = iterations.filter((index) => byIteration[index] !== byIteration[iterations[0]!]);
    return different.length === 0
      ? []
      : [`ctx.${key} (iterations ${[iterations[0]!, ...different].slice(0, 10).join(', ')})`];
  });
  if (conflicts.length === 0) return null;
  return {
    kind: 'engine',
    code: 'CTX_CONFLICT',
    message:
      `iterations of the parallel loop ${run.step} left different values in ${conflicts.join('; ')}: ` +
      'write to iter instead and read the loop results, or run the loop sequentially',
    at: context.step(run.step).loop!.at,
  };
}
