/** An execution's descendants: executions it called, directly or indirectly. */
import { type Client, type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client';
import { hasCode } from '../errors';
import { notFound } from './chain';
import { steer } from './control';
import { executionIdIn } from './locate';
import { executionIdOf, workflowId } from './naming';
import { eachVisible, quoted } from './visibility';

/**
 * Set by the driver in the memo of a child whose caller does not wait for it (`optionsOf` in
 * workflows/children.ts).
 */
interface Memo {
  readonly noetl_caller?: { readonly detached?: boolean };
}

export interface FamilyCancel {
  readonly reason?: string;
  /** Also cancels detached sub-playbooks; others are always cancelled with their caller. */
  readonly cascade: boolean;
}

/**
 * Cancels an execution and its descendants. It does not wait for their ends.
 *
 * @param id the workflow id
 * @returns the execution ids of all affected executions, the requested one first
 * @throws CodedError `EXECUTION_NOT_FOUND`, `EXECUTION_OVER`: it has already ended
 */
export async function cancelFamily(
  client: Client,
  id: string,
  { reason, cascade }: FamilyCancel,
): Promise<readonly string[]> {
  const root = await described(client, id);
  if (!root) throw notFound(id);
  const family = isRunning(root) ? await runningDescendants(client, root, { detached: cascade }) : [];
  await steer(client, id, 'cancel', reason);
  if (cascade) await Promise.all(family.map((one) => cancelDescendant(client, one, reason)));
  return [executionIdIn(root) ?? id, ...family];
}

/** A descendant that has ended meanwhile is not an error. */
async function cancelDescendant(client: Client, id: string, reason: string | undefined): Promise<void> {
  await steer(client, workflowId(id), 'cancel', reason).catch((error: unknown) => {
    if (!hasCode(error, 'EXECUTION_OVER')) throw error;
  });
}

/**
 * Execution ids of the running descendants, nearest first; parts of a loop in separate workflows are between a
 * caller and its children. Visibility has the children of all runs of a chain, but with a delay; a description has
 * those of its run without delay.
 *
 * @param detached includes detached children and their descendants
 */
async function runningDescendants(
  client: Client,
  root: WorkflowExecutionDescription,
  { detached }: { readonly detached: boolean },
): Promise<readonly string[]> {
  const visible = await visibleChildren(client, root);
  const ids: string[] = [];
  const seen = new Set<string>();
  for (let level = [root]; level.length > 0;) {
    const names = level
      .flatMap(({ workflowId: name, raw }) => [
        ...(visible.get(name) ?? []),
        ...(raw.pendingChildren ?? []).flatMap((child) => child.workflowId ?? []),
      ])
      .filter((name) => !seen.has(name) && seen.add(name));
    const children = await Promise.all(names.map((name) => described(client, name)));
    level = children
      .filter((child) => child !== undefined)
      .filter((child) => isRunning(child) && (detached || !isDetached(child)));
    ids.push(...level.flatMap(({ workflowId: name }) => executionIdOf(name) ?? []));
  }
  return ids;
}

/** Workflow ids of running children, by parent. All of a family is queried at once. */
async function visibleChildren(
  client: Client,
  { rootExecution, workflowId: name }: WorkflowExecutionDescription,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const root = rootExecution?.workflowId ?? name;
  const children = new Map<string, string[]>();
  const query = `RootWorkflowId = ${quoted(root)} AND ExecutionStatus = 'Running'`;
  for await (const { workflowId: child, parentExecution } of eachVisible(client, query)) {
    const parent = parentExecution?.workflowId ?? undefined;
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), child]);
  }
  return children;
}

async function described(client: Client, id: string): Promise<WorkflowExecutionDescription | undefined> {
  try {
    return await client.workflow.getHandle(id).describe();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

function isRunning({ status }: WorkflowExecutionDescription): boolean {
  return status.name === 'RUNNING';
}

function isDetached({ memo }: WorkflowExecutionDescription): boolean {
  return (memo as Memo | undefined)?.noetl_caller?.detached === true;
}
