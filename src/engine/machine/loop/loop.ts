/**
 * Loops: run a pipeline once per item, sequentially or in parallel. A step's loop belongs to its run; a loop inside a
 * pipeline (kind `iterator`, or a task with `loop`) belongs to the frame whose current task it is.
 */
import {
  type FailureMode,
  isMapping,
  type Json,
  type JsonObject,
  type LoopPlan,
  okOutcome,
} from '../../../language/plan';
import {
  isOfLimit,
  listed,
  loopResult,
  TemplateError,
  valueTypeName,
} from '../../../language/template/runtime';
import {
  causeOf,
  type Context,
  EngineError,
  type EventStatus,
  type EventType,
  failedOutcome,
  isLoopBroken,
  MAX_PENDING_TASKS,
  measured,
  ofRun,
  outcomeOfCause,
  type EventWhere,
} from '../batch';
import { definedAt, inputsOver, mappingAt, type EnginePlace, evaluateAt } from '../scope';
import {
  defineMember,
  type FailureCause,
  type Frame,
  innerFrameId,
  type LoopState,
  placeAt,
  type StepRun,
} from '../state';
import { newLoop, resultsIn, statsOf } from './loop-stats';
import { chunkingOf, openChunks } from './chunks';
import { openFrame } from './pipeline';

const DEFAULT_PARALLEL = 64;

/** Owner of the loop: the step run or, with `outer`, the current task of that frame. */
interface LoopHolder {
  readonly run: StepRun;
  readonly outer: Frame | null;
}

/**
 * Opens the loop of a step.
 *
 * @throws EngineError when `in` is not a list (null counts as empty) or max_in_flight is not a positive number.
 */
export function openStepLoop(context: Context, run: StepRun): void {
  open(context, { run, outer: null }, run.args, failureModeOf(context, run));
}

function failureModeOf(context: Context, { step }: StepRun): FailureMode {
  return context.step(step).failureMode ?? context.plan.failureMode;
}

/** Opens the loop that is the frame's task. An invalid `in` becomes an outcome that the task's rules handle. */
export function openTaskLoop(context: Context, run: StepRun, frame: Frame): void {
  const task = context.taskOf(frame);
  try {
    const { failure } = mappingAt(context, task.spec.options, { run, frame });
    const written = isMapping(failure) ? failure['mode'] : undefined;
    const mode = written === 'best_effort' || written === 'fail_fast' ? written : failureModeOf(context, run);
    open(context, { run, outer: frame }, frame.args, mode);
  } catch (error) {
    const outcome = failedOutcome(causeOf(error, `loop of task ${task.name}`, task.at));
    context.settle(frame.id, outcome);
  }
}

function open(context: Context, holder: LoopHolder, args: StepRun['args'], mode: FailureMode): void {
  const { run, outer } = holder;
  const { plan, name, subject } = planOf(context, holder);
  const place = { run, frame: outer ?? undefined, input: inputsBeforeTheLoop(context, holder, args) };
  if (!outer && context.step(run.step).input) run.inputs = place.input;
  const items = listed(itemsAt(context, plan, place, subject) ?? []);
  if (!Array.isArray(items)) {
    const hint = isMapping(items) ? '; iterate over a mapping with `| items` or `| list`' : '';
    const message = `loop.in of ${subject} must be a list, got ${valueTypeName(items)}${hint}`;
    throw new EngineError('LOOP_IN', message, plan.at);
  }
  const inFlight = askedInFlight(context, plan, place, subject);
  const chunks = outer || context.state.part ? null : chunkingOf(plan, items.length, inFlight);
  const maxInFlight = Math.min(
    chunks ? chunks.share * chunks.atOnce : (inFlight ?? DEFAULT_PARALLEL),
    MAX_PENDING_TASKS,
  );
  const failFast = mode === 'fail_fast';
  const total = items.length;
  (outer ?? run).loop = newLoop({ items: items as Json[], first: 0, total, maxInFlight, failFast, chunks });
  const payload = {
    total: items.length,
    mode: plan.mode,
    max_in_flight: maxInFlight,
    iterator: plan.iterator,
  };
  context.emit?.('loop.started', name, 'in_progress', payload, whereOf(holder));
  context.enqueue({ op: 'iterate', run: run.id, frame: outer?.id ?? null });
}

/** What the loop is over. A name that is nowhere is not an empty list. */
function itemsAt(context: Context, plan: LoopPlan, place: EnginePlace, subject: string): Json {
  try {
    return definedAt(context, plan.in, place);
  } catch (error) {
    if (!(error instanceof TemplateError) || error.code !== 'NT4111') throw error;
    const what = error.message.replace(/ is undefined.*/s, ' is undefined');
    const message = `loop.in of ${subject}: ${what}; if it may be missing, write \`| default([])\``;
    throw new EngineError('LOOP_IN', message, plan.at);
  }
}

