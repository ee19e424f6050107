/** Serves the activity of bulk operations: in processes that have a Temporal client of their own. */
import { type Client } from '@temporalio/client';
import { type DataConverter } from '@temporalio/common';
import { Context } from '@temporalio/activity';
import { type NativeConnection, Worker } from '@temporalio/worker';
import {
  BULK_ACTIVITY,
  BULK_TASK_QUEUE,
  type BulkBatch,
  type BulkOutcome,
  compact,
} from '../../language/plan';
import { actOnBatch, type Prepare } from './act';

interface BulkWorkerOptions {
  readonly connection: NativeConnection;
  readonly client: Client;
  /** That of the client. */
  readonly dataConverter: DataConverter;
  /** Prepares reruns away from this event loop; by default on it. */
  readonly prepare?: Prepare;
}

export interface BulkWorker {
  /** Rejects if the worker fails. */
  readonly done: Promise<void>;
  /** A batch under way is given up, and repeated by another process. */
  stop(): Promise<void>;
}

/** Operations at once in one process; each works on one batch. */
const CONCURRENCY = 4;
/** Of a batch: then one execution that cannot be read must not stop all others. */
const TRIES = 10;
const BEAT_MS = 5_000;
const FORCE_AFTER_MS = 5_000;

export async function startBulkWorker(options: BulkWorkerOptions): Promise<BulkWorker> {
  const { connection, client, dataConverter, prepare } = options;
  const worker = await Worker.create({
    connection,
    namespace: client.options.namespace,
    dataConverter,
    taskQueue: BULK_TASK_QUEUE,
    activities: {
      async [BULK_ACTIVITY](batch: BulkBatch): Promise<BulkOutcome[]> {
        const context = Context.current();
        const beat = (): void => context.heartbeat();
        const timer = setInterval(beat, BEAT_MS);
        try {
          const isTriedAgain = context.info.attempt < TRIES;
          return await actOnBatch(
            { client, dataConverter, isTriedAgain, ...compact({ prepare }) },
            batch,
            beat,
          );
        } finally {
          clearInterval(timer);
        }
      },
    },
    maxConcurrentActivityTaskExecutions: CONCURRENCY,
    shutdownForceTime: FORCE_AFTER_MS,
  });
  const done = worker.run();
  // Callers may await it, but need not.
  done.catch(() => undefined);
  return {
    done,
    async stop() {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await done.catch(() => undefined);
    },
  };
}
