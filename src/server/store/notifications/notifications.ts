/** Notifications in the outbox: which were delivered, which wait, which were given up; and their retry. */
import { type Kysely, type Selectable, sql } from 'kysely';
import { type Tables } from '../tables';
import { type NotificationTable } from './table';

export const NOTIFICATION_STATUSES = ['pending', 'delivered', 'dead', 'silenced'] as const;
export type NotificationStatus = (typeof NOTIFICATION_STATUSES)[number];

const DESCRIBED = [
  'id',
  'cause',
  'status',
  'path',
  'execution_id',
  'schedule',
  'target',
  'error',
  'attempts',
] as const satisfies readonly (keyof NotificationTable)[];

/** As a document. Times are RFC 3339. */
export interface NotificationDocument extends Pick<
  Selectable<NotificationTable>,
  (typeof DESCRIBED)[number]
> {
  readonly occurred_at: string;
  /** Of a pending one. */
  readonly next_at: string | null;
  readonly delivered_at: string | null;
}

export interface NotificationFilter {
  readonly status?: NotificationStatus;
  readonly executionId?: string;
  /** At most this many. */
  readonly limit: number;
}

export class StoredNotifications {
  constructor(private readonly query: Kysely<Tables>) {}

  /** Newest first. */
  async list({ status, executionId, limit }: NotificationFilter): Promise<NotificationDocument[]> {
    let query = this.query
      .selectFrom('noetl.notification')
      .select([...DESCRIBED, 'occurred_at', 'next_at', 'delivered_at']);
    if (status !== undefined) query = query.where('status', '=', status);
    if (executionId !== undefined) query = query.where('execution_id', '=', executionId);
    const rows = await query.orderBy('created_at', 'desc').orderBy('id').limit(limit).execute();
    return rows.map(({ occurred_at, next_at, delivered_at, ...row }) => ({
      ...row,
      occurred_at: occurred_at.toISOString(),
      next_at: row.status === 'pending' ? next_at.toISOString() : null,
      delivered_at: delivered_at?.toISOString() ?? null,
    }));
  }

  /**
   * Sends undelivered ones again at once, with all attempts ahead of them.
   *
   * @param which ids, or all that are dead or silenced
   * @returns the ids; an unknown or delivered one is not among them
   */
  async retry(which: readonly string[] | 'dead' | 'silenced'): Promise<string[]> {
    const update = this.query
      .updateTable('noetl.notification')
      .set({ status: 'pending', attempts: 0, next_at: sql<Date>`now()` })
      .where('status', '!=', 'delivered');
    const chosen =
      typeof which === 'string' ? update.where('status', '=', which) : update.where('id', 'in', [...which]);
    const rows = await chosen.returning('id').execute();
    return rows.map(({ id }) => id);
  }
}
