/** Names on which workflow code and the outside must agree. */
import { LIMIT_KIND } from './limits';

/** The workflow type that runs a given Plan; other executions have their playbook's path as type (`workflowTypeOf`). */
export const WORKFLOW_TYPE = 'playbook';

/** Prefix of workflow types that are not executions: no path begins with it. */
export const INTERNAL_PREFIX = 'noetl:';

/** The queue for workflow tasks; every tool kind has its own queue. */
export const WORKFLOW_TASK_QUEUE = 'noetl-workflows';

/** Activity type and activity id of the keychain check before the first step. */
export const KEYCHAIN_KIND = 'keychain';

/** The pool of workers without a dedicated pool: `pool: default` overrides the executor's pool. */
export const DEFAULT_POOL = 'default';

/** The kind whose workers also check keychains, because they resolve secrets. */
export const KEYCHAIN_CHECKER = 'secrets';

/** The queue of a tool kind, optionally of a dedicated worker pool. */
export function taskQueue(kind: string, pool?: string): string {
  if (kind === LIMIT_KIND) return WORKFLOW_TASK_QUEUE;
  if (kind === KEYCHAIN_KIND) return taskQueue(KEYCHAIN_CHECKER);
  return pool && pool !== DEFAULT_POOL ? `noetl-${pool}-${kind}` : `noetl-${kind}`;
}

/** The name of a step's only tool, if its author gave it none. */
export const onlyToolOf = (step: string): string => `${step}_task`;

/** A task as shown to people: `fetch/store_page`; a step's only tool without a name like the step: `fetch`. */
export const taskPath = (step: string, task: string): string =>
  task === '' || task === onlyToolOf(step) ? step : `${step}/${task}`;

/** A loop item as named in messages: people count from one, expressions from zero. */
export function itemName(index: number): string {
  return `item ${index + 1} (index ${index})`;
}

const WORKFLOW_ID_PREFIX = 'noetl-';

/** @example workflowId('287146398761160704') // 'noetl-287146398761160704' */
export function workflowId(executionId: string): string {
  return WORKFLOW_ID_PREFIX + executionId;
}

/** The execution id in a workflow id; undefined when the workflow is not one of ours. */
export function executionIdOf(id: string): string | undefined {
  return /^noetl-([1-9]\d{0,18})$/.exec(id)?.[1];
}

/** The workflow type that runs a single long task. */
export const TASK_WORKFLOW_TYPE = `${INTERNAL_PREFIX}task`;

/** @param caller the workflow that owns the task */
export function taskWorkflowId(caller: string, taskRunId: string): string {
  return `${caller}/${taskRunId}`;
}

/** The workflow type that runs a chunk of a loop. */
export const CHUNK_WORKFLOW_TYPE = `${INTERNAL_PREFIX}chunk`;

/** @param ref the chunk's external name */
export function chunkWorkflowId(executionId: string, ref: string): string {
  return `${workflowId(executionId)}:${ref}`;
}

/** The reference in the workflow id of a chunk; undefined for any other workflow. */
export function chunkRefOf(id: string): string | undefined {
  return /^noetl-[1-9]\d{0,18}:(.+)$/.exec(id)?.[1];
}

/** The workflow type of the mark that an execution was cancelled with all that it started. */
export const CASCADE_WORKFLOW_TYPE = `${INTERNAL_PREFIX}cascade`;

/** Activity type: cancels what whoever left the mark did not get to. It runs on the queue of workflow tasks. */
export const CASCADE_ACTIVITY = 'cascade';

/** Of the mark and of its activity: which execution was cancelled with all that it started. */
export interface CascadeInput {
  readonly executionId: string;
  readonly reason?: string;
}

/** Signal to the mark: whoever left it has cancelled them all. */
export const CASCADE_DONE_SIGNAL = 'done';

/** Milliseconds for which the mark holds: one that is reset later may call again. */
export const CASCADE_MS = 3_600_000;

export function cascadeWorkflowId(executionId: string): string {
  return `noetl-cascade:${executionId}`;
}

/** Summary of the timer that lets Temporal record pending facts before a run closes: not an input of the engine. */
export const CLOSING_TIMER = 'closing';

/** 2024-01-01T00:00:00Z. 41 bits of milliseconds from here last until 2093. */
const EPOCH_MS = 1_704_067_200_000;
const LOW_BITS = 22;
/** Upper bound (exclusive) of the low part of an execution id. */
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

/** The upper half of the ids, never produced by `executionIdAt` before 2058, which makes drawn ids recognisable. */
const DRAWN_FROM = 2n ** 62n;

/** The execution id of a workflow that was not started by us. @param random 64 bits, constant for one workflow */
export function drawnExecutionId(random: bigint): string {
  return (DRAWN_FROM + (random % 2n ** 61n)).toString();
}

export function isDrawn(executionId: string): boolean {
  return BigInt(executionId) >= DRAWN_FROM;
}

/** Deeper calls of playbooks by playbooks are treated as endless recursion. */
export const MAX_CALL_DEPTH = 32;

/** The queue of the activity that resolves a sub-playbook's path to its Plan. */
export const PLAYBOOK_TASK_QUEUE = 'noetl-playbooks';
/** The type of that activity. */
export const RESOLVE_ACTIVITY = 'resolvePlaybook';

/** Queue and activity type: the whole pipeline of one iteration in one activity. */
export const LOCAL_KIND = 'local';

/** Search attributes of an execution: keywords, and of labels a list of them. */
export const SEARCH_ATTRIBUTES = {
  playbook: 'NoetlPlaybook',
  version: 'NoetlVersion',
  /** The execution id, when it is not in the workflow id. */
  execution: 'NoetlExecution',
  /**
   * What Temporal's own status does not tell: `started`, unless it was `skipped`, or `cancelled` where that may be a failure for
   * Temporal. An execution that ends otherwise writes nothing at its end.
   */
  status: 'NoetlStatus',
  /** `team=sales` for each label. */
  labels: 'NoetlLabels',
  /** The name that `metadata.run_name` gives it. */
  runName: 'NoetlRunName',
} as const;

/** The status of an execution that a limit did not let run (`concurrency: skip`), for Temporal a completed one. */
export const SKIPPED_STATUS = 'skipped';
/** Of every other execution: Temporal's own status tells how it stands. */
export const STARTED_STATUS = 'started';

/**
 * List filter for executions. Uses queue and status, which every execution sets and nothing else has: chunks, long
 * tasks and the workflows of schedules are workflows too.
 */
export const EXECUTIONS = `TaskQueue = '${WORKFLOW_TASK_QUEUE}' AND ${SEARCH_ATTRIBUTES.status} IS NOT NULL`;
