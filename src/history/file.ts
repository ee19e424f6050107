/**
 * Reads a history file, as written by `temporal workflow show --output json` or `run --history`, event by event: a file
 * of any size needs memory for only a few hundred events.
 */
import { createReadStream } from 'node:fs';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils';
import { CodedError } from '../language/errors';
import { type HistoryEvent } from './event';

/** Number of events parsed at a time. */
const CHUNK = 200;

/**
 * The events of the file in chunks, each a whole number of workflow tasks.
 *
 * @throws CodedError `HISTORY` when the file is not a history; the file system's errors when it cannot be read
 */
export async function* historyFile(file: string): AsyncGenerator<readonly HistoryEvent[], void> {
  let chunk: object[] = [];
  for await (const event of eventsOfFile(file)) {
    if (chunk.length >= CHUNK && 'workflowTaskScheduledEventAttributes' in event) {
      yield decoded(chunk, file);
      chunk = [];
    }
    chunk.push(event);
  }
  if (chunk.length === 0) throw new CodedError('HISTORY', `${file} contains no history event`);
  yield decoded(chunk, file);
}

function decoded(events: object[], file: string): readonly HistoryEvent[] {
  try {
    return historyFromJSON({ events }).events ?? [];
  } catch (error) {
    throw notAHistory(file, (error as Error).message);
  }
}

function notAHistory(file: string, why: string): CodedError {
  return new CodedError('HISTORY', `${file} is not a Temporal history in JSON: ${why}`);
}

const [QUOTE, BACKSLASH, OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [...'"\\{}[]'].map((one) =>
  one.charCodeAt(0),
) as [number, number, number, number, number, number];

/**
 * The objects of the list `events`, or of the file's only list: split by counting brackets, and parsed one at a time.
 */
async function* eventsOfFile(file: string): AsyncGenerator<object> {
  let depth = 0;
  let inText = false;
  let escaped = false;
  /** Depth of the list's items, once the list has been found. */
  let items = -1;
  let pieces: Buffer[] = [];
  for await (const data of createReadStream(file, { highWaterMark: 1 << 20 })) {
    const bytes = data as Buffer;
    let from = 0;
    for (let i = 0; i < bytes.length; i++) {
      const byte = bytes[i];
      if (inText) {
        if (escaped) escaped = false;
        else if (byte === BACKSLASH) escaped = true;
        else if (byte === QUOTE) inText = false;
      } else if (byte === QUOTE) inText = true;
      else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        if (items < 0 && byte === OPEN_BRACKET) items = depth + 1;
        else if (depth === items) from = i;
        depth++;
      } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        depth--;
        if (depth === items) {
          pieces.push(bytes.subarray(from, i + 1));
          yield parsed(Buffer.concat(pieces), file);
          pieces = [];
          from = i + 1;
        }
      }
    }
    if (items >= 0 && depth > items) pieces.push(Buffer.from(bytes.subarray(from)));
  }
  if (items < 0) throw notAHistory(file, 'it has no list of events');
  if (depth !== 0 || inText) throw notAHistory(file, 'it is incomplete');
}

function parsed(bytes: Buffer, file: string): object {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw notAHistory(file, (error as Error).message);
  }
}

/** Sorts the files of one execution's runs into the order in which they continue each other. */
export async function inChainOrder(files: readonly string[]): Promise<string[]> {
  if (files.length < 2) return [...files];
  const runs = await Promise.all(files.map(async (file) => ({ file, ...(await identityOf(file)) })));
  const first = runs.find((run) => !runs.some((other) => other !== run && other.runId === run.continues));
  const ordered = first ? [first] : [];
  for (let last = first; last;) {
    const next = runs.find((run) => run.continues === last!.runId && !ordered.includes(run));
    if (next) ordered.push(next);
    last = next;
  }
  if (ordered.length !== files.length)
    throw new CodedError(
      'HISTORY',
      `${files.join(', ')} are not consecutive runs: one in between is missing, or they belong to different executions`,
    );
  return ordered.map((run) => run.file);
}

async function identityOf(file: string): Promise<{ runId: string; continues: string }> {
  for await (const [first] of historyFile(file)) {
    const started = first?.workflowExecutionStartedEventAttributes;
    return {
      runId: started?.originalExecutionRunId ?? '',
      continues: started?.continuedExecutionRunId ?? '',
    };
  }
  throw new CodedError('HISTORY', `${file} contains no history event`);
}
