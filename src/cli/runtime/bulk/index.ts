import { type BulkOperations } from './operations';

export interface Where {
  readonly data?: string;
  readonly server?: string;
}

/**
 * @param serves whether the command may have to carry the operation out itself, because no server process does
 * @throws UsageError for options that conflict with `--server`
 */
export async function bulkOperations({ data, server }: Where, serves: boolean): Promise<BulkOperations> {
  if (server === undefined) {
    const { bulkAtTemporal } = await import('./at-temporal.js');
    return await bulkAtTemporal(data, serves);
  }
  const [{ bulkAtFacade }, { serverOf }, { UsageError }] = await Promise.all([
    import('./at-facade.js'),
    import('../remote/facade-client.js'),
    import('../../errors.js'),
  ]);
  if (data !== undefined)
    throw new UsageError('--data applies to this machine only; remove it, or remove --server');
  return bulkAtFacade(serverOf(server));
}
