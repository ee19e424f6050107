/** Names that workflow code and the outside must agree on. */

/** The workflow type of a Plan that is given as it is; executions have the path of their playbook (`workflowTypeOf`). */
export const WORKFLOW_TYPE = 'playbook';

/** Of the types of workflows that are no executions: no path begins with it. */
export const INTERNAL_PREFIX = 'noetl:';

/** The queue on which workflow tasks are polled; every tool kind has a queue of its own. */
export const WORKFLOW_TASK_QUEUE = 'noetl-workflows';

/** As an activity type and an activity id: the check of the keychain before the first step. */
export const KEYCHAIN_KIND = 'keychain';

/** The pool of every worker that is not set apart: `pool: default` undoes the pool of the executor. */
export const DEFAULT_POOL = 'default';

/** The kind whose workers check keychains too: they look secrets up. */
export const KEYCHAIN_CHECKER = 'secrets';

/** The queue of a tool kind, perhaps of a pool of workers set apart for it. */
export function taskQueue(kind: string, pool?: string): string {
  if (kind === KEYCHAIN_KIND) return taskQueue(KEYCHAIN_CHECKER);
  return pool && pool !== DEFAULT_POOL ? `noetl-${pool}-${kind}` : `noetl-${kind}`;
}

/** An item of a loop as messages name it: people count from one, expressions from zero. */
export function itemName(index: number): string {
  return `item ${index + 1} (index ${index})`;
}

const WORKFLOW_ID_PREFIX = 'noetl-';

/** @example workflowId('287146398761160704') // 'noetl-287146398761160704' */
export function workflowId(executionId: string): string {
  return WORKFLOW_ID_PREFIX + executionId;
}

/** The execution id inside a workflow id; undefined when the workflow is not one of ours. */
export function executionIdOf(id: string): string | undefined {
  return /^noetl-([1-9]\d{0,18})$/.exec(id)?.[1];
}

/** The workflow type that runs one task which may take long. */
export const TASK_WORKFLOW_TYPE = `${INTERNAL_PREFIX}task`;

/** @param caller the workflow whose task it is */
export function taskWorkflowId(caller: string, taskRunId: string): string {
  return `${caller}/${taskRunId}`;
}

/** The workflow type that runs a part of a loop. */
export const CHUNK_WORKFLOW_TYPE = `${INTERNAL_PREFIX}chunk`;

/** @param ref what the engine calls a chunk outside of itself */
export function chunkWorkflowId(executionId: string, ref: string): string {
  return `${workflowId(executionId)}:${ref}`;
}

/** The reference inside the workflow id of a chunk; undefined for any other workflow. */
export function chunkRefOf(id: string): string | undefined {
  return /^noetl-[1-9]\d{0,18}:(.+)$/.exec(id)?.[1];
}

/** Summary of the timer for which a run waits, before it closes, for what Temporal has not heard yet: no input of ours. */
export const CLOSING_TIMER = 'closing';

/** 2024-01-01T00:00:00Z. 41 bits of milliseconds from here last until 2093. */
const EPOCH_MS = 1_704_067_200_000;
const LOW_BITS = 22;
/** The low part of an execution id is below this. */
export const EXECUTION_ID_RANGE = 2 ** LOW_BITS;

/**
 * An execution id: a positive 63-bit integer (it fits a Postgres BIGINT), milliseconds since 2024 in the high 41 bits.
 *
 * @param at milliseconds since 1970
 * @param low a whole number from 0, below EXECUTION_ID_RANGE
 */
export function executionIdAt(at: number, low: number): bigint {
  const high = BigInt(Math.max(1, Math.floor(at) - EPOCH_MS));
  return (high << BigInt(LOW_BITS)) | BigInt(low);
}

/** Half of the ids that are never an `executionIdAt` before 2058, so that one tells whether it was drawn. */
const DRAWN_FROM = 2n ** 62n;

/** The execution id of a workflow that was not started by us. @param random 64 bits, always the same of one workflow */
export function drawnExecutionId(random: bigint): string {
  return (DRAWN_FROM + (random % 2n ** 61n)).toString();
}

export function isDrawn(executionId: string): boolean {
  return BigInt(executionId) >= DRAWN_FROM;
}

/** The queue of the activity that turns the path of a sub-playbook into its Plan. */
export const PLAYBOOK_TASK_QUEUE = 'noetl-playbooks';
/** The type of that activity. */
export const RESOLVE_ACTIVITY = 'resolvePlaybook';

/** As a queue and an activity type: one iteration's whole pipeline in one activity. */
export const LOCAL_KIND = 'local';

/** Search attributes of an execution, all keywords. */
export const SEARCH_ATTRIBUTES = {
  playbook: 'NoetlPlaybook',
  version: 'NoetlVersion',
  /** The execution id, where the workflow id does not say it. */
  execution: 'NoetlExecution',
  /** running, completed, failed or cancelled: written at start and end only, an upsert a step would cost history. */
  status: 'NoetlStatus',
} as const;

/**
 * List filter of executions. By queue and status, which every execution notes itself and nothing else has: the parts of
 * loops, long tasks and what schedules start are workflows as well.
 */
export const EXECUTIONS = `TaskQueue = '${WORKFLOW_TASK_QUEUE}' AND ${SEARCH_ATTRIBUTES.status} IS NOT NULL`;
