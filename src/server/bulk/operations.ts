/** Bulk operations as Temporal has them: start, progress, cancel, resume. All of it is read from history. */
import {
  type Client,
  type WorkflowExecutionDescription,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { WorkflowIdReusePolicy } from '@temporalio/common';
import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow';
import { type temporal } from '@temporalio/proto';
import { CodedError } from '../../language/errors';
import { fetchStored } from '../../history';
import {
  BULK_WORKFLOW_TYPE,
  bulkIdOf,
  type BulkInput,
  type BulkMemo,
  type BulkOutcome,
  type BulkVerb,
  bulkWorkflowId,
  isMapping,
} from '../../language/plan';
import {
  eachVisible,
  quotedQueryText,
  type VisibleExecution,
  WORKFLOW_TASK_QUEUE,
} from '../../temporal/client';

/** Executions handled per second unless the request says otherwise. */
export const USUAL_RATE = 10;
export const HIGHEST_RATE = 100;

interface BulkAsked extends Pick<BulkMemo['noetl_bulk'], 'where' | 'by'> {
  readonly input: Omit<BulkInput, 'outcomes'>;
}

export interface BulkSummary {
  readonly bulk_id: string;
  readonly verb: BulkVerb;
  /** running, completed, cancelled, failed, terminated or timed_out. */
  readonly status: string;
  readonly total: number;
  readonly where: string | null;
  readonly by: string | null;
  /** RFC 3339. */
  readonly started_at: string;
  readonly finished_at: string | null;
}

export interface BulkStanding extends BulkSummary {
  /** By outcome; `left` are not handled yet. */
  readonly counts: {
    readonly done: number;
    readonly skipped: number;
    readonly failed: number;
    readonly left: number;
  };
  /** In the order of the executions. */
  readonly outcomes: readonly BulkOutcome[];
}

/**
 * Starts an operation; starting it again under the same id changes nothing.
 *
 * @throws errors of the client
 */
export async function startBulk(client: Client, { input, where, by }: BulkAsked): Promise<void> {
  const { verb, executions } = input;
  const memo: BulkMemo = { noetl_bulk: { verb, total: executions.length, where, by } };
  await begin(client, input, memo, WorkflowIdReusePolicy.REJECT_DUPLICATE);
}

async function begin(
  client: Client,
  input: BulkInput,
  memo: BulkMemo,
  workflowIdReusePolicy: WorkflowIdReusePolicy,
): Promise<void> {
  try {
    await client.workflow.start(BULK_WORKFLOW_TYPE, {
      workflowId: bulkWorkflowId(input.bulk),
      workflowIdReusePolicy,
      taskQueue: WORKFLOW_TASK_QUEUE,
      args: [input],
      memo: { ...memo },
      staticSummary: `${input.verb} ${input.executions.length} executions`,
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

/** Latest start first; at most `count`. */
export async function listBulk(client: Client, count: number): Promise<BulkSummary[]> {
  const summaries: BulkSummary[] = [];
  const query = `WorkflowType = ${quotedQueryText(BULK_WORKFLOW_TYPE)} AND ExecutionStatus != 'ContinuedAsNew'`;
  for await (const info of eachVisible(client, query))
    if (isBulkMemo(info.memo)) summaries.push(summaryOf(info));
  return summaries.sort((a, b) => b.started_at.localeCompare(a.started_at)).slice(0, count);
}

/** @throws CodedError `BULK_NOT_FOUND`; `STORAGE_NOT_CONFIGURED`, `BLOB_UNAVAILABLE` */
export async function readBulk(client: Client, id: string): Promise<BulkStanding> {
  const { info, input, outcomes } = await read(client, id);
  const count = (outcome: BulkOutcome['outcome']): number =>
    outcomes.filter((one) => one.outcome === outcome).length;
  return {
    ...summaryOf(info),
    counts: {
      done: count('done'),
      skipped: count('skipped'),
      failed: count('failed'),
      left: input.executions.length - outcomes.length,
    },
    outcomes,
  };
}

/**
 * The batch under way is finished; the rest is left.
 *
 * @throws CodedError `BULK_NOT_FOUND`, `BULK_OVER`
 */
export async function cancelBulk(client: Client, id: string): Promise<void> {
  const { status } = await describe(client, id);
  if (status.name !== 'RUNNING') throw over(id, status.name.toLowerCase());
  await client.workflow.getHandle(bulkWorkflowId(id)).cancel();
}

/**
 * Continues one that was cancelled or terminated with the executions that are left; a running one just goes on.
 *
 * @throws CodedError `BULK_NOT_FOUND`, `BULK_OVER` if nothing is left
 */
export async function resumeBulk(client: Client, id: string): Promise<void> {
  const { info, input, outcomes } = await read(client, id);
  if (info.status.name === 'RUNNING') return;
  if (outcomes.length === input.executions.length) throw over(id, 'completed');
  const next = { ...input, outcomes };
  await begin(client, next, memoOf(info), WorkflowIdReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY);
}

/** The input of one Temporal run of an operation. @throws as `readBulk` */
export async function inputOfRun(client: Client, id: string, runId?: string): Promise<BulkInput> {
  const { namespace } = client.options;
  const { history } = await client.workflowService.getWorkflowExecutionHistory({
    namespace,
    execution: { workflowId: bulkWorkflowId(id), runId },
    maximumPageSize: 1,
  });
  return await inputIn(client, history?.events ?? []);
}

interface Read {
  readonly info: WorkflowExecutionDescription;
  readonly input: BulkInput;
  readonly outcomes: readonly BulkOutcome[];
}

/** The latest run: its input has the outcomes of those before it. */
async function read(client: Client, id: string): Promise<Read> {
  const info = await describe(client, id);
  const history = await client.workflow.getHandle(info.workflowId, info.runId).fetchHistory();
  const events = history.events ?? [];
  const input = await inputIn(client, events);
  const outcomes = [...(input.outcomes ?? [])];
  for (const event of events) {
    const { result } = event.activityTaskCompletedEventAttributes ?? {};
    if (!result) continue;
    const [batch] = await decoded(client, result.payloads);
    if (Array.isArray(batch)) outcomes.push(...batch);
  }
  return { info, input, outcomes };
}

async function inputIn(
  client: Client,
  events: readonly temporal.api.history.v1.IHistoryEvent[],
): Promise<BulkInput> {
  const payloads = events[0]?.workflowExecutionStartedEventAttributes?.input?.payloads;
  const [input] = await decoded(client, payloads);
  if (isBulkInput(input)) return input;
  throw new CodedError('HISTORY', 'this is not the history of a bulk operation');
}

function isBulkInput(value: unknown): value is BulkInput {
  return isMapping(value) && Array.isArray(value['executions']);
}

async function decoded(
  client: Client,
  payloads: temporal.api.common.v1.IPayload[] | null | undefined,
): Promise<unknown[]> {
  const converter = client.options.loadedDataConverter;
  return await decodeArrayFromPayloads(converter, await fetchStored(payloads ?? [], converter));
}

async function describe(client: Client, id: string): Promise<WorkflowExecutionDescription> {
  try {
    return await client.workflow.getHandle(bulkWorkflowId(id)).describe();
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    throw new CodedError('BULK_NOT_FOUND', `there is no bulk operation ${id}`, {
      hint: ['`noetl-temporal bulk list` shows those that the server still has.'],
      cause: error,
    });
  }
}

function over(id: string, status: string): CodedError {
  return new CodedError('BULK_OVER', `bulk operation ${id} has ended (${status})`, { details: { status } });
}

function summaryOf(info: VisibleExecution): BulkSummary {
  const { verb, total, where, by } = memoOf(info).noetl_bulk;
  return {
    bulk_id: bulkIdOf(info.workflowId) ?? info.workflowId,
    verb,
    status: info.status.name.toLowerCase(),
    total,
    where,
    by,
    started_at: info.startTime.toISOString(),
    finished_at: info.closeTime?.toISOString() ?? null,
  };
}

/** @throws CodedError `BULK_NOT_FOUND` for a workflow that somebody else started under this type */
function memoOf({ memo, workflowId }: VisibleExecution): BulkMemo {
  if (isBulkMemo(memo)) return memo;
  throw new CodedError('BULK_NOT_FOUND', `workflow ${workflowId} is not a bulk operation`);
}

function isBulkMemo(memo: object | undefined): memo is BulkMemo {
  return memo !== undefined && 'noetl_bulk' in memo;
}
