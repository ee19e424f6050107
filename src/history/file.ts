/** Reads a history file, as written by `temporal workflow show --output json` or `run --history`. */
import { createReadStream } from 'node:fs';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils';
import { CodedError } from '../language/errors';
import { type HistoryEvent } from './event';
import { chainOf, eventChunks, runInChain } from './json-events';

/**
 * The events of the file in chunks, each a whole number of workflow tasks.
 *
 * @throws CodedError `HISTORY` when the file is not a history; the file system's errors when it cannot be read
 */
export async function* historyFile(file: string): AsyncGenerator<readonly HistoryEvent[], void> {
  const text = createReadStream(file, { encoding: 'utf8', highWaterMark: 1 << 20 });
  try {
    for await (const events of eventChunks(text)) {
      if (events.length === 0) throw new CodedError('HISTORY', `${file} contains no history event`);
      yield decoded(events, file);
    }
  } catch (error) {
    throw error instanceof SyntaxError ? notAHistory(file, error.message) : error;
  }
}

function decoded(events: readonly object[], file: string): readonly HistoryEvent[] {
  try {
    return historyFromJSON({ events }).events ?? [];
  } catch (error) {
    throw notAHistory(file, (error as Error).message);
  }
}

function notAHistory(file: string, why: string): CodedError {
  return new CodedError('HISTORY', `${file} is not a Temporal history in JSON: ${why}`);
}

/** Sorts the files of one execution's runs into the order in which they continue each other. */
export async function inChainOrder(files: readonly string[]): Promise<string[]> {
  if (files.length < 2) return [...files];
  const runs = await Promise.all(files.map(async (file) => ({ file, ...(await identityOf(file)) })));
  const ordered = chainOf(runs);
  if (ordered) return ordered.map((run) => run.file);
  throw new CodedError(
    'HISTORY',
    `${files.join(', ')} are not consecutive runs: one in between is missing, or they belong to different executions`,
  );
}

async function identityOf(file: string): Promise<ReturnType<typeof runInChain>> {
  for await (const [first] of historyFile(file)) return runInChain(first);
  throw new CodedError('HISTORY', `${file} contains no history event`);
}
