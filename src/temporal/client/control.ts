/**
 * Controls a running execution. Pause, resume and cancel are signals: the server keeps them until a worker takes
 * them. Variables and external events are updates, which a workflow worker validates and answers.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Client,
  isGrpcServiceError,
  type WorkflowExecutionDescription,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { type AwaitedEvent } from '../../language/plan';
import { executionNotFound } from './chain';
import { CodedError, hasCode, messageOf } from '../../language/errors';

/** The execution has ended. @param status completed, failed, cancelled, terminated or timed_out */
export function executionOver(id: string, status: string): CodedError {
  return new CodedError('EXECUTION_OVER', `execution ${id} has ended (${status})`, {
    hint: ['It accepts no more requests; `noetl-temporal status` and `events` show how it ended.'],
    details: { id, status },
  });
}

export type Verb = 'pause' | 'resume' | 'cancel';

/** The outcome of an external event: taken by a wait, kept for a later one, or ignored as a duplicate. */
export interface SentEventAnswer {
  readonly taken: 0 | 1;
  readonly duplicate: boolean;
  /** Why an answer was not accepted. */
  readonly refused?: string;
}

export const EVENT_FATES = ['taken', 'kept', 'duplicate', 'sent'] as const;
export type EventFate = (typeof EVENT_FATES)[number];

/** The answer in one word. */
export function fateOf(answer: SentEventAnswer | undefined): EventFate {
  if (!answer) return 'sent';
  if (answer.duplicate) return 'duplicate';
  return answer.taken ? 'taken' : 'kept';
}

export interface ExternalEventSent {
  readonly name: string;
  readonly payload?: unknown;
  /** An event with a duplicate id is ignored. */
  readonly id: string;
  /** It answers the form of this task run; who answers, and by which way. */
  readonly answer?: { readonly of: string; readonly by: string; readonly via: string };
}

/** For an execution without a responding workflow worker. */
const START_ONE = [
  'If none runs, start one (noetl-temporal dev, or worker --workflows); if they are busy, or their machine slept, try again.',
];
/** Milliseconds for a worker to answer an update. */
const ANSWER_MS = 15_000;

/**
 * Pauses, resumes or cancels an execution, including its sub-playbooks.
 *
 * @param id the workflow id
 * @throws CodedError `EXECUTION_NOT_FOUND`, `EXECUTION_OVER`
 */
export async function steer(client: Client, id: string, verb: Verb, reason?: string): Promise<void> {
  const args = verb === 'resume' || reason === undefined ? [] : [{ reason }];
  if (verb === 'cancel') return await cancel(client, id, args);
  await orNotFound(client, id, () => client.workflow.getHandle(id).signal(verb, ...args));
}

/**
 * Sends the reason as a signal, then Temporal's own request, without which Temporal would record a failure. Either
 * of them cancels. Both go to the same run: after the signal it does not continue as new.
 */
async function cancel(client: Client, id: string, args: readonly { reason: string }[]): Promise<void> {
  for (let before: string | undefined; ;) {
    const run = await orNotFound(client, id, () => client.workflow.getHandle(id).describe());
    const { runId } = run;
    if (runId === before) throw await overError(client, id);
    try {
      await client.workflow.getHandle(id, runId).signal('cancel', ...args);
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
      // It has continued as new meanwhile, or has ended.
      before = runId;
      continue;
    }
    // The workflow that runs it for a schedule takes over its outcome: it must be cancelled first, or it would
    // already have failed.
    if (isScheduled(run)) await requestCancel(client, run.parentExecution);
    return await requestCancel(client, run);
  }
}

function isScheduled({ memo }: WorkflowExecutionDescription): boolean {
  return memo?.['noetl_schedule'] !== undefined;
}

/** A closed workflow needs no cancellation. */
async function requestCancel(
  client: Client,
  run: { workflowId?: string | null; runId?: string | null } | undefined,
): Promise<void> {
  if (!run?.workflowId) return;
  const { workflowId, runId } = run;
  await client.workflow
    .getHandle(workflowId, runId ?? undefined)
    .cancel()
    .catch((error: unknown) => {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    });
}

/**
 * Sends an external event. If no worker responds in time, it is sent as a signal with the same id, which the server
 * keeps; its outcome is then unknown, and undefined is returned. An event that arrived before the execution ended is a
 * duplicate also afterwards, as far as a worker can be asked.
 *
 * @throws CodedError `EXECUTION_NOT_FOUND`, `EXECUTION_OVER`, `REFUSED`
 */
export async function sendEvent(
  client: Client,
  id: string,
  event: ExternalEventSent,
  limitMs = ANSWER_MS,
): Promise<SentEventAnswer | undefined> {
  try {
    return await deliver(client, id, event, limitMs);
  } catch (error) {
    if (hasCode(error, 'EXECUTION_OVER') && (await hasReceived(client, id, event.id, limitMs)))
      return { taken: 0, duplicate: true };
    throw error;
  }
}

async function deliver(
  client: Client,
  id: string,
  event: ExternalEventSent,
  limitMs: number,
): Promise<SentEventAnswer | undefined> {
  try {
    return await update<SentEventAnswer>(client, id, 'sendEvent', event, limitMs);
  } catch (error) {
    if (!hasCode(error, 'WORKER_SILENT')) throw error;
    await orNotFound(client, id, () => client.workflow.getHandle(id).signal('event', event));
    return undefined;
  }
}

