/** Commands that control a running execution: the connection, and errors as messages for users. */
import { type Client } from '@temporalio/client';
import { hasCode } from '../../language/errors';
import { UsageError } from '../errors';
import { withClient } from './recorded-run';
import { dataFolder } from './data-folder';
import { type NamedPlaces } from './named';
import { openLocalStorage } from './storage';

/**
 * Connects and queries an execution.
 *
 * @throws UsageError if there is no such execution; CodedError `REFUSED`, `EXECUTION_OVER`, `WORKER_SILENT`
 */
export async function askExecution<T>(where: NamedPlaces, ask: (client: Client) => Promise<T>): Promise<T> {
  const dataDir = dataFolder(where.data);
  const storage = await openLocalStorage(where.storage, dataDir);
  try {
    return await withClient(dataDir, storage.dataConverter, ask);
  } catch (error) {
    throw inUsersWords(error);
  } finally {
    await storage.close();
  }
}

function inUsersWords(error: unknown): unknown {
  if (!hasCode(error, 'EXECUTION_NOT_FOUND')) return error;
  return new UsageError(`${error.message} on this server; \`--data\` or TEMPORAL_ADDRESS names another`);
}
