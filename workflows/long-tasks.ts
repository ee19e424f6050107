/** Long tasks, each in its own workflow: the run's side. */
import {
  type ActivityOptions,
  ChildWorkflowCancellationType,
  ParentClosePolicy,
  startChild,
  WorkflowIdReusePolicy,
  workflowInfo,
} from '@temporalio/workflow';
import {
  compact,
  grantRequest,
  type TaskCall,
  packCall,
  TASK_WORKFLOW_TYPE,
  taskWorkflowId,
} from '../src/language/plan';
import { limitInline } from '../src/storage/payloads';
import { cancelTaskSignal, type LongTaskInput } from '../src/temporal/contract/definitions';
import { type OtherWorkflows } from './others';
import { outcomeOfLostTask } from '../src/temporal/contract/outcomes';
import { type InputQueue } from './queue';

export class LongTasks {
  constructor(
    private readonly queue: InputQueue,
    private readonly others: OtherWorkflows,
    private readonly inlineBytes: number,
  ) {}

  run(call: TaskCall, options: ActivityOptions, pool: string | undefined): void {
    const { task_run_id: taskRunId, kind } = call;
    const id = this.idOf(taskRunId);
    const input: LongTaskInput = {
      taskRunId,
      kind,
      call: packCall(call, id, this.inlineBytes),
      options,
      callerWorkflowId: workflowInfo().workflowId,
      ...compact({ grant: grantRequest(call, id, pool) }),
    };
    const started = startChild(TASK_WORKFLOW_TYPE, {
      workflowId: id,
      // After a reset the same task may run again once the one of the reset run has ended.
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
      parentClosePolicy: ParentClosePolicy.ABANDON,
      cancellationType: ChildWorkflowCancellationType.ABANDON,
      ...(options.summary !== undefined && { staticSummary: options.summary }),
      args: [limitInline(input, this.inlineBytes)],
    });
    this.others.starting(taskRunId, id, started, (failure) => this.lost(taskRunId, failure));
  }

  cancel(taskRunId: string): void {
    // A workflow that vanished silently (terminated while the run continued as new) never settles by itself.
    void this.others
      .signal(this.idOf(taskRunId), cancelTaskSignal, taskRunId)
      .catch(() => this.lost(taskRunId, undefined));
  }

  private lost(taskRunId: string, failure: unknown): void {
    const outcome = outcomeOfLostTask(failure);
    this.queue.pushCompletion(taskRunId, { type: 'taskSettled', taskRunId, outcome });
  }

  private idOf(taskRunId: string): string {
    return taskWorkflowId(workflowInfo().workflowId, taskRunId);
  }
}
