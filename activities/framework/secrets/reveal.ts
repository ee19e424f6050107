/** Replaces handles with values: the last step before a tool runs, only in its worker. */
import {
  handleOf,
  isMapping,
  type Json,
  type JsonObject,
  type Secret,
  type SecretEntry,
  type SecretReference,
  type Secrets,
  type DeferredTemplate,
  type TaskCall,
} from '../../../src/language/plan';
import {
  evaluateRaw,
  formatTemplateError,
  plainValue,
  TemplateError,
} from '../../../src/language/template/runtime';
import { type ResolvedEntry } from '../keychain/resolved';
import { jsonOr } from '../../../src/language/plan/json-text';
import { invalidInput, ToolError } from '../tool/outcome';
import { isSecretResult, type IsText, type SecretFields, SecretView, textOfEntry, textOfTool } from './view';

/** Shorter values would redact ordinary words. */
const MIN_HIDDEN = 8;
/** Maximum nesting of templates in templates; real playbooks stay far below it. */
const MAX_DEPTH = 32;

/** Sources of values, and a callback for revealed ones. */
export interface SecretSources {
  /** The value of a referenced secret: a string, except for a task's result. */
  value(ref: SecretReference): Promise<Json>;
  /** A keychain entry, with values instead of handles in its fields. */
  entry(entry: SecretEntry): Promise<ResolvedEntry>;
  /** Called with every revealed value, so that it can be redacted. */
  hide(values: readonly string[]): void;
}

/** The result of revealing a call. */
export interface Revealed {
  /** The call without the table of secrets. */
  readonly call: TaskCall;
  /** The keychain entries used in it. */
  readonly entries: readonly OpenedEntry[];
}

interface OpenedEntry {
  readonly entry: SecretEntry;
  readonly resolved: ResolvedEntry;
}

/**
 * Replaces the handles in a call with values.
 *
 * @throws ToolError from the sources; `SECRET_FIELD` for a field that the secret does not have, `TEMPLATE` for a
 * template that cannot be evaluated
 */
export async function revealSecrets(call: TaskCall, sources: SecretSources): Promise<Revealed> {
  if (!call.secrets) return { call, entries: [] };
  const { secrets: _, ...rest } = call;
  const reveal = resolverOf(call, sources);
  const [input, config, options] = await Promise.all([
    reveal.mapping(call.input),
    reveal.config(call.config, textOfTool(call.kind)),
    reveal.mapping(call.options),
  ]);
  return { call: { ...rest, input, config, options }, entries: await reveal.entries() };
}

/** For callers that need single secrets of a call. */
export function resolverOf(call: TaskCall, sources: SecretSources): Reveal {
  return new Reveal(call.kind, call.secrets ?? {}, sources);
}

class Reveal {
  /** Each secret is fetched once per call, however often it occurs. A template may evaluate to a view of a secret. */
  private readonly values = new Map<string, Promise<unknown>>();
  private readonly opened = new Map<string, Promise<OpenedEntry>>();

  constructor(
    private readonly kind: string,
    private readonly secrets: Secrets,
    private readonly sources: SecretSources,
  ) {}

  /** Secrets with several fields remain mappings here. */
  async mapping(value: JsonObject): Promise<JsonObject> {
    return (await this.data(value, 0)) as JsonObject;
  }

  /**
   * The fields of a tool or entry: where a string is expected, a secret with several fields becomes its single value.
   */
  async config(value: JsonObject, isText: IsText, depth = 0): Promise<JsonObject> {
    return (await this.fields(value, [], isText, depth)) as JsonObject;
  }

  private async fields(value: Json, place: readonly string[], isText: IsText, depth: number): Promise<Json> {
    if (isMapping(value) && place.length < 2 && !this.isSecret(value)) {
      const entries = Object.entries(value as JsonObject).map(
        async ([key, item]) => [key, await this.fields(item, [...place, key], isText, depth)] as const,
      );
      return Object.fromEntries(await Promise.all(entries));
    }
    if (!isText(place)) return this.data(value, depth);
    const revealed = await this.value(value, depth);
    return revealed instanceof SecretView ? revealed.text() : (plainValue(revealed) as Json);
  }

  private isSecret(value: Json): boolean {
    const handle = handleOf(value);
    return handle ? Object.hasOwn(this.secrets, handle.id) : isSecretResult(value, this.secrets);
  }

  /** The keychain entry with this id. */
  async entry(id: string, depth = 0): Promise<ResolvedEntry> {
    let opened = this.opened.get(id);
    if (!opened) {
      opened = this.open((this.secrets[id] as Extract<Secret, { entry: SecretEntry }>).entry, depth);
      this.opened.set(id, opened);
    }
    return (await opened).resolved;
  }

  async entries(): Promise<readonly OpenedEntry[]> {
    // Others than optional ones have thrown before.
    const opened = await Promise.allSettled(this.opened.values());
    return opened.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  }

  private async open(written: SecretEntry, depth: number): Promise<OpenedEntry> {
    const entry = {
      ...written,
      config: await this.config(written.config, textOfEntry(written.kind), depth + 1),
    };
    return { entry, resolved: await this.sources.entry(entry) };
  }

