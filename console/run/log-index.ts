/** Where the lines of a log are, and lines of it: those in sight are read, however many there are. */
import { useRef } from 'preact/hooks';
import { useDrawn } from '../parts/draw';
import { askApi, type ServerError } from '../server/api';
import { type LogLine, type LogPart } from '../../src/telemetry/logs/line';

export interface PlacedLine extends LogLine {
  readonly id: string;
}

export interface LogIndex {
  /** Of which run, with which filter. */
  readonly of: string;
  /** In order. */
  readonly parts: readonly LogPart[];
  /** Lines looked at. */
  readonly searched: number;
  /** The server has responded. */
  readonly begun: boolean;
  /** Not all is known yet. */
  readonly busy: boolean;
  readonly error?: ServerError;
}

const NOTHING: LogIndex = { of: '', parts: [], searched: 0, begun: false, busy: true };
/** Milliseconds. */
const LIVE_MS = 300;
/** Of one of several runs. */
const ASIDE_MS = 3_000;
const LINGER_MS = 1_500;
const RETRY_FROM = 500;
const RETRY_AT_MOST = 5_000;
/** Chunks that sort this far before the newest may still arrive: of a filter, each of their lines is read again. */
const LATE_MS = 60_000;
const LATE_FOUND_MS = 2_000;

const pathOf = (run: string): string => `/api/executions/${run}/logs`;

interface LogSource {
  readonly run: string;
  readonly over: boolean;
  /** The filter; empty: all lines. */
  readonly query: string;
  /** It is one of several. */
  readonly isAside: boolean;
}

/** Where the lines are, until the run has ended. */
export function useLogIndex({ run, over, query, isAside }: LogSource): LogIndex {
  const isOver = useRef(over);
  isOver.current = over;
  const every = isAside ? ASIDE_MS : LIVE_MS;
  const drawn = useDrawn(
    NOTHING,
    (change) => {
      const closed = new AbortController();
      const { signal } = closed;
      void follow({ run, query, signal, isOver, every }, (to) => {
        if (!signal.aborted) change(to);
      });
      return () => closed.abort();
    },
    [run, query],
  );
  // At first it is that of the filter before.
  return drawn.of === `${run} ${query}` ? drawn : NOTHING;
}

interface Following {
  readonly run: string;
  readonly query: string;
  readonly signal: AbortSignal;
  readonly isOver: { readonly current: boolean };
  /** Milliseconds. */
  readonly every: number;
}

async function follow(
  { run, query, signal, isOver, every }: Following,
  tell: (to: () => LogIndex) => void,
): Promise<void> {
  let index: LogIndex = { ...NOTHING, of: `${run} ${query}` };
  const now = (to: Partial<LogIndex>): void => {
    index = { ...index, begun: true, ...to };
    tell(() => index);
  };
  for (let retry = RETRY_FROM, looksAfterEnd = 0; !signal.aborted;) {
    let pause = isOver.current ? LINGER_MS : every;
    if (isOver.current) looksAfterEnd++;
    try {
      await look(run, { query, signal, before: index }, now);
      retry = RETRY_FROM;
      // Workers store the last lines with a delay.
      if (looksAfterEnd > 1) return;
    } catch (error) {
      if (signal.aborted) return;
      const problem = error as ServerError;
      tell(() => ({ ...index, error: problem }));
      if (!isTransient(problem)) return;
      pause = retry;
      retry = Math.min(retry * 2, RETRY_AT_MOST);
      looksAfterEnd = 0;
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

interface Parts {
  readonly parts: readonly LogPart[];
  readonly searched: number;
  readonly next: string | null;
}

interface Looking {
  readonly query: string;
  readonly signal: AbortSignal;
  readonly before: LogIndex;
}

/** What is there, or has come since. */
async function look(
  run: string,
  { query, signal, before }: Looking,
  tell: (to: Partial<LogIndex>) => void,
): Promise<void> {
  const newest = timeOf(before.parts.at(-1)?.from ?? '0');
  const settled = newest - (query === '' ? LATE_MS : LATE_FOUND_MS);
  const kept = Math.max(
    0,
    before.parts.findLastIndex(({ from }) => timeOf(from) < settled),
  );
  let parts = before.parts.slice(0, kept);
  let searched = 0;
  let from: string | null = before.parts[kept]?.from ?? null;
  do {
    const path = `${pathOf(run)}/parts?${query}${from === null ? '' : `&from=${from}`}`;
    const answer: Parts = await askApi<Parts>(path, { signal });
    parts = [...parts, ...answer.parts];
    searched += answer.searched;
    from = answer.next;
    // What is known again takes the place of what was at once.
    if (before.busy) tell({ parts, searched, busy: from !== null });
  } while (from !== null);
  if (!before.busy) tell({ parts });
}

export function lineCount(parts: readonly LogPart[]): number {
  return parts.reduce((sum, { lines }) => sum + lines, 0);
}

function isTransient({ status, code }: ServerError): boolean {
  return code !== 'NO_STORAGE' && (status === 0 || status === 429 || status >= 500);
}

/** When a chunk was written, in milliseconds since the epoch. */
function timeOf(place: string): number {
  return Number(place.slice(0, 13));
}

/** Whether a place is before another or the same. */
export function isUpTo(one: string, other: string): boolean {
  const [name = '', line] = one.split('.');
  const [otherName = '', otherLine] = other.split('.');
  return name === otherName ? Number(line) <= Number(otherLine) : name < otherName;
}

/** Parts whose lines are held. */
const KEPT = 80;

/** The lines of one run with one filter. */
export class LogLines {
  private readonly kept = new Map<string, Promise<readonly PlacedLine[]>>();

  constructor(
    readonly run: string,
    readonly query: string,
  ) {}

  /** @throws ServerError */
  of({ from, lines }: LogPart): Promise<readonly PlacedLine[]> {
    const key = `${from} ${String(lines)}`;
    const path = `${pathOf(this.run)}?${this.query}&from=${from}&page_size=${String(lines)}`;
    const page =
      this.kept.get(key) ?? askApi<{ lines: readonly PlacedLine[] }>(path).then(({ lines: all }) => all);
    this.kept.delete(key);
    this.kept.set(key, page);
    page.catch(() => this.kept.delete(key));
    if (this.kept.size > KEPT) this.kept.delete(this.kept.keys().next().value!);
    return page;
  }
}

/** The place of the next failure behind a place; undefined: there is none. */
export async function nextFailure(run: string, query: string, after?: string): Promise<string | undefined> {
  for (let behind = after; ;) {
    const path = `${pathOf(run)}?${query}&stream=error&page_size=1${behind === undefined ? '' : `&after=${behind}`}`;
    const { lines, pagination } = await askApi<{
      lines: readonly PlacedLine[];
      pagination: { next_cursor: string | null };
    }>(path);
    if (lines[0] || pagination.next_cursor === null) return lines[0]?.id;
    behind = pagination.next_cursor;
  }
}
