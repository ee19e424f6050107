/** The runs of the last hours: from the projection's tables where they follow, otherwise from Temporal's list. At most so many. */
import { type Client } from '@temporalio/client';
import { compact } from '../../../language/plan';
import {
  executionIdIn,
  executionQuery,
  listedStatus,
  listVisible,
  NOETL_PLAYBOOK,
  quotedQueryText,
} from '../../../temporal/client';
import { type Database } from '../../store';
import { Ends } from '../executions/ends';
import { executionIdentity } from '../executions/summary';

/** Times are milliseconds since the epoch. */
export interface RecentRun {
  readonly id: string;
  readonly path: string;
  readonly status: string;
  readonly start: number;
  readonly end: number | null;
  readonly schedule?: string;
  /** Of one that failed. */
  readonly cause?: { readonly code: string; readonly step: string | null; readonly message: string };
}

export interface RecentRuns {
  readonly source: 'projection' | 'temporal';
  readonly since: number;
  /** There were no more. */
  readonly complete: boolean;
  /** Newest first. */
  readonly runs: readonly RecentRun[];
}

export interface RunSources {
  readonly client: Client;
  /** Undefined: the tables do not follow, or there are none. */
  readonly database: Pick<Database, 'rows'> | undefined;
}

/** Of one playbook, also those that others called; of all, only those that none called. */
interface RunQuery {
  readonly since: number;
  readonly path?: string;
}

const MOST = { projection: 5_000, temporal: 1_000 };
/** Of those that failed: each asks for the last event of a history, once. */
const MOST_CAUSES = 100;

export async function recentRuns(sources: RunSources, query: RunQuery): Promise<RecentRuns> {
  const source = sources.database ? 'projection' : 'temporal';
  const read = sources.database
    ? ofTables(sources.client, sources.database, query)
    : ofTemporal(sources.client, query);
  const { runs, complete } = await read;
  const since = complete ? query.since : (runs.at(-1)?.start ?? query.since);
  return { source, since, complete, runs };
}

interface Row {
  readonly execution_id: string;
  readonly path: string;
  readonly status: string;
  readonly start_time: Date;
  readonly end_time: Date | null;
  readonly code: string | null;
  readonly step: string | null;
  readonly error: string | null;
  readonly skipped: boolean;
}

const RUNS = `SELECT execution_id::text, path, status, skipped, start_time, end_time, left(error, 300) AS error,
    error_detail->>'code' AS code, error_detail->>'step' AS step
  FROM noetl.execution WHERE namespace = $1 AND start_time IS NOT NULL`;

async function ofTables(
  client: Client,
  database: Pick<Database, 'rows'>,
  { since, path }: RunQuery,
): Promise<Pick<RecentRuns, 'runs' | 'complete'>> {
  const most = MOST.projection + 1;
  const of = path === undefined ? 'parent_execution_id IS NULL' : 'path = $3';
  // Each reads no more of its index than it answers.
  const rows = await database.rows<Row>(
    `(${RUNS} AND ${of} AND start_time >= $2 ORDER BY start_time DESC LIMIT ${most}) UNION ALL
     (${RUNS} AND ${of} AND end_time >= $2 AND start_time < $2 ORDER BY end_time DESC LIMIT ${most})
     ORDER BY start_time DESC LIMIT ${most}`,
    [client.options.namespace, new Date(since), ...(path === undefined ? [] : [path])],
  );
  const runs = rows.slice(0, MOST.projection).map((row): RecentRun => ({
    ...{ id: row.execution_id, path: row.path, status: row.skipped ? 'SKIPPED' : row.status },
    ...{ start: row.start_time.getTime(), end: row.end_time?.getTime() ?? null },
    ...(row.status === 'FAILED' && {
      cause: { code: row.code ?? 'UNKNOWN', step: row.step, message: row.error ?? '' },
    }),
  }));
  return { runs, complete: rows.length <= MOST.projection };
}

async function ofTemporal(
  client: Client,
  { since, path }: RunQuery,
): Promise<Pick<RecentRuns, 'runs' | 'complete'>> {
  const from = quotedQueryText(new Date(since).toISOString());
  const which = executionQuery(path === undefined ? { top_level: true } : { path });
  const query = `${which} AND (StartTime >= ${from} OR CloseTime >= ${from})`;
  const { executions, next } = await listVisible(client, query, { pageSize: MOST.temporal });
  const ends = new Ends(client);
  const failed = executions.filter((info) => listedStatus(info) === 'FAILED').slice(0, MOST_CAUSES);
  const causes = new Map(
    await Promise.all(failed.map(async (info) => [info.runId, await ends.causeOf(info)] as const)),
  );
  const runs = executions.flatMap((info): RecentRun[] => {
    const id = executionIdIn(info);
    if (id === undefined) return [];
    const schedule = executionIdentity(info).schedule?.name;
    return [
      {
        ...{ id, path: info.typedSearchAttributes.get(NOETL_PLAYBOOK) ?? '', status: listedStatus(info) },
        ...{ start: info.startTime.getTime(), end: info.closeTime?.getTime() ?? null },
        ...compact({ schedule, cause: causes.get(info.runId) }),
      },
    ];
  });
  return { runs, complete: next === undefined };
}
