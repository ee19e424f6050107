/** Starts the workflow that interprets a plan. */
import { type Client, type WorkflowHandle } from '@temporalio/client';
import { TypedSearchAttributes, WorkflowIdReusePolicy } from '@temporalio/common';
import { inlineBytesOf, workflowArguments } from '../../storage/payloads';
import {
  catalogMemo,
  type JsonObject,
  labelPairs,
  type RunLabels,
  plainSecretInputs,
  type Plan,
  type RerunMemo,
  type Secrets,
  shownPlace,
  STARTED_STATUS,
  type TriggerMemo,
  workflowTypeOf,
} from '../../language/plan';
import { EnvironmentError, messageOf } from '../../language/errors';
import {
  newExecutionId,
  NOETL_LABELS,
  NOETL_PLAYBOOK,
  NOETL_STATUS,
  NOETL_VERSION,
  WORKFLOW_TASK_QUEUE,
  workflowId,
} from './naming';
import { attributesMissing, isUnknownAttribute } from './visibility';

export interface StartedExecution {
  readonly id: string;
  readonly handle: WorkflowHandle;
  readonly runId: string;
}

/** The input of an execution: a plan and its payload, or a state to resume from (`PlaybookInput`). */
export interface StartInput {
  readonly plan: Plan;
  readonly payload?: JsonObject;
  /** References behind the payload's handles (`sealPayload` of src/storage/sealed). */
  readonly secrets?: Secrets;
  /** `PlaybookInput` */
  readonly returnResult?: true;
  /** The task queue of a process that resolves this execution's sub-playbooks instead of the common queue. */
  readonly resolver?: string;
}

/** The origin of a submission, for the memo of its workflow. */
export interface StartOrigin {
  /** The execution that requested it without being its caller. */
  readonly parentExecutionId?: string;
  /** Of a call that is none of Temporal's: how deep it is, and the workflow that its callers began with. */
  readonly calledFrom?: CalledFrom;
  /** The message that started it. */
  readonly trigger?: TriggerMemo;
  /** Beside those of the playbook. */
  readonly labels?: RunLabels;
  /** The execution that it repeats. */
  readonly rerun?: RerunMemo['noetl_rerun'];
  /** In which its tasks wait for workers, with others of the same name; default: one of its own. */
  readonly turn?: string;
}

export interface CalledFrom {
  readonly depth: number;
  readonly family: string;
}

/** Data for lists of executions, which are shown without reading histories. */
function memoOf(
  plan: Plan,
  { parentExecutionId, calledFrom, trigger, rerun }: StartOrigin,
): Record<string, unknown> {
  return {
    ...catalogMemo(plan),
    ...(parentExecutionId !== undefined && {
      noetl_caller: { execution_id: parentExecutionId, ...calledFrom },
    }),
    ...(trigger && { noetl_trigger: trigger }),
    ...(rerun && { noetl_rerun: rerun }),
  };
}

/**
 * Starts an execution, findable by playbook, version and status. Its workflow type is the path of the playbook.
 *
 * @throws EnvironmentError `INPUT_TOO_LARGE` if Temporal rejects the input for its size, `SECRET_INPUT` for an
 *   unsealed value of a secret input, which history would store, `SEARCH_ATTRIBUTES_MISSING`;
 *   WorkflowExecutionAlreadyStartedError if the id is taken
 */
export async function startExecution(
  client: Client,
  input: StartInput,
  id: string = newExecutionId(),
  origin: StartOrigin = {},
): Promise<StartedExecution> {
  const { plan } = input;
  const { path, version, name, description } = plan.metadata;
  const labels = labelPairs({ ...plan.metadata.labels, ...origin.labels });
  refuseSecrets(input);
  const options = {
    workflowId: workflowId(id),
    workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
    memo: memoOf(plan, origin),
    taskQueue: WORKFLOW_TASK_QUEUE,
    // Workflow tasks take turns too, and all that it starts inherits the turn; what one bulk starts shares one.
    priority: { fairnessKey: origin.turn ?? origin.rerun?.bulk_id ?? workflowId(id) },
    args: workflowArguments(input, inlineBytesOf(plan)),
    staticSummary: name,
    ...(description ? { staticDetails: description } : {}),
    typedSearchAttributes: new TypedSearchAttributes([
      { key: NOETL_PLAYBOOK, value: path },
      ...(version === undefined ? [] : [{ key: NOETL_VERSION, value: version }]),
      ...(labels.length === 0 ? [] : [{ key: NOETL_LABELS, value: labels }]),
      { key: NOETL_STATUS, value: STARTED_STATUS },
    ]),
  };
  const handle = await client.workflow.start(workflowTypeOf(path), options).catch((error: unknown) => {
    if (isUnknownAttribute(errorText(error))) throw attributesMissing(error);
    if (!/Blob data size exceeds limit/.test(errorText(error))) throw error;
    throw new EnvironmentError(
      'INPUT_TOO_LARGE',
      'the playbook and its inputs are larger than the limit of Temporal (2 MiB together)',
      ['Configure a storage for large values: NOETL_STORAGE (docs/large-results.md).'],
    );
  });
  return { id, handle, runId: handle.firstExecutionRunId };
}

/** The server's message, which the client wraps. */
function errorText(error: unknown): string {
  return messageOf((error as Error).cause ?? error);
}

function refuseSecrets({ plan, payload = {} }: StartInput): void {
  const [place] = plainSecretInputs(plan, payload);
  if (place === undefined) return;
  throw new EnvironmentError(
    'SECRET_INPUT',
    `the input '${shownPlace(place)}' is secret, but history would record it`,
    ['Start it through the command line, the facade or the library, which encrypt secret inputs first.'],
  );
}
