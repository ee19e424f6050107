/** Cached results of tasks, stored beside payloads: compressed and encrypted like these. */
import { type Payload, type PayloadCodec } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { decode, encode } from '@temporalio/common/lib/encoding';
import {
  type CachedCall,
  type CacheEntry,
  type CacheFilter,
  COMPRESSIBLE,
  type StepCache,
} from '../payloads';
import { CACHE_OWNER, cachePrefix } from './key';
import { type Objects, sha256 } from './object-driver';

const { Payload: PayloadProto } = temporal.api.common.v1;
const METADATA = { encoding: encode('json/plain'), [COMPRESSIBLE]: encode('1') };
const PAGE = 1000;

export interface CacheObjects {
  readonly objects: Objects;
  readonly shown: string;
  erase(key: string): Promise<void>;
}

/**
 * @param stores the first is written and read: what an older store has is computed anew
 * @param codecs as for history
 */
export function stepCache(
  [store]: readonly CacheObjects[],
  namespace: string,
  codecs: readonly PayloadCodec[],
): StepCache | undefined {
  if (!store) return undefined;
  const { objects, shown } = store;
  const prefix = cachePrefix({ namespace, workflowId: CACHE_OWNER });

  async function read(name: string): Promise<CacheEntry | undefined> {
    const bytes = await objects.get(prefix + name);
    if (!bytes) return undefined;
    let payload: Payload = PayloadProto.decode(bytes);
    for (const codec of [...codecs].reverse()) [payload = payload] = await codec.decode([payload]);
    const entry: CacheEntry = JSON.parse(decode(payload.data ?? new Uint8Array()));
    return entry;
  }

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
    async put(entry) {
      let payload: Payload = { metadata: METADATA, data: encode(JSON.stringify(entry)) };
      for (const codec of codecs) [payload = payload] = await codec.encode([payload]);
      await objects.put(prefix + nameOf(entry), PayloadProto.encode(payload).finish(), false);
    },
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
  return `${sha256(Buffer.from(path)).slice(0, 16)}-${digest}`;
}

function matches(entry: CacheEntry, { path, step, expired }: CacheFilter): boolean {
  if (step !== undefined && entry.step !== step) return false;
  if (expired === true && entry.expires_at > Date.now()) return false;
  if (path === undefined) return true;
  return path.endsWith('*') ? entry.path.startsWith(path.slice(0, -1)) : entry.path === path;
}
