/**
 * The outbox: notifications as rows of noetl.notification, entered in the transaction of what causes them. An entry has
 * an id of what happened and of its target, so that the same news is never entered twice.
 */
import { createHash } from 'node:crypto';
import { type PoolClient } from 'pg';
import { EXECUTION_ID_RANGE, executionIdAt, type NotificationTarget } from '../../language/plan';
import { jsonText } from '../projection';
import { type Message } from './message';

export type Queryable = Pick<PoolClient, 'query'>;

/** What happened, and whom to tell. */
export interface OutboxEntry {
  /** Of what happened: the same for the same news, however often it is found. */
  readonly key: string;
  readonly message: Message;
  readonly targets: readonly NotificationTarget[];
  /** The execution at the root of its tree: one that a notification started causes no other that starts a playbook. */
  readonly root?: string;
  /** Older news than the outbox is none: a new database would tell everything that Temporal still has. */
  readonly since?: 'outbox';
}

/** The migration that created the outbox. */
const OUTBOX_MIGRATION = 60;

/** Enters what is new. @returns how many entries there are more */
export async function enterOutbox(db: Queryable, entry: OutboxEntry): Promise<number> {
  const { message, root } = entry;
  if (entry.targets.length === 0) return 0;
  const targets =
    root !== undefined && (await isAnswer(db, root)) ? withoutPlaybooks(entry.targets) : entry.targets;
  if (targets.length === 0) return 0;
  const rows = targets.map((target) => rowOf(entry, target));
  const { data, timestamp } = message;
  const { rowCount } = await db.query(
    `INSERT INTO noetl.notification (id, target, starts, cause, execution_id, schedule, path, message, occurred_at)
     SELECT r.id, r.target, r.starts, $2, $3, $4, $5, $6, $7
     FROM jsonb_to_recordset($1::jsonb) AS r (id text, target jsonb, starts bigint)
     WHERE $8::boolean IS NOT TRUE
        OR $7::timestamptz >= (SELECT applied_at FROM noetl.schema_migration WHERE number = ${OUTBOX_MIGRATION})
     ON CONFLICT DO NOTHING`,
    [
      jsonText(rows),
      data.cause,
      data.execution_id ?? null,
      data.schedule?.name ?? null,
      data.path,
      jsonText(message),
      timestamp,
      entry.since === 'outbox',
    ],
  );
  return rowCount ?? 0;
}

/** Whether a notification started this execution. */
async function isAnswer(db: Queryable, executionId: string): Promise<boolean> {
  const { rows } = await db.query('SELECT 1 FROM noetl.notification WHERE starts = $1 LIMIT 1', [
    executionId,
  ]);
  return rows.length > 0;
}

function withoutPlaybooks(targets: readonly NotificationTarget[]): NotificationTarget[] {
  return targets.filter((target) => !('playbook' in target));
}

interface Row {
  readonly id: string;
  readonly target: NotificationTarget;
  readonly starts: string | null;
}

function rowOf({ key, message }: OutboxEntry, target: NotificationTarget): Row {
  const hash = createHash('sha256')
    .update(JSON.stringify([key, target]))
    .digest();
  // The same wherever it is computed: whoever starts it again, after a crash, starts no other.
  const low = hash.readUInt32BE(24) % EXECUTION_ID_RANGE;
  const starts = 'playbook' in target ? String(executionIdAt(Date.parse(message.timestamp), low)) : null;
  return { id: `msg_${hash.toString('base64url').slice(0, 24)}`, target, starts };
}
