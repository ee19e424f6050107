import { type ColumnType, type Generated } from 'kysely';
import { type NotificationTarget } from '../../../language/plan';

/** As the projection writes them (src/server/notifications). */
export interface NotificationTable {
  readonly id: string;
  readonly cause: string;
  /** Null for a schedule that has not started what was due. */
  readonly execution_id: string | null;
  readonly schedule: string | null;
  readonly path: string;
  readonly target: NotificationTarget;
  readonly message: unknown;
  readonly starts: string | null;
  readonly status: Generated<'pending' | 'delivered' | 'dead' | 'silenced'>;
  readonly attempts: Generated<number>;
  readonly next_at: ColumnType<Date, Date | undefined, Date>;
  /** Why the last attempt failed, or who silenced it. */
  readonly error: string | null;
  readonly occurred_at: Date;
  readonly created_at: Generated<Date>;
  readonly delivered_at: Date | null;
}
