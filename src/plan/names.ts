/** Names that workflow code and the outside must agree on. */

/** The workflow type that interprets a Plan. */
export const WORKFLOW_TYPE = 'playbook';

/** The queue on which workflow tasks are polled; every tool kind has a queue of its own. */
export const WORKFLOW_TASK_QUEUE = 'noetl-workflows';

/** The queue of a tool kind, perhaps of a pool of workers set apart for it (D27). */
export function taskQueue(kind: string, pool?: string): string {
  return pool ? `noetl-${pool}-${kind}` : `noetl-${kind}`;
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

/** Search attributes of an execution, all keywords. */
export const SEARCH_ATTRIBUTES = {
  playbook: 'NoetlPlaybook',
  version: 'NoetlVersion',
  /** running, completed, failed or cancelled: written at start and end only, an upsert a step would cost history. */
  status: 'NoetlStatus',
} as const;
