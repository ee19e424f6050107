/** The judge of staged versions of `project` and `dev`: against the executions that end. */
import { type Client } from '@temporalio/client';
import { StagedJudge, type StagedJudgeOptions } from '../../../server/staged';
import { JudgeThread } from './judge-thread';
import { type JudgeWork } from './messages';

export interface StagedJudgeParts extends JudgeWork, Pick<StagedJudgeOptions, 'pool' | 'signal' | 'report'> {
  readonly client: Client;
}

/** @returns the judge, and what ends its thread. `signal` gives up the execution in progress, which is judged later. */
export function stagedJudgeOf({ client, pool, signal, report, ...work }: StagedJudgeParts): {
  readonly staged: StagedJudge;
  readonly close: () => Promise<void>;
} {
  const thread = new JudgeThread(work);
  signal.addEventListener('abort', () => void thread.close());
  const staged = new StagedJudge({
    pool,
    namespace: client.options.namespace,
    judge: (request) => thread.judge(request),
    signal,
    report,
  });
  return { staged, close: () => thread.close() };
}
