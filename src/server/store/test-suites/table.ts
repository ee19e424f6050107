import { type ColumnType } from 'kysely';

export interface TestSuiteTable {
  readonly suite_id: string;
  readonly playbook_path: string;
  readonly tests: ColumnType<unknown[], string, string>;
  readonly metadata: ColumnType<Record<string, unknown>, string, string>;
  readonly updated_at: ColumnType<Date, Date | undefined, Date>;
}
