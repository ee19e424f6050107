/** Pages of an execution's events from noetl.event, at the cost of the page, once the projection has all of them. */
import { type CanonicalEvent, type Row, type VariableWriter } from '../../../history';
import { EVENT_COLUMNS, type EventRow, payloadOf } from './event-row';
import { storedEvent } from './stored-events';
import { isMapping } from '../../../language/plan';

/** @returns rows */
export type TableQuery = <One>(text: string, values: readonly unknown[]) => Promise<One[]>;

/** An execution as the tables have it: all of one that has ended, or what there is of one that goes on. */
export interface StoredExecution {
  /** Of its events. */
  readonly total: number;
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
const OF = 'FROM noetl.event e WHERE e.execution_id = $1 AND NOT e.superseded';

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
       x.error_detail, x.divergence, x.last_event_id, e.catalog_id, k.version AS catalog_version, c.read_length,
       EXISTS (SELECT FROM noetl.keyframe f WHERE f.execution_id = c.execution_id) AS is_framed
     FROM noetl.sink_cursor c JOIN noetl.execution x USING (execution_id)
       LEFT JOIN noetl.event e ON e.execution_id = c.execution_id AND e.event_id = c.event_id
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

/** Their rows as JSON text, for who reads it elsewhere; the columns of noetl.event, ids as texts. */
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
  /** Only events after this position. */
  readonly after: number;
  readonly type?: string;
  readonly skip: number;
  readonly count: number;
}

/** Rows of the profile `noetl`, newest first, with positions in place of ids; and how many there are. */
export async function newestRows(
  ask: TableQuery,
  id: string,
  { after, type, skip, count }: Newest,
  last: number,
): Promise<{ readonly rows: Row[]; readonly total: number }> {
  // Positions have no gaps, so that a page of all types is found without counting.
  const before = type === undefined ? last - skip : last;
  const behind = type === undefined ? Math.max(after, before - count) : after;
  const where = type === undefined ? '' : ' AND e.event_type = $5';
  const given = type === undefined ? [] : [type];
  const more = `NOT e.superseded AND e.seq > $2 AND e.seq <= $3${where}`;
  const rows = await ask<EventRow & { parent_seq: number | null }>(
    `SELECT ${NAMES}, p.seq AS parent_seq FROM noetl.event e
       LEFT JOIN noetl.event p ON p.execution_id = e.execution_id AND p.event_id = e.parent_event_id
     WHERE e.execution_id = $1 AND ${more} ORDER BY e.seq DESC
     LIMIT $4${type === undefined ? '' : ` OFFSET ${skip}`}`,
    [id, behind, before, count, ...given],
  );
  if (type === undefined) return { rows: rows.map(numbered), total: Math.max(0, last - after) };
  const [counted] = await ask<{ total: number }>(
    `SELECT count(*)::int AS total ${OF} AND e.seq > $2 AND e.event_type = $3`,
    [id, after, type],
  );
  return { rows: rows.map(numbered), total: counted?.total ?? 0 };
}

function numbered(row: EventRow & { parent_seq: number | null }): Row {
  const { outcome, result, error: _error, ...context } = payloadOf(row);
  const time = new Date(row.created_at as string | Date).toISOString();
  return {
    execution_id: row.execution_id,
    event_id: String(row.seq),
    event_type: row.event_type,
    node_id: row.node_id,
    node_name: row.node_name,
    status: row.status,
    created_at: time,
    timestamp: time,
    context,
    result: (isMapping(outcome) ? outcome['result'] : result) ?? null,
    error: row.error,
    parent_event_id: row.parent_seq === null ? null : String(row.parent_seq),
    duration: row.duration === null ? null : Number(row.duration),
  } as unknown as Row;
}
