/**
 * Loops over rows that are claimed frame by frame. A claim is an ordinary task beside the pipeline; its rows are part of
 * the state before any of them is worked on, so whichever worker dies, none of them is forgotten.
 */
import {
  declarationOf,
  excerpt,
  FRAME_DEFAULTS,
  isMapping,
  type Json,
  type JsonObject,
  jsonSize,
  type LoopPlan,
} from '../../../language/plan';
import { causeOf, type Context, EngineError, MAX_PENDING_TASKS, noteOnce } from '../batch';
import { evaluateAt, type EnginePlace, mappingAt } from '../scope';
import { visitTask } from '../rules';
import {
  type ClaimedFrame,
  type CursorState,
  type FailureCause,
  type Frame,
  frameId,
  type LoopState,
  seedFrom,
  type StepRun,
  weightOf,
} from '../state';

/** A claim that so often returns what it returned before does not mark what it takes. */
const MAX_SAME = 1000;
/** Slots that begin at once, and those that each claim with rows lets begin after them. */
const [FIRST_SLOTS, MORE_SLOTS] = [16, 2];
/** `maxRows` of a cursor that claims nothing any more. */
export const NOTHING_MORE = 0;
/** Iterations that have ended and whose values of one key of ctx are kept, to name conflicts. */
const MAX_WRITERS = 10;

/** Of a frame, what is counted here; the claim alone reads the others, and to it they may be 0. */
const COUNTS: readonly string[] = ['max_rows', 'row_concurrency'];

/** The cursor of a loop that begins. @throws EngineError when a setting is not a number, or too small */
export function openCursor(
  context: Context,
  { cursor, at }: LoopPlan,
  place: EnginePlace,
  slots: number,
): CursorState {
  const plan = cursor!;
  const claim = context.step(place.run!.step).sinks!.find(({ name }) => name === plan.claim)!;
  const number = (name: string, given: Json, isCount = true): number => {
    const value = given === '' || typeof given === 'object' ? NaN : Number(given);
    if ((isCount ? value > 0 : value >= 0) && value < Infinity) return Math.ceil(value);
    const message = `${name} of a cursor loop must be a number ${isCount ? 'above 0' : 'from 0'}, got ${excerpt(given)}`;
    throw new EngineError('LOOP_FRAME', message, at);
  };
  const settings = Object.entries({ ...FRAME_DEFAULTS, ...mappingAt(context, plan.frame, place) });
  const numbers = settings.map(
    ([name, value]) => [name, number(`frame.${name}`, value, COUNTS.includes(name))] as const,
  );
  const policy: JsonObject = { process: plan.process, ...Object.fromEntries(numbers) };
  const rows = plan.maxRows && number('options.max_iterations', evaluateAt(context, plan.maxRows, place));
  const most = Math.max(1, Math.floor(MAX_PENDING_TASKS / slots));
  // A claim that asks for the rows of its slot leaves those of others.
  const isBySlot = JSON.stringify(claim.config).includes('__worker_slot_id');
  const begun = isBySlot ? slots : Math.min(slots, FIRST_SLOTS);
  return {
    policy,
    rowsAtOnce: plan.process === 'frame' ? 1 : Math.min(policy['row_concurrency'] as number, most),
    free: Array.from({ length: begun }, (_, slot) => slot),
    begun,
    slots,
    claims: 0,
    claiming: 0,
    count: 0,
    maxRows: rows === undefined ? null : rows * slots,
    frames: [],
    last: { digest: '', times: 0 },
    failure: null,
  };
}

/** Frees the slots of frames that are finished. */
export function retireFrames(cursor: CursorState): void {
  const isDone = ({ next, total, inFlight }: ClaimedFrame): boolean => next === total && inFlight === 0;
  cursor.free.push(...cursor.frames.filter(isDone).map(({ slot }) => slot));
  cursor.frames = cursor.frames.filter((frame) => !isDone(frame));
}

/** Each free slot claims its next frame, unless the loop has claimed all that it may. */
export function claimFrames(context: Context, run: StepRun, loop: LoopState, cursor: CursorState): void {
  const slots = cursor.free.splice(0);
  if (cursor.maxRows !== null && loop.total >= cursor.maxRows) {
    if (slots.length === 0 || cursor.maxRows === NOTHING_MORE) return;
    cursor.maxRows = NOTHING_MORE;
    const message = `the loop claimed ${loop.total} rows, and no more: options.max_iterations`;
    const { at } = context.step(run.step).loop!;
    return noteOnce(context, 'LOOP_ENDED_EARLY', message, at, { run, index: null });
  }
  for (const slot of slots) {
    const frame = context.newClaim(run, cursor.claims++, slot);
    cursor.claiming++;
    const { policy } = cursor;
    frame.args = {
      ...(run.inputs ?? run.args),
      __frame_max_rows: policy['max_rows']!,
      __frame_policy: policy,
      __worker_slot_id: slot,
    };
    visitTask(context, frame, context.taskOf(frame));
  }
}

