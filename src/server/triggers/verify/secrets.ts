/** Secrets that requests are verified with, kept for a while: each reading of a credential is audited. */
import { hasCode } from '../../../language/errors';
import { type JsonObject } from '../../../language/plan';

const KEPT_MS = 30_000;
/** A wrong signature has it read again, but not each of many. */
const AGAIN_MS = 2_000;

export class SecretCache {
  private readonly kept = new Map<string, { readonly at: number; readonly data: Promise<JsonObject> }>();

  constructor(
    private readonly read: (name: string, path: string) => Promise<JsonObject>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** @param path of the subscription @param check throws `INGRESS_REJECTED` for a wrong secret: one that was changed meanwhile may be right */
  async with<T>(name: string, path: string, check: (credential: JsonObject) => T): Promise<T> {
    try {
      return check(await this.of(name, path, KEPT_MS));
    } catch (error) {
      if (!hasCode(error, 'INGRESS_REJECTED')) throw error;
      return check(await this.of(name, path, AGAIN_MS));
    }
  }

  private async of(name: string, path: string, keptMs: number): Promise<JsonObject> {
    const key = `${name}\n${path}`;
    const before = this.kept.get(key);
    if (before && this.now() - before.at < keptMs) return await before.data;
    const data = this.read(name, path);
    this.kept.set(key, { at: this.now(), data });
    data.catch(() => this.kept.delete(key));
    return await data;
  }
}
