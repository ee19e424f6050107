/** The end of an execution: its result, its failure, its cancellation. */
import { type Json, type JsonObject } from '../../../language/plan';
import { plainValue } from '../../../language/template/runtime';
import { cancelledCause, causeOf, type Context, type EventStatus, measured } from '../batch';
import { interruptAll, isAnythingUnderWay } from '../calls';
import { chunkResult } from '../loop';
import {
  type ChunkPart,
  type ExecutionError,
  type ExecutionStatus,
  type FailureCause,
  type Token,
} from '../state';
import { endToken } from './token';
import { stepView } from '../scope';

/**
 * A failure that no arc handled: with fail_fast it ends the execution, with best_effort the other branches finish
 * first.
 */
export function unhandledFailure(context: Context, token: Token, error: ExecutionError): void {
  const { state, plan } = context;
  const mode = context.step(token.step).failureMode ?? plan.failureMode;
  if (mode === 'fail_fast') return failExecution(context, error);
  if (state.failure) state.failure = { ...state.failure, others: (state.failure.others ?? 0) + 1 };
  else state.failure = error;
  endToken(context, token, 'failed');
}

/** Ends the execution with `error`: running tasks are cancelled, nothing new starts. */
export function failExecution(context: Context, error: ExecutionError): void {
  const { state } = context;
  if (state.status === 'failing' || state.status === 'cancelling') return;
  state.failure ??= error;
  state.status = 'failing';
  stopEverything(context);
}

/** Cancels the execution: running tools are actually stopped, then it ends as cancelled. */
export function cancelRun(context: Context, reason: string | null): void {
  const { state } = context;
  if (state.status === 'cancelling') return;
  const { path } = context.plan.metadata;
  if (!state.part) context.emit?.('playbook.cancel.requested', path, 'in_progress', { reason });
  state.cancelReason = reason;
  state.status = 'cancelling';
  stopEverything(context);
}

function stopEverything(context: Context): void {
  const { state } = context;
  for (const key of Object.keys(state.timers)) context.command({ type: 'cancelTimer', key });
  state.timers = {};
  state.ready = [];
  delete state.slots;
  // What this batch says of tasks and chunks is still recorded: they will not say it again.
  const settled = state.work.toList().filter(({ op }) => op === 'settled' || op === 'chunkSettled');
  state.work.clear();
  for (const work of settled) context.enqueue(work);
  interruptAll(context, state.cancelReason ?? state.failure?.message ?? null);
}

/** Called when a batch has no work left: ends the execution if nothing is alive. */
export function finishIfOver(context: Context): void {
  const { state } = context;
  const { part, status, tokens } = state;
  if (status === 'failing' || status === 'cancelling') {
    if (isAnythingUnderWay(context)) return;
    const cause = state.failure ?? cancelledCause(state.cancelReason ?? 'the execution was cancelled');
    if (part) finishPart(context, part, cause);
    else if (status === 'failing') fail(context);
    else cancel(context);
  } else if (part) {
    if (part.ended) finishPart(context, part, null);
  } else if (status === 'running' && !state.gate && state.pending.size === 0 && tokens.size === 0) {
    if (state.failure) fail(context);
    else complete(context);
  }
}

/** A chunk is over: its loop has ended, or it was stopped and everything in flight has settled. */
function finishPart(context: Context, part: ChunkPart, stopped: FailureCause | null): void {
  const { state } = context;
  part.cause ??= stopped;
  state.status = part.cause ? 'failed' : 'completed';
  context.command({ type: 'chunkEnded', result: chunkResult(state) });
}

function complete(context: Context): void {
  let result: Json;
  let step: string | null;
  try {
    // The result of a loop is one level deeper than what its items gave.
    ({ result, step } = executionResult(context));
    measured(context, result, 'the result of the execution', [1, 1]);
  } catch (error) {
    context.state.failure = causeOf(error, 'result', [1, 1]);
    return fail(context);
  }
  ended(context, 'completed', 'success', { result, result_of: step });
  context.command({ type: 'complete', result });
}

function fail(context: Context): void {
  const error = context.state.failure!;
  ended(context, 'failed', 'error', { error: error as never });
  context.command({ type: 'fail', error });
}

function cancel(context: Context): void {
  const reason = context.state.cancelReason;
  ended(context, 'cancelled', 'cancelled', { reason });
  context.command({ type: 'cancelled', reason });
}

function ended(context: Context, as: ExecutionStatus, status: EventStatus, payload: JsonObject): void {
  const { state } = context;
  const { name, path } = context.plan.metadata;
  const { now, startedAt, notes } = state;
  state.status = as;
  for (const keeper of state.keepers ?? []) context.command({ type: 'leaveLimit', keeper });
  const noteFields = notes && { notes: { count: notes.count, kept: notes.kept as unknown as Json } };
  if (as === 'cancelled') context.emit?.('playbook.cancelled', path, status, payload);
  context.emit?.('workflow.finished', name, status, { ...payload, ...noteFields });
  context.emit?.('playbook.processed', path, status, { duration_ms: now - startedAt });
}

/** The result of `end` if it ran, otherwise of the finished leaf step that comes last in the YAML. */
function executionResult(context: Context): { result: Json; step: string | null } {
  const { state, index } = context;
  if (state.skipped) return { result: state.skipped, step: null };
  // Checks first whether it ran: looking up its position would build the table of all names.
  const candidates =
    state.executed.includes('end') && state.results.has('end')
      ? ['end']
      : Object.keys(state.leaves)
          .filter((step) => state.results.has(step))
          .sort((a, b) => index.positionOf(b)! - index.positionOf(a)!);
  const step = candidates[0];
  if (step === undefined) return { result: null, step: null };
  return { result: (plainValue(stepView(state.results.get(step)!)) ?? null) as Json, step };
}
