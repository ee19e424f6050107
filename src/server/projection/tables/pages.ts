/** Pages of an execution's events from the tables, at the cost of the page, once the projection has all of them. */
import { type CanonicalEvent, type Row, type VariableWriter } from '../../../history';
import { EVENT_COLUMNS, type EventRow } from './event-row';
import { noetlRow } from './noetl-row';
import { storedEvent } from './stored-events';

/** @returns rows */
export type TableQuery = <One>(text: string, values: readonly unknown[]) => Promise<One[]>;

/** An execution as the tables have it: all of one that has ended, or what there is of one that goes on. */
export interface StoredExecution {
  /** Of its events. */
  readonly total: number;
  /** Of its rows of the profile `noetl`. */
  readonly rows: number;
  /** Milliseconds since the epoch, like `start`; null while it goes on. */
  readonly end: number | null;
  readonly start: number;
  readonly path: string;
  readonly version: string | null;
  readonly status: string;
  readonly result: unknown;
  readonly error: string | null;
  readonly error_detail: unknown;
  readonly last_event_id: string;
  readonly catalog_id: string | null;
  readonly catalog_version: number | null;
  readonly divergence: unknown;
  /** Events of its last Temporal run that were read. */
  readonly read_length: number | null;
  /** What was the case at its end follows from a keyframe: it is not short, or has ended. */
  readonly is_framed: boolean;
}

const NAMES = Object.keys(EVENT_COLUMNS)
  .map((name) => `e.${name}`)
  .join(', ');
/** A number of JavaScript is too small for an id. */
const AS_TEXT = Object.entries(EVENT_COLUMNS)
  .map(([name, type]) => (type === 'bigint' ? `e.${name}::text` : `e.${name}`))
  .join(', ');
/**
 * The `$3` events behind position `$2`. Positions have no gaps, so both ends are given: with a LIMIT, a table that was not analyzed
 * since it was filled has all that follow read and sorted.
 */
const BEHIND = 'e.seq > $2::int AND e.seq <= $2::int + $3::int';
const OF = 'FROM noetl.canonical_event e WHERE e.execution_id = $1 AND NOT e.superseded';

/**
 * Undefined as long as the projection has not taken the execution to its end; of one that goes on, as long as it has not come
 * to its last run.
 *
 * @param run its last Temporal run, and when that ended, in milliseconds since the epoch
 */
export async function storedExecution(
  ask: TableQuery,
  id: string,
  run: { readonly runId: string; readonly closedAt: number | null },
): Promise<StoredExecution | undefined> {
  const [row] = await ask<StoredExecution>(
    `SELECT c.seq AS total, extract(epoch FROM c.ended_at)::float8 * 1000 AS "end",
       extract(epoch FROM x.start_time)::float8 * 1000 AS start, x.path, x.version, x.status, x.result, x.error,
       x.error_detail, x.divergence, x.last_event_id, coalesce(e.event_id, 0) AS rows, e.catalog_id, k.version AS catalog_version, c.read_length,
       EXISTS (SELECT FROM noetl.keyframe f WHERE f.execution_id = c.execution_id) AS is_framed
     FROM noetl.sink_cursor c JOIN noetl.execution x USING (execution_id)
       LEFT JOIN LATERAL (SELECT r.event_id, r.catalog_id FROM noetl.event_row r
         WHERE r.execution_id = c.execution_id ORDER BY r.event_id DESC LIMIT 1) e ON true
       LEFT JOIN noetl.catalog k ON k.catalog_id = e.catalog_id
     WHERE c.sink = 'postgres' AND c.execution_id = $1 AND c.error IS NULL AND c.seq > 0
       AND CASE WHEN $3::float8 IS NULL THEN c.read_run_id = $2
         ELSE c.run_id = $2 AND c.ended_at IS NOT NULL OR c.ended_at >= to_timestamp($3::float8 / 1000) END`,
    [id, run.runId, run.closedAt],
  );
  return row;
}

/** What a search finds in the events after a position, and how far it looked. */
export interface EventMatches {
  readonly events: readonly CanonicalEvent[];
  readonly searched: number;
}

const SEARCHED = `lower(concat_ws(' ', e.event_type, e.entity_id, e.task_run_id, e.step_run_id || coalesce('[' || e.iteration || ']', '')))`;

