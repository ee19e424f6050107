/**
 * Converts events to rows of noetl.canonical_event and back, without loss or redundancy.
 */
import { type CanonicalEvent, eventStep } from '../../../history';
import { isMapping, type Json, type JsonObject } from '../../../language/plan';
import { type EventItem } from '../sink';

/** Columns of noetl.canonical_event written by the projection, with their types. */
export const EVENT_COLUMNS = {
  execution_id: 'bigint',
  event_id: 'text',
  seq: 'integer',
  event_type: 'text',
  source: 'text',
  entity_type: 'text',
  entity_id: 'text',
  node_name: 'text',
  status: 'text',
  created_at: 'timestamptz',
  duration: 'double precision',
  step_run_id: 'text',
  task_run_id: 'text',
  iteration: 'integer',
  attempt: 'integer',
  parent_id: 'text',
  context: 'jsonb',
  result: 'jsonb',
  outcome: 'jsonb',
  error_detail: 'jsonb',
  meta: 'jsonb',
} as const;

export type EventRow = Readonly<Record<keyof typeof EVENT_COLUMNS, unknown>>;

export const EVENT_STATUS: Readonly<Record<CanonicalEvent['status'], string>> = {
  in_progress: 'RUNNING',
  success: 'COMPLETED',
  error: 'FAILED',
  skipped: 'SKIPPED',
  paused: 'PAUSED',
  cancelled: 'CANCELLED',
};

export function eventRow({ event }: Pick<EventItem, 'event'>): EventRow {
  return {
    execution_id: event.execution_id,
    event_id: event.event_id,
    seq: event.seq,
    event_type: event.event_type,
    source: event.source,
    entity_type: event.entity_type,
    entity_id: event.entity_id,
    node_name: eventStep(event),
    status: EVENT_STATUS[event.status],
    created_at: event.timestamp,
    duration: event.duration_ms ?? null,
    step_run_id: event.step_run_id ?? null,
    task_run_id: event.task_run_id ?? null,
    iteration: event.iteration ?? null,
    attempt: event.attempt ?? null,
    parent_id: event.parent_id ?? null,
    ...columnsOf(event.payload),
    meta: event.meta,
  };
}

type Payload = CanonicalEvent['payload'];
type Columns = Pick<EventRow, 'context' | 'result' | 'outcome' | 'error_detail'>;

/**
 * Fields with their own column are removed from the context; a null has no column, because SQL's null means
 * absence.
 */
export function columnsOf(payload: Payload): Columns {
  const context: Record<string, Json | undefined> = { ...payload };
  const take = (holder: Record<string, Json | undefined>, name: string): Json | null => {
    const value = holder[name];
    if (value === undefined || value === null) return null;
    delete holder[name];
    return value;
  };
  const outcome = isMapping(payload['outcome']) ? { ...(take(context, 'outcome') as JsonObject) } : null;
  return {
    result: take(outcome ?? context, 'result'),
    outcome,
    error_detail: take(context, 'error'),
    context,
  };
}

/** Restores the payload. */
export function payloadOf({ context, result, outcome, error_detail }: Columns): Payload {
  const returned = (result === null ? {} : { result }) as JsonObject;
  const called = (outcome === null ? returned : { outcome: { ...outcome, ...returned } }) as JsonObject;
  const failed = (error_detail === null ? {} : { error: error_detail }) as JsonObject;
  return { ...(context as JsonObject), ...called, ...failed };
}
