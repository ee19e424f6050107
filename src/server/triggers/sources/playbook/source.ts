/** Ends of executions of another playbook: rows of the outbox, which the projection enters with their events. */
import { isMapping, type Json, type JsonObject } from '../../../../language/plan';
import { addressOf } from '../../../../storage/postgres';
import { type Source } from '../../source';
import { openRows, type RowQueueSql } from '../rows';

const OF_TRIGGER = `status = 'pending' AND target->>'trigger' =`;
const SQL: RowQueueSql = {
  claim: `SELECT id AS row, message::text AS message, target->'chain' AS chain FROM noetl.notification
    WHERE ${OF_TRIGGER} $2 ORDER BY occurred_at, id LIMIT $1 FOR UPDATE SKIP LOCKED`,
  done: `UPDATE noetl.notification SET status = 'delivered', delivered_at = now(), attempts = attempts + 1 WHERE id = ANY($1)`,
  count: `SELECT count(*) FROM noetl.notification WHERE ${OF_TRIGGER} $1`,
};

export const playbookSource: Source = {
  name: 'playbook',
  shared: true,
  open: async ({ id: trigger, databaseUrl, resultOf }, signal) =>
    await openRows(
      addressOf(databaseUrl),
      () => ({ ...SQL, values: [trigger] }),
      async ({ row: id, message, chain }) => {
        const { type, timestamp, data } = JSON.parse(String(message)) as {
          readonly type: string;
          readonly timestamp: string;
          readonly data: JsonObject;
        };
        const isDone = data['cause'] === 'completed';
        const ended = isDone ? await resultOf(String(data['execution_id'])) : undefined;
        const result = (isMapping(ended) ? (ended['result'] ?? null) : null) as Json;
        return {
          id,
          bytes: Buffer.from(JSON.stringify({ ...data, result })),
          headers: { 'content-type': 'application/json' },
          attributes: {},
          metadata: { type, timestamp, chain: (chain ?? []) as Json },
        };
      },
      signal,
    ),
};
