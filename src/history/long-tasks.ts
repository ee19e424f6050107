/** What history tells of long tasks beside their own signals: why one did not start, or ended from outside. */
import { TASK_WORKFLOW_TYPE } from '../plan';
import { type LongTaskInput } from '../../workflows/contract';
import { outcomeOfLostTask } from '../../workflows/outcomes';
import { type Decode } from './children';
import { type Completion, type HistoryEvent } from './event';
import { unheardSignalOf, workflowEndOf } from './workflow-ends';

export class LongTaskReader {
  /** Task run ids, by the event id that asked for the task, or for its end. */
  private readonly asked = new Map<number, string>();
  private readonly cancels = new Map<number, string>();

  constructor(private readonly decode: Decode) {}

  /** Books what a workflow task asked for; the task that it started, by task run id and kind. */
  async noteCommand(event: HistoryEvent): Promise<{ id: string; kind: string } | undefined> {
    const attributes = event.signalExternalWorkflowExecutionInitiatedEventAttributes;
    if (attributes?.signalName === 'cancelTask') {
      const [taskRunId] = await this.decode(attributes.input?.payloads);
      this.cancels.set(Number(event.eventId), String(taskRunId));
    }
    const started = event.startChildWorkflowExecutionInitiatedEventAttributes;
    if (started?.workflowType?.name !== TASK_WORKFLOW_TYPE) return undefined;
    const [{ taskRunId, kind }] = (await this.decode(started.input?.payloads)) as [LongTaskInput];
    this.asked.set(Number(event.eventId), taskRunId);
    return { id: taskRunId, kind };
  }

  /** The completion that an event is, if it is one of a long task. */
  completionOf(event: HistoryEvent): Completion | undefined {
    const unheard = unheardSignalOf(event);
    if (unheard !== undefined) return settled(this.cancels.get(unheard), undefined);
    const end = workflowEndOf(event);
    return end && settled(this.asked.get(end.by), end.failure);
  }
}

function settled(taskRunId: string | undefined, failure: unknown): Completion | undefined {
  if (taskRunId === undefined) return undefined;
  const outcome = outcomeOfLostTask(failure);
  return { key: taskRunId, input: { type: 'taskSettled', taskRunId, outcome } };
}
