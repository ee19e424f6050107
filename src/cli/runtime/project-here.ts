/** `dev` projects its executions to tables and sends notifications, as `project` does. */
import { type Client } from '@temporalio/client';
import { SENDERS } from '../../notifications';
import { Consumer, Cursors, Leases, measuredSink, postgresSink } from '../../projection';
import { addressOf, openPool } from '../../postgres';
import { notifierOf, type NotifierParts } from './notifications';

/** Executions read concurrently; low, to leave resources to other work. */
const CONCURRENCY = 4;

/**
 * Projects executions to the tables until stopped; shares the work with a concurrent `project`.
 *
 * @returns stops it; writes in progress are completed
 */
export function projectHere(
  client: Client,
  url: string,
  { meters, report, ...more }: Pick<NotifierParts, 'meters' | 'report' | 'settings' | 'credentials'>,
): () => Promise<unknown> {
  const pool = openPool({ ...addressOf(url), max: CONCURRENCY + SENDERS, connectionTimeoutMillis: 10_000 });
  const leases = new Leases(url);
  const stop = new AbortController();
  const { signal } = stop;
  const notifier = notifierOf({ ...more, pool, client, meters, signal, report });
  const sink = measuredSink(postgresSink(pool, notifier.companion), meters);
  const cursors = new Cursors(pool, sink.name);
  const options = { client, sink, cursors, leases, concurrency: CONCURRENCY, once: false, signal, report };
  const done = Promise.all([new Consumer(options).run(), notifier.run()]);
  done.catch(() => undefined); // not reported: following retries forever
  return async () => {
    stop.abort();
    await done.catch(() => undefined);
    await leases.close();
    await pool.end();
  };
}
