/** Reads the log lines of an execution, from a position on, and as they arrive. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type LogLine } from './line';
import { before, isChunkName, timeOf } from './names';
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
  const [name = '', number = '-1'] = after?.split('.') ?? [];
  // The chunk of the position itself, which may have further lines.
  if (name !== '')
    yield (await placed(store, executionId, name)).filter(({ id }) => numberOf(id) > Number(number));
  let last = name;
  for (;;) {
    const names = await store.names(executionId, last, NAMES);
    yield* chunks(store, executionId, names);
    if (names.length < NAMES) return;
    last = names.at(-1) ?? last;
  }
}

/** The last lines that are wanted, in order; of a long log only its last chunks are read. */
export async function lastLines(
  store: LogStore,
  executionId: string,
  count: number,
  isWanted: (one: Placed) => boolean,
): Promise<readonly Placed[]> {
  const all: string[] = [];
  for (let names: readonly string[] | undefined; !names || names.length === NAMES;) {
    names = await store.names(executionId, all.at(-1) ?? '', NAMES);
    all.push(...names);
  }
  let last: Placed[] = [];
  for (let name = all.pop(); name !== undefined && last.length < count; name = all.pop())
    last = [...(await placed(store, executionId, name)).filter(isWanted), ...last];
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

function numberOf(id: string): number {
  return Number(id.split('.')[1]);
}
