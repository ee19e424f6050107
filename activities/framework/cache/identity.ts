/** What makes two calls equal: everything that a result may depend on, with secrets named instead of shown. */
import { createHash } from 'node:crypto';
import {
  canonicalJson,
  handleOf,
  type Json,
  type JsonObject,
  type Secret,
  secondsOf,
  type TaskCall,
} from '../../../src/language/plan';
import { type CachedCall } from '../../../src/storage/payloads';
import { SEALED } from '../../../src/storage/sealed';

export interface Cacheable extends CachedCall {
  /** Seconds. */
  readonly ttl: number;
}

/** A change of this format makes all earlier results unknown. */
const FORMAT = 1;

/**
 * Undefined for a call that is not cached: without `spec.cache`, a time to live or a playbook, or with a value that is
 * sealed for its execution alone.
 */
export function cacheable(call: TaskCall): Cacheable | undefined {
  const { cache, ...options } = call.options;
  if (typeof cache !== 'object' || cache === null || Array.isArray(cache)) return undefined;
  const { path, key = null, version = null, ttl } = cache;
  const seconds = secondsOf(ttl);
  if (typeof path !== 'string' || !seconds) return undefined;
  const { kind, step, task, input, config } = call;
  // Python code may read all names of its execution; the id alone makes no difference to a result worth keeping.
  const { execution_id: _, ...context } = call.context ?? {};
  const parts: JsonObject = { input, config, options, context, key, version };
  const named = new Names(call.secrets ?? {}).in(parts);
  if (named === undefined) return undefined;
  const text = canonicalJson([FORMAT, path, kind, named]);
  return { digest: createHash('sha256').update(text).digest('hex'), path, step, task, kind, ttl: seconds };
}

/** Replaces handles, which are different in every execution, by what they stand for. */
class Names {
  private isSealed = false;

  constructor(private readonly secrets: Readonly<Record<string, Secret>>) {}

  /** Undefined if a sealed value is among them. */
  in(value: Json): Json | undefined {
    const named = this.named(value);
    return this.isSealed ? undefined : named;
  }

  private named(value: Json): Json {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((item) => this.named(item));
    const handle = handleOf(value);
    const secret = handle && Object.hasOwn(this.secrets, handle.id) ? this.secrets[handle.id] : undefined;
    if (secret) return { $secret: this.nameOf(secret), field: handle?.field ?? null };
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.named(item)]));
  }

  private nameOf(secret: Secret): Json {
    if ('ref' in secret) {
      this.isSealed ||= secret.ref.provider === SEALED;
      return secret.ref;
    }
    if ('entry' in secret) {
      const { name, kind, config } = secret.entry;
      return { name, kind, config: this.named(config) };
    }
    const { template, names } = secret.deferred;
    return { template: template.source, names: this.named(names) };
  }
}
