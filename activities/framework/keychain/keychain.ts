/**
 * The keychain of a worker: entries are resolved when a task needs one, cached in memory by execution and entry while
 * they are valid, and renewed before they expire.
 */
import { createHash } from 'node:crypto';
import { type SecretEntry } from '../../../src/language/plan';
import { entryError, type ResolvedEntry } from './resolved';

/** For whom an entry is kept. */
export interface KeptFor {
  readonly entry: SecretEntry;
  /** Of the task that resolved it. */
  readonly grant: string | undefined;
}

/** Cache for resolved entries. Never on disk. */
export interface KeychainCache {
  get(key: string, grant?: string): Promise<ResolvedEntry | undefined>;
  /**
   * @param until milliseconds since the epoch, after which the entry is dropped
   * @param about the entry's owner
   */
  put(key: string, entry: ResolvedEntry, until: number, about: KeptFor): Promise<void>;
  drop(key: string, grant?: string): Promise<void>;
}

/**
 * Entries without expiry are resolved again after this time: a rotated secret takes effect, without asking the store
 * every time.
 */
const KEEP_MS = 5 * 60_000;
/** A token is renewed this long before it expires, or a tenth of its lifetime if that is shorter. */
const RENEW_BEFORE_MS = 60_000;
/** Beyond this number, the least recently used entries are dropped. */
const MAX_KEPT = 1000;

/** In-process cache that evicts the least recently used entry first. */
export class MemoryCache implements KeychainCache {
  private readonly kept = new Map<string, { entry: ResolvedEntry; until: number }>();

  constructor(private readonly now: () => number = Date.now) {}

  get(key: string): Promise<ResolvedEntry | undefined> {
    const cached = this.kept.get(key);
    this.kept.delete(key);
    if (!cached || cached.until <= this.now()) return Promise.resolve(undefined);
    this.kept.set(key, cached);
    return Promise.resolve(cached.entry);
  }

  put(key: string, entry: ResolvedEntry, until: number): Promise<void> {
    this.kept.delete(key);
    this.kept.set(key, { entry, until });
    if (this.kept.size > MAX_KEPT) this.kept.delete(this.kept.keys().next().value!);
    return Promise.resolve();
  }

  drop(key: string): Promise<void> {
    this.kept.delete(key);
    return Promise.resolve();
  }
}

export class Keychain {
  /** Concurrent requests for an entry share one resolution. */
  private readonly underWay = new Map<string, Promise<ResolvedEntry>>();

  constructor(
    private readonly cache: KeychainCache = new MemoryCache(),
    readonly now: () => number = Date.now,
  ) {}

  /**
   * The value of an entry: the cached one, or a new one if there is none or it is about to expire.
   *
   * @param ask resolves the entry
   * @param grant of the task that needs it
   * @throws ToolError from `ask`; `KEYCHAIN_EXPIRED` for an expired entry with `auto_renew: false`
   */
  async resolve(
    entry: SecretEntry,
    ask: () => Promise<ResolvedEntry>,
    grant?: string,
  ): Promise<ResolvedEntry> {
    const key = keyOf(entry);
    const kept = await this.cache.get(key, grant);
    if (kept && !this.isStale(entry, kept)) return kept;
    const pending = this.underWay.get(key);
    if (pending) return pending;
    const answer = this.ask(key, { entry, grant }, ask).finally(() => this.underWay.delete(key));
    this.underWay.set(key, answer);
    return answer;
  }

  /** Drops an entry that was rejected before its expiry; one newer than `before` stays. */
  async forget(entry: SecretEntry, before: number, grant?: string): Promise<void> {
    const key = keyOf(entry);
    const kept = await this.cache.get(key, grant);
    if (kept && kept.resolvedAt < before) await this.cache.drop(key, grant);
  }

  private async ask(key: string, about: KeptFor, ask: () => Promise<ResolvedEntry>): Promise<ResolvedEntry> {
    const resolved = await ask();
    // An expiring entry is kept slightly beyond its lifetime, so that `auto_renew: false` can be reported.
    const until = resolved.expiresAt === undefined ? this.now() + KEEP_MS : resolved.expiresAt + KEEP_MS;
    await this.cache.put(key, resolved, until, about);
    return resolved;
  }

  private isStale(entry: SecretEntry, kept: ResolvedEntry): boolean {
    const { expiresAt } = kept;
    if (expiresAt === undefined) return false;
    const now = this.now();
    if (neverRenewed(entry)) {
      if (now < expiresAt) return false;
      const when = new Date(expiresAt).toISOString();
      throw entryError(
        entry,
        'KEYCHAIN_EXPIRED',
        `expired at ${when}, and \`auto_renew: false\` prevents its renewal`,
      );
    }
    return now >= renewalTime(kept);
  }
}

/** When an entry is due for renewal; milliseconds since the epoch, `Infinity` for one that does not expire. */
export function renewalTime({ expiresAt, resolvedAt }: ResolvedEntry): number {
  if (expiresAt === undefined) return Infinity;
  return expiresAt - Math.min(RENEW_BEFORE_MS, (expiresAt - resolvedAt) / 10);
}

/** `auto_renew: false` */
export function neverRenewed({ config }: SecretEntry): boolean {
  return /^(false|no|off|0)$/i.test(String(config['auto_renew']));
}

/** The `scope` values shared by all executions. */
export const SHARED_SCOPE = /^(global|shared|catalog)$/i;

/**
 * Entries belong to one execution; those with `scope: global` are shared by all executions that declare the same entry.
 * The key includes the resolved fields: an entry requested with another secret is another entry.
 */
function keyOf({ name, kind, config, execution_id }: SecretEntry): string {
  const owner = SHARED_SCOPE.test(String(config['scope'] ?? '')) ? '' : execution_id;
  return createHash('sha256')
    .update(JSON.stringify([owner, name, kind, config]))
    .digest('hex');
}

/** Shared by all workers in this process unless configured otherwise. */
export const processKeychain = new Keychain();
