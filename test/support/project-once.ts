/** The projection of one execution into tables, without a process that follows. */
import { Cursors, deliveryThreads, postgresSink, visitExecution } from '../../src/server/projection';
import { openPool } from '../../src/storage/postgres';
import { type TestPostgres } from './postgres';

export async function projectOnce(
  { url }: Pick<TestPostgres, 'url'>,
  client: Parameters<typeof deliveryThreads>[0],
  execution: Parameters<typeof visitExecution>[0],
): Promise<void> {
  const pool = openPool({ connectionString: url });
  const cursors = new Cursors(pool, 'postgres');
  const sink = postgresSink(pool);
  const { signal } = new AbortController();
  const nothing = (): void => undefined;
  const threads = deliveryThreads(client);
  const how = { client, sink, cursors, threads, follow: false, signal, received: nothing, taken: nothing };
  await visitExecution(execution, execution.runId, how);
  threads.close();
  await pool.end();
}