/** Maximum number of iterations in flight: 1 when sequential, null when the loop does not say. */
function askedInFlight(context: Context, plan: LoopPlan, place: EnginePlace, subject: string): number | null {
  if (plan.mode === 'sequential') return 1;
  if (plan.maxInFlight === undefined) return null;
  const inFlight = Number(evaluateAt(context, plan.maxInFlight, place));
  if (inFlight >= 1) return Math.floor(inFlight);
  const message = `max_in_flight of ${subject} must be a number of 1 or more`;
  throw new EngineError('LOOP_MAX_IN_FLIGHT', message, plan.at);
}

/** Inputs may refer to the iterator, which does not exist yet: those that do are only the iterations'. */
function inputsBeforeTheLoop(context: Context, holder: LoopHolder, args: StepRun['args']): StepRun['args'] {
  const { run, outer } = holder;
  const place = { run, frame: outer ?? undefined };
  const { input, binds = [] } = context.step(run.step);
  if (outer || !input || !('map' in input))
    return orElse(() => inputsOver(context, args, holder, place), args);
  const inputs = { ...args };
  for (const [key, value] of input.map) {
    const isBound = binds.includes(key);
    if (!isBound && Object.hasOwn(args, key)) continue;
    const own = orElse(() => (isBound ? definedAt : evaluateAt)(context, value, place), undefined);
    if (own !== undefined) defineMember(inputs, key, own);
  }
  return measured(context, inputs, 'all inputs together');
}

/** Something else where a template cannot be evaluated. */
function orElse<T>(value: () => T, other: T): T {
  try {
    return value();
  } catch (error) {
    if (isOfLimit(error) || !(error instanceof TemplateError || error instanceof EngineError)) throw error;
    return other;
  }
}

/** Opens as many iterations as may be in flight; ends the loop when all have settled. */
export function iterateLoop(context: Context, holder: LoopHolder): void {
  const { run, outer } = holder;
  const { loop } = outer ?? run;
  if (!loop) return;
  const own = outer ? loop.stopping : run.stopping;
  const stopping = own ?? (outer ? context.stoppingOf(outer) : null);
  if (stopping) {
    if (loop.inFlight > 0) return;
    const conflicts = isLoopBroken(own) ? conflictingWrites(context, holder, loop) : null;
    return end(context, holder, loop, conflicts ?? stopping);
  }
  if (loop.chunks) openChunks(context, run, loop, loop.chunks);
  const after = loop.first + loop.items.length;
  while (!loop.chunks && loop.next < after && loop.inFlight < loop.maxInFlight) {
    const index = loop.next++;
    loop.inFlight++;
    if (context.emit) tell(context, holder, 'loop.iteration.started', 'in_progress', index, {});
    openFrame(context, run, index, outer);
  }
  if (loop.cut && after < loop.total && loop.inFlight < loop.maxInFlight)
    context.command({ type: 'leaseSpent' });
  if (loop.inFlight === 0) end(context, holder, loop, conflictingWrites(context, holder, loop));
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
  loop.inFlight--;
  placeAt(loop.results, index - loop.first, cause ? null : result);
  const isBroken = isLoopBroken(cause);
  if (!cause) loop.done++;
  else if (!isBroken) loop.failed++;
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
  const { subject, name } = planOf(context, holder);
  const outcome = okOutcome(loopResult(resultsIn(loop), stats));
  if (!cause) context.emit?.('loop.done', name, 'success', { stats }, whereOf(holder));
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
  const { plan, name } = planOf(context, holder);
  const message =
    `iterations of the parallel loop ${name} left different values in ${conflicts.join('; ')}: ` +
    'write to iter instead and read the loop results, or run the loop sequentially';
  return { kind: 'engine', code: 'CTX_CONFLICT', message, at: plan.at };
}

/** The loop's plan, and its name in messages. */
function planOf(
  context: Context,
  { run, outer }: LoopHolder,
): { plan: LoopPlan; name: string; subject: string } {
  const owner = outer ? context.taskOf(outer) : context.step(run.step);
  return { plan: owner.loop!, name: owner.name, subject: `${outer ? 'task' : 'step'} ${owner.name}` };
}

/** Events of a task's loop refer to its task run. */
function whereOf({ run, outer }: LoopHolder): EventWhere {
  if (!outer) return ofRun(run);
  return { ...ofRun(run, outer.taskRunId!), task_run_id: outer.taskRunId! };
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
  const where = { ...whereOf(holder), iteration: index };
  context.emit!(type, planOf(context, holder).name, status, { ...payload, ...frame }, where);
}
