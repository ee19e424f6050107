/** Streams the output of tasks from the facade until the run has ended. */
import { type LogLine } from '../../src/telemetry/logs/line';
import { useDrawn } from '../parts/draw';
import { streamParts } from '../reading/parts-of';
import { opened, ServerError } from '../server/api';

export interface PlacedLine extends LogLine {
  /** Where to resume a broken stream. */
  readonly id: string;
}

export interface LogLines {
  /** The newest lines, oldest first. */
  readonly lines: readonly PlacedLine[];
  /** Number of older lines that were dropped. */
  readonly dropped: number;
  /** The server has responded. */
  readonly begun: boolean;
  /** The run has ended. */
  readonly over: boolean;
  readonly error?: ServerError;
}

const NOTHING: LogLines = { lines: [], dropped: 0, begun: false, over: false };
const KEPT = 100_000;
/** Milliseconds. */
const RETRY_FROM = 250;
const RETRY_AT_MOST = 5_000;

/** @param step only its lines */
export function useLogs(execution: string, step: string | undefined): LogLines {
  return useDrawn(
    NOTHING,
    (change) => {
      const closed = new AbortController();
      const query = step === undefined ? '' : `?step=${encodeURIComponent(step)}`;
      void follow(`/api/executions/${execution}/logs${query}`, closed.signal, (to) => {
        if (!closed.signal.aborted) change(to);
      });
      return () => closed.abort();
    },
    [execution, step],
  );
}

type Change = (before: LogLines) => LogLines;

async function follow(path: string, signal: AbortSignal, tell: (change: Change) => void): Promise<void> {
  let kept: readonly PlacedLine[] = [];
  for (let pause = RETRY_FROM; !signal.aborted; pause = Math.min(pause * 2, RETRY_AT_MOST)) {
    // After a reconnect the newest lines are sent again.
    const seen = new Set(kept.map(({ id }) => id));
    const last = kept.at(-1)?.id;
    try {
      for await (const lines of streamed(path, last, signal)) {
        const fresh = lines.filter(({ id }) => !seen.has(id));
        const all = [...kept, ...fresh];
        const dropped = Math.max(0, all.length - KEPT);
        kept = all.slice(dropped);
        const now = kept;
        tell(({ error: _, ...before }) => ({
          ...before,
          lines: now,
          begun: true,
          dropped: before.dropped + dropped,
        }));
        pause = RETRY_FROM;
      }
      return tell((before) => ({ ...before, begun: true, over: true }));
    } catch (error) {
      if (signal.aborted) return;
      const problem = error as ServerError;
      tell((before) => ({ ...before, error: problem }));
      if (!isTransient(problem)) return;
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

function isTransient({ status, code }: ServerError): boolean {
  return code !== 'NO_STORAGE' && (status === 0 || status === 429 || status >= 500);
}

/** @throws ServerError, also when the connection ends before the stream does */
async function* streamed(
  path: string,
  last: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<readonly PlacedLine[]> {
  const headers = { accept: 'text/event-stream', ...(last === undefined ? {} : { 'last-event-id': last }) };
  const { body, status } = await opened(path, { headers, signal });
  // The run is over, and there is nothing (more). Not every browser's response is without a body then.
  if (!body || status === 204) return;
  yield [];
  for await (const frames of streamParts(body, '\n\n')) {
    yield frames.flatMap(lineOf);
    if (frames.some((frame) => frame.startsWith('event: end'))) return;
  }
  throw new ServerError(0, 'UNREACHABLE', 'The connection to the server was lost.');
}

function lineOf(frame: string): PlacedLine[] {
  const fields = new Map(
    frame.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  );
  const data = JSON.parse(fields.get('data') ?? 'null') as LogLine & { error?: string };
  if (fields.get('event') === 'failure') throw new ServerError(500, 'LOGS', String(data.error));
  const id = fields.get('id');
  return id === undefined ? [] : [{ ...data, id }];
}
