/** The canonical events behind an execution id or a history file. */
import fs from 'node:fs';
import { type History, historyFromJSON } from '@temporalio/common/lib/proto-utils';
import { type CanonicalEvent, HistoryError, recordedExecution } from '../../history';
import { configuredAddress, connect, fetchChain, startDevServer, targetOf, workflowId } from '../../temporal';
import { UsageError } from '../errors';
import { dataFolder } from './session';

/**
 * The events of all Temporal runs of the execution, first to last.
 *
 * @throws UsageError when there is no such execution or file, or it is not one of a playbook
 */
export async function eventsOfRun(execution: string, data?: string): Promise<readonly CanonicalEvent[]> {
  const chain = fs.existsSync(execution)
    ? [fromFile(execution)]
    : await fromServer(execution, dataFolder(data));
  try {
    return (await recordedExecution(chain)).events;
  } catch (error) {
    if (error instanceof HistoryError) throw new UsageError(`${execution}: ${error.message}`);
    throw error;
  }
}

function fromFile(file: string): History {
  try {
    return historyFromJSON(JSON.parse(fs.readFileSync(file, 'utf8')));
  } catch (error) {
    throw new UsageError(`${file} is not a Temporal history in JSON: ${(error as Error).message}`);
  }
}

async function fromServer(execution: string, dataDir: string): Promise<History[]> {
  const id = execution.startsWith('noetl-') ? execution : workflowId(execution);
  const address = configuredAddress();
  const { client, stop } = address === undefined ? await embedded(dataDir) : await remote(address);
  const chain = await fetchChain(client, id).finally(stop);
  if (!chain) throw new UsageError(`there is no execution ${id} here, nor a file of that name`);
  return chain;
}

async function embedded(dataDir: string) {
  const server = await startDevServer({ dataDir });
  return { client: server.client, stop: () => server.stop() };
}

async function remote(address: string) {
  const { client, connection } = await connect(targetOf(address));
  return { client, stop: () => connection.close() };
}
