/** Tables of migrations 0040 and 0110. */
import { type ColumnType, type Generated } from 'kysely';
import { type JsonObject } from '../../../language/plan';

type Written<T> = ColumnType<T, T | undefined, T>;

export interface CredentialTable {
  readonly id: string;
  readonly name: string;
  /** As written by the author. */
  readonly type: string;
  readonly description: string | null;
  readonly tags: Written<string[]>;
  /** Written as JSON text. */
  readonly meta: ColumnType<JsonObject | null, string | null, string | null>;
  /** Paths of playbooks, with `*`, whose executions may open it; null: all. */
  readonly paths: Written<string[] | null>;
  /** Name of the encryption key. */
  readonly kid: string;
  readonly data_encrypted: Buffer;
  readonly created_at: Generated<Date>;
  readonly updated_at: Generated<Date>;
}

export interface CredentialAuditTable {
  readonly id: ColumnType<string, never, never>;
  readonly at: ColumnType<Date, never, never>;
  readonly action: 'read' | 'write' | 'delete' | 'rotate' | 'refused';
  readonly credential_id: string;
  readonly credential_name: string;
  readonly principal: string;
  readonly remote: string | null;
  readonly execution_id: string | null;
  readonly parent_execution_id: string | null;
}

export interface AuthCacheTable {
  readonly cache_key: string;
  readonly credential_name: string;
  readonly credential_type: string;
  readonly cache_type: 'secret' | 'token';
  readonly scope_type: 'execution' | 'global';
  readonly execution_id: string | null;
  readonly parent_execution_id: string | null;
  readonly kid: string;
  readonly data_encrypted: Buffer;
  readonly expires_at: Date;
  readonly created_at: Generated<Date>;
  readonly accessed_at: Generated<Date>;
  readonly access_count: Generated<number>;
}
