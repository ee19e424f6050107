/** Tests of playbooks, as stored by the official GUI. */
import { type Selectable, sql } from 'kysely';
import { type Database } from '../database';
import { type TestSuiteTable } from './table';

export type TestSuite = Selectable<TestSuiteTable>;

export class TestSuites {
  constructor(private readonly database: Pick<Database, 'query'>) {}

  async find(id: string): Promise<TestSuite | undefined> {
    return this.database.query
      .selectFrom('noetl.test_suite')
      .selectAll()
      .where('suite_id', '=', id)
      .executeTakeFirst();
  }

  /** Replaces one of the same id. */
  async put({ suite_id, playbook_path, tests, metadata }: Omit<TestSuite, 'updated_at'>): Promise<TestSuite> {
    const values = { playbook_path, tests: JSON.stringify(tests), metadata: JSON.stringify(metadata) };
    return this.database.query
      .insertInto('noetl.test_suite')
      .values({ suite_id, ...values })
      .onConflict((conflict) =>
        conflict.column('suite_id').doUpdateSet({ ...values, updated_at: sql<Date>`clock_timestamp()` }),
      )
      .returningAll()
      .executeTakeFirstOrThrow();
  }

  /** @returns false if there was none */
  async remove(id: string): Promise<boolean> {
    const { numDeletedRows } = await this.database.query
      .deleteFrom('noetl.test_suite')
      .where('suite_id', '=', id)
      .executeTakeFirst();
    return numDeletedRows > 0n;
  }
}
