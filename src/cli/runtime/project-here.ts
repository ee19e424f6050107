/** `dev` projects its executions to tables and sends notifications, as `project` does. */
import { setMaxListeners } from 'node:events';
import { type Client } from '@temporalio/client';
import { SENDERS } from '../../server/notifications';
import { Consumer, Cursors, ProjectionLeases, measuredSink, postgresSink } from '../../server/projection';
import { addressOf, openPool } from '../../storage/postgres';
import { noteEnds } from '../../server/staged';
import { notifierOf, type NotifierParts } from './notifications';
import { stagedJudgeOf } from './staged';
import { type JudgeWork } from './staged/thread';

interface HereOptions extends Pick<NotifierParts, 'meters' | 'report' | 'settings' | 'credentials' | 'keys'> {
  /** For judging executions by staged versions. */
  readonly work: JudgeWork;
}

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
  { meters, report, work, ...more }: HereOptions,
): () => Promise<unknown> {
  const pool = openPool({
    ...addressOf(url),
    max: CONCURRENCY + SENDERS + 1,
    connectionTimeoutMillis: 10_000,
  });
  const leases = new ProjectionLeases(url);
  const stop = new AbortController();
  const { signal } = stop;
  setMaxListeners(0, signal); // each sender and consumer waits with it
  const notifier = notifierOf({ ...more, pool, client, meters, signal, report });
  const sink = measuredSink(postgresSink(pool, notifier.companion, noteEnds(pool)), meters);
  const cursors = new Cursors(pool, sink.name);
  const options = { client, sink, cursors, leases, concurrency: CONCURRENCY, once: false, signal, report };
  const { staged, close } = stagedJudgeOf({ ...work, pool, client, signal, report });
  const done = Promise.all([new Consumer(options).run(), notifier.run(), staged.run()]);
  done.catch(() => undefined); // not reported: following retries forever
  return async () => {
    stop.abort();
    await done.catch(() => undefined);
    await close();
    await leases.close();
    await pool.end();
  };
}
