/**
 * Secrets in the engine: never a value, always a handle. A task of kind `secrets`, or one with `spec.sensitive`,
 * returns handles together with what each refers to; keychain entries and secret workload fields are handles from the
 * start; a template that reads one stays unevaluated behind its own handle. The activity replaces handles with values
 * at the last moment.
 */
import { type Template } from '../template/ir';
import { isMapping, type Json, type JsonObject } from './json';
import { compact } from './compact';

/** Location of a secret: the identifying fields of kind `secrets`. Never a value. */
export interface SecretReference extends JsonObject {
  readonly provider: string;
  readonly secret: string;
}

/** A template that reads secrets, with everything else it needs. */
export interface DeferredTemplate {
  readonly template: Template;
  /** By root name: the parts it reads, containing handles. */
  readonly names: JsonObject;
  /** An undefined value is an error. */
  readonly strict?: true;
  /** The value of `now()`, in milliseconds since the epoch. */
  readonly now: number;
  /** Seed for `random` and `uuid()`. */
  readonly seed: number;
}

/** A keychain entry, resolved by the worker that needs it. Its fields contain handles, never values. */
export interface SecretEntry {
  readonly name: string;
  readonly kind: string;
  /** Its fields, evaluated. A mapping. */
  readonly config: JsonObject;
  /** The execution that declares it: a sub-playbook that receives a value shares it with its caller. */
  readonly execution_id: string;
  /** One that does not resolve is undefined. */
  readonly optional?: true;
}

export type Secret =
  | { readonly ref: SecretReference }
  | { readonly deferred: DeferredTemplate }
  | { readonly entry: SecretEntry };

/** By the id in their handles. Ids contain a nonce, so external data cannot forge one. */
export type Secrets = Readonly<Record<string, Secret>>;

const KEY = '$secret';

/** A handle for a secret, or for one field of a secret that is a JSON mapping. */
export function secretHandle(id: string, field?: string): JsonObject {
  return { [KEY]: id, ...compact({ field }) };
}

/**
 * Id and field of a handle; undefined for anything else. Only the table can tell whether the id belongs to a secret.
 */
export function handleOf(value: unknown): { readonly id: string; readonly field?: string } | undefined {
  if (!isMapping(value) || typeof value[KEY] !== 'string') return undefined;
  const { field } = value;
  return { id: value[KEY], ...(typeof field === 'string' ? { field } : {}) };
}

/** The handles anywhere in a value whose ids are in the table. */
export function handlesIn(
  value: Json | undefined,
  secrets: Secrets,
  ids: Set<string> = new Set(),
): Set<string> {
  if (typeof value !== 'object' || value === null) return ids;
  const handle = handleOf(value);
  if (handle && Object.hasOwn(secrets, handle.id)) ids.add(handle.id);
  else for (const part of Object.values(value)) handlesIn(part, secrets, ids);
  return ids;
}
