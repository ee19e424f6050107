import { type ColumnType } from 'kysely';

/** `noetl.token` (migrations 0030, 0070, 0110). */
export interface TokenTable {
  readonly id: string;
  readonly name: string;
  readonly digest: Buffer;
  readonly scopes: string[];
  /** See `TokenLimits`. */
  readonly credentials: string[] | null;
  readonly kinds: string[] | null;
  readonly pools: string[] | null;
  readonly paths: string[] | null;
  readonly granted: ColumnType<boolean, boolean | undefined, boolean>;
  readonly created_at: ColumnType<Date, never, never>;
  readonly expires_at: Date | null;
  /** To the minute. */
  readonly last_used_at: ColumnType<Date | null, never, Date>;
  readonly revoked_at: ColumnType<Date | null, never, Date>;
}
