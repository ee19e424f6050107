/** An execution's descendants: executions it called, directly or indirectly. */
import { type Client, type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode } from '../errors';
import { notFound } from './chain';
import { executionOver, steer } from './control';
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
  const workflows = isRunning(root) ? await runningFamily(client, root, { detached: cascade }) : [];
  const family = workflows.flatMap((name) => executionIdOf(name) ?? []);
  await steer(client, id, 'cancel', reason);
  if (cascade) await Promise.all(family.map((one) => cancelDescendant(client, one, reason)));
  return [executionIdIn(root) ?? id, ...family];
}

/**
 * Ends an execution that cannot answer, whose descendants may: those that it waits for are asked to cancel first, as
 * it would have asked them, and parts of it in workflows of their own are terminated.
 *
 * @param workflow of the execution, or of a part of one, which then ends alone
 * @param options.patienceMs for descendants to end; then they are terminated as well. Without it they are not waited for
 * @returns the execution ids of all affected executions, the given one first
 */
export async function terminateFamily(
  client: Client,
  workflow: { readonly workflowId: string; readonly runId?: string },
  options: { readonly reason: string; readonly cascade: boolean; readonly patienceMs?: number },
): Promise<readonly string[]> {
  const { reason, cascade, patienceMs } = options;
  const root = await described(client, workflow.workflowId, workflow.runId);
  if (!root) throw notFound(workflow.workflowId);
  if (!isRunning(root)) throw executionOver(workflow.workflowId, root.status.name.toLowerCase());
  const family = await runningFamily(client, root, { detached: cascade });
  const executions = family.flatMap((name) => executionIdOf(name) ?? []);
  await Promise.all(executions.map((one) => cancelDescendant(client, one, reason)));
  if (patienceMs !== undefined) await endOfAll(client, executions, patienceMs);
  const left = new Set(patienceMs === undefined ? executions.map(workflowId) : []);
  // The farthest first: what a parent would do about the end of its child must not happen any more.
  for (const name of family.filter((one) => !left.has(one)).reverse()) await terminate(client, name, reason);
  await terminate(client, root.workflowId, reason, root.runId);
  return [executionIdIn(root) ?? workflow.workflowId, ...executions];
}

/** Milliseconds for tools to stop and workflows to say so. */
const PATIENCE_MS = 5_000;
/** Prefix of the reason with which workflows that do not answer are terminated. */
export const CANCELLED_BY_FORCE = 'CANCELLED_BY_FORCE';

/**
 * As `cancelFamily`, and terminates what has not ended after some seconds: for executions whose workflow cannot
 * answer. One that can answers in time, and is cancelled as usual.
 */
export async function forceFamily(
  client: Client,
  id: string,
  request: FamilyCancel,
): Promise<readonly string[]> {
  const executions = await cancelFamily(client, id, request);
  await endOfAll(client, executions, PATIENCE_MS);
  const reason = `${CANCELLED_BY_FORCE}: ${request.reason ?? 'it did not answer'}`;
  const { cascade } = request;
  await terminateFamily(client, { workflowId: id }, { reason, cascade, patienceMs: 0 }).catch(
    (error: unknown) => {
      if (!hasCode(error, 'EXECUTION_OVER')) throw error;
    },
  );
  return executions;
}

async function endOfAll(client: Client, ids: readonly string[], patienceMs: number): Promise<void> {
  const deadline = Date.now() + patienceMs;
  for (let left = ids; left.length > 0 && Date.now() < deadline; await sleep(LOOK_MS)) {
    const looks = await Promise.all(left.map((id) => described(client, workflowId(id))));
    left = left.filter((_, index) => looks[index] && isRunning(looks[index]));
  }
}

const LOOK_MS = 250;

async function terminate(client: Client, name: string, reason: string, runId?: string): Promise<void> {
  await client.workflow
    .getHandle(name, runId)
    .terminate(reason)
    .catch((error: unknown) => {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    });
}

/** A descendant that has ended meanwhile is not an error. */
async function cancelDescendant(client: Client, id: string, reason: string | undefined): Promise<void> {
  await steer(client, workflowId(id), 'cancel', reason).catch((error: unknown) => {
    if (!hasCode(error, 'EXECUTION_OVER')) throw error;
  });
}

/**
 * Workflow ids of the running descendants, nearest first; parts of a loop in separate workflows are between a
 * caller and its children. Visibility has the children of all runs of a chain, but with a delay; a description has
 * those of its run without delay.
 *
 * @param detached includes detached children and their descendants
 */
async function runningFamily(
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
    ids.push(...level.map(({ workflowId: name }) => name));
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

async function described(
  client: Client,
  id: string,
  runId?: string,
): Promise<WorkflowExecutionDescription | undefined> {
  try {
    return await client.workflow.getHandle(id, runId).describe();
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
