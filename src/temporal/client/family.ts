/** An execution's descendants: executions it called, directly or indirectly. */
import { type Client, type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode } from '../../language/errors';
import {
  CASCADE_DONE_SIGNAL,
  CASCADE_WORKFLOW_TYPE,
  type CascadeInput,
  cascadeWorkflowId,
  compact,
  groupBy,
} from '../../language/plan';
import { inParallel } from '../../language/plan/in-parallel';
import { executionNotFound } from './chain';
import { executionOver, steer } from './control';
import { describedIfThere } from './described';
import { executionIdIn } from './locate';
import { executionIdOf, WORKFLOW_TASK_QUEUE, workflowId } from './naming';
import { eachVisible, quotedQueryText, type VisibleExecution } from './visibility';

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

/** Milliseconds between two looks for members that are not cancelled yet, and for all looks. */
const [ROUND_MS, ROUNDS_MS] = [500, 60_000];
/** Looks that find none, after which there are none: Temporal's list is behind, the more the busier the server is. */
const [QUIET_ROUNDS, QUIET_WHILE_OPEN] = [2, 10];
/** Requests to the server at once. */
const AT_ONCE = 20;

/**
 * Cancels an execution and its descendants, with `cascade` also those of one that has ended. It does not wait for
 * their ends.
 *
 * @param id the workflow id
 * @returns the execution ids of all affected executions, the requested one first
 * @throws CodedError `EXECUTION_NOT_FOUND`, `EXECUTION_OVER`: it has already ended, and nothing that it started runs
 */
export async function cancelFamily(
  client: Client,
  id: string,
  { reason, cascade }: FamilyCancel,
): Promise<readonly string[]> {
  const root = await describedIfThere(client, id);
  if (!root) throw executionNotFound(id);
  const own = executionIdIn(root) ?? id;
  const isOver = !isRunning(root);
  // First: what starts meanwhile is refused, so that the family only gets smaller.
  if (cascade) await mark(client, { executionId: own, ...compact({ reason }) });
  if (!isOver) await steer(client, id, 'cancel', reason);
  else if (!cascade) throw executionOver(id, root.status.name.toLowerCase());
  if (!cascade) return [own, ...executionsOf(await runningFamily(client, root, { detached: false }))];
  const family = await cancelDescendants(client, root, reason);
  // A mark that does not hear of it looks for itself.
  await client.workflow
    .getHandle(cascadeWorkflowId(own))
    .signal(CASCADE_DONE_SIGNAL)
    .catch(() => undefined);
  if (isOver && family.length === 0) throw executionOver(id, root.status.name.toLowerCase());
  return [own, ...family];
}

/**
 * Cancels what of a family is not being cancelled: whoever was to cancel it may have ended meanwhile. Safe to repeat.
 */
export async function finishCascade(client: Client, { executionId, reason }: CascadeInput): Promise<void> {
  const root = await describedIfThere(client, workflowId(executionId));
  if (!root) return;
  if (isRunning(root) && !isAskedToCancel(root)) await steer(client, root.workflowId, 'cancel', reason);
  await cancelDescendants(client, root, reason);
}

function isAskedToCancel({ raw }: Pick<Partial<WorkflowExecutionDescription>, 'raw'>): boolean {
  return raw?.workflowExtendedInfo?.cancelRequested === true;
}

/** From then on, the resolver of sub-playbooks refuses what the execution calls, directly or indirectly. */
async function mark(client: Client, input: CascadeInput): Promise<void> {
  const { executionId } = input;
  await client.workflow.start(CASCADE_WORKFLOW_TYPE, {
    workflowId: cascadeWorkflowId(executionId),
    args: [input],
    taskQueue: WORKFLOW_TASK_QUEUE,
    workflowIdConflictPolicy: 'USE_EXISTING',
    startDelay: ROUNDS_MS,
    staticSummary: `execution ${executionId} is cancelled with all that it started`,
  });
}

/**
 * All are asked at once, callers before what they called: on a busy server, a request that goes from caller to caller
 * takes a while for each of them. In rounds while there are detached ones, which Temporal's list shows late; what a
 * caller waits for is cancelled by it as well.
 */
async function cancelDescendants(
  client: Client,
  root: WorkflowExecutionDescription,
  reason: string | undefined,
): Promise<string[]> {
  const seen = new Set<string>();
  const end = Date.now() + ROUNDS_MS;
  let mayGrow = !isRunning(root);
  for (let quiet = 0; ; await sleep(ROUND_MS)) {
    const family = await runningFamily(client, root, { detached: true });
    const fresh = family.filter(({ name }) => !seen.has(name));
    for (const { name } of fresh) seen.add(name);
    const callers = new Set(family.map(({ name }) => name));
    if (isRunning(root)) callers.add(root.workflowId);
    const isAwaited = ({ isDetached, parent = '' }: Member): boolean => !isDetached && callers.has(parent);
    mayGrow ||= !fresh.every(isAwaited);
    // Parts of an execution are stopped by their owner.
    const isAsked = (one: Member): boolean =>
      !one.isCancelling && (executionIdOf(one.name) !== undefined || !isAwaited(one));
    for (const level of levelsOf(fresh))
      await inParallel(AT_ONCE, level.filter(isAsked), ({ name }) => cancelMember(client, name, reason));
    quiet = fresh.length === 0 ? quiet + 1 : 0;
    const patience = family.length === 0 ? QUIET_ROUNDS : QUIET_WHILE_OPEN;
    if (!mayGrow || quiet > patience || Date.now() > end)
      return [...seen].flatMap((name) => executionIdOf(name) ?? []);
  }
}

