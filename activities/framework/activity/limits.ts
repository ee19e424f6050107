/**
 * How executions reach the keepers of limits by key: activities on the queue of workflow tasks, because a workflow cannot
 * start a keeper and send it a message in one step.
 */
import { Context } from '@temporalio/activity';
import {
  type Asker,
  HOLDERS_ACTIVITY,
  KEEPER_WORKFLOW_TYPE,
  type KeeperInput,
  LIMIT_KIND,
  limitCallOf,
  type LimitRequest,
  type WireCall,
  type WireOutcome,
  WORKFLOW_TASK_QUEUE,
} from '../../../src/language/plan';

/** The activities, by type. */
export const limitActivities = { [LIMIT_KIND]: ask, [HOLDERS_ACTIVITY]: ended };

/** Sends a request, and starts the keeper if it does not run. Safe to repeat: a keeper answers it again. */
async function ask({ config }: WireCall): Promise<WireOutcome> {
  const { keeper, kept, request } = limitCallOf(config);
  const { client, info } = Context.current();
  const limitRequest: LimitRequest = { ...request, workflow: info.workflowExecution?.workflowId ?? '' };
  const input: KeeperInput = { kept };
  await client.workflow.signalWithStart(KEEPER_WORKFLOW_TYPE, {
    workflowId: keeper,
    taskQueue: WORKFLOW_TASK_QUEUE,
    // In the turn of the family that needs it: as many keepers as it has keys are not as many turns.
    priority: { fairnessKey: info.priority?.fairnessKey },
    args: [input],
    signal: 'ask',
    signalArgs: [limitRequest],
    memo: { noetl_limit: kept },
    staticSummary: `${kept.of} ${kept.scope} ${kept.key}`.trim().slice(0, 200),
  });
  return { status: 'ok', result: null };
}

/** The executions that have ended, also those that were terminated and could not say so. */
async function ended(holders: readonly Asker[]): Promise<string[]> {
  const { client } = Context.current();
  const isOver = async ({ workflow }: Asker): Promise<boolean> => {
    try {
      return (await client.workflow.getHandle(workflow).describe()).status.name !== 'RUNNING';
    } catch (error) {
      if (error instanceof Error && error.name === 'WorkflowNotFoundError') return true;
      throw error;
    }
  };
  const verdicts = await Promise.all(holders.map(isOver));
  return holders.filter((_, index) => verdicts[index]).map(({ execution }) => execution);
}
