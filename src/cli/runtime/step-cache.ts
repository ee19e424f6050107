/** `cache list|clear`: the cached results of a storage, or of a facade. */
import { type CacheEntry, type CacheFilter } from '../../storage/payloads';
import { namespaceOf } from '../../temporal/client';
import { UsageError } from '../errors';
import { dataFolder } from './data-folder';
import { type RemoteFlags } from './executions';
import { askServer, facadeAddressOf } from './remote/facade-client';
import { openLocalStorage } from './storage';
import { compact } from '../../language/plan';

/** The options of `cache list|clear`. */
export type CacheFlags = CacheFilter & RemoteFlags;

/** As listed: without the result. */
export interface CachedResult extends Omit<CacheEntry, 'outcome' | 'created_at' | 'expires_at'> {
  /** RFC 3339. */
  readonly created_at: string;
  readonly expires_at: string;
}

export async function listCache(request: CacheFlags): Promise<CachedResult[]> {
  if (request.server !== undefined) return await askServer(facadeAddressOf(request.server), placeOf(request));
  return await withCache(request, async (cache, filter) => {
    const results: CachedResult[] = [];
    for await (const { outcome: _, created_at, expires_at, ...entry } of cache.entries(filter))
      results.push({
        ...entry,
        created_at: new Date(created_at).toISOString(),
        expires_at: new Date(expires_at).toISOString(),
      });
    return results;
  });
}

/** @returns how many were deleted */
export async function clearCache(request: CacheFlags): Promise<number> {
  if (request.server === undefined) return await withCache(request, (cache, filter) => cache.clear(filter));
  const asking = { method: 'DELETE' } as const;
  const { cleared } = await askServer<{ cleared: number }>(
    facadeAddressOf(request.server),
    placeOf(request),
    asking,
  );
  return cleared;
}

function placeOf({ path, step, expired, data, storage }: CacheFlags): string {
  if (data !== undefined || storage !== undefined)
    throw new UsageError('--data and --storage apply to this machine only; remove them, or remove --server');
  const query = new URLSearchParams({
    ...compact({ path, step }),
    ...(expired && { expired: 'true' }),
  });
  return `/api/cache?${query.toString()}`;
}

type Cache = NonNullable<ReturnType<Awaited<ReturnType<typeof openLocalStorage>>['cache']>>;

async function withCache<T>(
  { data, storage: named, path, step, expired }: CacheFlags,
  use: (cache: Cache, filter: CacheFilter) => Promise<T>,
): Promise<T> {
  const storage = await openLocalStorage(named, dataFolder(data));
  try {
    const cache = storage.cache(namespaceOf());
    if (!cache) throw new UsageError('there is no storage, where cached results are kept: set --storage');
    return await use(cache, { path, step, expired });
  } finally {
    await storage.close();
  }
}
