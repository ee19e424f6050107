/** Starts of schedules that ended without an execution: the playbook is gone, or refuses the payload. */
import { type Client } from '@temporalio/client';
import { defineSearchAttributeKey } from '@temporalio/common';
import { isMapping, SCHEDULED_WORKFLOW_TYPE } from '../../language/plan';
import { closeEvent } from '../client/close-event';
import { eachVisible, quotedQueryText, type VisibleExecution } from '../client/visibility';

const SCHEDULE = defineSearchAttributeKey('TemporalScheduledById', 'KEYWORD');
const DUE = defineSearchAttributeKey('TemporalScheduledStartTime', 'DATETIME');

export interface StartError {
  /** `PLAYBOOK_NOT_FOUND`, `WORKLOAD_INVALID`, `SECRET_INPUT`, …; `START_FAILED` if none is known. */
  readonly code: string;
  readonly message: string;
}

export interface FailedStart {
  readonly schedule: string;
  readonly run: VisibleExecution;
  /** RFC 3339; null when it was started by hand. */
  readonly scheduledAt: string | null;
  readonly endedAt: Date;
}

/**
 * Newest first.
 *
 * @param since milliseconds since the epoch
 * @param withExecution those instead whose execution failed
 */
export async function failedStarts(
  client: Client,
  since: number,
  most: number,
  withExecution = false,
): Promise<FailedStart[]> {
  const query =
    `WorkflowType = ${quotedQueryText(SCHEDULED_WORKFLOW_TYPE)} AND ExecutionStatus IN ('Failed', 'TimedOut', 'Terminated') ` +
    `AND CloseTime >= ${quotedQueryText(new Date(since).toISOString())}`;
  const starts: FailedStart[] = [];
  for await (const run of eachVisible(client, query)) {
    const schedule = run.typedSearchAttributes.get(SCHEDULE);
    if (schedule === undefined || isMapping(run.memo?.['noetl_run']) !== withExecution) continue;
    const due = run.typedSearchAttributes.get(DUE);
    starts.push({
      schedule,
      run,
      scheduledAt: due?.toISOString() ?? null,
      endedAt: run.closeTime ?? run.startTime,
    });
    if (starts.length >= most) break;
  }
  return starts;
}

interface Failure {
  readonly message?: string | null;
  readonly cause?: Failure | null;
  readonly applicationFailureInfo?: { readonly type?: string | null } | null;
}

/** Why a workflow of a schedule failed. */
export async function startErrorOf(
  client: Client,
  run: Pick<VisibleExecution, 'workflowId' | 'runId'>,
): Promise<StartError> {
  const event = await closeEvent(client, run).catch(() => undefined);
  const attributes = event?.workflowExecutionFailedEventAttributes;
  if (attributes?.failure) return innermost(attributes.failure);
  const terminated = event?.workflowExecutionTerminatedEventAttributes;
  return { code: 'START_FAILED', message: terminated?.reason || 'it ended, and Temporal does not say why' };
}

/** The cause that says what is wrong; what is around it says only what did not work because of it. */
function innermost(failure: Failure): StartError {
  let at = failure;
  while (at.cause) at = at.cause;
  return { code: at.applicationFailureInfo?.type || 'START_FAILED', message: at.message ?? '' };
}
