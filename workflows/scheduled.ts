/**
 * The target of a schedule. The workflow ids of a schedule end in a timestamp, so they cannot be those of executions:
 * this workflow resolves the playbook at firing time and runs it as a child with an ordinary execution id.
 *
 * It lives until the execution has ended, because the schedule's policies depend on it: whether one is still running
 * (overlap), how it ended (pause on failure), and what to cancel. Its history has some twenty events, whatever the
 * playbook does. Since the workflow is durable, one firing is one execution, across Temporal's retries, worker crashes
 * and catch-ups after an outage.
 */
import {
  ChildWorkflowCancellationType,
  ParentClosePolicy,
  scheduleActivity,
  startChild,
  upsertMemo,
  uuid4,
  WorkflowIdReusePolicy,
  workflowInfo,
} from '@temporalio/workflow';
import { ApplicationFailure, defineSearchAttributeKey } from '@temporalio/common';
import {
  catalogMemo,
  compact,
  EXECUTION_ID_RANGE,
  executionIdAt,
  type JsonObject,
  plainSecretInputs,
  type Plan,
  PLAYBOOK_TASK_QUEUE,
  RESOLVE_ACTIVITY,
  type ResolveRequest,
  type ScheduledInput,
  type ScheduledRun,
  type ScheduleMemo,
  shownPlace,
  workflowId,
  workflowTypeOf,
  wrongInputs,
} from '../src/language/plan';
import { inlineBytesOf, workflowArguments } from '../src/storage/payloads';
import { startAttributes } from './attributes';
import { RESOLVING } from './crashes';
import { fairly } from './effects';

/**
 * @throws whatever ended the execution: its failure, its cancellation; ActivityFailure when there is no such playbook;
 * ApplicationFailure `SECRET_INPUT`, `WORKLOAD_INVALID`
 */
export async function scheduled(input: ScheduledInput): Promise<ScheduledRun> {
  const { path, version } = input;
  const scheduled_at = scheduledTime();
  const request: ResolveRequest = { path, version, ...compact({ schedule: attributes().get(SCHEDULED_BY) }) };
  const plan = await scheduleActivity<Plan>(RESOLVE_ACTIVITY, [request], {
    activityId: 'resolve',
    taskQueue: PLAYBOOK_TASK_QUEUE,
    summary: `resolve ${path}`,
    ...RESOLVING,
  });
  // Both belong to the workflow, not to the process: the same in every replay.
  const execution_id = String(executionIdAt(Date.now(), Number.parseInt(uuid4(), 16) % EXECUTION_ID_RANGE));
  const run: ScheduledRun = { execution_id, scheduled_at };
  const payload =
    input.timeAs === undefined ? input.payload : { ...input.payload, [input.timeAs]: scheduled_at };
  refuseSecrets(plan, payload);
  refuseWrong(plan, payload);
  const child = await startChild(workflowTypeOf(plan.metadata.path), {
    args: workflowArguments({ plan, payload }, inlineBytesOf(plan)),
    workflowId: workflowId(execution_id),
    workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
    // A schedule that ends a running workflow means the execution, which then stops its tools.
    parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
    cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
    staticSummary: plan.metadata.name,
    ...fairly(),
    memo: { noetl_schedule: memoOf(input, scheduled_at), ...catalogMemo(plan) },
    typedSearchAttributes: startAttributes({
      ...plan.metadata,
      labels: { ...plan.metadata.labels, ...input.labels },
    }),
  });
  upsertMemo({ noetl_run: run });
  await child.result();
  return run;
}

function memoOf({ schedule, on, deadline }: ScheduledInput, scheduled_at: string | null): ScheduleMemo {
  return { schedule, scheduled_at, ...compact({ on, deadline }) };
}

/** A schedule's inputs are not encrypted, and would enter the execution's history too. */
function refuseSecrets(plan: Plan, payload: JsonObject): void {
  const [place] = plainSecretInputs(plan, payload);
  if (place === undefined) return;
  throw ApplicationFailure.nonRetryable(
    `the input '${shownPlace(place)}' is secret, and a schedule stores its payload unencrypted: ` +
      'let the playbook read it from its keychain',
    'SECRET_INPUT',
  );
}

/** Checked like a submission. Plans of earlier releases declare no inputs, so their histories replay. */
function refuseWrong({ inputs, metadata }: Plan, payload: JsonObject): void {
  const wrong = wrongInputs(inputs, payload);
  if (wrong.length === 0) return;
  const problems = wrong.map(({ at, message }) => `${at} ${message}`).join('; ');
  throw ApplicationFailure.nonRetryable(
    `playbook ${metadata.path} does not accept this input: ${problems}`,
    'WORKLOAD_INVALID',
  );
}

/** The time the schedule intended, possibly long ago: a backfill or a catch-up. */
function scheduledTime(): string | null {
  return attributes().get(SCHEDULED_AT)?.toISOString() ?? null;
}

/** Set by Temporal's schedules. */
const SCHEDULED_BY = defineSearchAttributeKey('TemporalScheduledById', 'KEYWORD');
const SCHEDULED_AT = defineSearchAttributeKey('TemporalScheduledStartTime', 'DATETIME');

function attributes() {
  return workflowInfo().typedSearchAttributes;
}
