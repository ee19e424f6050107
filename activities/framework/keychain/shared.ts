/**
 * Tokens shared between workers: a token fetched by one is reused by others through the facade's `auth_cache`, instead
 * of each requesting its own. If the facade is unavailable, this costs an extra token, never a task.
 */
import { compact, isMapping, type Json, type JsonObject } from '../../../src/language/plan';
import { askFacade, configuredFacade, type FacadeAddress, type FacadeRequest } from '../credentials';
import {
  Keychain,
  type KeptFor,
  type KeychainCache,
  MemoryCache,
  processKeychain,
  renewalTime,
  SHARED_SCOPE,
} from './keychain';
import { type ResolvedEntry } from './resolved';

/** Short, because the issuer can be asked instead. */
const LIMIT_MS = 2_000;

/** The in-process cache, backed by the facade's cache for tokens. */
export class SharedCache implements KeychainCache {
  constructor(
    private readonly facade: FacadeAddress,
    private readonly now: () => number = Date.now,
    private readonly memory = new MemoryCache(now),
  ) {}

  async get(key: string, grant?: string): Promise<ResolvedEntry | undefined> {
    const own = await this.memory.get(key);
    if (own && this.now() < renewalTime(own)) return own;
    const answer = await this.ask('GET', key, { grant });
    const shared = answer && entryOf(answer['data']);
    if (!shared || (own && shared.resolvedAt <= own.resolvedAt)) return own;
    const until = Date.parse(String(answer['expires_at']));
    await this.memory.put(key, shared, until);
    return shared;
  }

  async put(
    key: string,
    entry: ResolvedEntry,
    until: number,
    { entry: about, grant }: KeptFor,
  ): Promise<void> {
    await this.memory.put(key, entry, until);
    if (!entry.renewable || entry.expiresAt === undefined) return;
    const isShared = SHARED_SCOPE.test(String(about.config['scope'] ?? ''));
    const body = {
      credential_name: about.name,
      credential_type: about.kind,
      ...(!isShared && /^\d+$/.test(about.execution_id) && { execution_id: about.execution_id }),
      data: { ...entry } as unknown as JsonObject,
      expires_at: new Date(until).toISOString(),
    };
    await this.ask('PUT', key, { body, grant });
  }

  /** Keeps what another worker fetched in the meantime. */
  async drop(key: string, grant?: string): Promise<void> {
    const own = await this.memory.get(key);
    await this.memory.drop(key);
    const answer = await this.ask('GET', key, { grant });
    const shared = answer && entryOf(answer['data']);
    if (shared && own && shared.resolvedAt > own.resolvedAt) return;
    if (answer) await this.ask('DELETE', key, { grant });
  }

  private async ask(
    method: 'GET' | 'PUT' | 'DELETE',
    key: string,
    given: Pick<FacadeRequest, 'body'> & { readonly grant: string | undefined },
  ): Promise<JsonObject | undefined> {
    const path = `/api/auth_cache/${encodeURIComponent(key)}`;
    const request = { method, path, what: 'a cached token', ...compact(given) };
    return askFacade(this.facade, request, { pausesMs: [], limitMs: LIMIT_MS }).catch(() => undefined);
  }
}

/** The keychain of a worker: with `NOETL_FACADE_URL` it shares tokens with other workers. */
export function defaultKeychain(env: NodeJS.ProcessEnv = process.env): Keychain {
  const facade = configuredFacade(env);
  return facade ? new Keychain(new SharedCache(facade)) : processKeychain;
}

/** Validates an entry stored by another worker, possibly of another release. */
function entryOf(data: Json | undefined): ResolvedEntry | undefined {
  if (!isMapping(data) || !isMapping(data['value']) || !Array.isArray(data['secrets'])) return undefined;
  const { secrets, source, expiresAt, resolvedAt } = data as JsonObject;
  if (typeof resolvedAt !== 'number' || typeof expiresAt !== 'number') return undefined;
  return {
    value: data['value'] as JsonObject,
    secrets: (secrets as Json[]).map(String),
    source: String(source ?? 'another worker'),
    expiresAt,
    resolvedAt,
    renewable: true,
  };
}
