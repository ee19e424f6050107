/** `dev` keeps the tables of its executions, as `project` does. */
import { type Client } from '@temporalio/client';
import { type Meters } from '../../metrics';
import { Consumer, Cursors, Leases, measuredSink, postgresSink } from '../../projection';
import { addressOf, openPool } from '../../postgres';

/** Executions read at once: what else the machine does goes first. */
const CONCURRENCY = 4;

/**
 * Follows executions into the tables until it is told to stop; beside a `project` they share the work.
 *
 * @param to.report told what is in the way
 * @returns ends it; what is being written is written
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
  done.catch(() => undefined); // with nobody to tell: whoever follows tries again for ever
  return async () => {
    stop.abort();
    await done.catch(() => undefined);
    await leases.close();
    await pool.end();
  };
}
