/** Converts activity results and failures of Temporal into outcomes for the engine. */
import {
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  ChildWorkflowFailure,
  TerminatedFailure,
  TimeoutFailure,
  WorkflowExecutionAlreadyStartedError,
} from '@temporalio/common';
import {
  type ChunkSettled,
  type ExecutionError,
  type Input,
  type LeaseAnswer,
  type Machine,
  unpackTrace,
} from '../../engine/machine';
import {
  type ErrorKind,
  excerpt,
  failedOutcomeOf,
  isMapping,
  type Json,
  type JsonObject,
  type Outcome,
  type OutcomeError,
  unpackOutcome,
  type WireOutcome,
} from '../../language/plan';
import { valueReferenceOf, schemaHint, tieReference } from '../../storage/payloads';
import { type PlaybookCall } from './definitions';
import { type EndCommand } from './ending';

/** The outcome an activity completed with; if it was stored outside history, `meta.ref` says where. */
export function outcomeOfResult(wire: WireOutcome): Outcome {
  if (!isOutcome(wire)) return malformed(wire);
  const outcome = unpackOutcome(wire);
  const reference = valueReferenceOf(wire);
  if (!reference) return outcome;
  const ref = { ...reference, schema_hint: schemaHint(outcome.result) };
  tieReference(outcome.result, ref);
  return { ...outcome, meta: { ...outcome.meta, ref: ref as unknown as Json } };
}

/** Whether it says how a task ended. */
export function isOutcome(wire: unknown): wire is WireOutcome {
  if (!isMapping(wire)) return false;
  const { status, error: failure } = wire as JsonObject;
  if (status === 'ok') return true;
  if (status === undefined) return 'result' in wire && !failure;
  return status === 'error' && isMapping(failure) && typeof failure['kind'] === 'string';
}

/** Workers of extensions are third-party programs. */
function malformed(answer: unknown): Outcome {
  const expected = '{status: "ok", result} or {status: "error", error: {kind, code, message, retryable}}';
  return error(
    'validation',
    'OUTCOME_MALFORMED',
    `the worker answered ${excerpt(answer)}, expected ${expected}`,
  );
}

/** Types of failures with which a worker gives a task back (activities/framework/activity/attempt.ts). */
const GIVEN_BACK = new Set(['WorkerShutdown', 'TaskWaiting']);

/** The outcome of an activity that did not complete. */
export function outcomeOfFailure(failure: unknown): Outcome {
  const cause = failure instanceof ActivityFailure ? failure.cause : failure;
  if (cause instanceof ApplicationFailure) {
    const detail = cause.details?.[0];
    if (isFailure(detail)) return outcomeOfResult(detail);
    if (cause.type && GIVEN_BACK.has(cause.type))
      return error('worker_lost', 'WORKER_LOST', cause.message, true);
    return error('exception', cause.type ?? 'ACTIVITY_FAILED', cause.message);
  }
  if (cause instanceof CancelledFailure) {
    return error('cancelled', 'CANCELLED', 'the task was cancelled');
  }
  if (cause instanceof TimeoutFailure) {
    if (cause.timeoutType === 'START_TO_CLOSE') {
      return error(
        'timeout',
        'TIMEOUT',
        'the task ran longer than its time limit and could not be stopped',
        true,
      );
    }
    return error(
      'worker_lost',
      'WORKER_LOST',
      'the worker was lost while it ran the task, on every attempt',
      true,
    );
  }
  return error('exception', 'ACTIVITY_FAILED', cause instanceof Error ? cause.message : String(cause));
}

/** The end of a sub-playbook, as the outcome of the task that called it. */
export function outcomeOfEnd(call: PlaybookCall, end: EndCommand, machine: Machine): Outcome {
  const { metadata, digest, steps } = machine.plan;
  const { version } = metadata;
  const child = {
    execution_id: machine.executionId,
    path: call.path,
    ...(version === undefined ? {} : { version }),
    digest,
  };
  const meta = { child };
  const done = (result: Json, step?: string): Outcome => {
    const secrets = machine.secretsIn(result);
    const meta = { child: { ...child, ...(step !== undefined && { step }) } };
    const wholeMeta = secrets === undefined ? meta : { ...meta, secrets: secrets as unknown as Json };
    return { status: 'ok', result, error: null, meta: wholeMeta };
  };
  if (end.type === 'cancelled') return outcomeOfCancel(call.path, end.reason, child);
  if (end.type === 'fail') return failedOutcomeOf(errorOfChild(call.path, end.error), meta);
  const { returnStep, returnResult } = call;
  // Skipped in favor of another execution: no step has a result.
  if (machine.live.skipped) return done(end.result);
  if (returnResult) {
    const { result, step } = machine.answer(returnStep) ?? { result: end.result };
    return done(result, step);
  }
  if (returnStep === undefined) return done(end.result);
  if (!steps.some((step) => step.name === returnStep)) {
    const message = `playbook ${call.path} has no step ${returnStep} (return_step); its steps are ${steps.map(({ name }) => name).join(', ')}`;
    return failedOutcomeOf({ kind: 'validation', code: 'RETURN_STEP', message, retryable: false }, meta);
  }
  return done(machine.resultOf(returnStep));
}

export function outcomeOfCancel(path: string, reason: string | null | undefined, child: JsonObject): Outcome {
  const message = `playbook ${path} was cancelled${reason ? `: ${reason}` : ''}`;
  return failedOutcomeOf({ kind: 'cancelled', code: 'CANCELLED', message, retryable: false }, { child });
}

