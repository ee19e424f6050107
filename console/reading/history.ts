/** Sources of histories: the facade, which follows a running execution, and files. Pages of events, oldest first. */
import { CodedError } from '../../src/language/errors';
import { type HistoryEvent } from '../../src/history';
import { type HistoryPart } from '../../src/history/derivation';
import { historyEvent } from './history-json';
import { chainOf, eventChunks, runInChain } from '../../src/history/json-events';
import { streamParts, textPieces } from './parts-of';

export interface Page<Part extends HistoryPart = HistoryEvent> {
  readonly events: readonly Part[];
  /** The page ends the backlog. */
  readonly caughtUp?: boolean;
}

export class HistoryFailure extends CodedError {
  /** @param retryable worth another try */
  constructor(code: string, message: string, retryable = false) {
    super(code, message, { retryable });
  }
}

/**
 * The history in one file, or in the files of one execution's runs, in any order.
 *
 * @throws HistoryFailure if a file is not a history, or the runs do not continue each other
 */
export async function* fileHistory(files: readonly Blob[]): AsyncGenerator<Page> {
  for (const file of await inChainOrder(files))
    for await (const events of chunksOf(file))
      yield { events: events.map((event) => historyEvent(event as never)) };
}

async function* chunksOf(file: Blob): AsyncGenerator<readonly object[]> {
  try {
    for await (const events of eventChunks(textPieces(file.stream()))) {
      if (events.length === 0) throw new SyntaxError('it holds no history event');
      if (!events.every((event) => 'eventId' in event))
        throw new SyntaxError('there is something else than events in it');
      yield events;
    }
  } catch (error) {
    throw notAHistory((error as Error).message);
  }
}

function notAHistory(why: string): HistoryFailure {
  return new HistoryFailure(
    'NOT_A_HISTORY',
    `This file is not a Temporal history in JSON: ${why}. Write one with "noetl-temporal run --history FILE" or "temporal workflow show --output json".`,
  );
}

async function inChainOrder(files: readonly Blob[]): Promise<readonly Blob[]> {
  if (files.length < 2) return files;
  const runs = await Promise.all(
    files.map(async (file) => {
      const { value } = await chunksOf(file).next();
      return { file, ...runInChain((value as readonly object[] | undefined)?.[0]) };
    }),
  );
  const ordered = chainOf(runs);
  if (ordered) return ordered.map(({ file }) => file);
  throw new HistoryFailure(
    'NOT_A_CHAIN',
    'These files are not runs of one execution that continue each other.',
  );
}

/** A line of the facade's response: events, the end of the backlog, or that another run replaced this one. */
interface Line {
  readonly events?: readonly object[];
  readonly caught_up?: boolean;
  readonly superseded?: boolean;
  readonly error?: { readonly code: string; readonly message: string };
}

/**
 * The history of an execution, followed to its end.
 *
 * @throws HistoryFailure
 */
export async function* facadeHistory(execution: string): AsyncGenerator<Page> {
  const answer = await fetch(`/api/executions/${execution}/history?follow=true`, {
    headers: { accept: 'application/x-ndjson', 'x-noetl-console': '1' },
  }).catch(() => {
    throw new HistoryFailure('UNREACHABLE', 'The server cannot be reached.', true);
  });
  if (!answer.ok || !answer.body) {
    const body = (await answer.json().catch(() => ({}))) as { code?: string; detail?: string };
    const isTransient = answer.status >= 500 || answer.status === 429;
    throw new HistoryFailure(body.code ?? 'HTTP', body.detail ?? `HTTP ${answer.status}`, isTransient);
  }
  for await (const text of linesOf(answer.body)) {
    const line = JSON.parse(text) as Line;
    if (line.error) throw new HistoryFailure(line.error.code, line.error.message, true);
    if (line.superseded) throw new HistoryFailure('SUPERSEDED', 'Another run took its place.', true);
    const events = (line.events ?? []).map((event) => historyEvent(event as never));
    yield { events, ...(line.caught_up ? { caughtUp: true } : {}) };
  }
}

/** @throws HistoryFailure when the connection ends before the answer does */
async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let isWhole = false;
  for await (const lines of streamParts(body, '\n'))
    for (const line of lines) {
      isWhole ||= line === '{"end":true}';
      if (line !== '' && !isWhole) yield line;
    }
  if (!isWhole) throw new HistoryFailure('UNREACHABLE', 'The connection to the server was lost.', true);
}
