/** Keyframes of executions in noetl.keyframe. */
import { type PoolClient } from 'pg';
import { type Segment } from '../../history/keyframes';
import { type Ask } from './pages';

export async function writeKeyframes(
  db: Pick<PoolClient, 'query'>,
  executionId: string,
  segments: readonly Segment[],
): Promise<void> {
  for (const { first, last, bytes } of segments)
    await db.query(
      `INSERT INTO noetl.keyframe AS k (execution_id, first_seq, last_seq, frame) VALUES ($1, $2, $3, $4)
       ON CONFLICT (execution_id, first_seq) DO UPDATE SET last_seq = excluded.last_seq, frame = excluded.frame
       WHERE k.last_seq < excluded.last_seq`,
      [executionId, first, last, Buffer.from(bytes)],
    );
}

/** Forgets what a reset left behind. @param from position of the reset */
export async function dropKeyframes(
  db: Pick<PoolClient, 'query'>,
  executionId: string,
  from: number,
): Promise<void> {
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

/** The last segment that begins before an event, as it is stored. */
export async function segmentBefore(ask: Ask, id: string, seq: number): Promise<Segment | undefined> {
  return segmentOf(ask, 'first_seq < $2', [id, seq]);
}

/** The segment with an event, as it is stored. */
export async function segmentWith(ask: Ask, id: string, seq: number): Promise<Segment | undefined> {
  return segmentOf(ask, 'first_seq < $2 AND last_seq >= $2', [id, seq]);
}

async function segmentOf(
  ask: Ask,
  where: string,
  of: readonly [id: string, seq: number],
): Promise<Segment | undefined> {
  const [row] = await ask<{ first_seq: number; last_seq: number; frame: Buffer }>(
    `SELECT first_seq, last_seq, frame FROM noetl.keyframe
     WHERE execution_id = $1 AND ${where} ORDER BY first_seq DESC LIMIT 1`,
    of,
  );
  return row && { first: row.first_seq, last: row.last_seq, bytes: row.frame };
}
