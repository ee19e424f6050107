/**
 * The judge of staged versions of `project` and `dev`: against the executions that end. It works in a thread, with limits:
 * whatever a staged version does, the projection goes on.
 */
import { type Client } from '@temporalio/client';
import { CodedError } from '../../../language/errors';
import { StagedJudge, type StagedJudgeOptions } from '../../../server/staged';
import { type ThreadLimits, ThreadPool } from '../../../server/threads';
import { type JudgeJobs, type JudgeWork } from './thread';

export interface StagedJudgeParts extends JudgeWork, Pick<StagedJudgeOptions, 'pool' | 'signal' | 'report'> {
  readonly client: Client;
}

/** Of one execution. They are judged one after the other. */
export const JUDGING: ThreadLimits = {
  jobMs: 60_000,
  heapMb: 1_024,
  threads: 2,
  jobsPerCaller: 1,
  tooLarge: (what) => new CodedError('JUDGING_TOO_EXPENSIVE', `re-deciding it takes more than ${what}`),
  tooMany: () => new Error('executions are judged one after the other'),
};

/** @returns the judge, and what ends its thread. `signal` gives up the execution in progress, which is judged later. */
export function stagedJudgeOf({ client, pool, signal, report, ...work }: StagedJudgeParts): {
  readonly staged: StagedJudge;
  close(): Promise<void>;
} {
  const threads = new ThreadPool<JudgeJobs>(work, JUDGING, require.resolve('./thread'));
  signal.addEventListener('abort', () => threads.close());
  const staged = new StagedJudge({
    pool,
    namespace: client.options.namespace,
    judge: (request) => threads.run('judge', request, 'staged'),
    signal,
    report,
  });
  return { staged, close: () => Promise.resolve(threads.close()) };
}
