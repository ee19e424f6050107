/** Conditions on executions, in the language of Temporal's list filters. */
import { SKIPPED_STATUS } from '../../language/plan';
import {
  EXECUTIONS,
  NOETL_LABELS,
  NOETL_PLAYBOOK,
  NOETL_RUN_NAME,
  NOETL_STATUS,
  NOETL_VERSION,
} from './naming';
import { type LocatedExecution } from './locate';
import { SCHEDULED_ID_PREFIX } from '../../language/plan/scheduled';
import { quotedQueryText, type VisibleExecution } from './visibility';

/** A run that was cancelled only by signal is failed for Temporal; one that a limit skipped is completed. */
const STATUS_FILTERS = {
  RUNNING: `ExecutionStatus = 'Running'`,
  COMPLETED: `(ExecutionStatus = 'Completed' AND ${NOETL_STATUS.name} != '${SKIPPED_STATUS}')`,
  SKIPPED: `(ExecutionStatus = 'Completed' AND ${NOETL_STATUS.name} = '${SKIPPED_STATUS}')`,
  FAILED: `(ExecutionStatus IN ('Failed', 'Terminated', 'TimedOut') AND ${NOETL_STATUS.name} != 'cancelled')`,
  CANCELLED: `(ExecutionStatus = 'Canceled' OR ${NOETL_STATUS.name} = 'cancelled')`,
} as const;

export type ListedStatus = keyof typeof STATUS_FILTERS;
export const LISTED_STATUSES = ['RUNNING', 'COMPLETED', 'SKIPPED', 'FAILED', 'CANCELLED'] as const;

export interface ExecutionFilter {
  /** Of the playbook; `a/b/*` for all below a/b. */
  readonly path?: string | undefined;
  readonly version?: string | undefined;
  /** `team=sales`; all of them. */
  readonly label?: readonly string[] | undefined;
  /** By `metadata.run_name`; `load*` for all that begin so. */
  readonly name?: string | undefined;
  readonly status?: readonly ListedStatus[] | undefined;
  /** True: none that another execution called; false: only these. */
  readonly top_level?: boolean | undefined;
  /** RFC 3339. */
  readonly started_after?: string | undefined;
  readonly started_before?: string | undefined;
}

/** For Temporal, an execution that a schedule started is the child of the schedule's workflow. */
const TOP_LEVEL = `(ParentWorkflowId IS NULL OR ParentWorkflowId STARTS_WITH '${SCHEDULED_ID_PREFIX}')`;
const CALLED = `(ParentWorkflowId IS NOT NULL AND ParentWorkflowId NOT STARTS_WITH '${SCHEDULED_ID_PREFIX}')`;

/** @param parent its sub-playbooks */
export function executionQuery(filter: ExecutionFilter, parent?: LocatedExecution): string {
  const { path, version, label, name, status, top_level, started_after, started_before } = filter;
  const all = [
    EXECUTIONS,
    status
      ? `(${status.map((one) => STATUS_FILTERS[one]).join(' OR ')})`
      : `ExecutionStatus != 'ContinuedAsNew'`,
    path && patternFilter(NOETL_PLAYBOOK.name, path),
    name && patternFilter(NOETL_RUN_NAME.name, name),
    ...(label ?? []).map((one) => `${NOETL_LABELS.name} = ${quotedQueryText(one)}`),
    version && `${NOETL_VERSION.name} = ${quotedQueryText(version)}`,
    parent && `ParentWorkflowId = ${quotedQueryText(parent.workflowId)}`,
    top_level === undefined ? undefined : top_level ? TOP_LEVEL : CALLED,
    started_after && `StartTime >= ${quotedQueryText(started_after)}`,
    started_before && `StartTime <= ${quotedQueryText(started_before)}`,
  ];
  return all.filter(Boolean).join(' AND ');
}

function patternFilter(attribute: string, pattern: string): string {
  return pattern.endsWith('*')
    ? `${attribute} STARTS_WITH ${quotedQueryText(pattern.slice(0, -1))}`
    : `${attribute} = ${quotedQueryText(pattern)}`;
}

/** The status from visibility. Terminated and timed-out runs count as failed. */
export function listedStatus({ status, typedSearchAttributes }: VisibleExecution): ListedStatus {
  const { name } = status;
  if (name === 'RUNNING' || name === 'PAUSED') return 'RUNNING';
  if (name === 'CANCELLED' || typedSearchAttributes.get(NOETL_STATUS) === 'cancelled') return 'CANCELLED';
  if (name !== 'COMPLETED') return 'FAILED';
  return isSkipped({ typedSearchAttributes }) ? 'SKIPPED' : 'COMPLETED';
}

/** Whether a limit ended it before its first step. */
export function isSkipped({
  typedSearchAttributes,
}: Pick<VisibleExecution, 'typedSearchAttributes'>): boolean {
  return typedSearchAttributes.get(NOETL_STATUS) === SKIPPED_STATUS;
}
