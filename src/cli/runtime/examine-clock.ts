/** Compares our clock with the Temporal server's. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Connection } from '@temporalio/client';
import { atServer } from './reach';
import { type Observed } from './finding';

/** Beyond this, times of events, timers and expiries of tokens become misleading. */
export const SKEW_MS = 5_000;
/** The server's minimum poll duration. */
const POLL_MS = 5_000;
/** A queue without tasks. */
const QUEUE = { name: 'noetl-doctor' };
const LOOKS = 20;
const PAUSE_MS = 100;

/** For the server named by the environment; an embedded one shares our clock. */
export function clock(): Promise<Observed | undefined> {
  return atServer(async (connection, namespace) => clockFinding(await serverSkew(connection, namespace)));
}

/** @param skewMs by how much the server is ahead; undefined if unknown */
export function clockFinding(skewMs: number | undefined): Observed | undefined {
  if (skewMs === undefined) return undefined;
  if (Math.abs(skewMs) <= SKEW_MS)
    return { status: 'ok', message: 'agrees with that of the Temporal server' };
  const by = `${Math.round(Math.abs(skewMs) / 1000)} s ${skewMs > 0 ? 'behind' : 'ahead of'}`;
  return {
    status: 'note',
    message: `ours is ${by} that of the Temporal server`,
    fix: ['Synchronize both with NTP.'],
  };
}

/**
 * The minimum number of milliseconds by which the server's clock is ahead of ours; 0 if they may agree. No API of
 * Temporal returns its time, but it records when a queue was last polled, so we poll a queue of our own.
 */
export async function serverSkew(connection: Connection, namespace: string): Promise<number | undefined> {
  const identity = `noetl-doctor@${process.pid}`;
  const enough = new AbortController();
  const before = Date.now();
  const polling = connection.withAbortSignal(enough.signal, () =>
    connection.withDeadline(before + POLL_MS, () =>
      connection.workflowService.pollActivityTaskQueue({ namespace, taskQueue: QUEUE, identity }),
    ),
  );
  polling.catch(() => undefined); // it ends when the poll was observed, or was not permitted
  try {
    for (let look = 0; look < LOOKS; look += 1) {
      const { pollers } = await connection.workflowService.describeTaskQueue({
        namespace,
        taskQueue: QUEUE,
        taskQueueType: 2, // activities
      });
      const own = pollers?.find((one) => one.identity === identity)?.lastAccessTime;
      if (own) {
        const at = Number(own.seconds ?? 0) * 1000 + Math.floor((own.nanos ?? 0) / 1e6);
        const after = Date.now();
        return at < before ? at - before : at > after ? at - after : 0;
      }
      await sleep(PAUSE_MS);
    }
    return undefined;
  } finally {
    enough.abort();
    await polling.catch(() => undefined);
  }
}
