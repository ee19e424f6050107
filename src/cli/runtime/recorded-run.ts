/** The recorded run behind an execution id or a history file, and its canonical events. */
import fs from 'node:fs';
import { defaultDataConverter } from '@temporalio/common';
import { type History, historyFromJSON } from '@temporalio/common/lib/proto-utils';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { type CanonicalEvent, eventsOf, HistoryError, readHistory } from '../../history';
import { configuredAddress, connect, startDevServer, targetOf, workflowId } from '../../temporal';
import { UsageError } from '../errors';
import { dataFolder } from './session';

/**
 * The events of all Temporal runs of the execution, first to last.
 *
 * @throws UsageError when there is no such execution or file, or it is not one of a playbook
 */
export async function eventsOfRun(execution: string, data?: string): Promise<CanonicalEvent[]> {
  const chain = fs.existsSync(execution)
    ? [fromFile(execution)]
    : await fromServer(execution, dataFolder(data));
  const all: CanonicalEvent[] = [];
  for (const [ordinal, history] of chain.entries()) {
    try {
      const recorded = await readHistory(history.events ?? [], defaultDataConverter);
      all.push(...eventsOf(recorded, ordinal, all.length + 1).events);
    } catch (error) {
      if (error instanceof HistoryError) throw new UsageError(`${execution}: ${error.message}`);
      throw error;
    }
  }
  return all;
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
  if (address !== undefined) {
    const { client, connection } = await connect(targetOf(address));
    return await chainOf(client, id).finally(() => connection.close());
  }
  const server = await startDevServer({ dataDir });
  return await chainOf(server.client, id).finally(() => server.stop());
}

async function chainOf(client: Client, id: string): Promise<History[]> {
  const chain: History[] = [];
  try {
    const { raw } = await client.workflow.getHandle(id).describe();
    let runId = raw.workflowExecutionInfo?.firstRunId || raw.workflowExecutionInfo?.execution?.runId;
    while (runId) {
      const history = await client.workflow.getHandle(id, runId).fetchHistory();
      chain.push(history);
      runId =
        history.events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId ??
        undefined;
    }
  } catch (error) {
    if (error instanceof WorkflowNotFoundError)
      throw new UsageError(`there is no execution ${id} here, nor a file of that name`);
    throw error;
  }
  return chain;
}
