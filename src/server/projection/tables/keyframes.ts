/** Keyframes of executions in noetl.keyframe. */
import { type PoolClient } from 'pg';
import { type Segment } from '../../../history/keyframes';
import { type EventBatch } from '../sink';
import { type TableQuery } from './pages';

/** Those of a batch; and the parts of the one that is open, until it is whole or the execution ends. */
export async function writeKeyframes(
  db: Pick<PoolClient, 'query'>,
  executionId: string,
  { keyframes = [], rest, endedAt }: Pick<EventBatch, 'keyframes' | 'rest' | 'endedAt'>,
): Promise<void> {
  for (const { first, last, bytes } of keyframes)
    await db.query(
      `INSERT INTO noetl.keyframe AS k (execution_id, first_seq, last_seq, frame) VALUES ($1, $2, $3, $4)
       ON CONFLICT (execution_id, first_seq) DO UPDATE SET last_seq = excluded.last_seq, frame = excluded.frame
       WHERE k.last_seq < excluded.last_seq`,
      [executionId, first, last, Buffer.from(bytes)],
    );
  if (keyframes.length > 0 || rest?.isFirst || endedAt !== undefined) await dropParts(db, executionId);
  if (!rest) return;
  await db.query(
    'INSERT INTO noetl.keyframe_part (execution_id, first_seq, last_seq, frame) VALUES ($1, $2, $3, $4)',
    [executionId, rest.first, rest.last, Buffer.from(rest.bytes)],
  );
}

async function dropParts(db: Pick<PoolClient, 'query'>, executionId: string): Promise<void> {
  await db.query('DELETE FROM noetl.keyframe_part WHERE execution_id = $1', [executionId]);
}

/** Forgets what a reset left behind. @param from position of the reset */
export async function dropKeyframes(
  db: Pick<PoolClient, 'query'>,
  executionId: string,
  from: number,
): Promise<void> {
  await dropParts(db, executionId);
  await db.query('DELETE FROM noetl.keyframe WHERE execution_id = $1 AND last_seq >= $2', [
    executionId,
    from,
  ]);
}

/** Where the last recorded segment ends; 0 without one. */
export async function keyframesEnd(db: Pick<PoolClient, 'query'>, executionId: string): Promise<number> {
  const { rows } = await db.query<{ last: number | null }>(
    'SELECT max(last_seq) AS last FROM noetl.keyframe WHERE execution_id = $1',
    [executionId],
  );
  return rows[0]?.last ?? 0;
}

/** The segment with an event, as it is stored. */
export async function segmentWith(ask: TableQuery, id: string, seq: number): Promise<Segment | undefined> {
  const whole = await segmentOf(ask, 'first_seq < $2 AND last_seq >= $2', [id, seq]);
  if (whole) return whole;
  const open = await openSegment(ask, id);
  return open && open.first < seq && seq <= open.last ? open : undefined;
}

/** Of an execution that goes on: the segment behind its last keyframe. */
async function openSegment(ask: TableQuery, id: string): Promise<Segment | undefined> {
  const parts = await ask<Stored>(
    'SELECT first_seq, last_seq, frame FROM noetl.keyframe_part WHERE execution_id = $1 ORDER BY last_seq',
    [id],
  );
  const [first, last] = [parts[0], parts.at(-1)];
  if (!first || !last) return undefined;
  const more = parts.slice(1).map(({ frame }) => frame);
  return { first: first.first_seq, last: last.last_seq, bytes: first.frame, more };
}

interface Stored {
  readonly first_seq: number;
  readonly last_seq: number;
  readonly frame: Buffer;
}

async function segmentOf(
  ask: TableQuery,
  where: string,
  of: readonly [id: string, seq: number],
): Promise<Segment | undefined> {
  const [row] = await ask<Stored>(
    `SELECT first_seq, last_seq, frame FROM noetl.keyframe
     WHERE execution_id = $1 AND ${where} ORDER BY first_seq DESC LIMIT 1`,
    of,
  );
  return row && { first: row.first_seq, last: row.last_seq, bytes: row.frame };
}
