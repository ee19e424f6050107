/**
 * The keychain of a worker: entries are resolved when a task needs one, kept in memory by execution and entry for as
 * long as they hold, and renewed before they expire.
 */
import { createHash } from 'node:crypto';
import { type SecretEntry } from '../../../src/plan';
import { entryError, type ResolvedEntry } from './resolved';

/** Where resolved entries are kept. Never a disk. */
export interface KeychainCache {
  get(key: string): Promise<ResolvedEntry | undefined>;
  /**
   * @param until milliseconds since the epoch: not to be had any more afterwards
   * @param about whose value it is
   */
  put(key: string, entry: ResolvedEntry, until: number, about: SecretEntry): Promise<void>;
  drop(key: string): Promise<void>;
}

/** Entries that do not expire are asked for again after this: a rotated secret is seen, a store not asked each time. */
const KEEP_MS = 5 * 60_000;
/** A token is renewed this long before it expires, or a tenth of its life if that is shorter. */
const RENEW_BEFORE_MS = 60_000;
/** More entries than this were not used for a long time. */
const MAX_KEPT = 1000;

/** In the memory of this process; the longest unused goes first. */
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
  /** Tasks that need an entry at the same time wait for one answer. */
  private readonly underWay = new Map<string, Promise<ResolvedEntry>>();

  constructor(
    private readonly cache: KeychainCache = new MemoryCache(),
    readonly now: () => number = Date.now,
  ) {}

  /**
   * The value of an entry: the one that is kept, or, when there is none or it is about to expire, a new one.
   *
   * @param ask resolves the entry
   * @throws ToolError as `ask` does; `KEYCHAIN_EXPIRED` for one with `auto_renew: false` whose time is over
   */
  async resolve(entry: SecretEntry, ask: () => Promise<ResolvedEntry>): Promise<ResolvedEntry> {
    const key = keyOf(entry);
    const kept = await this.cache.get(key);
    if (kept && !this.isStale(entry, kept)) return kept;
    const pending = this.underWay.get(key);
    if (pending) return pending;
    const answer = this.ask(key, entry, ask).finally(() => this.underWay.delete(key));
    this.underWay.set(key, answer);
    return answer;
  }

  /** Forgets an entry that was refused although its time is not over; what is newer than `before` stays. */
  async forget(entry: SecretEntry, before: number): Promise<void> {
    const key = keyOf(entry);
    const kept = await this.cache.get(key);
    if (kept && kept.resolvedAt < before) await this.cache.drop(key);
  }

  private async ask(
    key: string,
    entry: SecretEntry,
    ask: () => Promise<ResolvedEntry>,
  ): Promise<ResolvedEntry> {
    const resolved = await ask();
    // One that expires is kept a little longer than it holds, so that `auto_renew: false` can be told.
    const until = resolved.expiresAt === undefined ? this.now() + KEEP_MS : resolved.expiresAt + KEEP_MS;
    await this.cache.put(key, resolved, until, entry);
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
        `expired at ${when}, and \`auto_renew: false\` forbids to renew it`,
      );
    }
    return now >= renewalTime(kept);
  }
}

/** From when on an entry is asked for anew; milliseconds since the epoch, `Infinity` for one that does not expire. */
export function renewalTime({ expiresAt, resolvedAt }: ResolvedEntry): number {
  if (expiresAt === undefined) return Infinity;
  return expiresAt - Math.min(RENEW_BEFORE_MS, (expiresAt - resolvedAt) / 10);
}

/** `auto_renew: false` */
export function neverRenewed({ config }: SecretEntry): boolean {
  return /^(false|no|off|0)$/i.test(String(config['auto_renew']));
}

/** Values of `scope` that all executions share. */
export const SHARED_SCOPE = /^(global|shared|catalog)$/i;

/**
 * Entries of one execution are its own; those of `scope: global` are shared by all executions that declare the same.
 * The fields are part of the key, with their values: what another secret is asked for with is another one.
 */
function keyOf({ name, kind, config, execution_id }: SecretEntry): string {
  const owner = SHARED_SCOPE.test(String(config['scope'] ?? '')) ? '' : execution_id;
  return createHash('sha256')
    .update(JSON.stringify([owner, name, kind, config]))
    .digest('hex');
}

/** Of all workers in this process, unless they are given another. */
export const processKeychain = new Keychain();
