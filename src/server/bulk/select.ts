/** Which executions a bulk operation is for, and a summary of them by cause. */
import { type Client } from '@temporalio/client';
import { CodedError } from '../../language/errors';
import { type BulkVerb } from '../../language/plan';
import {
  eachVisible,
  executionIdIn,
  executionQuery,
  listedStatus,
  type ListedStatus,
  NOETL_PLAYBOOK,
  type VisibleExecution,
} from '../../temporal/client';
import { type FailureGroupCause, failureGroupOf } from './causes';
import { type BulkFilter } from './where';
import { inParallel } from '../../language/plan/in-parallel';

/** More are refused: ids and outcomes of an operation are one input of its workflow. */
export const MOST_EXECUTIONS = 10_000;
/** Histories whose end is read at once. */
const READERS = 16;

/** Executions that ended for the same reason. */
export interface CauseGroup {
  readonly path: string;
  /** As listed by REST: FAILED, RUNNING, … */
  readonly status: ListedStatus;
  /** Null unless they failed. */
  readonly code: string | null;
  readonly step: string | null;
  readonly count: number;
  readonly example: { readonly execution_id: string; readonly message: string | null };
}

export interface BulkSelection {
  /** Oldest start first. */
  readonly executions: readonly string[];
  /** Largest group first. */
  readonly causes: readonly CauseGroup[];
}

/** The status that a verb is usually meant for. */
const USUAL: Readonly<Record<BulkVerb, readonly ListedStatus[] | undefined>> = {
  rerun: ['FAILED'],
  cancel: ['RUNNING'],
  pause: ['RUNNING'],
  resume: ['RUNNING'],
  replay: undefined,
};

/** Those of the filter, or those that the verb is usually meant for. */
export function selectedStatus(
  verb: BulkVerb,
  { filter, codes }: BulkFilter,
): readonly ListedStatus[] | undefined {
  return filter.status ?? (codes.length > 0 ? ['FAILED'] : USUAL[verb]);
}

/**
 * @param where without a status, the one that the verb is usually meant for
 * @throws CodedError `BULK_TOO_MANY`; and as `eachVisible`
 */
export async function selectExecutions(
  client: Client,
  verb: BulkVerb,
  where: BulkFilter,
): Promise<BulkSelection> {
  const status = selectedStatus(verb, where);
  const query = executionQuery({ ...where.filter, status });
  const executions: SelectedExecution[] = [];
  for await (const info of eachVisible(client, query)) {
    const id = executionIdIn(info);
    if (id === undefined || (isCalled(info) && !where.called)) continue;
    executions.push({ id, info });
    // Conditions on causes narrow the list further, but each of them is a request.
    if (executions.length > MOST_EXECUTIONS) throw tooMany();
  }
  executions.sort((a, b) => a.info.startTime.getTime() - b.info.startTime.getTime());
  const causes = await inParallel(READERS, executions, async ({ info }) =>
    listedStatus(info) === 'FAILED' ? await failureGroupOf(client, info) : undefined,
  );
  const kept = executions
    .map((one, index) => ({ ...one, cause: causes[index] }))
    .filter(({ cause }) => matches(where, cause));
  return { executions: kept.map(({ id }) => id), causes: grouped(kept) };
}

interface SelectedExecution {
  readonly id: string;
  readonly info: VisibleExecution;
}

/** By another execution. What a schedule starts is a child too, but nobody else reruns it. */
function isCalled({ parentExecution, memo }: VisibleExecution): boolean {
  return parentExecution !== undefined && memo?.['noetl_schedule'] === undefined;
}

function matches({ codes, steps }: BulkFilter, cause: FailureGroupCause | undefined): boolean {
  const isCode = codes.length === 0 || codes.some((code) => cause !== undefined && covers(code, cause.code));
  const isStep = steps.length === 0 || steps.some((step) => step === cause?.step);
  return isCode && isStep;
}

function covers(pattern: string, code: string): boolean {
  return pattern.endsWith('*') ? code.startsWith(pattern.slice(0, -1)) : code === pattern;
}

function grouped(
  kept: readonly (SelectedExecution & { readonly cause: FailureGroupCause | undefined })[],
): CauseGroup[] {
  const groups = new Map<string, CauseGroup>();
  for (const { id, info, cause } of kept) {
    const path = info.typedSearchAttributes.get(NOETL_PLAYBOOK) ?? '';
    const status = listedStatus(info);
    const key = JSON.stringify([path, status, cause?.code, cause?.step]);
    const entry = groups.get(key);
    groups.set(key, {
      path,
      status,
      code: cause?.code ?? null,
      step: cause?.step ?? null,
      count: (entry?.count ?? 0) + 1,
      example: entry?.example ?? {
        execution_id: id,
        message: cause?.message.slice(0, 300) ?? null,
      },
    });
  }
  return [...groups.values()].sort((a, b) => b.count - a.count);
}

export function tooMany(): CodedError {
  return new CodedError('BULK_TOO_MANY', `the filter matches more than ${MOST_EXECUTIONS} executions`, {
    hint: ['Narrow it, for example with path, since and until, and repeat the command for the rest.'],
  });
}
