import { type ColumnType } from 'kysely';

/** `noetl.token` (migrations 0030, 0070). */
export interface TokenTable {
  readonly id: string;
  readonly name: string;
  readonly digest: Buffer;
  readonly scopes: string[];
  /** See `TokenLimits`. */
  readonly credentials: string[] | null;
  readonly kinds: string[] | null;
  readonly created_at: ColumnType<Date, never, never>;
  readonly expires_at: Date | null;
  /** To the minute. */
  readonly last_used_at: ColumnType<Date | null, never, Date>;
  readonly revoked_at: ColumnType<Date | null, never, Date>;
}
