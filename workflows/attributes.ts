/**
 * Search attributes by which lists find an execution. The starter sets those it knows; the execution adds the rest, so
 * that executions started with the `temporal` CLI are found as well. Workers register the attributes in the namespace.
 */
import { upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import {
  defineSearchAttributeKey,
  type SearchAttributePair,
  TypedSearchAttributes,
} from '@temporalio/common';
import { executionIdFor } from '../src/engine/machine';
import { executionIdOf, isPlaybookPath, SEARCH_ATTRIBUTES } from '../src/language/plan';

interface About {
  readonly path?: unknown;
  readonly version?: unknown;
}

const [PLAYBOOK, VERSION, STATUS, EXECUTION] = [
  SEARCH_ATTRIBUTES.playbook,
  SEARCH_ATTRIBUTES.version,
  SEARCH_ATTRIBUTES.status,
  SEARCH_ATTRIBUTES.execution,
].map((name) => defineSearchAttributeKey(name, 'KEYWORD'));

/** SQL-based visibility stores 255 characters of a keyword and rejects longer ones. */
const MAX_VERSION_LENGTH = 200;

function pairsOf({ path, version }: About): SearchAttributePair[] {
  return [
    // A call may name something that is not a playbook path.
    ...(isPlaybookPath(path) ? [{ key: PLAYBOOK!, value: path }] : []),
    ...(typeof version === 'string' ? [{ key: VERSION!, value: version.slice(0, MAX_VERSION_LENGTH) }] : []),
  ];
}

/** Attributes for starting a child. */
export function startAttributes(about: About): TypedSearchAttributes {
  return new TypedSearchAttributes([...pairsOf(about), { key: STATUS!, value: 'running' }]);
}

/** Adds the attributes that the start did not set. */
export function recordStart(about: About): void {
  const { typedSearchAttributes: attributes, workflowId, firstExecutionRunId } = workflowInfo();
  const missing = pairsOf(about).filter(({ key, value }) => attributes.get(key) !== value);
  if (attributes.get(STATUS!) === undefined) missing.push({ key: STATUS!, value: 'running' });
  if (executionIdOf(workflowId) === undefined && attributes.get(EXECUTION!) === undefined)
    missing.push({ key: EXECUTION!, value: executionIdFor(workflowId, firstExecutionRunId) });
  if (missing.length > 0) upsertSearchAttributes(missing);
}

export function recordEnd(status: string): void {
  upsertSearchAttributes([{ key: STATUS!, value: status }]);
}
