/** Reads the log lines of an execution, from a position on, and as they arrive. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type LogLine, type LogPart } from './line';
import { before, isChunkName, linesIn, timeOf } from './names';
import { type LogStore } from './store';

/** A line and its position: the text after which reading resumes. */
export interface Placed {
  readonly id: string;
  readonly line: LogLine;
}

/** Names requested at once. */
const NAMES = 1_000;
const POLL_MS = 200;
/** Chunks read concurrently. */
const READERS = 8;
/**
 * Workers' clocks differ by less, and no write takes longer: chunks that sort this far before the newest may still
 * arrive.
 */
const LATE_MS = 60_000;
/** Lines this recent are returned again to a resuming client, because earlier ones may have arrived since. */
const AGAIN_MS = 2_000;
const LINGER_MS = 1_200;

/** A position is `<chunk>.<line>`. */
export function isPlace(text: string): boolean {
  const [name = '', number = ''] = text.split('.');
  return isChunkName(name) && /^\d{1,6}$/.test(number);
}

/** Stored lines after a position, in order. @param after a position, by default the start */
export async function* storedLines(
  store: LogStore,
  executionId: string,
  after?: string,
): AsyncGenerator<readonly Placed[]> {
  const name = after === undefined ? '' : nameOf(after);
  // The chunk of the position itself, which may have further lines.
  if (after !== undefined)
    yield (await placed(store, executionId, name)).filter(({ id }) => numberOf(id) > numberOf(after));
  let last = name;
  for (;;) {
    const names = await store.names(executionId, last, NAMES);
    yield* chunks(store, executionId, names);
    if (names.length < NAMES) return;
    last = names.at(-1) ?? last;
  }
}

/** Lines of a part, at most. */
const PART = 500;
/** Lines that one request looks at: some 200 ms. Where none has to be read, so many chunks. */
const SEARCHED = 50_000;

export interface LogParts {
  readonly parts: readonly LogPart[];
  /** Lines looked at. */
  readonly searched: number;
  /** Where the next request goes on; absent: that was all. */
  readonly next?: string;
}

/**
 * Where lines are, and how many, for who reads only some of them.
 *
 * @param from a position, by default the start
 * @param isWanted of other lines nothing is told; without it, no line is read
 */
export async function logParts(
  store: LogStore,
  executionId: string,
  from = '.0',
  isWanted?: (line: LogLine) => boolean,
): Promise<LogParts> {
  const parts: { from: string; lines: number }[] = [];
  let [searched, steps] = [0, 0];
  const add = (at: string, lines: number): void => {
    const last = parts.at(-1);
    if (last && last.lines + lines <= PART) last.lines += lines;
    else parts.push({ from: at, lines });
  };
  for await (const names of chunkNames(store, executionId, nameOf(from))) {
    const lines = await Promise.all(
      names.map((name) => (isWanted ? placed(store, executionId, name) : Promise.resolve([]))),
    );
    for (const [index, name] of names.entries()) {
      const first = name === nameOf(from) ? numberOf(from) : 0;
      const count = linesIn(name);
      if (!isWanted)
        for (let at = first; at < count; at += PART) add(placeOf(name, at), Math.min(PART, count - at));
      for (const { id, line } of lines[index]!.slice(first)) if (isWanted?.(line)) add(id, 1);
      searched += Math.max(0, count - first);
      steps += isWanted ? count : 1;
    }
    const last = names.at(-1)!;
    if (steps >= SEARCHED) return { parts, searched, next: placeOf(last, linesIn(last)) };
  }
  return { parts, searched };
}

/** Names of chunks, as many as are read at once. @param first which is the first of them; '': all */
async function* chunkNames(
  store: LogStore,
  executionId: string,
  first: string,
): AsyncGenerator<readonly string[]> {
  if (first !== '') yield [first];
  for (let last = first, names: readonly string[] | undefined; !names || names.length === NAMES;) {
    names = await store.names(executionId, last, NAMES);
    for (let at = 0; at < names.length; at += READERS) yield names.slice(at, at + READERS);
    last = names.at(-1) ?? last;
  }
}

const placeOf = (name: string, line: number): string => `${name}.${String(line)}`;

/** A position, so that reading resumes with the line itself. */
export function beforePlace(place: string): string {
  return placeOf(nameOf(place), numberOf(place) - 1);
}

/** The last lines that are wanted, in order; of a long log only its last chunks are read. */
export async function lastLines(
  store: LogStore,
  executionId: string,
  count: number,
  isWanted: (line: LogLine) => boolean,
): Promise<readonly Placed[]> {
  const all: string[] = [];
  for (let names: readonly string[] | undefined; !names || names.length === NAMES;) {
    names = await store.names(executionId, all.at(-1) ?? '', NAMES);
    all.push(...names);
  }
  let last: Placed[] = [];
  for (let name = all.pop(); name !== undefined && last.length < count; name = all.pop())
    last = [...(await placed(store, executionId, name)).filter(({ line }) => isWanted(line)), ...last];
  return last.slice(-count);
}

export interface FollowOptions {
  /** A position. Lines written just before it are returned again. */
  readonly after?: string;
  /** Stops reading. */
  readonly signal: AbortSignal;
  /**
   * Settles when the execution has ended, with the milliseconds since its last task did, if that is known: workers store
   * lines with a short delay.
   */
  readonly ended: Promise<unknown>;
}

/** Lines as they arrive, until the execution has ended. @throws the rejection of `ended` */
export async function* followLines(
  store: LogStore,
  executionId: string,
  { after, signal, ended }: FollowOptions,
): AsyncGenerator<readonly Placed[]> {
  const seen = new Set<string>();
  let newest = after === undefined ? 0 : timeOf(after) - AGAIN_MS;
  let from = after === undefined ? '' : before(newest);
  const news = async function* (): AsyncGenerator<readonly Placed[]> {
    for (let last = from; ;) {
      const names = await store.names(executionId, last, NAMES);
      const fresh = names.filter((name) => !seen.has(name));
      yield* chunks(store, executionId, fresh);
      for (const name of fresh) seen.add(name);
      newest = Math.max(newest, ...names.slice(-1).map(timeOf));
      if (names.length < NAMES) return;
      last = names.at(-1) ?? last;
    }
  };
  let isOver = false;
  const over = ended
    .then((since) => sleep(Math.max(0, LINGER_MS - (Number(since) || 0))))
    .then(() => (isOver = true));
  over.catch(() => undefined);
  while (!signal.aborted) {
    const isLast = isOver;
    yield* news();
    if (isLast) return;
    const settled = before(newest - LATE_MS);
    if (settled > from) from = settled;
    for (const name of seen) if (name < from) seen.delete(name);
    await Promise.race([over, sleep(POLL_MS, undefined, { signal }).catch(() => undefined)]);
  }
}

async function* chunks(
  store: LogStore,
  executionId: string,
  names: readonly string[],
): AsyncGenerator<readonly Placed[]> {
  for (let at = 0; at < names.length; at += READERS) {
    const some = names.slice(at, at + READERS).map((name) => placed(store, executionId, name));
    for (const lines of await Promise.all(some)) if (lines.length > 0) yield lines;
  }
}

async function placed(store: LogStore, executionId: string, name: string): Promise<Placed[]> {
  const lines = (await store.read(executionId, name)) ?? [];
  return lines.map((line, index) => ({ id: `${name}.${index}`, line }));
}

function nameOf(place: string): string {
  return place.slice(0, place.indexOf('.'));
}

function numberOf(place: string): number {
  return Number(place.slice(place.indexOf('.') + 1));
}