/** The child's error, with its step. Its position refers to another YAML file, so it goes under `child`. */
function errorOfChild(path: string, error: ExecutionError): OutcomeError {
  const { kind, code, step, task, iteration, at, message } = error;
  const cause = isMapping(error.cause) && isMapping(error.cause['error']) ? error.cause['error'] : {};
  const where = [step, task].filter(Boolean).join('/');
  return {
    kind: kind === 'engine' || kind === 'expression' ? 'exception' : kind,
    code,
    message: `playbook ${path} failed${where ? ` at ${where}` : ''}: ${message}`,
    retryable: cause['retryable'] === true,
    step,
    task,
    child: { kind, ...(iteration === undefined ? {} : { iteration }), ...(at ? { at: [...at] } : {}) },
  };
}

const REFUSED_AS: Readonly<Record<string, ErrorKind>> = {
  PLAYBOOK_NOT_FOUND: 'not_found',
  PLAYBOOK_CANCELLED: 'cancelled',
};

/** A sub-playbook that never ran: not found, or invalid. */
export function outcomeOfRefusal(failure: unknown, child: JsonObject): Outcome {
  const cause = failure instanceof ActivityFailure ? failure.cause : failure;
  const refusal = cause instanceof ApplicationFailure ? cause : undefined;
  const more = isMapping(refusal?.details?.[0]) ? (refusal.details[0] as JsonObject) : {};
  const code = refusal?.type ?? 'PLAYBOOK_UNRESOLVED';
  const message = cause instanceof Error ? cause.message : String(cause);
  const kind = REFUSED_AS[code] ?? 'validation';
  return failedOutcomeOf({ ...more, kind, code, message, retryable: false }, { child });
}

/**
 * What ended a child from outside or prevented its start; its own end comes by signal. Based only on the class of the
 * failure, which is all that history and Temporal's own messages have in common.
 */
export function outcomeOfChildFailure(failure: unknown, path: string): Outcome {
  const cause = failure instanceof ChildWorkflowFailure ? failure.cause : failure;
  if (cause instanceof TerminatedFailure) {
    return error('cancelled', 'TERMINATED', `the workflow of playbook ${path} was terminated`);
  }
  if (cause instanceof WorkflowExecutionAlreadyStartedError) {
    const message = `playbook ${path} was given the id of an existing execution, try again`;
    return error('exception', 'PLAYBOOK_ID_TAKEN', message, true);
  }
  return error(
    'exception',
    'PLAYBOOK_FAILED',
    `the workflow of playbook ${path} ended without reporting its outcome`,
  );
}

/** What ended the workflow of a long task from outside or prevented its start; undefined: it does not exist. */
export function outcomeOfLostTask(failure: unknown): Outcome {
  const cause = failure instanceof ChildWorkflowFailure ? failure.cause : failure;
  if (cause instanceof TerminatedFailure) {
    return error('cancelled', 'TERMINATED', 'the workflow of the task was terminated');
  }
  if (cause instanceof WorkflowExecutionAlreadyStartedError) {
    const message =
      'the task is still running for an earlier run of this execution, before a reset; terminate it, or wait for it';
    return error('exception', 'TASK_STILL_RUNS', message, true);
  }
  return error('cancelled', 'TASK_LOST', 'the workflow of the task ended without reporting its outcome');
}

/** A child that should be cancelled but does not exist. */
export function outcomeOfLostChild(child: string): Outcome {
  return error('cancelled', 'PLAYBOOK_LOST', `execution ${child} ended without reporting its outcome`);
}

/** The machine has returned from its lease. */
export function leaseEnd(ref: string, answer: LeaseAnswer): Input {
  return { type: 'leaseEnded', ref, trace: unpackTrace(answer, outcomeOfResult) };
}

/**
 * The activity did not return: its worker was lost too often, or its result was too large. Its last heartbeat counts.
 */
export function leaseLost(ref: string, failure: unknown): Input {
  const cause = failure instanceof ActivityFailure ? failure.cause : failure;
  const details: unknown = cause instanceof TimeoutFailure ? cause.lastHeartbeatDetails : undefined;
  const answer =
    isMapping(details) && Array.isArray(details['trace'])
      ? (details as unknown as LeaseAnswer)
      : { trace: [] };
  return {
    type: 'leaseEnded',
    ref,
    trace: unpackTrace(answer, outcomeOfResult),
    lost: outcomeOfFailure(failure),
  };
}

/** What ended the workflow of a chunk from outside or prevented its start; based only on the class of the failure. */
export function chunkGone(failure: unknown): ChunkSettled {
  const cause = failure instanceof ChildWorkflowFailure ? failure.cause : failure;
  const isTerminated = cause instanceof TerminatedFailure;
  const code = isTerminated ? 'TERMINATED' : 'CHUNK_LOST';
  const message = isTerminated
    ? 'the workflow of a chunk of the loop was terminated'
    : 'the workflow of a chunk of the loop ended without reporting its outcome';
  return { status: 'lost', cause: { kind: isTerminated ? 'cancelled' : 'worker_lost', code, message } };
}

function isFailure(value: unknown): value is WireOutcome {
  return isMapping(value) && value['status'] === 'error' && isMapping(value['error']);
}

function error(kind: ErrorKind, code: string, message: string, retryable = false): Outcome {
  return failedOutcomeOf({ kind, code, message, retryable }, {});
}
