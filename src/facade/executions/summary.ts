/** A short description of an execution: a row of the list, the head of the detail page. */
import { z } from 'zod';
import { type RerunMemo } from '../../plan';
import {
  executionIdIn,
  executionIdOf,
  listedStatus,
  NOETL_PLAYBOOK,
  NOETL_VERSION,
  type VisibleExecution,
} from '../../temporal';
import { timesOf } from './times';
import { isOver, STATUSES } from './words';

export const executionSummary = z
  .object({
    execution_id: z.string(),
    workflow_id: z.string().meta({ description: 'In Temporal' }),
    catalog_id: z
      .string()
      .nullable()
      .meta({ description: 'From the catalog entry that it runs, if it was started from one' }),
    path: z.string(),
    version: z
      .union([z.number(), z.string()])
      .nullable()
      .meta({ description: 'From the catalog entry, otherwise `metadata.version`' }),
    status: z.enum(STATUSES),
    start_time: z.iso.datetime(),
    end_time: z.iso.datetime().nullable(),
    duration_seconds: z.number(),
    duration_human: z.string(),
    progress: z
      .number()
      .min(0)
      .max(100)
      .nullable()
      .meta({
        description:
          'Percentage of its steps that have ended. In lists, null while it runs: only its history has it, which ' +
          '`/api/executions/{id}` reads',
      }),
    result: z.unknown(),
    error: z.string().nullable(),
    parent_execution_id: z.string().nullable(),
    rerun_of: z
      .object({ execution_id: z.string(), step_run_id: z.string(), bulk_id: z.string().optional() })
      .nullable()
      .meta({ description: 'The execution and step run it repeats, and the bulk operation that started it' }),
  })
  .meta({ id: 'Execution' });
export type ExecutionSummary = z.input<typeof executionSummary>;

/** The fields known to visibility: without the progress of a running execution or the result of a closed one. */
export function summaryOf(info: VisibleExecution, now: number): ExecutionSummary {
  const status = listedStatus(info);
  return {
    ...identityOf(info),
    path: info.typedSearchAttributes.get(NOETL_PLAYBOOK) ?? '',
    status,
    ...timesOf(startOf(info), info.closeTime?.getTime(), now),
    progress: isOver(status) ? 100 : null,
    result: null,
    error: null,
  };
}

/** Temporal's memo, as far as present: the catalog entry, the caller, the start time. */
interface Memo {
  readonly noetl_catalog?: { readonly catalog_id?: unknown; readonly version?: unknown };
  readonly noetl_caller?: { readonly execution_id?: unknown };
  readonly noetl_started?: unknown;
  readonly noetl_rerun?: RerunMemo['noetl_rerun'];
}

/**
 * Milliseconds since the epoch. After a continue-as-new, visibility has the start of the latest Temporal run only.
 */
function startOf({ startTime, memo }: VisibleExecution): number {
  const { noetl_started: first } = (memo ?? {}) as Memo;
  return typeof first === 'number' ? Math.min(first, startTime.getTime()) : startTime.getTime();
}

/** What Temporal's description says of an execution, beside its status. */
export type Identity = Pick<
  ExecutionSummary,
  'execution_id' | 'workflow_id' | 'catalog_id' | 'version' | 'parent_execution_id' | 'rerun_of'
>;

export function identityOf(info: VisibleExecution): Identity {
  const { noetl_catalog: entry, noetl_caller: caller, noetl_rerun: rerun } = (info.memo ?? {}) as Memo;
  const named = info.typedSearchAttributes.get(NOETL_VERSION);
  const parent = caller?.execution_id ?? executionIdOf(info.parentExecution?.workflowId ?? '') ?? undefined;
  return {
    execution_id: executionIdIn(info)!,
    workflow_id: info.workflowId,
    catalog_id: entry?.catalog_id === undefined ? null : String(entry.catalog_id),
    version: typeof entry?.version === 'number' ? entry.version : named || null,
    parent_execution_id: parent === undefined ? null : String(parent),
    rerun_of: rerun ?? null,
  };
}
