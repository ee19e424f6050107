/** Bulk operations of a facade. */
import { type BulkStanding, type BulkSummary } from '../../../server/bulk';
import { askServer, facadeAddressOf } from '../remote/facade-client';
import { type BulkAsked, type BulkOperations, type Chosen } from './operations';
import { revisionFrom } from '../revision';
import { compact } from '../../../language/plan';

/** @param option the address */
export function bulkAtFacade(option: string): BulkOperations {
  const server = facadeAddressOf(option);
  const post = <T>(path: string, body?: object): Promise<T> =>
    askServer<T>(server, path, { method: 'POST', ...compact({ body }) });
  return {
    choose: (request) => post<Chosen>('/api/bulk', { ...bodyOf(request), dry_run: true }),
    async start(request, { bulk_id: id, executions }) {
      await post('/api/bulk', { ...bodyOf(request), id, executions });
    },
    list: () => askServer<BulkSummary[]>(server, '/api/bulk'),
    read: (id) => askServer<BulkStanding>(server, `/api/bulk/${encodeURIComponent(id)}`),
    cancel: (id) => post(`/api/bulk/${encodeURIComponent(id)}/cancel`),
    resume: (id) => post(`/api/bulk/${encodeURIComponent(id)}/resume`),
    close: () => Promise.resolve(),
  };
}

function bodyOf({ verb, where, rate, options, playbook }: BulkAsked): object {
  const { from, fromFailure, reason, cascade } = options;
  return {
    verb,
    where,
    rate,
    from_step: from,
    from_failure: fromFailure,
    reason,
    cascade,
    playbook: playbook === undefined ? undefined : revisionFrom(playbook)?.text,
  };
}
