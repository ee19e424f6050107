/** What history tells of sub-playbooks beside their own signals: why one did not start, or ended from outside. */
import { TerminatedFailure, WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { type Outcome, executionIdOf } from '../plan';
import { outcomeOfChildFailure, outcomeOfLostChild } from '../../workflows/outcomes';
import { type Completion, type HistoryEvent } from './event';

type Decode = (
  payloads: NonNullable<
    NonNullable<HistoryEvent['startChildWorkflowExecutionInitiatedEventAttributes']>['input']
  >['payloads'],
) => Promise<unknown[]>;

export class ChildReader {
  /** Path of the child that was asked for, by the event id that asked. */
  private readonly paths = new Map<number, string>();
  /** Children that were told to cancel, by the event id that told them. */
  private readonly cancels = new Map<number, string>();

  constructor(private readonly decode: Decode) {}

  /** Books what a workflow task asked for; the execution id of a child that it started. */
  async noteCommand(event: HistoryEvent): Promise<string | undefined> {
    const told = event.signalExternalWorkflowExecutionInitiatedEventAttributes;
    if (told?.signalName === 'cancel') {
      this.cancels.set(Number(event.eventId), idOf(told.workflowExecution?.workflowId));
    }
    const asked = event.startChildWorkflowExecutionInitiatedEventAttributes;
    if (!asked) return undefined;
    const [input] = (await this.decode(asked.input?.payloads)) as [{ call: { path: string } }];
    this.paths.set(Number(event.eventId), input.call.path);
    return idOf(asked.workflowId);
  }

  /** The completion that an event is, if it is one of a child. */
  completionOf(event: HistoryEvent): Completion | undefined {
    const unheard = event.signalExternalWorkflowExecutionFailedEventAttributes;
    if (unheard) {
      const lost = this.cancels.get(Number(unheard.initiatedEventId));
      return lost === undefined ? undefined : settled(lost, outcomeOfLostChild(lost));
    }
    const refused = event.startChildWorkflowExecutionFailedEventAttributes;
    if (refused) {
      const taken = new WorkflowExecutionAlreadyStartedError('', '', '');
      const path = this.paths.get(Number(refused.initiatedEventId))!;
      return settled(idOf(refused.workflowId), outcomeOfChildFailure(taken, path));
    }
    const terminated = event.childWorkflowExecutionTerminatedEventAttributes;
    const ended =
      terminated ??
      event.childWorkflowExecutionFailedEventAttributes ??
      event.childWorkflowExecutionCanceledEventAttributes ??
      event.childWorkflowExecutionTimedOutEventAttributes;
    if (!ended) return undefined;
    const why = terminated ? new TerminatedFailure('') : undefined;
    const path = this.paths.get(Number(ended.initiatedEventId))!;
    return settled(idOf(ended.workflowExecution?.workflowId), outcomeOfChildFailure(why, path));
  }
}

function idOf(workflow: string | null | undefined): string {
  return executionIdOf(workflow ?? '')!;
}

function settled(child: string, outcome: Outcome): Completion {
  return { key: child, input: { type: 'childSettled', child, outcome } };
}
