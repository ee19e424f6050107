/** Opens loops: what they are over, and how many iterations are in flight. */
import { type FailureMode, isMapping, type Json, type LoopPlan } from '../../../language/plan';
import { isOfLimit, listed, TemplateError, valueTypeName } from '../../../language/template/runtime';
import {
  causeOf,
  type Context,
  EngineError,
  type EventWhere,
  failedOutcome,
  MAX_PENDING_TASKS,
  measured,
  ofRun,
} from '../batch';
import { definedAt, type EnginePlace, evaluateAt, inputsOver, mappingAt } from '../scope';
import { defineMember, type Frame, type LoopState, type StepRun } from '../state';
import { chunkingOf, chunkingOfFrames } from './chunks';
import { openCursor } from './cursor';
import { newLoop } from './loop-stats';

/** Owner of the loop: the step run or, with `outer`, the current task of that frame. */
export interface LoopHolder {
  readonly run: StepRun;
  readonly outer: Frame | null;
}

/** The loop's plan, and its name in messages. */
export function loopPlanOf(
  context: Context,
  { run, outer }: LoopHolder,
): { plan: LoopPlan; name: string; subject: string } {
  const owner = outer ? context.taskOf(outer) : context.step(run.step);
  return { plan: owner.loop!, name: owner.name, subject: `${outer ? 'task' : 'step'} ${owner.name}` };
}

/** Events of a task's loop refer to its task run. */
export function loopWhere({ run, outer }: LoopHolder): EventWhere {
  if (!outer) return ofRun(run);
  return { ...ofRun(run, outer.taskRunId!), task_run_id: outer.taskRunId! };
}

const DEFAULT_PARALLEL = 64;

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
  const { plan, name, subject } = loopPlanOf(context, holder);
  const place = { run, frame: outer ?? undefined, input: inputsBeforeTheLoop(context, holder, args) };
  if (!outer && context.step(run.step).input) run.inputs = place.input;
  const inFlight = askedInFlight(context, plan, place, subject);
  const mayDivide = !outer && !context.state.part;
  const over = plan.cursor
    ? overRows(context, plan, place, inFlight ?? 1)
    : overList(context, { plan, subject, place }, inFlight, mayDivide);
  (outer ?? run).loop = newLoop({ first: 0, failFast: mode === 'fail_fast', ...over });
  const { cursor, total, maxInFlight } = over;
  const payload = {
    ...(cursor ? { frame: cursor.policy } : { total }),
    mode: plan.mode,
    max_in_flight: cursor ? cursor.slots : maxInFlight,
    iterator: plan.iterator,
  };
  context.emit?.('loop.started', name, 'in_progress', payload, loopWhere(holder));
  context.enqueue({ op: 'iterate', run: run.id, frame: outer?.id ?? null });
}

/** The parts of a loop that follow from what it is over. */
type Over = Pick<LoopState, 'items' | 'total' | 'maxInFlight' | 'chunks' | 'cursor'>;

/** @throws EngineError when a setting of its frames is not a number above 0 */
function overRows(context: Context, plan: LoopPlan, place: EnginePlace, most: number): Over {
  const slots = Math.min(most, MAX_PENDING_TASKS);
  const cursor = openCursor(context, plan, place, slots);
  const { rowsAtOnce } = cursor;
  const chunks = chunkingOfFrames(plan, rowsAtOnce);
  return { items: [], total: 0, maxInFlight: slots * rowsAtOnce, chunks, cursor };
}

/** @throws EngineError when it is not a list (null counts as empty) */
function overList(
  context: Context,
  { plan, subject, place }: { plan: LoopPlan; subject: string; place: EnginePlace },
  inFlight: number | null,
  mayDivide: boolean,
): Over {
  const items = listed(itemsAt(context, plan, place, subject) ?? []);
  if (!Array.isArray(items)) {
    const hint = isMapping(items) ? '; iterate over a mapping with `| items` or `| list`' : '';
    const message = `loop.in of ${subject} must be a list, got ${valueTypeName(items)}${hint}`;
    throw new EngineError('LOOP_IN', message, plan.at);
  }
  const total = items.length;
  const chunks = mayDivide ? chunkingOf(plan, total, inFlight) : null;
  const most = chunks ? chunks.share * chunks.atOnce : (inFlight ?? DEFAULT_PARALLEL);
  return { items: items as Json[], total, maxInFlight: Math.min(most, MAX_PENDING_TASKS), chunks };
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
