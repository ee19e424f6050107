/** The history of a target named by the user: an execution id, a workflow id, or history files. */
import fs from 'node:fs';
import { type Client, type Connection } from '@temporalio/client';
import { hasCode } from '../../language/errors';
import { type HistoryEvent, historyFile, inChainOrder, type Pages } from '../../history';
import {
  configuredAddress,
  historyPages,
  startDevServer,
  type TemporalTarget,
  targetOf,
  executionPages,
  locate,
} from '../../temporal/client';
import { type DataConverter, type LoadedDataConverter } from '@temporalio/common';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow';
import { UsageError } from '../errors';
import { reach } from './reach';
import { openLocalStorage } from './storage';
import { dataFolder } from './data-folder';

/** A source of history. */
export interface RecordedRun {
  /** As named by the user. */
  readonly name: string;
  /** Workflow id, if the history is read from a server. */
  readonly id?: string;
  /** Fetches payloads that the history only refers to. */
  readonly converter: LoadedDataConverter;
  readonly dataConverter: DataConverter;
  pages(): Pages;
  close(): Promise<unknown>;
}

/**
 * @param named one execution id or workflow id, or the history files of one execution's runs
 * @throws UsageError if files and ids are mixed, or files do not belong together
 */
export async function openRecorded(
  named: readonly string[],
  data?: string,
  storage?: string,
): Promise<RecordedRun> {
  const name = named.join(' ');
  const isFiles = named.every((one) => fs.existsSync(one));
  if (!isFiles && named.length > 1)
    throw new UsageError(`${name}: give one execution id, or only history files that exist`);
  const files = isFiles ? await inChainOrder(named).catch(asUsage) : [];
  const store = await openLocalStorage(storage, dataFolder(data));
  const { dataConverter } = store;
  const read = { name, dataConverter, converter: loadDataConverter(dataConverter) };
  if (isFiles) return { ...read, pages: () => filePages(files), close: () => store.close() };
  const { client, stop } = await clientFor(dataFolder(data), dataConverter);
  const close = (): Promise<unknown> => Promise.all([stop(), store.close()]);
  const { workflowId: id, left } = await locate(client, name).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return {
    ...read,
    id,
    pages: () => historyPages(client, id, { runId: left?.runId }),
    close,
  };
}

/**
 * The history of a target on a known server: an execution id, a workflow id, or a file.
 *
 * @returns a function that reads it from its start, again at each call
 */
export function recordedPages(name: string, client: Client): () => Pages {
  if (fs.existsSync(name)) return () => historyFile(name);
  return () => executionPages(client, name);
}

export async function* filePages(files: readonly string[]): AsyncGenerator<readonly HistoryEvent[]> {
  for (const file of files) yield* historyFile(file);
}

export async function clientFor(
  dataDir: string,
  dataConverter?: DataConverter,
): Promise<{ client: Client; connection: Connection; target: TemporalTarget; stop: () => Promise<unknown> }> {
  const address = configuredAddress();
  if (address === undefined) {
    const server = await startDevServer({ dataDir, dataConverter });
    const { client, connection, address: at, namespace } = server;
    return { client, connection, target: { address: at, namespace }, stop: () => server.stop() };
  }
  const target = targetOf(address);
  const { client, connection } = await reach(target, undefined, dataConverter);
  return { client, connection, target, stop: () => connection.close() };
}

/** Connects for `use`, and disconnects. */
export async function withClient<T>(
  dataDir: string,
  dataConverter: DataConverter | undefined,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const { client, stop } = await clientFor(dataDir, dataConverter);
  try {
    return await use(client);
  } finally {
    await stop();
  }
}

/** An id may have been meant as a file. */
export function asUsage(error: unknown): never {
  if (hasCode(error, 'EXECUTION_NOT_FOUND'))
    throw new UsageError(`${error.message} here, nor a file of that name`);
  throw error;
}
