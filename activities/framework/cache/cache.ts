/** `spec.cache`: takes the result of an equal call instead of running the tool, and keeps results for later ones. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Json, type Outcome, type TaskCall, objectsIn } from '../../../src/language/plan';
import { type StepCache } from '../../../src/storage/payloads';
import { messageOf } from '../../../src/language/errors';
import { shortenedText } from '../tool/bounded';
import { type Log } from '../tool/tool';
import { cacheable } from './identity';

/** Milliseconds: a store that is slower than this is worse than no cache. */
const READ_MS = 5_000;
const WRITE_MS = 10_000;
/** Of an outcome as JSON: reading a larger one back takes as long as many calls. */
const LARGEST = 8 * 1024 * 1024;

export interface CacheUse {
  /** An equal call's outcome, as that of this call. */
  readonly hit?: Outcome;
  /** Keeps the outcome, if it may be kept. @param outcome redacted */
  keep(outcome: Outcome): Promise<void>;
}

const UNUSED: CacheUse = { keep: () => Promise.resolve() };

/**
 * Looks a call up. Whatever goes wrong is a miss.
 *
 * @param cache undefined on a worker without a store
 */
export async function useCache(cache: StepCache | undefined, call: TaskCall, log: Log): Promise<CacheUse> {
  const settings = cache && cacheable(call);
  if (!settings) return UNUSED;
  const { ttl, ...identity } = settings;
  const tell = (what: string) => (error: unknown) =>
    log.warn({ task_run_id: call.task_run_id, error: shortenedText(messageOf(error), 200) }, what);
  const keep = async (outcome: Outcome): Promise<void> => {
    const kept = keepable(outcome);
    if (!kept) return;
    const created_at = Date.now();
    const { execution_id, task_run_id } = call;
    const expires_at = created_at + ttl * 1000;
    const entry = { ...identity, execution_id, task_run_id, created_at, expires_at, outcome: kept };
    await within(WRITE_MS, cache.put(entry)).catch(tell('a result could not be cached'));
  };
  if (isRepeated(call.task_run_id)) return { keep };
  const entry = await within(READ_MS, cache.get(identity)).catch(tell('the cache could not be read'));
  if (!entry || entry.created_at + ttl * 1000 <= Date.now()) return { keep };
  const { execution_id, task_run_id, created_at, outcome } = entry;
  const at = new Date().toISOString();
  const cached = { execution_id, task_run_id, created_at: new Date(created_at).toISOString() };
  const meta = {
    ...outcome.meta,
    attempt: call.attempt,
    started_at: at,
    ended_at: at,
    duration_ms: 0,
    cached,
  };
  return { ...UNUSED, hit: { ...outcome, meta } };
}

/**
 * Whoever asks again wants another answer: a retry, another page, a jump back, a cycle of the graph that polls. With the
 * kept answer, it would ask for ever.
 */
function isRepeated(taskRunId: string): boolean {
  return [...taskRunId.matchAll(/#(\d+)|~(\d+)@(\d+)/g)].some(([, ...counts]) =>
    counts.some((count) => count !== undefined && count !== '1'),
  );
}

/** Details of one run of a task. */
const OF_A_RUN: ReadonlySet<string> = new Set([
  'attempt',
  'started_at',
  'ended_at',
  'duration_ms',
  'trace_id',
  'worker',
]);

/**
 * The outcome without the details of its run. Undefined for errors, for results with secrets, and for those that refer to
 * values stored under their execution, which are deleted with it.
 */
function keepable(outcome: Outcome): Outcome | undefined {
  const { status, meta, ...rest } = outcome;
  if (status !== 'ok' || 'secrets' in meta || 'dropped_bytes' in meta || refersToStored(outcome.result))
    return undefined;
  const kept = Object.fromEntries(Object.entries(meta).filter(([key]) => !OF_A_RUN.has(key)));
  if (Buffer.byteLength(JSON.stringify(rest)) > LARGEST) return undefined;
  return { ...rest, status, meta: kept };
}

/** A reference anywhere in it (`Reference` of src/storage/payloads). */
function refersToStored(value: Json): boolean {
  for (const { store, key, checksum } of objectsIn(value))
    if (typeof store === 'string' && typeof key === 'string' && /^sha256:/.test(String(checksum)))
      return true;
  return false;
}

async function within<T>(limitMs: number, operation: Promise<T>): Promise<T> {
  const late = new AbortController();
  const limit = sleep(limitMs, undefined, { signal: late.signal, ref: false }).then(() => {
    throw new Error(`no answer within ${limitMs / 1000} s`);
  });
  limit.catch(() => undefined);
  try {
    return await Promise.race([operation, limit]);
  } finally {
    late.abort();
  }
}
