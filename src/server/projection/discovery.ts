/** Finds executions through Temporal's visibility. */
import { type Client } from '@temporalio/client';
import { type temporal } from '@temporalio/proto';
import { executionIdFor } from '../../engine/machine';
import { eventMillis } from '../../history';
import { EXECUTIONS, executionIdOf } from '../../language/plan/names';
import { abortable } from '../../temporal/client';

/** A run that may be an execution's last. */
export interface Candidate {
  readonly workflowId: string;
  readonly runId: string;
  /** Milliseconds since the epoch; undefined while running. */
  readonly closedAt?: number;
}

const PAGE_SIZE = 500;

/** Running runs. */
export const OPEN = `${EXECUTIONS} AND ExecutionStatus = 'Running'`;

/** Closed runs, except those that continued as new. @param since milliseconds since the epoch */
export function closedSince(since?: number): string {
  const ended = `${EXECUTIONS} AND ExecutionStatus != 'Running' AND ExecutionStatus != 'ContinuedAsNew'`;
  return since === undefined ? ended : `${ended} AND CloseTime >= '${new Date(since).toISOString()}'`;
}

/** Page by page, newest first. */
export async function* listRuns(
  client: Client,
  query: string,
  signal: AbortSignal,
): AsyncGenerator<Candidate[], void> {
  let nextPageToken: Uint8Array | undefined;
  do {
    const token = nextPageToken;
    const page = await abortable(client, signal, () =>
      client.workflowService.listWorkflowExecutions({
        namespace: client.options.namespace,
        query,
        pageSize: PAGE_SIZE,
        nextPageToken: token,
      }),
    );
    yield (page.executions ?? []).map(candidateOf);
    nextPageToken = page.nextPageToken ?? undefined;
  } while (nextPageToken?.length);
}

function candidateOf(info: temporal.api.workflow.v1.IWorkflowExecutionInfo): Candidate {
  return {
    workflowId: info.execution?.workflowId ?? '',
    runId: info.execution?.runId ?? '',
    ...(info.closeTime && { closedAt: eventMillis(info.closeTime) }),
  };
}

export interface Description {
  /** Events in its history so far. */
  readonly length: number;
  /** A reset replaced it with another run. */
  readonly isLeftBehind: boolean;
}

export async function describeRun(
  client: Client,
  { workflowId, runId }: Candidate,
  signal: AbortSignal,
): Promise<Description> {
  const { workflowExecutionInfo, workflowExtendedInfo } = await abortable(client, signal, () =>
    client.workflowService.describeWorkflowExecution({
      namespace: client.options.namespace,
      execution: { workflowId, runId },
    }),
  );
  return {
    length: Number(workflowExecutionInfo?.historyLength ?? 0),
    isLeftBehind: Boolean(workflowExtendedInfo?.resetRunId),
  };
}

/** The execution id of a run: part of the workflow id, or derived from the first run of the chain. */
export async function executionIdOfRun(
  client: Client,
  { workflowId, runId }: Candidate,
  signal: AbortSignal,
): Promise<string> {
  const executionId = executionIdOf(workflowId);
  if (executionId !== undefined) return executionId;
  const { history } = await abortable(client, signal, () =>
    client.workflowService.getWorkflowExecutionHistory({
      namespace: client.options.namespace,
      execution: { workflowId, runId },
      maximumPageSize: 1,
    }),
  );
  const started = history?.events?.[0]?.workflowExecutionStartedEventAttributes;
  return executionIdFor(workflowId, started?.firstExecutionRunId ?? runId);
}
