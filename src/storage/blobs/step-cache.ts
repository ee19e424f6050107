/** Cached results of tasks, stored beside payloads: compressed and encrypted like these. */
import { type PayloadCodec } from '@temporalio/common';
import { type CachedCall, type CacheEntry, type CacheFilter, type StepCache } from '../payloads';
import { CACHE_OWNER, cachePrefix } from './key';
import { type OpenObjectStore, bytesSha256 } from './object-driver';
import { getValue, putValue } from './values';

const PAGE = 1000;

/**
 * @param stores the first is written and read: what an older store has is computed anew
 * @param codecs as for history
 */
export function stepCache(
  [store]: readonly OpenObjectStore[],
  namespace: string,
  codecs: readonly PayloadCodec[],
): StepCache | undefined {
  if (!store) return undefined;
  const { objects, shown } = store;
  const prefix = cachePrefix({ namespace, workflowId: CACHE_OWNER });

  const read = (name: string): Promise<CacheEntry | undefined> => getValue(objects, prefix + name, codecs);

  async function* all(): AsyncGenerator<{ name: string; entry: CacheEntry | undefined }> {
    for (let after = ''; ;) {
      const names = await objects.list(prefix, after, PAGE);
      for (const name of names) yield { name, entry: await read(name).catch(() => undefined) };
      const last = names.at(-1);
      if (last === undefined || names.length < PAGE) return;
      after = last;
    }
  }

  return {
    shown,
    async get(call) {
      const entry = await read(nameOf(call));
      return entry?.digest === call.digest && entry.path === call.path ? entry : undefined;
    },
    put: (entry) => putValue(objects, prefix + nameOf(entry), entry, codecs),
    async *entries(filter) {
      for await (const { entry } of all()) if (entry && matches(entry, filter)) yield entry;
    },
    async clear(filter) {
      const isAll = Object.values(filter).every((value) => value === undefined || value === false);
      let count = 0;
      for await (const { name, entry } of all()) {
        if (!(entry ? matches(entry, filter) : isAll)) continue;
        await store.erase(prefix + name);
        count++;
      }
      return count;
    },
  };
}

/** As `isCacheName` in key.ts. */
function nameOf({ path, digest }: Pick<CachedCall, 'path' | 'digest'>): string {
  return `${bytesSha256(Buffer.from(path)).slice(0, 16)}-${digest}`;
}

function matches(entry: CacheEntry, { path, step, expired }: CacheFilter): boolean {
  if (step !== undefined && entry.step !== step) return false;
  if (expired === true && entry.expires_at > Date.now()) return false;
  if (path === undefined) return true;
  return path.endsWith('*') ? entry.path.startsWith(path.slice(0, -1)) : entry.path === path;
}
