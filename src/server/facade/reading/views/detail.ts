/** An execution and its events, newest first, paged as in the official GUI. */
import { fullSummary } from '../../executions/full-summary';
import { guiRows } from '../../executions/gui-rows';
import { readExecution } from '../../executions/recorded';
import { type ExecutionIdentity } from '../../executions/summary';
import { paginationOf } from '../../executions/pagination';
import { compact } from '../../../../language/plan';
import { type HostReading } from '../../../reading/from-host';

export interface DetailAsked {
  readonly identity: ExecutionIdentity;
  readonly page: number;
  readonly page_size: number;
  readonly since?: number;
  readonly type?: string;
}

export async function detailOf(reading: HostReading, request: DetailAsked): Promise<object> {
  const { identity, since, type, page_size } = request;
  const last = request.page * page_size;
  const rows = guiRows({ ...compact({ since, type }), keep: last });
  const read = await readExecution(reading, rows.take);
  const summary = fullSummary(identity, read, Date.now());
  const kept = rows.newestFirst({ catalog: summary.catalog_id, parent: summary.parent_execution_id });
  return {
    ...summary,
    events: kept.slice(last - page_size, last),
    events_included: true,
    events_endpoint: `/api/executions/${reading.id}/events`,
    pagination: paginationOf(request, rows.total()),
  };
}
