/** Tests of playbooks, as stored by the official GUI. */
import { sql } from 'kysely';
import { type Database } from '../database';

export interface TestSuite {
  readonly suite_id: string;
  readonly playbook_path: string;
  readonly tests: readonly unknown[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly updated_at: Date;
}

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
