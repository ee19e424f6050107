/** Durable cursors in the table noetl.sink_cursor: a sink's position in each execution. */
import { type Pool, type PoolClient } from 'pg';
import { executionIdOf } from '../../language/plan/names';
import { type Candidate } from './discovery';
import { type Followed, type ReadPlace } from './followed';

export interface CursorPosition {
  readonly eventId?: string;
  /** Position of that event in the execution; 0 before the first. */
  readonly seq: number;
}

type Queryable = Pick<PoolClient, 'query'>;

interface CursorRow {
  readonly event_id: string | null;
  readonly seq: number;
}

export class Cursors {
  constructor(
    private readonly pool: Pool,
    readonly sink: string,
  ) {}

  /** Notes that somebody looks after the sink: when nobody does any more, others can tell. */
  async noteLook(): Promise<void> {
    await this.pool.query(
      'INSERT INTO noetl.sink VALUES ($1, now()) ON CONFLICT (sink) DO UPDATE SET looked_at = now()',
      [this.sink],
    );
  }

  /** The sink's position in an execution; for an unknown one, its beginning. */
  async read(executionId: string): Promise<CursorPosition> {
    const { rows } = await this.pool.query<CursorRow>(
      'SELECT event_id, seq FROM noetl.sink_cursor WHERE sink = $1 AND execution_id = $2',
      [this.sink, executionId],
    );
    return positionOf(rows[0]);
  }

  /** As `read`, and locks the cursor until the transaction ends. */
  async lock(transaction: Queryable, { executionId, workflowId }: Followed): Promise<CursorPosition> {
    await transaction.query(
      `INSERT INTO noetl.sink_cursor (sink, execution_id, workflow_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
      [this.sink, executionId, workflowId],
    );
    const { rows } = await transaction.query<CursorRow>(
      'SELECT event_id, seq FROM noetl.sink_cursor WHERE sink = $1 AND execution_id = $2 FOR UPDATE',
      [this.sink, executionId],
    );
    return positionOf(rows[0]);
  }

  /** Records what was taken: the last event, the end of the execution, or both. */
  async advance(
    { executionId, workflowId, runId }: Followed,
    to: { event?: { event_id: string; seq: number }; endedAt?: number; reached?: ReadPlace },
    db: Queryable = this.pool,
  ): Promise<void> {
    await db.query(
      `INSERT INTO noetl.sink_cursor AS c (sink, execution_id, workflow_id, run_id, event_id, seq, ended_at,
         read_run_id, read_length)
       VALUES ($1, $2, $3, $4, $5, coalesce($6, 0), to_timestamp($7::double precision / 1000), $8, $9)
       ON CONFLICT (sink, execution_id) DO UPDATE SET run_id = excluded.run_id,
         event_id = coalesce(excluded.event_id, c.event_id), seq = coalesce($6, c.seq),
         ended_at = excluded.ended_at, error = NULL, updated_at = now(),
         read_run_id = coalesce($8, c.read_run_id), read_length = coalesce($9, c.read_length)`,
      [
        this.sink,
        executionId,
        workflowId,
        runId,
        to.event?.event_id ?? null,
        to.event?.seq ?? null,
        to.endedAt ?? null,
        to.reached?.runId ?? null,
        to.reached?.length ?? null,
      ],
    );
  }

  /** Records how far a history was read that told nothing new. */
  async reached({ executionId }: Followed, { runId, length }: ReadPlace): Promise<void> {
    await this.pool.query(
      `UPDATE noetl.sink_cursor SET read_run_id = $3, read_length = $4
       WHERE sink = $1 AND execution_id = $2 AND NOT (read_run_id = $3 AND read_length >= $4)`,
      [this.sink, executionId, runId, length],
    );
  }

  /**
   * Records why the sink fails on an execution.
   *
   * @param endedAt of a closed one that can never be read: it is not retried
   */
  async fail({ executionId, workflowId, runId }: Followed, error: string, endedAt?: number): Promise<void> {
    await this.pool.query(
      `INSERT INTO noetl.sink_cursor (sink, execution_id, workflow_id, run_id, error, ended_at)
       VALUES ($1, $2, $3, $4, $5, to_timestamp($6::double precision / 1000))
       ON CONFLICT (sink, execution_id) DO UPDATE SET run_id = excluded.run_id, error = excluded.error,
         ended_at = excluded.ended_at, updated_at = now()`,
      [this.sink, executionId, workflowId, runId, error.replaceAll('\0', '\uFFFD'), endedAt ?? null],
    );
  }

  /** Which of the closed runs have been taken completely; one query per page. */
  async taken(runs: readonly Candidate[]): Promise<Set<string>> {
    const { rows } = await this.pool.query<{ run_id: string }>(
      `SELECT r.run_id FROM unnest($2::text[], $3::bigint[], $4::double precision[]) AS r (run_id, execution_id, closed_at)
       WHERE EXISTS (SELECT FROM noetl.sink_cursor c WHERE c.sink = $1 AND c.ended_at IS NOT NULL AND c.run_id = r.run_id)
          OR EXISTS (SELECT FROM noetl.sink_cursor c WHERE c.sink = $1 AND c.execution_id = r.execution_id
                     AND c.ended_at >= to_timestamp(r.closed_at / 1000))`,
      [
        this.sink,
        runs.map((run) => run.runId),
        runs.map((run) => executionIdOf(run.workflowId) ?? null),
        runs.map((run) => run.closedAt ?? 0),
      ],
    );
    return new Set(rows.map((row) => row.run_id));
  }
}

function positionOf(row: CursorRow | undefined): CursorPosition {
  return { eventId: row?.event_id ?? undefined, seq: row?.seq ?? 0 };
}
