import { DEFAULT_TTL_MS, MAX_TTL_MS } from '../../server/store';
import { UsageError } from '../errors';
import { milliseconds } from '../input/number';

/**
 * How long `auth_cache` keeps a secret after its last use, in milliseconds: the option, else NOETL_AUTH_CACHE_TTL,
 * else one hour.
 *
 * @throws UsageError if it is not a duration, less than a second or more than a day
 */
export function authCacheTtl(option?: string, env: NodeJS.ProcessEnv = process.env): number {
  const [text, from] =
    option === undefined
      ? [env['NOETL_AUTH_CACHE_TTL'], 'NOETL_AUTH_CACHE_TTL']
      : [option, '--auth-cache-ttl'];
  if (!text) return DEFAULT_TTL_MS;
  const ttl = milliseconds(text, from);
  if (ttl < 1000 || ttl > MAX_TTL_MS) throw new UsageError(`${from} ${text}: expected 1s to 1d`);
  return ttl;
}
