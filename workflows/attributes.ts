/**
 * By what lists find an execution. Whoever starts one says it, where it is known; the execution adds what is missing, so
 * that those of the `temporal` CLI are found as well. Workers see to it that the namespace has the attributes.
 */
import { upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import {
  defineSearchAttributeKey,
  type SearchAttributePair,
  TypedSearchAttributes,
} from '@temporalio/common';
import { executionIdFor } from '../src/engine';
import { executionIdOf, isPlaybookPath, SEARCH_ATTRIBUTES } from '../src/plan';

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

/** Visibility on a database keeps 255 characters of a keyword, and refuses more. */
const MAX_VERSION_LENGTH = 200;

function pairsOf({ path, version }: About): SearchAttributePair[] {
  return [
    // What is no path of a playbook, a call may name all the same.
    ...(isPlaybookPath(path) ? [{ key: PLAYBOOK!, value: path }] : []),
    ...(typeof version === 'string' ? [{ key: VERSION!, value: version.slice(0, MAX_VERSION_LENGTH) }] : []),
  ];
}

/** For the start of a child. */
export function startAttributes(about: About): TypedSearchAttributes {
  return new TypedSearchAttributes([...pairsOf(about), { key: STATUS!, value: 'running' }]);
}

/** Notes what the start did not say. */
export function recordStart(about: About): void {
  const { typedSearchAttributes: known, workflowId, firstExecutionRunId } = workflowInfo();
  const missing = pairsOf(about).filter(({ key, value }) => known.get(key) !== value);
  if (known.get(STATUS!) === undefined) missing.push({ key: STATUS!, value: 'running' });
  if (executionIdOf(workflowId) === undefined && known.get(EXECUTION!) === undefined)
    missing.push({ key: EXECUTION!, value: executionIdFor(workflowId, firstExecutionRunId) });
  if (missing.length > 0) upsertSearchAttributes(missing);
}

export function recordEnd(status: string): void {
  upsertSearchAttributes([{ key: STATUS!, value: status }]);
}
