/**
 * What history records about long tasks besides their own signals: why one did not start, or what ended it from
 * outside.
 */
import { TASK_WORKFLOW_TYPE } from '../language/plan';
import { type LongTaskInput } from '../temporal/contract/definitions';
import { outcomeOfLostTask } from '../temporal/contract/outcomes';
import { type Decode } from './children';
import { type Completion, type HistoryEvent } from './event';
import { unheardSignalOf, workflowEndOf } from './workflow-ends';

export class LongTaskReader {
  /** Task run ids, by the id of the event that requested the task or its end. */
  private readonly taskRunIds = new Map<number, string>();
  private readonly cancels = new Map<number, string>();

  constructor(private readonly decode: Decode) {}

  /** Registers a workflow task's request; returns the task it started, by task run id and kind. */
  async noteCommand(event: HistoryEvent): Promise<{ id: string; kind: string } | undefined> {
    const attributes = event.signalExternalWorkflowExecutionInitiatedEventAttributes;
    if (attributes?.signalName === 'cancelTask') {
      const [taskRunId] = await this.decode(attributes.input?.payloads);
      this.cancels.set(Number(event.eventId), String(taskRunId));
    }
    const started = event.startChildWorkflowExecutionInitiatedEventAttributes;
    if (started?.workflowType?.name !== TASK_WORKFLOW_TYPE) return undefined;
    const [{ taskRunId, kind }] = (await this.decode(started.input?.payloads)) as [LongTaskInput];
    this.taskRunIds.set(Number(event.eventId), taskRunId);
    return { id: taskRunId, kind };
  }

  /** The completion that an event represents, if it belongs to a long task. */
  completionOf(event: HistoryEvent): Completion | undefined {
    const unheard = unheardSignalOf(event);
    if (unheard !== undefined) return settled(this.cancels.get(unheard), undefined);
    const end = workflowEndOf(event);
    return end && settled(this.taskRunIds.get(end.by), end.failure);
  }
}

function settled(taskRunId: string | undefined, failure: unknown): Completion | undefined {
  if (taskRunId === undefined) return undefined;
  const outcome = outcomeOfLostTask(failure);
  return { key: taskRunId, input: { type: 'taskSettled', taskRunId, outcome } };
}
