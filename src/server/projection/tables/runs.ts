/** Executions in the tables, found by what Temporal's visibility does not know: their inputs, their errors, any text. */
import { type ExecutionFilter } from '../../../temporal/client';
import { type TableQuery } from './pages';

export interface RunFilter extends ExecutionFilter {
  /** In id, path, name, labels, schedule, version or error, in any case. */
  readonly text?: string | undefined;
  /** `customer.id=7`, or `region=eu*`: values of the workload; all of them. */
  readonly input?: readonly string[] | undefined;
  /** Codes of the errors that ended them; `HTTP_5*` for all that begin so. */
  readonly code?: readonly string[] | undefined;
  /** Steps whose failure ended them. */
  readonly step?: readonly string[] | undefined;
  readonly parent_execution_id?: string | undefined;
}

/** A row of noetl.execution, as far as lists show it. */
export interface RunRow {
  readonly execution_id: string;
  readonly workflow_id: string;
  readonly path: string;
  readonly version: string | null;
  readonly run_name: string | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly origin: Readonly<Record<string, unknown>>;
  readonly status: 'RUNNING' | 'PAUSED' | 'COMPLETED' | 'FAILED' | 'CANCELLED';
  readonly skipped: boolean;
  readonly error: string | null;
  readonly start_time: Date;
  readonly end_time: Date | null;
}

export interface RunCause {
  readonly path: string;
  readonly status: RunRow['status'];
  readonly code: string | null;
  readonly step: string | null;
  readonly count: number;
  readonly execution_id: string;
  readonly message: string | null;
}

const STATUSES: Readonly<Record<NonNullable<RunFilter['status']>[number], string>> = {
  RUNNING: 'e.end_time IS NULL',
  COMPLETED: "(e.status = 'COMPLETED' AND NOT e.skipped)",
  SKIPPED: 'e.skipped',
  FAILED: "e.status = 'FAILED'",
  CANCELLED: "e.status = 'CANCELLED'",
};
const TEXT = `lower(concat_ws(' ', e.execution_id, e.path, e.run_name, e.labels::text, e.version, e.error,
  e.origin -> 'noetl_schedule' ->> 'schedule'))`;
const MOST_CAUSES = 500;

/** Of one namespace. */
export class Runs {
  constructor(
    private readonly ask: TableQuery,
    private readonly namespace: string,
  ) {}

  /** Last started first. @param after the last of the page before */
  page(filter: RunFilter, limit: number, after?: { start: Date; id: string }): Promise<RunRow[]> {
    const { where, values, given } = this.conditions(filter);
    const behind = after
      ? ` AND (e.start_time, e.execution_id) < (${given(after.start)}::timestamptz, ${given(after.id)}::bigint)`
      : '';
    return this.ask<RunRow>(
      `SELECT e.execution_id, e.workflow_id, e.path, e.version, e.run_name, e.labels, e.origin, e.status, e.skipped, e.error,
         e.start_time, e.end_time FROM noetl.execution e WHERE ${where}${behind}
       ORDER BY e.start_time DESC, e.execution_id DESC LIMIT ${given(limit)}`,
      values,
    );
  }

  async count(filter: RunFilter): Promise<number> {
    const { where, values } = this.conditions(filter);
    const rows = await this.ask<{ count: number }>(
      `SELECT count(*)::int AS count FROM noetl.execution e WHERE ${where}`,
      values,
    );
    return rows[0]?.count ?? 0;
  }

  async has(id: string): Promise<boolean> {
    const rows = await this.ask('SELECT FROM noetl.execution WHERE execution_id = $1', [id]);
    return rows.length > 0;
  }

  /** Oldest start first. */
  async ids(filter: RunFilter, limit: number): Promise<string[]> {
    const { where, values, given } = this.conditions(filter);
    const rows = await this.ask<{ execution_id: string }>(
      `SELECT e.execution_id FROM noetl.execution e WHERE ${where} ORDER BY e.start_time LIMIT ${given(limit)}`,
      values,
    );
    return rows.map(({ execution_id }) => execution_id);
  }

  /** Groups of the same end, largest first, each with the latest of them. */
  causes(filter: RunFilter): Promise<RunCause[]> {
    const { where, values } = this.conditions(filter);
    const newest = (what: string): string => `(array_agg(${what} ORDER BY e.start_time DESC))[1]`;
    return this.ask<RunCause>(
      `SELECT e.path, e.status, e.error_detail ->> 'code' AS code, e.error_detail ->> 'step' AS step, count(*)::int AS count,
         ${newest('e.execution_id')}::text AS execution_id, ${newest('left(e.error, 300)')} AS message
       FROM noetl.execution e WHERE ${where} GROUP BY 1, 2, 3, 4 ORDER BY count DESC, 1, 3, 4 LIMIT ${MOST_CAUSES}`,
      values,
    );
  }

  private conditions(filter: RunFilter) {
    const values: unknown[] = [];
    const given = (value: unknown): string => `$${values.push(value)}`;
    const like = (column: string, pattern: string): string =>
      pattern.endsWith('*')
        ? `starts_with(${column}, ${given(pattern.slice(0, -1))})`
        : `${column} = ${given(pattern)}`;
    const any = (column: string, patterns?: readonly string[]): string | undefined =>
      patterns && `(${patterns.map((one) => like(column, one)).join(' OR ')})`;
    const { path, version, name, label, status, top_level: top, text, input, code, step } = filter;
    const { started_after: from, started_before: to, parent_execution_id: parent } = filter;
    const called = "coalesce(e.parent_execution_id::text, e.origin -> 'noetl_caller' ->> 'execution_id')";
    const all = [
      `e.namespace = ${given(this.namespace)} AND e.start_time IS NOT NULL`,
      path && like('e.path', path),
      version && like('e.version', version),
      name && like('e.run_name', name),
      ...(label ?? []).map((one) => `e.labels @> ${given(Object.fromEntries([pairOf(one)]))}::jsonb`),
      status && `(${status.map((one) => STATUSES[one]).join(' OR ')})`,
      top === undefined ? undefined : `e.parent_execution_id IS ${top ? '' : 'NOT '}NULL`,
      parent && `${called} = ${given(parent)}`,
      from && `e.start_time >= ${given(from)}`,
      to && `e.start_time <= ${given(to)}`,
      text && `strpos(${TEXT}, ${given(text.toLowerCase())}) > 0`,
      ...(input ?? []).map(pairOf).map(([key, value]) => {
        const at = given(key.split('.'));
        const isScalar = `jsonb_typeof(e.workload #> ${at}::text[]) NOT IN ('object', 'array')`;
        return `${isScalar} AND ${like(`e.workload #>> ${at}::text[]`, value)}`;
      }),
      any("e.error_detail ->> 'code'", code),
      any("e.error_detail ->> 'step'", step),
    ];
    return { where: all.filter(Boolean).join(' AND '), values, given };
  }
}

function pairOf(pair: string): [string, string] {
  const at = pair.indexOf('=');
  return [pair.slice(0, at), pair.slice(at + 1)];
}
