/** The queue on which `run` resolves sub-playbooks: each command knows only its own folders. */
import { playbookCallsOf, PLAYBOOK_TASK_QUEUE } from '../../language/plan';
import { newExecutionId, signsOf } from '../../temporal/client';
import { type Family } from './plan-needs';
import { type CliSession } from './session';

export interface PlaybookQueues {
  /** Of this command alone, passed to its execution; absent if nothing is called. */
  readonly own?: string;
  readonly served: readonly string[];
}

/**
 * The common queue is served only if nobody else does: executions of `dev` or of a cluster must not be resolved
 * from this folder, nor this command's from theirs.
 */
export async function playbookQueuesOf({ plans }: Family, session: CliSession): Promise<PlaybookQueues> {
  const queue = { name: PLAYBOOK_TASK_QUEUE, type: 'activity' } as const;
  const signs = await signsOf(session.client, queue).catch(() => undefined);
  const common = signs?.isServed ? [] : [PLAYBOOK_TASK_QUEUE];
  if (plans.every((plan) => playbookCallsOf(plan).length === 0)) return { served: common };
  const own = `${PLAYBOOK_TASK_QUEUE}-${newExecutionId()}`;
  return { own, served: [own, ...common] };
}
