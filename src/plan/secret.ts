/**
 * Secrets in the engine: never a value, always a handle. A task of kind `secrets` answers with handles and says,
 * beside its result, what each stands for, and so does a task with `spec.sensitive`; entries of the keychain and
 * secret fields of the workload are handles from the start; a template that reads one stays unevaluated behind a
 * handle of its own. The activity puts values in place of handles at the last moment.
 */
import { type Template } from '../template/ir';
import { isMapping, type Json, type JsonObject } from './json';

/** Where a secret is: fields of the kind `secrets` that name it. Never a value. */
export interface SecretReference extends JsonObject {
  readonly provider: string;
  readonly secret: string;
}

/** A template that reads secrets, with what else it needs. */
export interface DeferredTemplate {
  readonly template: Template;
  /** By root name: the parts that it reads, handles in them. */
  readonly names: JsonObject;
  /** An undefined value is an error. */
  readonly strict?: true;
  /** What `now()` says, milliseconds since the epoch. */
  readonly now: number;
  /** What `random` and `uuid()` draw from. */
  readonly seed: number;
}

/** An entry of a keychain, as the worker that needs it resolves it. Handles stand in its fields, never values. */
export interface SecretEntry {
  readonly name: string;
  readonly kind: string;
  /** Its fields, evaluated. A mapping. */
  readonly config: JsonObject;
  /** The execution that declares it: a sub-playbook that is handed a value shares it with its caller. */
  readonly execution_id: string;
}

export type Secret =
  | { readonly ref: SecretReference }
  | { readonly deferred: DeferredTemplate }
  | { readonly entry: SecretEntry };

/** By the id in their handles. Ids hold a nonce: data from outside cannot name a secret. */
export type Secrets = Readonly<Record<string, Secret>>;

const KEY = '$secret';

/** What stands for a secret, or for one field of a secret that is a JSON mapping. */
export function secretHandle(id: string, field?: string): JsonObject {
  return { [KEY]: id, ...(field === undefined ? {} : { field }) };
}

/** Id and field of a handle; undefined for anything else. Whether the id is one of a secret, only a table can tell. */
export function handleOf(value: unknown): { readonly id: string; readonly field?: string } | undefined {
  if (!isMapping(value) || typeof value[KEY] !== 'string') return undefined;
  const { field } = value;
  return { id: value[KEY], ...(typeof field === 'string' ? { field } : {}) };
}

/** The handles in a value whose ids the table knows, deep. */
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
