/** How requested workflows ended without reporting it themselves, according to history. */
import { TerminatedFailure, WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { type HistoryEvent } from './event';

export interface WorkflowEnd {
  /** The id of the event that requested the workflow. */
  readonly by: number;
  readonly workflowId: string;
  /** Based only on its class; undefined if that says nothing. */
  readonly failure: Error | undefined;
}

/** The end of one that did not start or was ended from outside; undefined for any other event. */
export function workflowEndOf(event: HistoryEvent): WorkflowEnd | undefined {
  const refused = event.startChildWorkflowExecutionFailedEventAttributes;
  if (refused) {
    const failure = new WorkflowExecutionAlreadyStartedError('', '', '');
    return { by: Number(refused.initiatedEventId), workflowId: refused.workflowId ?? '', failure };
  }
  const terminated = event.childWorkflowExecutionTerminatedEventAttributes;
  const ended =
    terminated ??
    event.childWorkflowExecutionFailedEventAttributes ??
    event.childWorkflowExecutionCanceledEventAttributes ??
    event.childWorkflowExecutionTimedOutEventAttributes;
  if (!ended) return undefined;
  return {
    by: Number(ended.initiatedEventId),
    workflowId: ended.workflowExecution?.workflowId ?? '',
    failure: terminated ? new TerminatedFailure('') : undefined,
  };
}

/** The id of the event that sent a signal to a workflow that no longer existed. */
export function unheardSignalOf(event: HistoryEvent): number | undefined {
  const unheard = event.signalExternalWorkflowExecutionFailedEventAttributes;
  return unheard ? Number(unheard.initiatedEventId) : undefined;
}