  /** Any value, as JSON. */
  private async data(value: Json, depth: number): Promise<Json> {
    if (typeof value !== 'object' || value === null) return value;
    if (handleOf(value) && this.isSecret(value)) {
      const revealed = await this.value(value, depth);
      return revealed instanceof SecretView ? revealed.plain() : (revealed as Json);
    }
    if (Array.isArray(value)) return Promise.all(value.map((item) => this.data(item, depth)));
    const entries = Object.entries(value).map(
      async ([key, item]) => [key, await this.data(item, depth)] as const,
    );
    return Object.fromEntries(await Promise.all(entries));
  }

  /** What expressions see: JSON, with views for secrets with several fields. */
  private async value(value: Json, depth: number): Promise<unknown> {
    if (typeof value !== 'object' || value === null) return value;
    const handle = handleOf(value);
    if (handle && this.isSecret(value)) return this.secret(handle, depth);
    if (Array.isArray(value)) return Promise.all(value.map((item) => this.value(item, depth)));
    if (this.isSecret(value)) return this.ofResult((await this.data(value, depth)) as JsonObject);
    const entries = Object.entries(value).map(
      async ([key, item]) => [key, await this.value(item, depth)] as const,
    );
    return Object.fromEntries(await Promise.all(entries));
  }

  private async secret({ id, field }: { id: string; field?: string }, depth: number): Promise<unknown> {
    if (depth > MAX_DEPTH) throw invalidInput(`${this.kind}: secrets are nested too deeply`, 'SECRET_DEPTH');
    const secret = this.secrets[id]!;
    if ('entry' in secret) {
      const { entry } = secret;
      const resolved = await (entry.optional
        ? this.entry(id, depth).catch(unresolved)
        : this.entry(id, depth));
      return resolved && this.ofEntry(entry, resolved, field);
    }
    let promise = this.values.get(id);
    if (!promise) {
      promise = 'ref' in secret ? this.sources.value(secret.ref) : this.deferred(secret.deferred, depth + 1);
      this.values.set(id, promise);
    }
    const value = await promise;
    const whole = value instanceof SecretView ? value.plain() : (value as Json);
    const part = field === undefined ? whole : secretField(whole, field, this.kind);
    this.sources.hide(textsOf(part));
    return value instanceof SecretView && field === undefined ? value : this.view('the secret', '.', part);
  }

  /** Strings and numbers. */
  private view(what: string, path: string, whole: Json, more: Partial<SecretFields> = {}): unknown {
    if (!isMapping(whole)) return whole;
    return new SecretView(this.kind, { what, path, whole: whole as JsonObject, ...more });
  }

  /** The result of a task of kind `secrets`: its string, or the value of its only field. */
  private ofResult(whole: JsonObject): unknown {
    const fields = whole['fields'] as JsonObject;
    const isText = Object.keys(fields).length === 0;
    const what = `the secret '${String(whole['secret'])}'`;
    return this.view(what, '.fields.', whole, { fields, ...(isText && { value: whole['value'] }) });
  }

  /** The entry knows which of its strings are secret. */
  private ofEntry(
    { name }: SecretEntry,
    { value, secrets, renewable }: ResolvedEntry,
    field: string | undefined,
  ): unknown {
    this.sources.hide(secrets);
    const [what, path] = [`keychain entry '${name}'`, `keychain.${name}.`];
    if (field === undefined) return this.view(what, path, value, renewable && { value: value['token'] });
    if (Object.hasOwn(value, field))
      return this.view(`'${field}' of ${what}`, `${path}${field}.`, value[field]!);
    const has = Object.keys(value).join(', ') || 'none';
    const message = `${this.kind}: ${what} has no field '${field}'; it has ${has}`;
    throw new ToolError({ kind: 'not_found', code: 'SECRET_FIELD', message, entry: name });
  }

  private async deferred(
    { template, names, strict, now, seed }: DeferredTemplate,
    depth: number,
  ): Promise<unknown> {
    const values = (await this.value(names, depth)) as Record<string, unknown>;
    const scope = { lookup: (name: string) => (Object.hasOwn(values, name) ? values[name] : undefined) };
    const environment = { now: () => now, random: randomFrom(seed) };
    try {
      return evaluateRaw(template, scope, environment, strict === true) ?? null;
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      // Its message contains names and types but no value; the redactor knows the values anyway.
      throw invalidInput(`${this.kind}: ${formatTemplateError(error)}`, 'TEMPLATE');
    }
  }
}

/** An optional entry that does not resolve has no value. */
function unresolved(problem: unknown): undefined {
  if (!(problem instanceof ToolError)) throw problem;
}

/** A field of a secret that is a JSON mapping. @throws ToolError `SECRET_FIELD` */
export function secretField(value: Json, field: string, kind: string): Json {
  const data = typeof value === 'string' ? jsonOr(value, null) : value;
  if (isMapping(data) && Object.hasOwn(data, field)) return (data as JsonObject)[field]!;
  const message = `${kind}: the secret has no field '${field}'${isMapping(data) ? '' : ': it is not a JSON mapping'}`;
  throw new ToolError({ kind: 'not_found', code: 'SECRET_FIELD', message });
}

/** The strings in a value that are long enough to be redacted; numbers count. */
export function textsOf(value: Json): string[] {
  if (typeof value === 'string' || typeof value === 'number')
    return String(value).length >= MIN_HIDDEN ? [String(value)] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((part) => textsOf(part as Json));
}

/** Mulberry32: a deterministic sequence in [0, 1) for a seed. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
