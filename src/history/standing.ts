/** The current or final status of an execution in one document, derived from its history. */
import { boundedValues } from './bodies';
import { type Note, type RerunOrigin } from '../engine';
import { type Progress } from '../engine/control/progress';
import { compact, isMapping, type Json, type JsonObject } from '../plan';
import { deadlineAt } from './deadline';
import { Derivation, type DerivationOptions } from './derivation';
import { type DocumentError, documentError, plainError } from './document-error';
import { type CanonicalEvent } from './events';
import { eventStream, type Pages } from './follow';

export interface Standing {
  readonly execution_id: string;
  readonly workflow_id: string;
  readonly path: string;
  readonly version: string | null;
  /** running, paused, cancelling, failing, completed, failed or cancelled; terminated and timed_out are Temporal's. */
  readonly status: string;
  /** A limit ended it before its first step: `status` is completed. */
  readonly skipped: boolean;
  readonly result: Json;
  readonly error: DocumentError | null;
  readonly steps_executed: readonly string[];
  /** Work left undone without a failure. */
  readonly notes: readonly Note[];
  readonly live: Progress['live'];
  /** What it waits for before it begins. */
  readonly queued?: Progress['queued'];
  readonly tasks_run: number;
  readonly retries: number;
  readonly variables: JsonObject;
  /** For a rerun: the execution and step run that it repeats. */
  readonly rerun_of: Pick<RerunOrigin, 'execution_id' | 'step_run_id'> | null;
  /** How often the execution continued as new. */
  readonly continuations: number;
  /** RFC 3339. */
  readonly started_at: string;
  readonly finished_at: string | null;
  /** RFC 3339: when it must have ended, if there is a deadline. */
  readonly deadline_at: string | null;
  /** It was open at its deadline, or still is. */
  readonly late: boolean;
  readonly duration_ms: number;
}

type EventPayload = CanonicalEvent['payload'];

/**
 * Reads the history to its end.
 *
 * @param workflow_id as Temporal has it
 * @throws CodedError `HISTORY`, `STORAGE_NOT_CONFIGURED`, `BLOB_UNAVAILABLE`, and errors of `pages`
 */
export async function readStanding(
  pages: Pages,
  workflow_id: string,
  options: Pick<DerivationOptions, 'converter'> & {
    /** Bytes of a variable's JSON: larger ones are replaced by references. */
    readonly variableLimit?: number;
  },
): Promise<Standing> {
  const derivation = new Derivation({ ...options, bodies: true });
  let end: EventPayload = {};
  let origin: Json | undefined;
  let lastEventId = '';
  for await (const events of eventStream(pages, derivation)) {
    for (const event of events) {
      if (event.event_type === 'playbook.execution.requested') origin ??= event.payload['rerun'];
      if (event.event_type === 'workflow.finished') end = event.payload;
      if (event.event_type === 'playbook.reset') end = {};
      lastEventId = event.event_id;
    }
  }
  const { plan, state, progress, closed } = derivation;
  const deadline = deadlineAt(state.startedAt, plan, derivation.origin);
  const about = { workflowId: workflow_id, rerun: origin, lastEventId, ...compact({ deadline }) };
  return standingOf({ plan, state, progress, ...compact({ closed }), end }, about, options.variableLimit);
}

/** An execution as it stands, or as it ended. */
export interface Stood extends Pick<Derivation, 'plan' | 'state' | 'progress'> {
  /** How Temporal closed its last run, in milliseconds since the epoch. */
  readonly closed?: { readonly status: string; readonly at: number };
  /** What it reported at its end. */
  readonly end: EventPayload;
}

/** What its state does not say. */
export interface StoodAbout {
  readonly workflowId: string;
  /** As its first event has it. */
  readonly rerun: Json | undefined;
  readonly lastEventId: string;
  /** Milliseconds since the epoch. */
  readonly deadline?: number;
}

/** @param variableLimit bytes of a variable's JSON: larger ones are replaced by references */
export function standingOf(
  { plan, state, progress, closed, end }: Stood,
  { workflowId, rerun, lastEventId, deadline }: StoodAbout,
  variableLimit?: number,
): Standing {
  const { path, version } = plan.metadata;
  const finished = closed && closed.status !== 'continued_as_new' ? closed : undefined;
  const ours = ['completed', 'failed', 'cancelled'].includes(state.status);
  const status = finished && !ours ? finished.status : state.status;
  const until = finished?.at ?? Math.max(state.now, Date.now());
  return {
    execution_id: state.executionId,
    workflow_id: workflowId,
    path,
    version: version ?? null,
    status,
    skipped: state.skipped !== undefined,
    result: end['result'] ?? null,
    error: errorOf(end['error'], status, state.cancelReason, plan.source.file ?? null),
    steps_executed: progress.steps_executed,
    notes: state.notes?.kept ?? [],
    ...underWay(progress, finished !== undefined),
    tasks_run: progress.tasks_run,
    retries: progress.retries,
    variables: variablesOf(state.ctx, lastEventId, variableLimit),
    rerun_of: isMapping(rerun) ? repeated(rerun) : null,
    continuations: state.continuations ?? 0,
    started_at: new Date(state.startedAt).toISOString(),
    finished_at: finished ? new Date(finished.at).toISOString() : null,
    ...lateness(deadline, until),
    duration_ms: until - state.startedAt,
  };
}

function variablesOf(ctx: JsonObject, eventId: string, limit: number | undefined): JsonObject {
  return limit === undefined ? ctx : boundedValues(ctx, limit, eventId);
}

/** A closed run may have stopped anywhere. */
function underWay({ live, queued }: Progress, isOver: boolean): Pick<Standing, 'live' | 'queued'> {
  if (isOver) return { live: [] };
  return { live, ...(queued && { queued }) };
}

function lateness(deadline: number | undefined, until: number): Pick<Standing, 'deadline_at' | 'late'> {
  if (deadline === undefined) return { deadline_at: null, late: false };
  return { deadline_at: new Date(deadline).toISOString(), late: until > deadline };
}

function repeated({ execution_id, step_run_id }: Readonly<Record<string, unknown>>): Standing['rerun_of'] {
  return { execution_id: String(execution_id), step_run_id: String(step_run_id) };
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
