/** Reads events back from noetl.canonical_event: the same as from history, even if Temporal no longer has it. */
import { type Pool } from 'pg';
import { type CanonicalEvent, eventName } from '../../../history';
import { EVENT_COLUMNS, EVENT_STATUS, type EventRow, payloadOf } from './event-row';

const PAGE_SIZE = 500;
const NAMES = Object.keys(EVENT_COLUMNS).join(', ');

/** The events of an execution in order, page by page, without superseded ones. Positions have no gaps (pages.ts). */
export async function* storedEvents(pool: Pool, executionId: string): AsyncGenerator<CanonicalEvent[], void> {
  for (let after = 0; ;) {
    const { rows } = await pool.query<EventRow>(
      `SELECT ${NAMES} FROM noetl.canonical_event WHERE execution_id = $1 AND seq > $2 AND seq <= $3 AND NOT superseded ORDER BY seq`,
      [executionId, after, after + PAGE_SIZE],
    );
    if (rows.length === 0) return;
    after = Number(rows.at(-1)!.seq);
    yield rows.map(storedEvent);
  }
}

const STATUS = Object.fromEntries(Object.entries(EVENT_STATUS).map(([status, word]) => [word, status]));

/** The canonical event of a row. */
export function storedEvent(row: EventRow): CanonicalEvent {
  const optional = {
    step_run_id: row.step_run_id,
    task_run_id: row.task_run_id,
    iteration: row.iteration,
    attempt: row.attempt,
    parent_id: row.parent_id,
    duration_ms: row.duration === null ? null : Number(row.duration),
  };
  const present = Object.entries(optional).filter(([, value]) => value !== null);
  return {
    event_id: row.event_id,
    event_type: row.event_type,
    name: eventName(row.event_type as string),
    execution_id: row.execution_id,
    timestamp: new Date(row.created_at as string | Date).toISOString(),
    seq: row.seq,
    source: row.source,
    trace_id: row.execution_id,
    entity_type: row.entity_type,
    entity_id: row.entity_id,
    status: STATUS[row.status as string],
    ...Object.fromEntries(present),
    payload: payloadOf(row),
    meta: row.meta,
  } as CanonicalEvent;
}