/**
 * What an execution waits for from outside, the oldest first.
 *
 * @throws CodedError `EXECUTION_NOT_FOUND`, `WORKER_SILENT`
 */
export async function awaitedOf(
  client: Client,
  id: string,
  limitMs = ANSWER_MS,
): Promise<readonly AwaitedEvent[]> {
  const ask = () => client.workflow.getHandle(id).query<readonly AwaitedEvent[]>('awaited');
  try {
    return await orNotFound(client, id, () => client.withDeadline(Date.now() + limitMs, ask));
  } catch (error) {
    const cause = error instanceof Error && isGrpcServiceError(error.cause) ? error.cause : error;
    if (!isGrpcServiceError(cause) || ![DEADLINE_EXCEEDED, FAILED_PRECONDITION].includes(cause.code))
      throw error;
    throw workerSilent(id, limitMs, error);
  }
}

/** Whether the execution has received this event. False as well if nobody can tell: no worker, or no such query. */
export async function hasReceived(
  client: Client,
  id: string,
  event: string,
  limitMs = ANSWER_MS,
): Promise<boolean> {
  const handle = client.workflow.getHandle(id);
  const ask = () => handle.query<boolean, [string]>('hasReceived', event);
  // A query that comes while the execution ends may get no answer.
  const first = await client.withDeadline(Date.now() + limitMs / 5, ask).catch(() => undefined);
  return first ?? (await client.withDeadline(Date.now() + limitMs, ask).catch(() => false));
}

/**
 * Sets variables of an execution (`vars`, also called `ctx`).
 *
 * @returns the names that were set
 * @throws CodedError `EXECUTION_NOT_FOUND`, `EXECUTION_OVER`, `REFUSED`, `WORKER_SILENT`
 */
export async function setVariables(
  client: Client,
  id: string,
  variables: Readonly<Record<string, unknown>>,
  limitMs = ANSWER_MS,
): Promise<readonly string[]> {
  return (await update<{ set: string[] }>(client, id, 'setVariables', variables, limitMs)).set;
}

/** As `setVariables`. @returns the requested names */
export async function deleteVariables(
  client: Client,
  id: string,
  names: readonly string[],
  limitMs = ANSWER_MS,
): Promise<readonly string[]> {
  return (await update<{ deleted: string[] }>(client, id, 'deleteVariables', names, limitMs)).deleted;
}

async function update<Answer>(
  client: Client,
  id: string,
  name: string,
  argument: unknown,
  limitMs: number,
): Promise<Answer> {
  const handle = client.workflow.getHandle(id);
  const deadline = Date.now() + limitMs;
  // The id identifies an update that was accepted although the call failed.
  const options = { args: [argument] as [unknown], updateId: randomUUID() };
  const ask = () => handle.executeUpdate<Answer, [unknown]>(name, options);
  try {
    return await orNotFound(client, id, async () => {
      for (;;) {
        try {
          return await client.withDeadline(deadline, ask);
        } catch (error) {
          if (!isNotReady(error) || Date.now() + NOT_READY_MS > deadline) throw error;
          await sleep(NOT_READY_MS);
        }
      }
    });
  } catch (error) {
    if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError || isNotReady(error)) {
      throw workerSilent(id, limitMs, error);
    }
    if (!(error instanceof WorkflowUpdateFailedError)) throw error;
    if (ENDINGS.includes((error.cause as { type?: string } | undefined)?.type ?? '')) {
      throw await overError(client, id);
    }
    throw new CodedError('REFUSED', messageOf(error.cause ?? error), { cause: error });
  }
}

function workerSilent(id: string, limitMs: number, cause: unknown): CodedError {
  const message = `no workflow worker answered for execution ${id} within ${limitMs / 1000} s`;
  return new CodedError('WORKER_SILENT', message, { hint: START_ONE, retryable: true, cause });
}

/** Milliseconds to the next attempt: by then the failed workflow task has been rescheduled. */
const NOT_READY_MS = 200;
const FAILED_PRECONDITION = 9;
const DEADLINE_EXCEEDED = 4;

/**
 * The workflow task that should have taken the update failed, which discards the update. This is normal for a run
 * that is about to continue as new: Temporal rejects the task that ends the run if something arrives meanwhile.
 */
function isNotReady(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return isGrpcServiceError(cause) && cause.code === FAILED_PRECONDITION;
}

/** Failure types of an update whose execution ended first: ours, and Temporal's. */
const ENDINGS: readonly string[] = ['EXECUTION_OVER', 'AcceptedUpdateCompletedWorkflow'];

/** Distinguishes an execution that has ended from one that never existed: Temporal's error is the same. */
async function orNotFound<T>(client: Client, id: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    throw await overError(client, id);
  }
}

async function overError(client: Client, id: string): Promise<Error> {
  try {
    const { status } = await client.workflow.getHandle(id).describe();
    return executionOver(id, status.name.toLowerCase());
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    return executionNotFound(id, error);
  }
}
