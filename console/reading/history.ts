/** Where histories come from: the facade, which follows a running execution, or files. Pages of events, oldest first. */
import { CodedError } from '../../src/language/errors';
import { type HistoryEvent } from '../../src/history';
import { historyEvent } from './history-json';
import { EventCutter } from './json-events';
import { streamParts } from './parts-of';

export interface Page {
  readonly events: readonly HistoryEvent[];
  /** Nothing more is known at the moment. */
  readonly caughtUp?: boolean;
}

export class HistoryFailure extends CodedError {
  /** @param retryable worth another try */
  constructor(code: string, message: string, retryable = false) {
    super(code, message, { retryable });
  }
}

/** Events turned from JSON at once. */
const CHUNK = 200;

/**
 * Of several files those of one execution's runs, in any order.
 *
 * @throws HistoryFailure when they are no histories
 */
export async function* fileHistory(files: readonly Blob[]): AsyncGenerator<Page> {
  for (const file of await inChainOrder(files)) {
    let chunk: HistoryEvent[] = [];
    for await (const event of eventsOf(file)) {
      if (chunk.length >= CHUNK && 'workflowTaskScheduledEventAttributes' in event) {
        yield { events: chunk };
        chunk = [];
      }
      chunk.push(historyEvent(event as never));
    }
    if (chunk.length === 0) throw notAHistory('it holds no history event');
    yield { events: chunk };
  }
}

async function* eventsOf(file: Blob): AsyncGenerator<object> {
  const cutter = new EventCutter();
  const reader = file.stream().pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      for (const event of cutter.take(value)) {
        if (!('eventId' in event)) throw new Error('there is something else than events in it');
        yield event;
      }
    }
    cutter.end();
  } catch (error) {
    throw notAHistory((error as Error).message);
  } finally {
    void reader.cancel();
  }
}

function notAHistory(why: string): HistoryFailure {
  return new HistoryFailure(
    'NOT_A_HISTORY',
    `This file is not a Temporal history in JSON: ${why}. Write one with "noetl-temporal run --history FILE" or "temporal workflow show --output json".`,
  );
}

interface Started {
  readonly workflowExecutionStartedEventAttributes?: {
    readonly originalExecutionRunId?: string;
    readonly continuedExecutionRunId?: string;
  };
}

async function inChainOrder(files: readonly Blob[]): Promise<readonly Blob[]> {
  if (files.length < 2) return files;
  const runs = await Promise.all(
    files.map(async (file) => {
      for await (const event of eventsOf(file)) {
        const started = (event as Started).workflowExecutionStartedEventAttributes;
        return {
          file,
          id: started?.originalExecutionRunId ?? '',
          after: started?.continuedExecutionRunId ?? '',
        };
      }
      throw notAHistory('it holds no history event');
    }),
  );
  const first = runs.find((run) => !runs.some((other) => other !== run && other.id === run.after));
  const ordered = first ? [first] : [];
  for (let last = ordered[0]; last;) {
    const { id } = last;
    last = runs.find((run) => run.after === id && !ordered.includes(run));
    if (last) ordered.push(last);
  }
  if (ordered.length !== files.length)
    throw new HistoryFailure(
      'NOT_A_CHAIN',
      'These files are not runs of one execution that continue each other.',
    );
  return ordered.map(({ file }) => file);
}

/** A line of the facade: some events, or that there are no more for now, or that another run took this one's place. */
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
