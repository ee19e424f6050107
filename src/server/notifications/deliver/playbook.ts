/** Starts a playbook with the notification as its payload. */
import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { TypedSearchAttributes, WorkflowIdReusePolicy } from '@temporalio/common';
import { messageOf } from '../../../language/errors';
import { STARTED_STATUS, WORKFLOW_TASK_QUEUE, workflowId, workflowTypeOf } from '../../../language/plan';
import { NOETL_PLAYBOOK, NOETL_STATUS } from '../../../temporal/client';
import { type Channel, refusal } from './channel';

/**
 * The execution id is that of the notification, so repetitions start nothing. Workers look the playbook up by its path:
 * one that does not exist is an execution that says so.
 */
export function playbookChannel(client: Client): Channel {
  return async ({ id, target, message, starts }) => {
    if (!('playbook' in target) || starts === null) return;
    const { playbook } = target;
    try {
      await client.workflow.start(workflowTypeOf(playbook), {
        args: [{ notification: { id, ...message } }],
        workflowId: workflowId(starts),
        workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
        taskQueue: WORKFLOW_TASK_QUEUE,
        priority: { fairnessKey: workflowId(starts) },
        memo: { noetl_notification: { id } },
        staticSummary: `${playbook}, started by a notification`,
        typedSearchAttributes: new TypedSearchAttributes([
          { key: NOETL_PLAYBOOK, value: playbook },
          { key: NOETL_STATUS, value: STARTED_STATUS },
        ]),
      });
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return;
      const why = messageOf(error);
      throw refusal('NOTIFICATION_UNREACHABLE', `${playbook} cannot be started: ${why}`, { cause: error });
    }
  };
}
