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
import {
  executionIdOf,
  isPlaybookPath,
  labelPairs,
  type RunLabels,
  labelsIn,
  SEARCH_ATTRIBUTES,
  SKIPPED_STATUS,
  STARTED_STATUS,
} from '../src/language/plan';

interface About {
  readonly path?: unknown;
  readonly version?: unknown;
  /** Beside those that it has. */
  readonly labels?: RunLabels;
}

const [PLAYBOOK, VERSION, STATUS, EXECUTION] = [
  SEARCH_ATTRIBUTES.playbook,
  SEARCH_ATTRIBUTES.version,
  SEARCH_ATTRIBUTES.status,
  SEARCH_ATTRIBUTES.execution,
].map((name) => defineSearchAttributeKey(name, 'KEYWORD'));
const LABELS = defineSearchAttributeKey(SEARCH_ATTRIBUTES.labels, 'KEYWORD_LIST');
const RUN_NAME = defineSearchAttributeKey(SEARCH_ATTRIBUTES.runName, 'KEYWORD');

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
  return new TypedSearchAttributes([
    ...pairsOf(about),
    ...labelled(about.labels),
    { key: STATUS!, value: STARTED_STATUS },
  ]);
}

function labelled(labels: RunLabels = {}): SearchAttributePair[] {
  const value = labelPairs(labels);
  return value.length > 0 ? [{ key: LABELS, value }] : [];
}

/** Adds labels of the playbook that the start did not give. */
export function recordLabels(ofPlaybook: RunLabels | undefined): void {
  const given = workflowInfo().typedSearchAttributes.get(LABELS) ?? [];
  const labels = { ...ofPlaybook, ...labelsIn(given) };
  if (Object.keys(labels).length > given.length) upsertSearchAttributes(labelled(labels));
}

export function recordName(name: string | undefined): void {
  const { typedSearchAttributes } = workflowInfo();
  if (name && name !== typedSearchAttributes.get(RUN_NAME))
    upsertSearchAttributes([{ key: RUN_NAME, value: name }]);
}

/** Adds the attributes that the start did not set. */
export function recordStart(about: About): void {
  const { typedSearchAttributes: attributes, workflowId, firstExecutionRunId } = workflowInfo();
  const missing = pairsOf(about).filter(({ key, value }) => attributes.get(key) !== value);
  if (attributes.get(STATUS!) === undefined) missing.push({ key: STATUS!, value: STARTED_STATUS });
  if (executionIdOf(workflowId) === undefined && attributes.get(EXECUTION!) === undefined)
    missing.push({ key: EXECUTION!, value: executionIdFor(workflowId, firstExecutionRunId) });
  if (missing.length > 0) upsertSearchAttributes(missing);
}

/** Only where Temporal's own status does not tell. */
export function recordEnd(status: string): void {
  if (status === 'cancelled' || status === SKIPPED_STATUS)
    upsertSearchAttributes([{ key: STATUS!, value: status }]);
}
