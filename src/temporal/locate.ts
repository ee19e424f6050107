/**
 * Which workflow an execution is. Those that were started by us have the execution id in their workflow id. Of any other
 * (`temporal workflow start`), the id is drawn from its first Temporal run, and the execution notes it in a search
 * attribute, by which it is found.
 */
import { type Client } from '@temporalio/client';
import { type temporal } from '@temporalio/proto';
import { historyPages, type PagesOptions } from './chain';
import { executionOver } from './control';
import { isDrawn } from '../plan';
import { executionIdOf, NOETL_EXECUTION, workflowId } from './naming';
import { eachVisible, quoted, type VisibleExecution } from './visibility';

/** Where Temporal has an execution. */
export interface Place {
  readonly workflowId: string;
  /** Its last Temporal run, where another execution has its workflow id by now. */
  readonly left?: { readonly runId: string; readonly status: string };
}

/**
 * @param name an execution id, or a workflow id, which means the latest execution of it
 * @throws EnvironmentError `SEARCH_ATTRIBUTES_MISSING`
 */
export async function locate(client: Client, name: string): Promise<Place> {
  if (executionIdOf(workflowId(name)) === undefined) return { workflowId: name };
  const found = isDrawn(name) ? await lastRun(client, name) : undefined;
  if (!found) return { workflowId: workflowId(name) };
  const { workflowId: id, runId, status } = found;
  const { typedSearchAttributes } = await client.workflow.getHandle(id).describe();
  if (typedSearchAttributes.get(NOETL_EXECUTION) === name) return { workflowId: id };
  return { workflowId: id, left: { runId, status: status.name.toLowerCase() } };
}

async function lastRun(client: Client, id: string): Promise<VisibleExecution | undefined> {
  const query = `${NOETL_EXECUTION.name} = ${quoted(id)} AND ExecutionStatus != 'ContinuedAsNew'`;
  let last: VisibleExecution | undefined;
  // More than one where a reset gave it another.
  for await (const run of eachVisible(client, query)) if (!last || run.startTime > last.startTime) last = run;
  return last;
}

/**
 * The workflow id of an execution that is to be told something.
 *
 * @throws CodedError `EXECUTION_OVER` where another execution has it by now; what `locate` throws
 */
export async function workflowIdOf(client: Client, name: string): Promise<string> {
  const { workflowId: id, left } = await locate(client, name);
  if (left) throw executionOver(name, left.status);
  return id;
}

/** As `historyPages`, of an execution id, or a workflow id. */
export async function* executionPages(
  client: Client,
  name: string,
  options: PagesOptions = {},
): AsyncGenerator<readonly temporal.api.history.v1.IHistoryEvent[], void> {
  const { workflowId: id, left } = await locate(client, name);
  yield* historyPages(client, id, left ? { ...options, runId: left.runId } : options);
}

/** The execution that a workflow is; undefined for one that is none. */
export function executionIdIn({
  workflowId: id,
  typedSearchAttributes,
}: Pick<VisibleExecution, 'workflowId' | 'typedSearchAttributes'>): string | undefined {
  return executionIdOf(id) ?? typedSearchAttributes.get(NOETL_EXECUTION);
}
