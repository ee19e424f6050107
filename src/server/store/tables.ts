/** The tables of the schema `noetl` used by the store; each row type is defined beside the code that owns it. */
import { type ColumnType, type Generated } from 'kysely';
import { type AuthCacheTable, type CredentialAuditTable, type CredentialTable } from './credentials/tables';
import { type NotificationTable } from './notifications/table';
import { type TestSuiteTable } from './test-suites/table';
import { type TokenTable } from './tokens/table';
import {
  type CatalogPathRow,
  type CatalogRow,
  type StagedVerdictRow,
  type SubmissionRow,
} from './catalog/rows';

/** The table of applied migrations (migrate.ts). */
interface SchemaMigration {
  readonly number: number;
  readonly name: string;
  readonly digest: string;
  readonly applied_at: Generated<ColumnType<Date, never, never>>;
}

export interface Tables {
  'noetl.schema_migration': SchemaMigration;
  'noetl.credential': CredentialTable;
  'noetl.credential_audit': CredentialAuditTable;
  'noetl.auth_cache': AuthCacheTable;
  'noetl.token': TokenTable;
  'noetl.catalog_path': CatalogPathRow;
  'noetl.catalog': CatalogRow;
  'noetl.submission': SubmissionRow;
  'noetl.staged_verdict': StagedVerdictRow;
  'noetl.test_suite': TestSuiteTable;
  'noetl.notification': NotificationTable;
}
