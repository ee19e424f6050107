/** Ends of executions that triggers wait for (`source: playbook`): entered into the outbox, from which those take them. */
import { createHash } from 'node:crypto';
import { fitsAny } from '../store/patterns';
import { jsonText, type EventBatch } from '../projection';
import { type Message } from './message';
import { type Queryable } from './outbox';

interface WaitingTrigger {
  readonly trigger_id: string;
  readonly watches: { readonly playbook: string; readonly ends?: string | readonly string[] };
}

/**
 * Of an execution that no other one called. An execution that a chain of triggers led to is not told to those in the chain: it
 * would never end.
 */
export async function tellTriggers(
  db: Queryable,
  { origin, callerId }: EventBatch,
  key: string,
  message: Message,
): Promise<void> {
  const { cause, path, execution_id } = message.data;
  if (callerId !== undefined || !['completed', 'failed', 'cancelled'].includes(cause)) return;
  // What is read again, a week or more later, is no news.
  const { rows } = await db.query<WaitingTrigger>(
    `SELECT trigger_id, watches FROM noetl.trigger WHERE source = 'playbook' AND state IN ('ACTIVE', 'PAUSED')
       AND created_at <= $1::timestamptz AND $1::timestamptz > now() - interval '7 days'`,
    [message.timestamp],
  );
  const chain = origin.trigger ? [...(origin.trigger.chain ?? []), origin.trigger.id] : [];
  for (const { trigger_id: trigger, watches } of rows) {
    const ends = [watches.ends ?? 'completed'].flat();
    if (!fitsAny([watches.playbook], path) || !ends.includes(cause) || chain.includes(trigger)) continue;
    const hash = createHash('sha256').update(`${key}\n${trigger}`).digest('base64url');
    await db.query(
      `INSERT INTO noetl.notification (id, target, cause, execution_id, path, message, occurred_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING`,
      [
        `msg_${hash.slice(0, 24)}`,
        jsonText({ trigger, chain }),
        cause,
        execution_id ?? null,
        path,
        jsonText(message),
        message.timestamp,
      ],
    );
  }
}
