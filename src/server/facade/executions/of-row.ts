/** A row of noetl.execution as the document that lists have. */
import { TypedSearchAttributes } from '@temporalio/common';
import {
  NOETL_EXECUTION,
  NOETL_LABELS,
  NOETL_RUN_NAME,
  NOETL_STATUS,
  NOETL_VERSION,
} from '../../../temporal/client';
import { labelPairs, SKIPPED_STATUS } from '../../../language/plan';
import { type RunRow } from '../../projection';
import { type ExecutionDocument } from '../documents';
import { executionIdentity } from './summary';
import { timesOf } from './times';
import { isOver } from './words';

/** @param now milliseconds since the epoch */
export function documentOfRow(row: RunRow, now: number): ExecutionDocument {
  const { execution_id, workflow_id: workflowId, path, version, run_name, labels, origin: memo } = row;
  const typedSearchAttributes = new TypedSearchAttributes([
    { key: NOETL_EXECUTION, value: execution_id },
    { key: NOETL_LABELS, value: labelPairs(labels) },
    { key: NOETL_STATUS, value: row.skipped ? SKIPPED_STATUS : '' },
    ...(version === null ? [] : [{ key: NOETL_VERSION, value: version }]),
    ...(run_name === null ? [] : [{ key: NOETL_RUN_NAME, value: run_name }]),
  ]);
  return {
    ...executionIdentity({ workflowId, memo, typedSearchAttributes }),
    path,
    status: row.status,
    ...timesOf(row.start_time.getTime(), row.end_time?.getTime(), now),
    progress: isOver(row.status) ? 100 : null,
    result: null,
    error: row.status === 'FAILED' ? row.error : null,
  };
}
