/** Where an execution is, derived from its history: the server alone answers, whether a worker is there or not. */
import { type Progress } from '../../engine/progress';
import { type CanonicalEvent, Derivation } from '../../history';
import { isMapping, type Json, type JsonObject } from '../../plan';
import { type DocumentError, documentError, plainError } from '../output/result-document';
import { asUsage, openRecorded } from './recorded-run';
import { named } from './running';

export interface ExecutionStatus {
  readonly execution_id: string;
  readonly workflow_id: string;
  readonly path: string;
  readonly version: string | null;
  /** running, paused, cancelling, failing, completed, failed or cancelled; terminated and timed_out are Temporal's. */
  readonly status: string;
  readonly result: Json;
  readonly error: DocumentError | null;
  readonly steps_executed: readonly string[];
  readonly live: Progress['live'];
  readonly tasks_run: number;
  readonly retries: number;
  readonly variables: JsonObject;
  /** How often the execution continued as new. */
  readonly continuations: number;
  /** RFC 3339. */
  readonly started_at: string;
  readonly finished_at: string | null;
  readonly duration_ms: number;
}

type EventPayload = CanonicalEvent['payload'];

/** @throws UsageError when there is no such execution */
export async function readStatus(execution: string, data: string | undefined): Promise<ExecutionStatus> {
  const run = await openRecorded([execution], data);
  const derivation = new Derivation({ converter: run.converter, bodies: true });
  let end: EventPayload = {};
  try {
    for await (const page of run.pages()) {
      for (const event of await derivation.take(page)) {
        if (event.event_type === 'workflow.finished') end = event.payload;
      }
    }
    return statusOf(execution, derivation, end);
  } catch (error) {
    return asUsage(error);
  } finally {
    await run.close();
  }
}

/** @param end what the execution said at its end */
function statusOf(
  execution: string,
  { plan, state, progress, closed }: Derivation,
  end: EventPayload,
): ExecutionStatus {
  const { path, version } = plan.metadata;
  const finished = closed && closed.status !== 'continued_as_new' ? closed : undefined;
  const ours = ['completed', 'failed', 'cancelled'].includes(state.status);
  const status = finished && !ours ? finished.status : state.status;
  const until = finished?.at ?? Math.max(state.now, Date.now());
  return {
    ...named(execution),
    execution_id: state.executionId,
    path,
    version: version ?? null,
    status,
    result: end['result'] ?? null,
    error: errorOf(end['error'], status, state.cancelReason, plan.source.file ?? null),
    steps_executed: progress.steps_executed,
    live: finished ? [] : progress.live,
    tasks_run: progress.tasks_run,
    retries: progress.retries,
    variables: state.ctx,
    continuations: state.continuations ?? 0,
    started_at: new Date(state.startedAt).toISOString(),
    finished_at: finished ? new Date(finished.at).toISOString() : null,
    duration_ms: until - state.startedAt,
  };
}

function errorOf(
  error: Json | undefined,
  status: string,
  reason: string | null,
  file: string | null,
): DocumentError | null {
  if (isMapping(error)) return documentError(error, file);
  return status === 'cancelled' ? plainError('CANCELLED', reason ?? 'cancelled') : null;
}
