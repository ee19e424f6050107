/** The projection: events, executions and variables as tables, each batch in one transaction with its cursor. */
import { type Pool, type PoolClient } from 'pg';
import { unseenAfter } from '../../../history';
import { catalogMemo, compact } from '../../../language/plan';
import { transaction } from '../../../storage/postgres';
import { type Cursors } from '../cursors';
import { type EventBatch, type Sink, type EventItem } from '../sink';
import { EVENT_COLUMNS, eventRow } from './event-row';
import { NOETL_COLUMNS, noetlRowsOf } from './noetl-row';
import { EXECUTION_COLUMNS, executionChanges } from './execution-row';
import { jsonText } from './json-text';
import { dropKeyframes, keyframesEnd, writeKeyframes } from './keyframes';

/** Characters of JSON per statement. */
const CHUNK = 4_000_000;

/** Done in the transaction that writes a batch, after it: to be or not to be with it. */
export type Companion = (db: PoolClient, batch: EventBatch) => Promise<void>;

/**
 * Writes noetl.event (with noetl.canonical_event), noetl.execution and noetl.transient; the pool belongs to the caller.
 *
 * @param companions receive the events that are new to the tables
 */
export function postgresSink(pool: Pool, ...companions: readonly Companion[]): Sink {
  return {
    name: 'postgres',
    keyframesEnd: (executionId) => keyframesEnd(pool, executionId),
    take: (batch, cursors) => transaction(pool, (db) => write(db, batch, cursors, companions)),
    close: () => Promise.resolve(),
  };
}

async function write(
  db: PoolClient,
  batch: EventBatch,
  cursors: Cursors,
  companions: readonly Companion[],
): Promise<void> {
  const { execution, endedAt } = batch;
  const { eventId } = await cursors.lock(db, execution);
  // Exactly once, even if two consumers read the execution because a lease was lost.
  const isUnseen = unseenAfter(eventId);
  const events = batch.events.filter(({ event }) => isUnseen(event.event_id));
  if (events.length > 0) {
    const fresh = { ...batch, events };
    await writeEvents(db, events);
    await supersede(db, events);
    await writeRows(db, execution.executionId, events);
    await writeExecution(db, fresh);
    await writeVariables(db, fresh);
    for (const companion of companions) await companion(db, fresh);
  }
  await writeKeyframes(db, execution.executionId, batch);
  const { reached } = batch;
  await cursors.advance(execution, { event: events.at(-1)?.event, endedAt, ...compact({ reached }) }, db);
}

function insertInto(table: string, columns: Readonly<Record<string, string>>): string {
  const names = Object.keys(columns).join(', ');
  const typed = Object.entries(columns).map((one) => one.join(' '));
  return `INSERT INTO ${table} AS e (${names})
    SELECT ${names} FROM jsonb_to_recordset($1::jsonb) AS r (${typed.join(', ')})`;
}

/**
 * An event that is written is part of the execution's current chain, even if a reset had marked it as superseded
 * before.
 */
const INSERT = `${insertInto('noetl.canonical_event', EVENT_COLUMNS)}
  ON CONFLICT (execution_id, event_id) DO UPDATE SET superseded = false, seq = excluded.seq WHERE e.superseded`;
const INSERT_ROWS = insertInto('noetl.event_row', NOETL_COLUMNS);

async function writeEvents(db: PoolClient, events: readonly EventItem[]): Promise<void> {
  for (const chunk of chunksOf(events.map(eventRow))) await db.query(INSERT, [chunk]);
}

/** In place of those of the same positions, which a reset has left behind. */
async function writeRows(db: PoolClient, id: string, events: readonly EventItem[]): Promise<void> {
  const { seq } = events[0]!.event;
  const last = async (): Promise<{ event_id: number; seq: number } | undefined> =>
    (await db.query(`${OF_ROWS} ORDER BY event_id DESC LIMIT 1`, [id])).rows[0];
  let before = await last();
  if (before && before.seq >= seq) {
    await db.query('DELETE FROM noetl.event_row WHERE execution_id = $1 AND seq >= $2', [id, seq]);
    before = await last();
  }
  const rows = noetlRowsOf(events, (before?.event_id ?? 0) + 1);
  for (const chunk of chunksOf(rows)) await db.query(INSERT_ROWS, [chunk]);
}
const OF_ROWS = 'SELECT event_id, seq FROM noetl.event_row WHERE execution_id = $1';

