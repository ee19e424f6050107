/** How far the projection's tables are behind what happened. */
import { type Client } from '@temporalio/client';
import { executionIdIn, eachVisible, EXECUTIONS, quotedQueryText } from '../../../temporal/client';
import { type Database } from '../../store';

export interface TablesStand {
  /** Milliseconds that the oldest end is missing; at least, if there are many. */
  readonly behind: number;
  /** Executions that cannot be read. */
  readonly failing: number;
  /** Why one of them cannot. */
  readonly error: string | null;
}

/** The last ends that are looked at. */
const LOOKED_AT = 50;
const LAST_MS = 6 * 3_600_000;
/** Visibility and projection take a moment. */
const GRACE_MS = 15_000;

/** Undefined: no projection has ever written to this database. */
export async function tablesStand(
  client: Client,
  database: Pick<Database, 'rows'>,
  now: number,
): Promise<TablesStand | undefined> {
  const [followed] = await database.rows(
    `SELECT 1 FROM noetl.sink_cursor WHERE sink = 'postgres' LIMIT 1`,
    [],
  );
  if (!followed) return undefined;
  const ended: { id: string; at: number }[] = [];
  const query =
    `${EXECUTIONS} AND ExecutionStatus != 'Running' AND ExecutionStatus != 'ContinuedAsNew' ` +
    `AND CloseTime >= ${quotedQueryText(new Date(now - LAST_MS).toISOString())}`;
  for await (const info of eachVisible(client, query, LOOKED_AT)) {
    const id = executionIdIn(info);
    if (id !== undefined) ended.push({ id, at: info.closeTime?.getTime() ?? now });
    if (ended.length >= LOOKED_AT) break;
  }
  const stored = await database.rows<{ execution_id: string }>(
    'SELECT execution_id::text FROM noetl.execution WHERE execution_id = ANY($1::bigint[]) AND end_time IS NOT NULL',
    [ended.map(({ id }) => id)],
  );
  const there = new Set(stored.map(({ execution_id }) => execution_id));
  const missing = ended.filter(({ id, at }) => !there.has(id) && now - at > GRACE_MS);
  const [{ failing, error } = { failing: '0', error: null }] = await database.rows<{
    failing: string;
    error: string | null;
  }>(
    `SELECT count(*) AS failing, max(error) AS error FROM noetl.sink_cursor WHERE sink = 'postgres' AND error IS NOT NULL`,
    [],
  );
  return { behind: Math.max(0, ...missing.map(({ at }) => now - at)), failing: Number(failing), error };
}
