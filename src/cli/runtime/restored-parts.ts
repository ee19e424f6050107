/** After a restore: how Temporal, the tables and the result store differ. */
import { type Client } from '@temporalio/client';
import { type Pool } from 'pg';
import { hasCode, messageOf } from '../../language/errors';
import { recordedExecution } from '../../history';
import { type SecretReference } from '../../language/plan';
import { executionIdOf } from '../../language/plan/names';
import { describedIfThere, historyPages } from '../../temporal/client';

export interface RestoredTables {
  /** Execution ids: open in the tables, unknown to Temporal. */
  readonly lost: readonly string[];
  /** Open at Temporal, with less history than the tables have taken. */
  readonly ahead: readonly string[];
  /** Open executions of which the tables have less than Temporal. */
  readonly behind: number;
}

interface Row {
  readonly execution_id: string;
  readonly workflow_id: string;
  readonly ended: boolean;
  readonly run_id: string | null;
  /** `execution/run/history event/ordinal` of the last event taken. */
  readonly event_id: string | null;
}

const ROWS = `
SELECT e.execution_id::text, e.workflow_id, e.end_time IS NOT NULL AS ended, c.run_id, c.event_id
FROM noetl.execution e LEFT JOIN noetl.sink_cursor c ON c.sink = 'postgres' AND c.execution_id = e.execution_id
WHERE e.namespace = $1 AND (e.end_time IS NULL OR e.workflow_id = ANY($2::text[]))`;

/** @param open workflow ids of the executions that are open at Temporal */
export async function compareTables(
  client: Client,
  pool: Pool,
  open: readonly string[],
): Promise<RestoredTables> {
  const { rows } = await pool.query<Row>(ROWS, [client.options.namespace, open]);
  const lost: string[] = [];
  const ahead: string[] = [];
  const ids = new Set(rows.map((row) => row.workflow_id));
  let behind = open.filter((workflowId) => !ids.has(workflowId)).length;
  for (const row of rows) {
    const run = await describe(client, row.workflow_id);
    if (!run) lost.push(row.execution_id);
    else if (await isAhead(client, row, run)) ahead.push(row.execution_id);
    else if (run.length > historyEvent(row)) behind += 1;
  }
  return { lost, ahead, behind };
}

interface Run {
  readonly runId: string;
  readonly isOpen: boolean;
  /** Of its history. */
  readonly length: number;
}

async function describe(client: Client, workflowId: string, runId?: string): Promise<Run | undefined> {
  const run = await describedIfThere(client, workflowId, runId);
  return run && { runId: run.runId, isOpen: run.status.name === 'RUNNING', length: run.historyLength };
}

/** The tables saw its end, a later event of this run, or a run that Temporal does not have. */
async function isAhead(client: Client, row: Row, run: Run): Promise<boolean> {
  if (row.ended && run.isOpen) return true;
  if (row.run_id === null) return false;
  if (row.run_id === run.runId) return historyEvent(row) > run.length;
  return (await describe(client, row.workflow_id, row.run_id)) === undefined;
}

function historyEvent({ event_id }: Row): number {
  return Number(event_id?.split('/').at(-2) ?? 0);
}

export interface Broken {
  /** Execution id, or workflow id of one that we did not start. */
  readonly id: string;
  readonly message: string;
}

/** Codes of errors that say that a value or its key is not there. */
const OF_VALUES = /^(BLOB_|STORAGE_NOT_CONFIGURED|KEY_|CIPHERTEXT_|SEALED_)/;

/**
 * Reads everything that an open execution refers to, as its next workflow task will.
 *
 * @param open opens what a secret refers to
 * @returns the first value that cannot be read, or nothing
 * @throws errors of Temporal
 */
export async function brokenValues(
  client: Client,
  workflowId: string,
  open: (ref: SecretReference) => Promise<void>,
): Promise<Broken[]> {
  try {
    const pages = historyPages(client, workflowId);
    const converter = client.options.loadedDataConverter;
    const { state } = await recordedExecution(pages, { converter, workflowId, bodies: true });
    for (const secret of Object.values(state.secrets ?? {})) if ('ref' in secret) await open(secret.ref);
    return [];
  } catch (error) {
    // Ended meanwhile.
    if (hasCode(error, 'EXECUTION_NOT_FOUND')) return [];
    const code = codeOf(error);
    if (code === undefined || !OF_VALUES.test(code)) throw error;
    return [{ id: executionIdOf(workflowId) ?? workflowId, message: `${messageOf(error)} [${code}]` }];
  }
}

/** Ours, or that of a failure of the store. */
function codeOf(error: unknown): string | undefined {
  const { code, type } = error as { code?: unknown; type?: unknown };
  return typeof code === 'string' ? code : typeof type === 'string' ? type : undefined;
}
