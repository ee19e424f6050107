/** A short description of an execution: a row of the list, the head of the detail page. */
import { isMapping, labelsIn, type RerunMemo, type TriggerMemo } from '../../../language/plan';
import {
  executionIdIn,
  executionIdOf,
  isSkipped,
  listedStatus,
  NOETL_LABELS,
  NOETL_PLAYBOOK,
  NOETL_RUN_NAME,
  NOETL_VERSION,
  type VisibleExecution,
} from '../../../temporal/client';
import { timesOf } from './times';
import { isOver } from './words';
import { type ExecutionDocument } from '../documents';

/** The fields known to visibility: without the progress of a running execution or the result of a closed one. */
export function summaryOf(info: VisibleExecution, now: number): ExecutionDocument {
  const listed = listedStatus(info);
  const status = listed === 'SKIPPED' ? 'COMPLETED' : listed;
  return {
    ...executionIdentity(info),
    path: info.typedSearchAttributes.get(NOETL_PLAYBOOK) ?? '',
    status,
    ...timesOf(startOf(info), info.closeTime?.getTime(), now),
    progress: isOver(status) ? 100 : null,
    result: null,
    error: null,
  };
}

/** Temporal's memo, as far as present: the catalog entry, the caller, the start time, what started it. */
interface Memo {
  readonly noetl_catalog?: { readonly catalog_id?: unknown; readonly version?: unknown };
  readonly noetl_caller?: { readonly execution_id?: unknown };
  readonly noetl_started?: unknown;
  readonly noetl_rerun?: RerunMemo['noetl_rerun'];
  readonly noetl_schedule?: unknown;
  readonly noetl_notification?: unknown;
  readonly noetl_trigger?: TriggerMemo;
}

/**
 * Milliseconds since the epoch. After a continue-as-new, visibility has the start of the latest Temporal run only.
 */
function startOf({ startTime, memo }: VisibleExecution): number {
  const { noetl_started: first } = (memo ?? {}) as Memo;
  return typeof first === 'number' ? Math.min(first, startTime.getTime()) : startTime.getTime();
}

/** What Temporal's description says of an execution, beside its status. */
export type ExecutionIdentity = Pick<
  ExecutionDocument,
  | 'execution_id'
  | 'workflow_id'
  | 'catalog_id'
  | 'version'
  | 'run_name'
  | 'labels'
  | 'parent_execution_id'
  | 'rerun_of'
  | 'schedule'
  | 'skipped'
  | 'notification_id'
  | 'trigger'
>;

export function executionIdentity(
  info: Pick<VisibleExecution, 'workflowId' | 'memo' | 'typedSearchAttributes' | 'parentExecution'>,
): ExecutionIdentity {
  const memo = (info.memo ?? {}) as Memo;
  const { noetl_catalog: entry, noetl_caller: caller, noetl_rerun: rerun } = memo;
  const parent = caller?.execution_id ?? executionIdOf(info.parentExecution?.workflowId ?? '') ?? undefined;
  return {
    ...attributesOf(info.typedSearchAttributes),
    ...(typeof entry?.version === 'number' && { version: entry.version }),
    execution_id: executionIdIn(info)!,
    workflow_id: info.workflowId,
    catalog_id: entry?.catalog_id === undefined ? null : String(entry.catalog_id),
    parent_execution_id: parent === undefined ? null : String(parent),
    rerun_of: rerun ?? null,
    skipped: isSkipped(info),
    schedule: scheduleIn(memo.noetl_schedule),
    notification_id: textOf(memo.noetl_notification, 'id'),
    trigger: memo.noetl_trigger ?? null,
  };
}

function attributesOf(
  attributes: VisibleExecution['typedSearchAttributes'],
): Pick<ExecutionDocument, 'version' | 'run_name' | 'labels'> {
  return {
    version: attributes.get(NOETL_VERSION) || null,
    run_name: attributes.get(NOETL_RUN_NAME) ?? null,
    labels: labelsIn(attributes.get(NOETL_LABELS) ?? []),
  };
}

function scheduleIn(memo: unknown): ExecutionDocument['schedule'] {
  const name = textOf(memo, 'schedule');
  if (name === null) return null;
  const deadline = isMapping(memo) ? memo['deadline'] : undefined;
  const deadline_s = typeof deadline === 'number' ? deadline : null;
  return { name, scheduled_at: textOf(memo, 'scheduled_at'), deadline_s };
}

function textOf(memo: unknown, key: string): string | null {
  const value = isMapping(memo) ? memo[key] : undefined;
  return typeof value === 'string' ? value : null;
}
