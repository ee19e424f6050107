/** What failures of services mean, for tools and for their mocks. */
import { type ErrorKind } from '../plan/outcome';

/** The kind of a response that is not 2xx. */
export function kindOfStatus(status: number): ErrorKind {
  if (status === 429) return 'rate_limit';
  if (status === 401 || status === 403) return 'auth';
  if (status === 404) return 'not_found';
  if (status === 408) return 'timeout';
  return status >= 500 ? 'server_error' : 'client_error';
}

/** Serialisation failure, deadlock, lock not available, server shutting down: the same work may succeed later. */
export function isRetryableSql(sqlstate: string): boolean {
  return ['40001', '40P01', '55P03'].includes(sqlstate) || /^(57P0|08|53)/.test(sqlstate);
}
