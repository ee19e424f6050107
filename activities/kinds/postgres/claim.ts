/**
 * Claims of cursor loops: what a statement took must be in the task's outcome, whenever its worker dies. So the rows are
 * reported to Temporal with the id of their transaction before that commits; the execution after a lost one asks the
 * server what became of it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { isMapping, type Json, type JsonObject } from '../../../src/language/plan';
import { invalidInput, ToolError } from '../../framework/tool/outcome';
import { type ToolContext } from '../../framework/tool/tool';
import { sqlFailure } from './errors';
import { type PostgresSession } from './session';
import { type StatementResult } from './statements';

/** A heartbeat and an outcome may have 2 MiB. */
const MAX_CLAIM_BYTES = 1536 * 1024;
const POLL_MS = 200;

/** @param run the statements of the claim; the rows of the last one are claimed */
export async function claimRows(
  session: PostgresSession,
  { lastHeartbeat, record, handBack }: ToolContext,
  run: () => Promise<StatementResult>,
): Promise<JsonObject> {
  const { client } = session;
  const before = claimIn(lastHeartbeat);
  if (before && (await isCommitted(session, before.xid))) return before.claimed;
  await session.begin(true);
  const { rows, row_count, columns } = await run();
  const claimed: JsonObject = { rows, row_count, columns };
  const bytes = Buffer.byteLength(JSON.stringify(claimed));
  if (bytes > MAX_CLAIM_BYTES) {
    const message = `postgres: the rows of the claim take ${Math.ceil(bytes / 1024)} KiB as JSON, more than ${MAX_CLAIM_BYTES / 1024} KiB: claim fewer (\`frame.max_rows\`), or fewer columns`;
    throw invalidInput(message, 'CLAIM_TOO_LARGE');
  }
  const xid = await transactionOf(session);
  if (xid !== null) await record?.({ xid, claimed });
  try {
    await client.query('commit');
  } catch (error) {
    // Whether it was committed, the next execution asks.
    if (xid !== null && sqlFailure(error, undefined).failure.kind === 'connection') handBack?.();
    throw error;
  }
  return claimed;
}

function claimIn(
  details: Json | undefined,
): { readonly xid: string; readonly claimed: JsonObject } | undefined {
  if (!isMapping(details)) return undefined;
  const { xid, claimed } = details as JsonObject;
  return typeof xid === 'string' && isMapping(claimed) ? { xid, claimed: claimed as JsonObject } : undefined;
}

/** The id of the transaction; null if it has changed nothing. */
async function transactionOf({ client }: PostgresSession): Promise<string | null> {
  const { rows } = await client.query<{ xid: string | null }>(
    'select txid_current_if_assigned()::text as xid',
  );
  return rows[0]!.xid;
}

/**
 * Whether the transaction was committed. One whose client is gone is undecided until the server has noticed.
 *
 * @throws ToolError `CLAIM_UNKNOWN` if the server has forgotten it
 */
async function isCommitted(session: PostgresSession, xid: string): Promise<boolean> {
  for (;;) {
    session.check();
    const { rows } = await session.client.query<{ status: string | null }>(
      'select txid_status($1::bigint) as status',
      [xid],
    );
    const { status } = rows[0]!;
    if (status === null) {
      const message = `postgres: the server no longer knows whether the claim of a lost worker was committed (transaction ${xid}): look for rows that were taken and not worked on`;
      throw new ToolError({ kind: 'sql', code: 'CLAIM_UNKNOWN', message });
    }
    if (status !== 'in progress') return status === 'committed';
    await sleep(POLL_MS);
  }
}
