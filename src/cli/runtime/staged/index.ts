/** The shadow of `project` and `dev`: staged versions against the executions that end. */
import { type Client } from '@temporalio/client';
import { Shadow, type ShadowOptions } from '../../../server/staged';
import { JudgeThread } from './judge-thread';
import { type JudgeWork } from './messages';

export interface ShadowParts extends JudgeWork, Pick<ShadowOptions, 'pool' | 'signal' | 'report'> {
  readonly client: Client;
}

/** @returns the shadow, and what ends its thread. `signal` gives up the execution in progress, which is judged later. */
export function shadowOf({ client, pool, signal, report, ...work }: ShadowParts): {
  readonly shadow: Shadow;
  readonly close: () => Promise<void>;
} {
  const thread = new JudgeThread(work);
  signal.addEventListener('abort', () => void thread.close());
  const shadow = new Shadow({
    pool,
    namespace: client.options.namespace,
    judge: (request) => thread.judge(request),
    signal,
    report,
  });
  return { shadow, close: () => thread.close() };
}