/** Callers before those that they called. */
function* levelsOf(members: readonly Member[]): Generator<readonly Member[], void> {
  for (let left = members; left.length > 0;) {
    const names = new Set(left.map(({ name }) => name));
    const level = left.filter(({ parent = '' }) => !names.has(parent));
    yield level;
    const above = new Set(level);
    left = left.filter((one) => !above.has(one));
  }
}

/** The reason first, as `steer` sends it. A descendant that has ended meanwhile is not an error. */
async function cancelMember(client: Client, name: string, reason: string | undefined): Promise<void> {
  const handle = client.workflow.getHandle(name);
  try {
    if (reason !== undefined) await handle.signal('cancel', { reason });
    await handle.cancel();
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
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
  const root = await describedIfThere(client, workflow.workflowId, workflow.runId);
  if (!root) throw executionNotFound(workflow.workflowId);
  if (!isRunning(root)) throw executionOver(workflow.workflowId, root.status.name.toLowerCase());
  const family = await runningFamily(client, root, { detached: cascade });
  const executions = executionsOf(family);
  await inParallel(AT_ONCE, executions, (one) => cancelMember(client, workflowId(one), reason));
  if (patienceMs !== undefined) await endOfAll(client, executions, patienceMs);
  const left = new Set(patienceMs === undefined ? executions.map(workflowId) : []);
  // The farthest first: what a parent would do about the end of its child must not happen any more.
  for (const { name } of family.filter((one) => !left.has(one.name)).reverse())
    await terminate(client, name, reason);
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
    const looks = await Promise.all(left.map((id) => describedIfThere(client, workflowId(id))));
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

/** A descendant, or a part of one. */
interface Member {
  readonly name: string;
  readonly isRunning: boolean;
  readonly isDetached: boolean;
  /** Somebody has asked it to cancel, as far as its description is known. */
  readonly isCancelling: boolean;
  /** Its children that run, as its description has them. */
  readonly pending: readonly string[];
  readonly parent?: string;
}

function executionsOf(family: readonly Member[]): string[] {
  return family.flatMap(({ name }) => executionIdOf(name) ?? []);
}

/**
 * The running descendants, nearest first; parts of a loop in separate workflows are between a caller and its
 * children. Visibility has the children of all runs of a chain, but with a delay; a description has those of its run
 * without delay.
 *
 * @param detached includes detached children and their descendants, whether or not their callers still run
 */
async function runningFamily(
  client: Client,
  root: WorkflowExecutionDescription,
  { detached }: { readonly detached: boolean },
): Promise<readonly Member[]> {
  const listed = await listedFamily(client, root, detached);
  const children = groupBy([...listed.values()], ({ parent }) => parent ?? '');
  const family = new Map<string, Member>();
  for (let level: readonly Member[] = [memberOf(root)]; level.length > 0;) {
    const names = level
      .flatMap(({ name, pending }) => [...(children.get(name) ?? []).map((one) => one.name), ...pending])
      .filter((name) => name !== root.workflowId && !family.has(name));
    const members = await membersAt(client, [...new Set(names)], listed);
    level = members.filter((one) => detached || (one.isRunning && !one.isDetached));
    for (const one of level) family.set(one.name, one);
  }
  // Of callers that have ended: all that began with the root is its family.
  if (detached && isHead(root))
    for (const one of listed.values()) if (!family.has(one.name)) family.set(one.name, one);
  return [...family.values()].filter((one) => one.isRunning);
}

/** So many are asked themselves for their children; those of more are read from the list. */
const DESCRIBED = 100;

async function membersAt(
  client: Client,
  names: readonly string[],
  listed: ReadonlyMap<string, Member>,
): Promise<Member[]> {
  const isAsked = (entry: Member | undefined): boolean =>
    !entry || (entry.isRunning && names.length <= DESCRIBED);
  const members = await inParallel(AT_ONCE, names, async (name) => {
    const entry = listed.get(name);
    if (!isAsked(entry)) return entry;
    const description = await describedIfThere(client, name);
    return description && memberOf(description);
  });
  return members.filter((one) => one !== undefined);
}

/** All of a family is queried at once: those that run, and those that have ended where they lead to others. */
async function listedFamily(
  client: Client,
  root: WorkflowExecutionDescription,
  detached: boolean,
): Promise<ReadonlyMap<string, Member>> {
  const head = root.rootExecution?.workflowId ?? root.workflowId;
  const among = detached && !isHead(root) ? '' : " AND ExecutionStatus = 'Running'";
  const listed = new Map<string, Member>();
  for await (const one of eachVisible(client, `RootWorkflowId = ${quotedQueryText(head)}${among}`)) {
    // Of a chain, the run that goes on.
    if (one.workflowId !== root.workflowId && !listed.get(one.workflowId)?.isRunning)
      listed.set(one.workflowId, memberOf(one));
  }
  return listed;
}

/** Whether its family began with it. */
function isHead({ rootExecution, workflowId: name }: WorkflowExecutionDescription): boolean {
  return (rootExecution?.workflowId ?? name) === name;
}

function memberOf(one: VisibleExecution & { readonly raw?: WorkflowExecutionDescription['raw'] }): Member {
  return {
    name: one.workflowId,
    isRunning: isRunning(one),
    isDetached: (one.memo as Memo | undefined)?.noetl_caller?.detached === true,
    isCancelling: isAskedToCancel(one),
    pending: (one.raw?.pendingChildren ?? []).flatMap((child) => child.workflowId ?? []),
    ...compact({ parent: one.parentExecution?.workflowId ?? undefined }),
  };
}

function isRunning({ status }: Pick<VisibleExecution, 'status'>): boolean {
  return status.name === 'RUNNING';
}