/** JSON lists of rows. */
function* chunksOf(rows: readonly object[]): Generator<string> {
  let texts: string[] = [];
  let length = 0;
  for (const row of rows) {
    const text = jsonText(row);
    if (length > 0 && length + text.length > CHUNK) {
      yield `[${texts.join(',')}]`;
      texts = [];
      length = 0;
    }
    texts.push(text);
    length += text.length;
  }
  if (texts.length > 0) yield `[${texts.join(',')}]`;
}

/** A reset replaces the positions from its own on: the previous events at these are marked as superseded. */
async function supersede(db: PoolClient, events: readonly EventItem[]): Promise<void> {
  for (const [index, { event }] of events.entries()) {
    if (event.event_type !== 'playbook.reset') continue;
    const following = events.slice(index).map((item) => item.event.event_id);
    await db.query(
      `UPDATE noetl.canonical_event SET superseded = true
       WHERE execution_id = $1 AND seq >= $2 AND NOT superseded AND event_id <> ALL ($3)`,
      [event.execution_id, event.seq, following],
    );
    await dropKeyframes(db, event.execution_id, event.seq);
  }
}

async function writeExecution(
  db: PoolClient,
  { execution, plan, origin, events, divergence }: EventBatch,
): Promise<void> {
  const { executionId, namespace, workflowId } = execution;
  const { path, version } = plan.metadata;
  const labels = jsonText({ ...plan.metadata.labels, ...origin.labels });
  const started = jsonText({ ...origin.memo, ...catalogMemo(plan) });
  await db.query(
    `INSERT INTO noetl.execution (execution_id, namespace, workflow_id, path, version, digest, labels, origin)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING`,
    [executionId, namespace, workflowId, path, version ?? null, plan.digest, labels, started],
  );
  const changes = { ...executionChanges(events), ...(divergence && { divergence }) };
  const types: Readonly<Record<string, string>> = { ...EXECUTION_COLUMNS, divergence: 'jsonb' };
  const names = Object.keys(changes);
  const typed = names.map((name) => `${name} ${types[name]}`).join(', ');
  await db.query(
    `UPDATE noetl.execution e SET ${names.map((name) => `${name} = r.${name}`).join(', ')}, updated_at = now()
     FROM jsonb_to_record($2::jsonb) AS r (${typed}) WHERE e.execution_id = $1`,
    [executionId, jsonText(changes)],
  );
}

async function writeVariables(db: PoolClient, batch: EventBatch): Promise<void> {
  const { written, deleted, isWhole } = batch.variables;
  const { executionId } = batch.execution;
  if (deleted.length > 0 || isWhole) {
    await db.query(
      `DELETE FROM noetl.transient WHERE execution_id = $1 AND (var_name = ANY ($2) OR $3 AND var_name <> ALL ($4))`,
      [executionId, deleted, isWhole, written.map((one) => one.var_name)],
    );
  }
  if (written.length === 0) return;
  await db.query(
    `INSERT INTO noetl.transient AS t (execution_id, var_name, var_type, var_value, source_step, created_at, accessed_at)
     SELECT $1, var_name, var_type, coalesce(var_value, 'null'), source_step, "at", "at"
     FROM jsonb_to_recordset($2::jsonb) AS r (var_name text, var_type text, var_value jsonb, source_step text, "at" timestamptz)
     ON CONFLICT (execution_id, var_name) DO UPDATE SET var_value = excluded.var_value, var_type = excluded.var_type,
       source_step = coalesce(excluded.source_step, t.source_step), accessed_at = excluded.accessed_at`,
    [executionId, jsonText(written)],
  );
}
