/** How executions, queues and search attributes are called in Temporal (DESIGN.md section 3, Ids). */
import { randomInt } from 'node:crypto';
import { defineSearchAttributeKey } from '@temporalio/common';

/** The workflow type that interprets a Plan. */
export const WORKFLOW_TYPE = 'playbook';

/** The queue on which workflow tasks are polled; every tool kind has a queue of its own. */
export const WORKFLOW_TASK_QUEUE = 'noetl-workflows';

const WORKFLOW_ID_PREFIX = 'noetl-';

/** The queue of a tool kind, perhaps of a pool of workers set apart for it (D27). */
export function taskQueue(kind: string, pool?: string): string {
  return pool ? `noetl-${pool}-${kind}` : `noetl-${kind}`;
}

/** @example workflowId('287146398761160704') // 'noetl-287146398761160704' */
export function workflowId(executionId: string): string {
  return WORKFLOW_ID_PREFIX + executionId;
}

/** The execution id inside a workflow id; undefined when the workflow is not one of ours. */
export function executionIdOf(id: string): string | undefined {
  const match = /^noetl-([1-9]\d{0,18})$/.exec(id);
  return match?.[1];
}

/** 2024-01-01T00:00:00Z. 41 bits of milliseconds from here last until 2093. */
const EPOCH_MS = 1_704_067_200_000;
const LOW_BITS = 22;
const LOW_RANGE = 2 ** LOW_BITS;

let lastExecutionId = 0n;

/**
 * A new execution id: the decimal string of a positive 63-bit integer (it fits a Postgres BIGINT), milliseconds since
 * 2024 in the high 41 bits, random bits below. Ids of one process always grow, also when the clock steps back, so two
 * are never equal.
 *
 * @param now milliseconds since 1970
 * @param random a number in [0, 1)
 */
export function newExecutionId(
  now: number = Date.now(),
  random: number = randomInt(LOW_RANGE) / LOW_RANGE,
): string {
  const high = BigInt(Math.max(1, Math.floor(now) - EPOCH_MS));
  const drawn = (high << BigInt(LOW_BITS)) | BigInt(Math.floor(random * LOW_RANGE) % LOW_RANGE);
  lastExecutionId = drawn > lastExecutionId ? drawn : lastExecutionId + 1n;
  return lastExecutionId.toString();
}

/** `metadata.path` of the playbook. */
export const NOETL_PLAYBOOK = defineSearchAttributeKey('NoetlPlaybook', 'KEYWORD');
/** `metadata.version` of the playbook. */
export const NOETL_VERSION = defineSearchAttributeKey('NoetlVersion', 'KEYWORD');
/** running, completed, failed or cancelled: set at start and end only, an upsert per step would cost history. */
export const NOETL_STATUS = defineSearchAttributeKey('NoetlStatus', 'KEYWORD');

export const SEARCH_ATTRIBUTE_KEYS = [NOETL_PLAYBOOK, NOETL_VERSION, NOETL_STATUS] as const;

/** Where the Temporal UI shows a run. `ui` is the address of the UI, e.g. `http://127.0.0.1:8233`. */
export function uiUrl(ui: string, namespace: string, id: string, runId?: string): string {
  const base = `${ui.replace(/\/+$/, '')}/namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(id)}`;
  return runId ? `${base}/${encodeURIComponent(runId)}/history` : base;
}
