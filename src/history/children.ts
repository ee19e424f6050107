/**
 * What history tells of sub-playbooks and chunks beside their own signals: why one did not start, or ended from outside.
 */
import { TerminatedFailure, WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { chunkRefOf, executionIdOf } from '../plan';
import { chunkGone, outcomeOfChildFailure, outcomeOfLostChild } from '../../workflows/outcomes';
import { type Completion, type HistoryEvent } from './event';

export type Decode = (
  payloads: NonNullable<
    NonNullable<HistoryEvent['startChildWorkflowExecutionInitiatedEventAttributes']>['input']
  >['payloads'],
) => Promise<unknown[]>;

export class ChildReader {
  /** Path of the sub-playbook that was asked for, by the event id that asked. */
  private readonly paths = new Map<number, string>();
  /** Workflows that were told to cancel, by the event id that told them. */
  private readonly cancels = new Map<number, string>();

  constructor(private readonly decode: Decode) {}

  /** Books what a workflow task asked for; the execution id of a child that it started, or a chunk's reference. */
  async noteCommand(event: HistoryEvent): Promise<string | undefined> {
    const told = event.signalExternalWorkflowExecutionInitiatedEventAttributes;
    if (told?.signalName === 'cancel') {
      this.cancels.set(Number(event.eventId), told.workflowExecution?.workflowId ?? '');
    }
    const asked = event.startChildWorkflowExecutionInitiatedEventAttributes;
    if (!asked) return undefined;
    const ref = chunkRefOf(asked.workflowId ?? '');
    if (ref !== undefined) return ref;
    const [input] = (await this.decode(asked.input?.payloads)) as [{ call: { path: string } }];
    this.paths.set(Number(event.eventId), input.call.path);
    return executionIdOf(asked.workflowId ?? '');
  }

  /** The completion that an event is, if it is one of a child. */
  completionOf(event: HistoryEvent): Completion | undefined {
    const unheard = event.signalExternalWorkflowExecutionFailedEventAttributes;
    if (unheard) {
      const lost = this.cancels.get(Number(unheard.initiatedEventId));
      return lost === undefined ? undefined : this.gone(lost, { type: 'lost' });
    }
    const refused = event.startChildWorkflowExecutionFailedEventAttributes;
    if (refused) {
      const failure = new WorkflowExecutionAlreadyStartedError('', '', '');
      return this.gone(refused.workflowId, { type: 'ended', failure, by: Number(refused.initiatedEventId) });
    }
    const terminated = event.childWorkflowExecutionTerminatedEventAttributes;
    const ended =
      terminated ??
      event.childWorkflowExecutionFailedEventAttributes ??
      event.childWorkflowExecutionCanceledEventAttributes ??
      event.childWorkflowExecutionTimedOutEventAttributes;
    if (!ended) return undefined;
    const failure = terminated ? new TerminatedFailure('') : undefined;
    const by = Number(ended.initiatedEventId);
    return this.gone(ended.workflowExecution?.workflowId, { type: 'ended', failure, by });
  }

  /** `by`: the event id that asked for the child. */
  private gone(
    workflow: string | null | undefined,
    how: { type: 'lost' } | { type: 'ended'; failure: unknown; by: number },
  ): Completion {
    const id = workflow ?? '';
    const failure = how.type === 'ended' ? how.failure : undefined;
    const ref = chunkRefOf(id);
    if (ref !== undefined) {
      return { key: ref, input: { type: 'chunkSettled', ref, settled: chunkGone(failure) } };
    }
    const child = executionIdOf(id)!;
    const outcome =
      how.type === 'lost'
        ? outcomeOfLostChild(child)
        : outcomeOfChildFailure(failure, this.paths.get(how.by)!);
    return { key: child, input: { type: 'childSettled', child, outcome } };
  }
}
