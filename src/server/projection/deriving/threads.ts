/** Threads for the executions that a projection reads, with limits: one that exceeds them ends nothing but its own visit. */
import os from 'node:os';
import path from 'node:path';
import { type Client } from '@temporalio/client';
import { CodedError } from '../../../language/errors';
import { heapMb, readingSurroundings } from '../../reading/host';
import { type ThreadLimits, ThreadPool } from '../../threads';
import { type DeliveryJobs } from './thread';

/** The built file when running from TypeScript, which threads cannot load. */
const ENTRY = path.join(
  path.extname(__filename) === '.js'
    ? __dirname
    : path.resolve(__dirname, '../../../../dist/src/server/projection/deriving'),
  'thread.js',
);

/** More than any consumer reads at once. */
const MANY = 10_000;

export const DERIVING_THREAD_LIMITS: ThreadLimits = {
  // What follows from one workflow task takes seconds.
  jobMs: 60_000,
  heapMb: heapMb(),
  threads: Math.min(4, Math.max(2, os.availableParallelism())),
  jobsPerCaller: MANY,
  jobsPerThread: 64,
  tooLarge: (what) =>
    new CodedError('DERIVATION_TOO_LARGE', `deriving its events takes more than ${what}, so it is left out`),
  tooMany: () => new CodedError('TOO_MANY_JOBS', 'too many executions are read at once', { retryable: true }),
};

export type DeliveryThreads = ThreadPool<DeliveryJobs>;

export function deliveryThreads(
  client: Client,
  limits: ThreadLimits = DERIVING_THREAD_LIMITS,
): DeliveryThreads {
  return new ThreadPool<DeliveryJobs>(readingSurroundings(client), limits, ENTRY);
}