/** Events whose type or ids have a text, in those after a position. @param last of the events that are looked at */
export async function eventsWith(
  ask: TableQuery,
  id: string,
  { text, failed, after, last, count }: EventQuery & { readonly last: number },
): Promise<EventMatches> {
  const rows = await ask<EventRow>(
    `SELECT ${NAMES} ${OF} AND e.seq > $2 AND e.seq <= $3 AND strpos(${SEARCHED}, $4) > 0
       ${failed ? "AND e.status = 'FAILED'" : ''} ORDER BY e.seq LIMIT $5`,
    [id, after, last, text.toLowerCase(), count],
  );
  const events = rows.map(storedEvent);
  return { events, searched: events.length < count ? last : events.at(-1)!.seq };
}

export interface EventQuery {
  readonly text: string;
  /** Only events of failures. */
  readonly failed: boolean;
  readonly after: number;
  /** Events, at most. */
  readonly count: number;
}

/** The position of an event; undefined if there is none of that id. */
export async function eventPosition(
  ask: TableQuery,
  id: string,
  eventId: string,
): Promise<number | undefined> {
  const [row] = await ask<{ seq: number }>(`SELECT e.seq ${OF} AND e.event_id = $2`, [id, eventId]);
  return row?.seq;
}

/** Canonical events from a position on, exclusive. */
export async function eventsAfter(
  ask: TableQuery,
  id: string,
  after: number,
  count: number,
): Promise<CanonicalEvent[]> {
  const text = `SELECT ${NAMES} ${OF} AND ${BEHIND} ORDER BY e.seq`;
  return (await ask<EventRow>(text, [id, after, count])).map(storedEvent);
}

/** Their rows as JSON text, for who reads it elsewhere; the columns of noetl.canonical_event, ids as texts. */
export async function rowsAfter(ask: TableQuery, id: string, after: number, count: number): Promise<string> {
  const [row] = await ask<{ text: string | null }>(
    `SELECT json_agg(r)::text AS text FROM (SELECT ${AS_TEXT} ${OF} AND ${BEHIND} ORDER BY e.seq) r`,
    [id, after, count],
  );
  return row?.text ?? '[]';
}

/** Who wrote the execution's variables, and when. */
export async function variableFacts(ask: TableQuery, id: string): Promise<readonly StoredVariable[]> {
  return await ask<StoredVariable>(
    `SELECT var_name, var_type, source_step, created_at, accessed_at FROM noetl.transient WHERE execution_id = $1`,
    [id],
  );
}

export interface StoredVariable {
  readonly var_name: string;
  readonly var_type: VariableWriter['type'];
  readonly source_step: string | null;
  readonly created_at: Date;
  readonly accessed_at: Date;
}

export interface Newest {
  /** Only rows after this one. */
  readonly after: number;
  readonly type?: string;
  readonly skip: number;
  readonly count: number;
}

const ROWS =
  'FROM noetl.event e WHERE e.execution_id = $1 AND e.event_id > $2::int AND e.event_id <= $3::int';

/** Rows of the profile `noetl` from a position on, exclusive. */
export async function noetlRowsAfter(
  ask: TableQuery,
  id: string,
  after: number,
  count: number,
): Promise<Row[]> {
  return (await ask<Row>(`SELECT e.* ${ROWS} ORDER BY e.event_id`, [id, after, after + count])).map(noetlRow);
}

/** The newest of them first; and how many there are. @param last of the rows */
export async function newestRows(
  ask: TableQuery,
  id: string,
  { after, type, skip, count }: Newest,
  last: number,
): Promise<{ readonly rows: Row[]; readonly total: number }> {
  if (type === undefined) {
    // Ids have no gaps, so that a page of all types is found without counting.
    const before = Math.max(after, last - skip);
    const rows = await noetlRowsAfter(
      ask,
      id,
      Math.max(after, before - count),
      Math.min(count, before - after),
    );
    return { rows: rows.reverse(), total: Math.max(0, last - after) };
  }
  const of = `${ROWS} AND e.event_type = $4`;
  const given = [id, after, last, type];
  const rows = await ask<Row>(`SELECT e.* ${of} ORDER BY e.event_id DESC LIMIT $5 OFFSET $6`, [
    ...given,
    count,
    skip,
  ]);
  const [counted] = await ask<{ total: number }>(`SELECT count(*)::int AS total ${of}`, given);
  return { rows: rows.map(noetlRow), total: counted?.total ?? 0 };
}
