/** `dev` projects its executions to tables, as `project` does. */
import { type Client } from '@temporalio/client';
import { type Meters } from '../../metrics';
import { Consumer, Cursors, Leases, measuredSink, postgresSink } from '../../projection';
import { addressOf, openPool } from '../../postgres';

/** Executions read concurrently; low, to leave resources to other work. */
const CONCURRENCY = 4;

/**
 * Projects executions to the tables until stopped; shares the work with a concurrent `project`.
 *
 * @param to.report called with problems
 * @returns stops it; writes in progress are completed
 */
export function projectHere(
  client: Client,
  url: string,
  { meters, report }: { readonly meters: Meters; readonly report: (line: string) => void },
): () => Promise<unknown> {
  const pool = openPool({ ...addressOf(url), max: CONCURRENCY, connectionTimeoutMillis: 10_000 });
  const sink = measuredSink(postgresSink(pool), meters);
  const leases = new Leases(url);
  const stop = new AbortController();
  const { signal } = stop;
  const cursors = new Cursors(pool, sink.name);
  const options = { client, sink, cursors, leases, concurrency: CONCURRENCY, once: false, signal, report };
  const done = new Consumer(options).run();
  done.catch(() => undefined); // not reported: following retries forever
  return async () => {
    stop.abort();
    await done.catch(() => undefined);
    await leases.close();
    await pool.end();
  };
}
