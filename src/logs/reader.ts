/** Reads the lines of an execution: from a place on, and as they come. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type LogLine } from './line';
import { before, isChunkName, timeOf } from './names';
import { type LogStore } from './store';

/** A line and its place: the text after which reading goes on. */
export interface Placed {
  readonly id: string;
  readonly line: LogLine;
}

/** Names asked for at once. */
const NAMES = 1_000;
const POLL_MS = 200;
/** Chunks read at once. */
const READERS = 8;
/** Workers' clocks differ by less, and no write takes longer: what sorts so far before the newest may still come. */
const LATE_MS = 60_000;
/** Whoever comes back gets again what is so young, because something before it may have come since. */
const AGAIN_MS = 2_000;
const LINGER_MS = 1_200;

/** A place is `<chunk>.<line>`. */
export function isPlace(text: string): boolean {
  const [name = '', number = ''] = text.split('.');
  return isChunkName(name) && /^\d{1,6}$/.test(number);
}

/** Lines behind a place, in order, as far as they are stored. @param after a place, by default the start */
export async function* storedLines(
  store: LogStore,
  executionId: string,
  after?: string,
): AsyncGenerator<readonly Placed[]> {
  const [name = '', number = '-1'] = after?.split('.') ?? [];
  // The chunk of the place itself, whose other lines may follow.
  if (name !== '')
    yield (await placed(store, executionId, name)).filter(({ id }) => numberOf(id) > Number(number));
  let last = name;
  for (;;) {
    const names = await store.names(executionId, last, NAMES);
    yield* chunks(store, executionId, names);
    if (names.length < NAMES) return;
    last = names.at(-1)!;
  }
}

export interface FollowOptions {
  /** A place. Lines that were written just before it come again. */
  readonly after?: string;
  /** Ends the reading. */
  readonly signal: AbortSignal;
  /** Settles when the execution has ended. */
  readonly ended: Promise<unknown>;
  /** Milliseconds that are waited then: workers store what they read a moment later. */
  readonly lingerMs?: number;
}

/** Lines as they come, until the execution has ended. @throws what `ended` rejects with */
export async function* followLines(
  store: LogStore,
  executionId: string,
  { after, signal, ended, lingerMs = LINGER_MS }: FollowOptions,
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
      last = names.at(-1)!;
    }
  };
  let isOver = false;
  const over = ended.then(() => sleep(lingerMs)).then(() => (isOver = true));
  over.catch(() => undefined);
  while (!signal.aborted) {
    const isLast = isOver;
    yield* news();
    if (isLast) return;
    from = [from, before(newest - LATE_MS)].sort().at(-1)!;
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

function numberOf(id: string): number {
  return Number(id.split('.')[1]);
}
