/**
 * Maps executions to workflows. Workflow ids of executions started by us contain the execution id. For others
 * (`temporal workflow start`) the execution id is derived from the first Temporal run and stored in a search
 * attribute.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client } from '@temporalio/client';
import { tsToMs } from '@temporalio/common/lib/time';
import { type temporal } from '@temporalio/proto';
import { historyPages, isTransient, type PagesOptions } from './chain';
import { executionOver } from './control';
import { describedIfThere } from './described';
import { isDrawn } from '../../language/plan';
import { executionIdOf, NOETL_EXECUTION, workflowId } from './naming';
import { eachVisible, quotedQueryText, type VisibleExecution } from './visibility';

/** Interval of checking whether an execution has ended: at first shorter, because most end soon. */
const LOOK_MS = 1_000;
const FIRST_LOOK_MS = 100;
/** Events of a history that is looked at for its last task. */
const LAST_EVENTS = 100;

/** The location of an execution in Temporal. */
export interface LocatedExecution {
  readonly workflowId: string;
  /** Its last Temporal run, if its workflow id now belongs to another execution. */
  readonly left?: { readonly runId: string; readonly status: string };
}

/**
 * @param name an execution id, or a workflow id for its latest execution
 * @throws EnvironmentError `SEARCH_ATTRIBUTES_MISSING`
 */
export async function locate(client: Client, name: string): Promise<LocatedExecution> {
  if (executionIdOf(workflowId(name)) === undefined) return { workflowId: name };
  const execution = isDrawn(name) ? await lastRun(client, name) : undefined;
  if (!execution) return { workflowId: workflowId(name) };
  const { workflowId: id, runId, status } = execution;
  const latest = await describedIfThere(client, id);
  if (latest?.typedSearchAttributes.get(NOETL_EXECUTION) === name) return { workflowId: id };
  return { workflowId: id, left: { runId, status: status.name.toLowerCase() } };
}

async function lastRun(client: Client, id: string): Promise<VisibleExecution | undefined> {
  const query = `${NOETL_EXECUTION.name} = ${quotedQueryText(id)} AND ExecutionStatus != 'ContinuedAsNew'`;
  let last: VisibleExecution | undefined;
  // There is more than one after a reset.
  for await (const run of eachVisible(client, query)) if (!last || run.startTime > last.startTime) last = run;
  return last;
}

/**
 * The workflow id of an execution to be controlled.
 *
 * @throws CodedError `EXECUTION_OVER` if the workflow id now belongs to another execution; and as `locate`
 */
export async function workflowIdOf(client: Client, name: string): Promise<string> {
  const { workflowId: id, left } = await locate(client, name);
  if (left) throw executionOver(name, left.status);
  return id;
}

/**
 * The status of an execution in Temporal: RUNNING, COMPLETED, FAILED, …; a run that continued as new counts as
 * running. Undefined if there is none.
 */
export async function temporalStatus(client: Client, name: string): Promise<string | undefined> {
  const { workflowId: id, left } = await locate(client, name);
  if (left) return left.status.toUpperCase();
  const status = (await describedIfThere(client, id))?.status.name;
  return status === 'CONTINUED_AS_NEW' ? 'RUNNING' : status;
}

/** Resolves when the execution has ended or the signal is aborted. @throws errors that are not transient */
export async function untilEnded(client: Client, name: string, signal: AbortSignal): Promise<void> {
  const isRunning = (): Promise<boolean> =>
    temporalStatus(client, name).then(
      (status) => status === 'RUNNING',
      (error: unknown) => {
        if (isTransient(error)) return true;
        throw error;
      },
    );
  for (let pauseMs = FIRST_LOOK_MS; !signal.aborted && (await isRunning()); pauseMs *= 1.5)
    await sleep(Math.min(pauseMs, LOOK_MS), undefined, { signal }).catch(() => undefined);
}

/**
 * Milliseconds between the end of the last task of an execution that has ended, and its own; Infinity if it had none.
 *
 * @returns 0 if tasks may outlive it, or its history is too long to tell
 */
export async function sinceLastTask(client: Client, name: string): Promise<number> {
  const { workflowId: id, left } = await locate(client, name);
  const { namespace } = client.options;
  const execution = { workflowId: id, ...(left && { runId: left.runId }) };
  const request = { namespace, execution, maximumPageSize: LAST_EVENTS };
  const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse(request);
  const events = history?.events ?? [];
  const begun = events.filter((event) => event.activityTaskScheduledEventAttributes);
  const ended = events.filter(isTaskEnd);
  if (Number(events.at(-1)?.eventId) !== 1 || begun.length > ended.length) return 0;
  return ended[0] ? tsToMs(events[0]?.eventTime) - tsToMs(ended[0].eventTime) : Infinity;
}

/** Not at a timeout: its worker may not know of it. */
function isTaskEnd(event: temporal.api.history.v1.IHistoryEvent): boolean {
  return Boolean(
    event.activityTaskCompletedEventAttributes ??
    event.activityTaskFailedEventAttributes ??
    event.activityTaskCanceledEventAttributes,
  );
}

/** As `historyPages`, for an execution id or a workflow id. */
export async function* executionPages(
  client: Client,
  name: string,
  options: PagesOptions = {},
): AsyncGenerator<readonly temporal.api.history.v1.IHistoryEvent[], void> {
  const { workflowId: id, left } = await locate(client, name);
  yield* historyPages(client, id, left ? { ...options, runId: left.runId } : options);
}

/** The execution id of a workflow; undefined for other workflows. */
export function executionIdIn({
  workflowId: id,
  typedSearchAttributes,
}: Pick<VisibleExecution, 'workflowId' | 'typedSearchAttributes'>): string | undefined {
  return executionIdOf(id) ?? typedSearchAttributes.get(NOETL_EXECUTION);
}
