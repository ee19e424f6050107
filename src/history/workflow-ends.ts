/** How workflows that a run asked for ended without a word of their own, as history has it. */
import { TerminatedFailure, WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { type HistoryEvent } from './event';

export interface WorkflowEnd {
  /** The event id that asked for the workflow. */
  readonly by: number;
  readonly workflowId: string;
  /** By its class alone; undefined where that says nothing. */
  readonly failure: Error | undefined;
}

/** One that did not start, or was ended from outside; undefined for any other event. */
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

/** The event id that sent a signal to a workflow that was not there any more. */
export function unheardSignalOf(event: HistoryEvent): number | undefined {
  const unheard = event.signalExternalWorkflowExecutionFailedEventAttributes;
  return unheard ? Number(unheard.initiatedEventId) : undefined;
}
