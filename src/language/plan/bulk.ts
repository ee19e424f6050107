/** The contract of a bulk operation: one workflow that does the same to many executions. */
import { EXECUTION_ID_RANGE, INTERNAL_PREFIX } from './names';
import { type Plan } from './plan';

/** The type of that workflow. */
export const BULK_WORKFLOW_TYPE = `${INTERNAL_PREFIX}bulk`;
/** The queue of its activity, served by `serve`, `dev` and the command that started it: they have a Temporal client. */
export const BULK_TASK_QUEUE = 'noetl-bulk';
export const BULK_ACTIVITY = 'bulkBatch';

export const BULK_VERBS = ['rerun', 'cancel', 'pause', 'resume', 'replay'] as const;
export type BulkVerb = (typeof BULK_VERBS)[number];

const BULK_ID_PREFIX = 'noetl-bulk-';

/** @param id of the operation; drawn like an execution id */
export function bulkWorkflowId(id: string): string {
  return BULK_ID_PREFIX + id;
}

/** @returns undefined for other workflows */
export function bulkIdOf(workflowId: string): string | undefined {
  return workflowId.startsWith(BULK_ID_PREFIX) ? workflowId.slice(BULK_ID_PREFIX.length) : undefined;
}

/**
 * The execution id of a rerun. It depends on nothing but the operation and the place of the original in it, so that a
 * repetition names the same execution, which Temporal starts only once: the operation's id with a later millisecond.
 */
export function rerunIdOf(bulk: string, index: number): string {
  return String(BigInt(bulk) + BigInt(index + 1) * BigInt(EXECUTION_ID_RANGE));
}

export interface BulkOptions {
  /** Reruns begin at this step; by default where the execution began. */
  readonly from?: string;
  /** Reruns begin at the step that failed. */
  readonly fromFailure?: boolean;
  /** For cancel and pause: recorded in the events. */
  readonly reason?: string;
  /** For cancel: also sub-playbooks that nobody waits for. */
  readonly cascade?: boolean;
}

/** What happened to one execution. */
export interface BulkOutcome {
  readonly execution_id: string;
  /** `skipped`: there was nothing to do, e.g. it had ended before it could be cancelled. */
  readonly outcome: 'done' | 'skipped' | 'failed';
  /** The new execution of a rerun. */
  readonly rerun?: string;
  /** Why not `done`. */
  readonly code?: string;
  readonly message?: string;
}

export interface BulkInput {
  readonly bulk: string;
  readonly verb: BulkVerb;
  /** In the order in which they are handled. */
  readonly executions: readonly string[];
  readonly perSecond: number;
  readonly options: BulkOptions;
  /** For reruns: another revision of the playbook. */
  readonly revision?: Plan;
  /** Outcomes of the first executions: of an earlier run of this workflow. */
  readonly outcomes?: readonly BulkOutcome[];
}

/** Input of the activity. */
export interface BulkBatch extends Pick<BulkInput, 'bulk' | 'verb' | 'executions' | 'options'> {
  /** Place of the batch's first execution among all. */
  readonly first: number;
  /** The activity reads the revision from the input of this Temporal run. */
  readonly runId?: string;
}

/** Temporal's memo of the operation, for lists. */
export interface BulkMemo {
  readonly noetl_bulk: {
    readonly verb: BulkVerb;
    readonly total: number;
    /** The filter, as written. */
    readonly where: string | null;
    /** Who asked for it. */
    readonly by: string | null;
  };
}

/** Memo of a rerun: its original, and the bulk operation if one started it. */
export interface RerunMemo {
  readonly noetl_rerun: {
    readonly execution_id: string;
    readonly step_run_id: string;
    readonly bulk_id?: string;
  };
}
