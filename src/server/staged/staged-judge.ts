/**
 * Judges executions that have ended by the staged version of their path, one at a time and apart from the projection,
 * which only notes them (noetl.staged_verdict). A row is claimed for a while: if the process dies, another one claims it again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Pool } from 'pg';
import { CodedError, messageOf } from '../../language/errors';
import { jsonText } from '../projection';
import { type JudgeRequest, type Judge, type Judged } from './judge';

export interface StagedJudgeOptions {
  /** With the schema of this release. */
  readonly pool: Pool;
  readonly namespace: string;
  readonly judge: Judge;
  readonly signal: AbortSignal;
  /** Called with problems as text. */
  readonly report: (line: string) => void;
}

/** Longer than any judge takes. */
const CLAIM_S = 180;
/** Seconds after each failed attempt. After the last, the execution is not answerable. */
const PAUSES_S: readonly number[] = [5, 30, 120, 600, 3600];
const IDLE_MS = 1_000;
const MAX_ERROR = 500;
/** Characters of a difference; the values of a larger one are left out. */
const MAX_FINDING = 20_000;

interface Row extends JudgeRequest {
  readonly attempts: number;
}

export class StagedJudge {
  constructor(private readonly options: StagedJudgeOptions) {}

  /** Until stopped; the execution in progress is completed. */
  async run(): Promise<void> {
    const { signal, report } = this.options;
    let lastReport = '';
    while (!signal.aborted) {
      const judged = await this.judgeNext().catch((error: unknown) => {
        const why = `staged versions: executions cannot be judged: ${messageOf(error)}`;
        if (why !== lastReport && !signal.aborted) report((lastReport = why));
        return false;
      });
      if (judged) lastReport = '';
      else await sleep(IDLE_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Judges everything that is due now, once. */
  async once(): Promise<void> {
    while (!this.options.signal.aborted && (await this.judgeNext()));
  }

  /** @returns whether there was one */
  private async judgeNext(): Promise<boolean> {
    const row = await this.claim();
    if (!row) return false;
    try {
      await this.store(row, await this.options.judge(row));
    } catch (error) {
      await this.fail(row, error);
    }
    return true;
  }

  private async claim(): Promise<Row | undefined> {
    const { pool, namespace } = this.options;
    const { rows } = await pool.query<Row>(
      `UPDATE noetl.staged_verdict s SET attempts = s.attempts + 1, next_at = now() + interval '${CLAIM_S} seconds'
       FROM (SELECT path, version, execution_id FROM noetl.staged_verdict
             WHERE verdict IS NULL AND namespace = $1 AND next_at <= now()
             ORDER BY next_at LIMIT 1 FOR UPDATE SKIP LOCKED) AS due
         JOIN noetl.catalog c USING (path, version)
       WHERE (s.path, s.version, s.execution_id) = (due.path, due.version, due.execution_id)
       RETURNING s.path, s.version, s.execution_id, s.workflow_id, s.run_id, s.attempts,
         c.catalog_id, c.digest, c.content`,
      [namespace],
    );
    return rows[0];
  }

  private async store({ path, version, execution_id }: Row, judged: Judged): Promise<void> {
    const { pool } = this.options;
    const key = [path, version, execution_id];
    if (judged === 'own') {
      await pool.query(
        'DELETE FROM noetl.staged_verdict WHERE (path, version, execution_id) = ($1, $2::int, $3::bigint)',
        key,
      );
      return;
    }
    const { kind, finding, touches } = judged;
    await pool.query(
      `UPDATE noetl.staged_verdict SET verdict = $4, cause = $5, finding = $6, touches = $7, error = NULL, judged_at = now()
       WHERE (path, version, execution_id) = ($1, $2::int, $3::bigint)`,
      [...key, kind, finding?.cause.replaceAll('\0', '\uFFFD'), findingText(finding), jsonText(touches)],
    );
  }

  private async fail(row: Row, error: unknown): Promise<void> {
    const { path, version, execution_id, attempts } = row;
    const message = messageOf(error).replaceAll('\0', '\uFFFD').slice(0, MAX_ERROR);
    const isFinal = error instanceof CodedError && !error.retryable;
    const pause = isFinal ? undefined : PAUSES_S[attempts - 1];
    if (pause === undefined) {
      const code = error instanceof CodedError ? ` [${error.code}]` : '';
      const cause = `${message}${code}`;
      const finding = { kind: 'unanswerable', cause, what: 'history', path: '' } as const;
      return await this.store(row, { kind: 'unanswerable', finding, touches: {} });
    }
    await this.options.pool.query(
      `UPDATE noetl.staged_verdict SET error = $4, next_at = now() + make_interval(secs => $5)
       WHERE (path, version, execution_id) = ($1, $2::int, $3::bigint)`,
      [path, version, execution_id, message, pause],
    );
  }
}

function findingText(finding: Exclude<Judged, 'own'>['finding']): string | null {
  if (!finding) return null;
  const text = jsonText(finding);
  if (text.length <= MAX_FINDING) return text;
  const { recorded: _recorded, now: _now, ...rest } = finding;
  return jsonText(rest);
}
