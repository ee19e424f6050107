/** The history behind what the user named: an execution id, a workflow id, or history files. */
import fs from 'node:fs';
import { type Client } from '@temporalio/client';
import {
  type CanonicalEvent,
  Derivation,
  type DerivationOptions,
  HistoryError,
  type HistoryEvent,
  historyFile,
  inChainOrder,
  type Pages,
} from '../../history';
import {
  configuredAddress,
  connect,
  ExecutionNotFoundError,
  historyPages,
  type PagesOptions,
  startDevServer,
  targetOf,
  workflowId,
} from '../../temporal';
import { UsageError } from '../errors';
import { dataFolder } from './session';

/** A source of history. */
export interface RecordedRun {
  /** As the user named it. */
  readonly name: string;
  /** Workflow id, where the history comes from a server. */
  readonly id?: string;
  /** Where the history comes from a server. */
  readonly client?: Client;
  pages(options?: PagesOptions): Pages;
  close(): Promise<unknown>;
}

/**
 * @param named one execution id or workflow id, or the history files of one execution's runs
 * @throws UsageError when files and ids are mixed, or files do not belong together
 */
export async function openRecorded(named: readonly string[], data?: string): Promise<RecordedRun> {
  const name = named.join(' ');
  const files = named.filter((one) => fs.existsSync(one));
  if (files.length === named.length) {
    const ordered = await inChainOrder(files).catch(asUsage);
    return { name, pages: () => filePages(ordered), close: () => Promise.resolve() };
  }
  if (named.length > 1)
    throw new UsageError(`${name}: give one execution id, or only history files that exist`);
  const id = /^\d+$/.test(name) ? workflowId(name) : name;
  const { client, stop } = await clientFor(dataFolder(data));
  return { name, id, client, pages: (options) => historyPages(client, id, options), close: stop };
}

async function* filePages(files: readonly string[]): AsyncGenerator<readonly HistoryEvent[]> {
  for (const file of files) yield* historyFile(file);
}

async function clientFor(dataDir: string): Promise<{ client: Client; stop: () => Promise<unknown> }> {
  const address = configuredAddress();
  if (address === undefined) {
    const server = await startDevServer({ dataDir });
    return { client: server.client, stop: () => server.stop() };
  }
  const { client, connection } = await connect(targetOf(address));
  return { client, stop: () => connection.close() };
}

/** What is wrong with the id or the file is the user's to mend. */
export function asUsage(error: unknown): never {
  if (error instanceof HistoryError) throw new UsageError(error.message);
  if (error instanceof ExecutionNotFoundError)
    throw new UsageError(`${error.message} here, nor a file of that name`);
  throw error;
}

export interface Derived {
  readonly derivation: Derivation;
  readonly events: readonly CanonicalEvent[];
}

/** Reads the history of one run to its end. */
export async function derive(run: RecordedRun, options: DerivationOptions = {}): Promise<Derived> {
  const derivation = new Derivation(options);
  const events: CanonicalEvent[] = [];
  try {
    for await (const page of run.pages()) events.push(...(await derivation.take(page)));
  } catch (error) {
    asUsage(error);
  }
  return { derivation, events };
}