/**
 * A claim has ended: its rows are the slot's next frame. Without any, the slot is done. Returns a failure that must stop the
 * loop.
 */
export function frameClaimed(
  context: Context,
  frame: Frame,
  ended: FailureCause | null,
): FailureCause | null {
  const run = context.run(frame.run);
  const { loop } = run;
  if (!loop?.cursor) return null;
  const { cursor } = loop;
  const { at } = context.taskOf(frame);
  cursor.claiming--;
  let cause = ended;
  let rows: Json[] = [];
  try {
    rows = rowsOf(context, frame);
  } catch (error) {
    cause ??= causeOf(error, `claim of step ${run.step}`, at);
  }
  if (rows.length > 0) takeRows(context, loop, cursor, { rows, slot: frame.claim ?? 0 });
  // Where there is nothing for one, there is nothing for more.
  if (rows.length === 0) cursor.slots = cursor.begun;
  for (let more = 0; more < MORE_SLOTS && cursor.begun < cursor.slots; more++)
    cursor.free.push(cursor.begun++);
  if (run.stopping) return null;
  if (cursor.last.times >= MAX_SAME) {
    const message =
      `the claim of step ${run.step} returned the same rows ${MAX_SAME} times in a row: ` +
      'it must mark what it takes, and return a column that tells rows apart';
    cause ??= { kind: 'engine', code: 'CLAIM_REPEATS', message, at };
  }
  if (loop.failFast) return cause;
  cursor.failure ??= cause;
  return null;
}

/** @throws EngineError when the answer of a claim has no rows */
function rowsOf(context: Context, frame: Frame): Json[] {
  const task = context.taskOf(frame);
  const { outcome } = frame.results[task.name] ?? {};
  if (outcome?.status !== 'ok') return [];
  const { result } = outcome;
  const field = (task.payload ?? declarationOf(task.kind)?.payload)?.field;
  const rows = field !== undefined && isMapping(result) ? (result as JsonObject)[field] : result;
  const changed = isMapping(result) ? (result as JsonObject)['row_count'] : 0;
  if (Array.isArray(rows) && (rows.length > 0 || !changed)) return rows;
  const what = Array.isArray(rows)
    ? `changed ${JSON.stringify(changed)} rows and returned none`
    : 'returned no rows';
  throw new EngineError('CLAIM_ROWS', `the claim ${what}: end its statement with RETURNING`, task.at);
}

function takeRows(
  context: Context,
  loop: LoopState,
  cursor: CursorState,
  { rows, slot }: { readonly rows: Json[]; readonly slot: number },
): void {
  const { policy, last } = cursor;
  context.write(jsonSize(rows));
  const isRow = policy['process'] !== 'frame';
  const first = isRow ? loop.total : cursor.count;
  const items = isRow ? rows : [rows];
  cursor.frames.push({
    items,
    first,
    total: first + items.length,
    next: first,
    inFlight: 0,
    maxInFlight: cursor.rowsAtOnce,
    index: cursor.count++,
    slot,
    rows: rows.length,
    base: loop.total,
  });
  loop.total += rows.length;
  const digest = seedFrom(JSON.stringify(rows)).join('.');
  cursor.last = { digest, times: digest === last.digest ? last.times + 1 : 1 };
}

/** What an iteration wrote is kept only as far as conflicts with others need it: there are millions. */
export function forgetWrites(context: Context, run: StepRun, loop: LoopState, index: number): void {
  for (const byIteration of Object.values(loop.writes)) {
    const value = byIteration[index];
    if (value === undefined) continue;
    const ended = Object.keys(byIteration).filter(
      (other) => other !== String(index) && !context.state.frames.has(frameId(run.id, Number(other))),
    );
    if (ended.length >= MAX_WRITERS || ended.some((other) => byIteration[other] === value))
      delete byIteration[index];
  }
}

/** Rows that were claimed and that nothing was done with. */
export function rowsLeft(loop: LoopState): number {
  return (loop.cursor?.frames ?? []).reduce(
    (sum, span) => sum + (span.total - span.next) * weightOf(loop, span),
    0,
  );
}
