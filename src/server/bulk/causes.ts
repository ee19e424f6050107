/** Why executions ended, for filters and summaries: from the last event of their history. */
import { type Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { decodeOptionalFailureToOptionalError } from '@temporalio/common/lib/internal-non-workflow';
import { type temporal } from '@temporalio/proto';
import { fetchStoredFailure } from '../../history';
import { isMapping } from '../../language/plan';
import { closeEvent, type VisibleExecution } from '../../temporal/client';

/** How one execution failed. */
export interface FailureGroupCause {
  readonly code: string;
  /** The step whose failure ended it, if a step did. */
  readonly step: string | null;
  readonly message: string;
}

const NOT_RECORDED: FailureGroupCause = { code: 'UNKNOWN', step: null, message: 'its history has expired' };

export async function failureGroupOf(client: Client, info: VisibleExecution): Promise<FailureGroupCause> {
  const end = await closeEvent(client, info);
  return end ? await causeOfEnd(client, end) : NOT_RECORDED;
}

/** @param end the last event of an execution that was cancelled, failed, was terminated or timed out */
export async function causeOfEnd(
  client: Client,
  end: temporal.api.history.v1.IHistoryEvent,
): Promise<FailureGroupCause> {
  if (end.workflowExecutionCanceledEventAttributes)
    return { code: 'CANCELLED', step: null, message: 'it was cancelled' };
  const terminated = end.workflowExecutionTerminatedEventAttributes;
  if (terminated)
    return { code: 'TERMINATED', step: null, message: terminated.reason || 'terminated by an operator' };
  if (end.workflowExecutionTimedOutEventAttributes)
    return { code: 'TIMED_OUT', step: null, message: 'it ran longer than its time limit in Temporal' };
  return await causeOfFailure(client, end.workflowExecutionFailedEventAttributes?.failure);
}

async function causeOfFailure(
  client: Client,
  failure: temporal.api.failure.v1.IFailure | null | undefined,
): Promise<FailureGroupCause> {
  const converter = client.options.loadedDataConverter;
  const code = failure?.applicationFailureInfo?.type || 'UNKNOWN';
  // Without the details the code still says enough.
  const read = await fetchStoredFailure(failure, converter)
    .then((stored) => decodeOptionalFailureToOptionalError(converter, stored))
    .catch(() => undefined);
  const details = read instanceof ApplicationFailure ? read.details?.[0] : undefined;
  const error = isMapping(details) && isMapping(details['error']) ? details['error'] : {};
  const step = typeof error['step'] === 'string' ? error['step'] : null;
  return { code, step, message: read?.message ?? failure?.message ?? code };
}
