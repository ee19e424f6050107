import { refuseLocal } from '../../input/here-only';
import { type ExecutionSource } from '../executions';
import { type BulkOperations } from './operations';

/**
 * @param serves whether the command may have to carry the operation out itself, because no server process does
 * @throws UsageError for options that conflict with `--server`
 */
export async function bulkOperations(
  { data, server }: ExecutionSource,
  serves: boolean,
): Promise<BulkOperations> {
  if (server === undefined) {
    const { bulkAtTemporal } = await import('./at-temporal.js');
    return await bulkAtTemporal(data, serves);
  }
  refuseLocal({ data }, ['data']);
  const { bulkAtFacade } = await import('./at-facade.js');
  return bulkAtFacade(server);
}
