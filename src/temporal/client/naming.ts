/** Names of executions, queues and search attributes in Temporal. */
import { randomInt } from 'node:crypto';
import { defineSearchAttributeKey } from '@temporalio/common';
import { EXECUTION_ID_RANGE, executionIdAt, SEARCH_ATTRIBUTES } from '../../language/plan/names';

export {
  EXECUTIONS,
  executionIdOf,
  taskQueue,
  WORKFLOW_TASK_QUEUE,
  WORKFLOW_TYPE,
  workflowId,
} from '../../language/plan/names';

let lastExecutionId = 0n;

/**
 * A new execution id: the decimal string of a positive 63-bit integer (it fits a Postgres BIGINT), milliseconds
 * since 2024 in the high 41 bits, random bits below. Ids of one process always increase, even if the clock steps
 * back, so two are never equal.
 *
 * @param now milliseconds since 1970
 * @param random a number in [0, 1)
 */
export function newExecutionId(
  now: number = Date.now(),
  random: number = randomInt(EXECUTION_ID_RANGE) / EXECUTION_ID_RANGE,
): string {
  const drawn = executionIdAt(now, Math.floor(random * EXECUTION_ID_RANGE) % EXECUTION_ID_RANGE);
  lastExecutionId = drawn > lastExecutionId ? drawn : lastExecutionId + 1n;
  return lastExecutionId.toString();
}

/** `metadata.path` of the playbook. */
export const NOETL_PLAYBOOK = defineSearchAttributeKey(SEARCH_ATTRIBUTES.playbook, 'KEYWORD');
/** `metadata.version` of the playbook. */
export const NOETL_VERSION = defineSearchAttributeKey(SEARCH_ATTRIBUTES.version, 'KEYWORD');
/** The execution id, if it is not part of the workflow id. */
export const NOETL_EXECUTION = defineSearchAttributeKey(SEARCH_ATTRIBUTES.execution, 'KEYWORD');
/**
 * running, completed, failed or cancelled: set only at start and end, because an upsert per step would enlarge the
 * history.
 */
export const NOETL_STATUS = defineSearchAttributeKey(SEARCH_ATTRIBUTES.status, 'KEYWORD');

/** `team=sales` for each label. */
export const NOETL_LABELS = defineSearchAttributeKey(SEARCH_ATTRIBUTES.labels, 'KEYWORD_LIST');
/** By `metadata.run_name`. */
export const NOETL_RUN_NAME = defineSearchAttributeKey(SEARCH_ATTRIBUTES.runName, 'KEYWORD');

export const SEARCH_ATTRIBUTE_KEYS = [
  NOETL_PLAYBOOK,
  NOETL_VERSION,
  NOETL_STATUS,
  NOETL_EXECUTION,
  NOETL_LABELS,
  NOETL_RUN_NAME,
] as const;

/** As the `temporal` command calls it. */
export function attributeType({ type }: (typeof SEARCH_ATTRIBUTE_KEYS)[number]): 'Keyword' | 'KeywordList' {
  return type === 'KEYWORD' ? 'Keyword' : 'KeywordList';
}

/** The command with which an administrator adds one. */
export function createAttribute(namespace: string, key: (typeof SEARCH_ATTRIBUTE_KEYS)[number]): string {
  const what = `--name ${key.name} --type ${attributeType(key)}`;
  return `temporal operator search-attribute create --namespace ${namespace} ${what}`;
}

/** A run's address in the Temporal UI. `ui` is the address of the UI, e.g. `http://127.0.0.1:8233`. */
export function uiUrl(ui: string, namespace: string, id: string, runId?: string): string {
  const base = `${ui.replace(/\/+$/, '')}/namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(id)}`;
  return runId ? `${base}/${encodeURIComponent(runId)}/history` : base;
}
