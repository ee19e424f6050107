/** The current or final status of an execution in one document, derived from its history. */
import { boundedValues } from './bodies';
import { type EngineNote, type RerunOrigin } from '../engine/machine';
import { type Progress } from '../engine/machine/control/progress';
import { isMapping, type Json, type JsonObject } from '../language/plan';
import { deadlineAt } from './deadline';
import { Derivation, type DerivationOptions } from './derivation';
import { type DocumentError, documentError, plainError } from './document-error';
import { type CanonicalEvent } from './events';
import { eventStream, type Pages } from './follow';
import { type ExecutionOrigin } from './origin';
import { type Closed } from './reader';

export interface ExecutionStanding {
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
  readonly notes: readonly EngineNote[];
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
/** Events. */
const PORTION = 1000;

/**
 * Reads the history to its end.
 *
 * @param workflow_id as Temporal has it
 * @throws CodedError `HISTORY`, `STORAGE_NOT_CONFIGURED`, `BLOB_UNAVAILABLE`, and errors of `pages`
 */
export async function readStanding(
  pages: Pages,
  workflow_id: string,
  options: Pick<DerivationOptions, 'converter' | 'progress'> & {
    /** Bytes of a variable's JSON: larger ones are replaced by references. */
    readonly variableLimit?: number;
  },
): Promise<ExecutionStanding> {
  const ends = new StandingEnds();
  const { progress } = options;
  // Of hundreds of thousands of events three say something.
  const derivation = new Derivation({
    ...options,
    bodies: true,
    silent: true,
    watcher: {
      event: (event, _state, { event_id }) => {
        ends.note(event, event_id);
        if (++ends.count % PORTION === 0) progress?.(ends.count);
      },
    },
  });
  // Those that Temporal caused.
  for await (const events of eventStream(pages, derivation)) ends.take(events);
  return standingOf(workflow_id, derivation, ends, options);
}

/** What the events say about the beginning and the end: the first and the last ones are enough. */
export class StandingEnds {
  /** What the execution reported at its end. */
  end: EventPayload = {};
  rerun: Json | undefined;
  lastEventId = '';
  count = 0;

  take(events: readonly CanonicalEvent[]): void {
    for (const event of events) this.note(event, event.event_id);
  }

  note({ event_type, payload }: Pick<CanonicalEvent, 'event_type' | 'payload'>, eventId: string): void {
    if (event_type === 'playbook.execution.requested') this.rerun ??= payload['rerun'];
    if (event_type === 'workflow.finished') this.end = payload;
    if (event_type === 'playbook.reset') this.end = {};
    this.lastEventId = eventId;
  }
}

/** What is known where its history ends. */
interface Ending extends Pick<Derivation, 'plan' | 'state' | 'progress'> {
  readonly closed?: Pick<Closed, 'status' | 'at'> | undefined;
  readonly origin?: Pick<ExecutionOrigin, 'schedule'> | undefined;
}

const OURS: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled']);

/** @param options as of `readStanding` */
export function standingOf(
  workflow_id: string,
  facts: Ending,
  { end, rerun, lastEventId }: Pick<StandingEnds, 'end' | 'rerun' | 'lastEventId'>,
  { variableLimit = Infinity }: { readonly variableLimit?: number } = {},
): ExecutionStanding {
  const { plan, state, progress, closed } = facts;
  const { path, version } = plan.metadata;
  const finished = closed && closed.status !== 'continued_as_new' ? closed : undefined;
  const status = finished && !OURS.has(state.status) ? finished.status : state.status;
  return {
    execution_id: state.executionId,
    workflow_id,
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
    variables: boundedValues(state.ctx, variableLimit, lastEventId),
    rerun_of: repeated(rerun, state.executionId),
    continuations: state.continuations ?? 0,
    ...timesOf(facts, finished?.at),
  };
}

/** @param end milliseconds since the epoch; undefined while it runs */
function timesOf(
  { plan, state, origin }: Ending,
  end: number | undefined,
): Pick<ExecutionStanding, 'started_at' | 'finished_at' | 'deadline_at' | 'late' | 'duration_ms'> {
  const until = end ?? Math.max(state.now, Date.now());
  return {
    started_at: new Date(state.startedAt).toISOString(),
    finished_at: end === undefined ? null : new Date(end).toISOString(),
    ...lateness(deadlineAt(state.startedAt, plan, origin), until),
    duration_ms: until - state.startedAt,
  };
}

/** A closed run may have stopped anywhere. */
function underWay({ live, queued }: Progress, isOver: boolean): Pick<ExecutionStanding, 'live' | 'queued'> {
  if (isOver) return { live: [] };
  return { live, ...(queued && { queued }) };
}

function lateness(
  deadline: number | undefined,
  until: number,
): Pick<ExecutionStanding, 'deadline_at' | 'late'> {
  if (deadline === undefined) return { deadline_at: null, late: false };
  return { deadline_at: new Date(deadline).toISOString(), late: until > deadline };
}

/** A step that was run alone repeats nothing. */
function repeated(rerun: unknown, own: string): ExecutionStanding['rerun_of'] {
  if (!isMapping(rerun) || rerun['execution_id'] === own) return null;
  const { execution_id, step_run_id } = rerun;
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
