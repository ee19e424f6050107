/**
 * The engine's side of secrets: it keeps the table of what handles refer to, leaves templates that read a secret
 * unevaluated, and gives every task the table entries of the handles it receives.
 */
import {
  handleOf,
  handlesIn,
  isMapping,
  type Json,
  type JsonObject,
  type Outcome,
  type Secret,
  secretHandle,
  type Secrets,
} from '../../../language/plan';
import {
  lookup,
  plainValue,
  type TemplateReference,
  references,
  type TemplateScope,
  type Template,
} from '../../../language/template/runtime';
import { type Context, measured } from '../batch';
import { defineMember, isEmpty, type LiveState } from '../state';
import { type SecretTable } from './place';
import { type EngineScope } from './scope';

/** Records the secrets that an outcome reports in `meta.secrets`; returns the outcome without them. */
export function keepSecrets(state: LiveState, outcome: Outcome): Outcome {
  const declared = outcome.meta['secrets'];
  if (!isMapping(declared)) return outcome;
  const { secrets: _, ...meta } = outcome.meta;
  for (const [id, secret] of Object.entries(declared as unknown as Secrets))
    defineMember((state.secrets ??= {}), id, secret);
  return { ...outcome, meta };
}

/** The secrets behind the handles in these values, and behind the handles in those secrets' templates. */
export function secretsIn(
  values: readonly Json[],
  tables: readonly (SecretTable | undefined)[],
): Secrets | undefined {
  if (tables.every((table) => table === undefined || isEmpty(table))) return undefined;
  const table: SecretTable = Object.assign({}, ...tables) as SecretTable;
  const used: SecretTable = {};
  const take = (value: Json): void => {
    for (const id of handlesIn(value, table)) {
      if (Object.hasOwn(used, id)) continue;
      const secret = table[id]!;
      defineMember(used, id, secret);
      if ('deferred' in secret) take(secret.deferred.names);
      if ('entry' in secret) take(secret.entry.config);
    }
  };
  values.forEach(take);
  return isEmpty(used) ? undefined : used;
}

/**
 * The handle for a template that reads a secret; undefined for a template that does not, or that only passes a handle
 * on: those are evaluated. The new secret is stored in the table of the place or, without one, of the state.
 */
export function deferTemplate(
  context: Context,
  template: Template,
  scope: EngineScope,
  strict: boolean,
): JsonObject | undefined {
  const { state } = context;
  if (!state.secrets) return undefined;
  const table = scope.place.secrets;
  if (isPath(template)) {
    const [read] = readsOf(template);
    if (read!.root === 'keychain' && state.keychain) {
      const handle = keychainHandle(state.keychain, read!.path);
      if (handle) return handle;
    }
    if (!liesBehind(state, scope, read!)) return undefined;
  }
  const secrets = table ? { ...state.secrets, ...table } : state.secrets;
  const reads = readsOf(template);
  const names: JsonObject = {};
  const ids = new Set<string>();
  for (const { root, path } of reads) {
    const { value, depth } = valueOf(scope, root, path, secrets);
    handlesIn(value, secrets, ids);
    place(names, [root, ...path.slice(0, depth)], value);
  }
  const [first] = ids;
  if (first === undefined) return undefined;
  measured(context, names, 'what the template reads beside a secret');
  const own = table ?? state.secrets;
  const seed = Math.floor(context.environment.random() * 2 ** 32);
  // The nonce of the secret it reads makes the id unguessable; the seed distinguishes it from one of a sub-playbook
  // that received the same secret.
  const count = Object.keys(own).length;
  const id = `${first.split('.')[0]!}.${table ? 'c' : 's'}${count}x${seed.toString(36)}`;
  defineMember<Secret>(own, id, {
    deferred: { template, names, ...(strict && { strict }), now: context.environment.now(), seed },
  });
  return secretHandle(id);
}

/** For `keychain.api` or `keychain.api.token`; deeper paths become templates of their own. */
function keychainHandle(
  ids: Readonly<Record<string, string>>,
  path: TemplateReference['path'],
): JsonObject | undefined {
  const [name, field, ...deeper] = path.map(String);
  if (name === undefined || deeper.length > 0 || !Object.hasOwn(ids, name)) return undefined;
  return secretHandle(ids[name]!, field);
}

/** `fetch.pair.password`, where `fetch.pair` is a handle: only the worker can resolve it. */
function liesBehind(
  { secrets }: LiveState,
  scope: TemplateScope,
  { root, path }: TemplateReference,
): boolean {
  const { value, depth } = valueOf(scope, root, path, secrets!);
  const handle = depth < path.length ? handleOf(value) : undefined;
  return handle !== undefined && Object.hasOwn(secrets!, handle.id);
}

/** `fetch.value`: evaluates to the handle itself. */
function isPath(template: Template): boolean {
  if (template.kind !== 'expression') return false;
  let expr = template.expr;
  while (expr.op === 'get' || (expr.op === 'item' && expr.i.op === 'lit')) expr = expr.o;
  return expr.op === 'name';
}

const referenceCache = new WeakMap<Template, readonly TemplateReference[]>();

/** The names the template reads, shorter paths first. */
function readsOf(template: Template): readonly TemplateReference[] {
  let reads = referenceCache.get(template);
  if (!reads) {
    reads = references(template)
      .filter(({ kind }) => kind === 'name')
      .sort((a, b) => a.path.length - b.path.length);
    referenceCache.set(template, reads);
  }
  return reads;
}

/** The value at the path, or the first handle or index on the way; `depth`: number of keys followed. */
function valueOf(
  scope: TemplateScope,
  root: string,
  path: TemplateReference['path'],
  secrets: Secrets,
): { value: Json; depth: number } {
  let current = scope.lookup(root);
  let depth = 0;
  for (const key of path) {
    const handle = handleOf(plainValue(current));
    if (typeof key === 'number' || (handle && Object.hasOwn(secrets, handle.id))) break;
    current = lookup(current, key);
    depth++;
  }
  return { value: (plainValue(current) ?? undefined) as Json, depth };
}

/** Writes a value at its path; a value already written by a shorter path is kept. */
function place(names: JsonObject, path: readonly (string | number)[], value: Json | undefined): void {
  if (value === undefined) return;
  let at: Record<string, Json> = names;
  for (const key of path.slice(0, -1).map(String)) {
    if (!Object.hasOwn(at, key)) defineMember(at, key, {});
    const next = at[key]!;
    if (!isMapping(next) || handleOf(next)) return;
    at = next as Record<string, Json>;
  }
  const last = String(path.at(-1)!);
  if (!Object.hasOwn(at, last)) defineMember(at, last, value);
}
