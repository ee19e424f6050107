/**
 * Workflows whose workflow task fails, again and again. Temporal repeats it for ever; it records the failure of the
 * first attempt only, and counts the others.
 */
import { type Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { hasCode } from '../../language/errors';
import { inParallel } from '../../language/plan/in-parallel';
import { describedIfThere } from './described';
import { executionIdIn } from './locate';
import { WORKFLOW_TASK_QUEUE } from './naming';
import { eachVisible, quotedQueryText, type VisibleExecution } from './visibility';

/** From this attempt on a workflow task is taken for one that does not succeed: after a minute or so. */
export const STUCK_ATTEMPT = 5;

/** An open workflow of ours, of an execution or of a part of one. */
export interface StuckWorkflow {
  readonly workflowId: string;
  readonly runId: string;
  /** Undefined for parts of executions, and for other workflows of ours. */
  readonly executionId: string | undefined;
  /** Of the pending workflow task. */
  readonly attempt: number;
  /** How the first attempt failed, if that was recorded: by an error, or by a worker that did not answer. */
  readonly failure: WorkflowTaskFailure | undefined;
}

export interface WorkflowTaskFailure {
  /** As Temporal names it: NON_DETERMINISTIC_ERROR, WORKFLOW_WORKER_UNHANDLED_FAILURE, …; TIMED_OUT without an answer. */
  readonly cause: string;
  readonly message: string;
}

const { WorkflowTaskFailedCause: Cause } = temporal.api.enums.v1;

/** The cause of an attempt whose worker did not answer: it died, or was blocked. */
export const UNANSWERED = 'TIMED_OUT';

/** Ours: whatever a foreign workflow of this namespace does is its owner's business. */
const OPEN = `TaskQueue = ${quotedQueryText(WORKFLOW_TASK_QUEUE)} AND ExecutionStatus = 'Running'`;
const AT_ONCE = 20;

/** All open workflows of ours, in visibility's order. */
export function openWorkflows(client: Client): AsyncGenerator<VisibleExecution, void> {
  return eachVisible(client, OPEN);
}

/**
 * Those that the server reports to have problems: it does so one attempt after `STUCK_ATTEMPT`, if it knows how
 * (Temporal 1.30) and is configured to. Older ones have none.
 */
export async function* reportedWorkflows(client: Client): AsyncGenerator<VisibleExecution, void> {
  try {
    yield* eachVisible(client, `${OPEN} AND TemporalReportedProblems IS NOT NULL`);
  } catch (error) {
    if (!hasCode(error, 'FILTER')) throw error;
  }
}

/** Those among the given ones that are stuck. @param from as of `stuckWorkflow` */
export async function stuckAmong(
  client: Client,
  workflows: readonly Pick<VisibleExecution, 'workflowId' | 'runId'>[],
  from = STUCK_ATTEMPT,
): Promise<StuckWorkflow[]> {
  const looks = await inParallel(AT_ONCE, workflows, (one) =>
    stuckWorkflow(client, one.workflowId, one.runId, from),
  );
  return looks.filter((one) => one !== undefined);
}

/** @param from the attempt from which on it counts as stuck @returns undefined if it is not, or not open */
export async function stuckWorkflow(
  client: Client,
  workflowId: string,
  runId?: string,
  from = STUCK_ATTEMPT,
): Promise<StuckWorkflow | undefined> {
  const description = await describedIfThere(client, workflowId, runId);
  const attempt = description?.raw.pendingWorkflowTask?.attempt ?? 0;
  if (!description || description.status.name !== 'RUNNING' || attempt < from) return undefined;
  return {
    workflowId,
    runId: description.runId,
    executionId: executionIdIn(description),
    attempt,
    failure: await lastFailure(client, workflowId, description.runId),
  };
}

/** Signals and ends of tasks may have arrived since. */
const PAGE = 200;

/** Undefined if a workflow task has succeeded since, or so much has arrived that it is not on the last page. */
async function lastFailure(
  client: Client,
  workflowId: string,
  runId: string,
): Promise<WorkflowTaskFailure | undefined> {
  const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse({
    namespace: client.options.namespace,
    execution: { workflowId, runId },
    maximumPageSize: PAGE,
  });
  for (const event of history?.events ?? []) {
    const failed = event.workflowTaskFailedEventAttributes;
    if (failed) {
      const cause = (Cause[failed.cause ?? 0] ?? 'UNSPECIFIED').replace('WORKFLOW_TASK_FAILED_CAUSE_', '');
      return { cause, message: failed.failure?.message ?? '' };
    }
    if (event.workflowTaskTimedOutEventAttributes)
      return { cause: UNANSWERED, message: 'the worker that took it did not answer in time, or died' };
    if (event.workflowTaskCompletedEventAttributes) return undefined;
  }
  return undefined;
}
