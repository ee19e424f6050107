/** Puts values in place of handles (DESIGN.md section 7): the last thing before a tool runs, and in its worker only. */
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
} from '../../src/plan';
import { evaluate, formatTemplateError, TemplateError } from '../../src/template/runtime';
import { type ResolvedEntry } from '../keychain/resolved';
import { invalid, ToolError } from '../outcome';

/** Shorter ones would redact ordinary words. */
const MIN_HIDDEN = 8;
/** Templates in templates in templates: nobody writes more. */
const MAX_DEPTH = 32;

/** Where values come from, and whom to tell of them. */
export interface SecretSources {
  /** The value of a secret that a reference names: text, but for what a task returned. */
  value(ref: SecretReference): Promise<Json>;
  /** An entry of the keychain, with values in place of the handles in its fields. */
  entry(entry: SecretEntry): Promise<ResolvedEntry>;
  /** Told every value that was revealed, so that nothing of it leaves the worker. */
  hide(values: readonly string[]): void;
}

/** What a call holds once its secrets are values. */
export interface Revealed {
  /** Without what the handles stood for. */
  readonly call: TaskCall;
  /** The entries of the keychain that are in it. */
  readonly entries: readonly OpenedEntry[];
}

interface OpenedEntry {
  readonly entry: SecretEntry;
  readonly resolved: ResolvedEntry;
}

/**
 * The call with values in it.
 *
 * @throws ToolError as the sources do; `SECRET_FIELD` for a field that the secret has not, `TEMPLATE` for a template that
 *   cannot be evaluated
 */
export async function revealSecrets(call: TaskCall, sources: SecretSources): Promise<Revealed> {
  if (!call.secrets) return { call, entries: [] };
  const { secrets: _, ...rest } = call;
  const reveal = resolverOf(call, sources);
  const [input, config, options] = await Promise.all([
    reveal.mapping(call.input),
    reveal.mapping(call.config),
    reveal.mapping(call.options),
  ]);
  return { call: { ...rest, input, config, options }, entries: await reveal.entries() };
}

/** For whoever wants single secrets of a call. */
export function resolverOf(call: TaskCall, sources: SecretSources): Reveal {
  return new Reveal(call.kind, call.secrets ?? {}, sources);
}

class Reveal {
  /** Each is fetched once a call, however often it stands there. */
  private readonly found = new Map<string, Promise<Json>>();
  private readonly opened = new Map<string, Promise<OpenedEntry>>();

  constructor(
    private readonly kind: string,
    private readonly secrets: Secrets,
    private readonly sources: SecretSources,
  ) {}

  async mapping(value: JsonObject, depth = 0): Promise<JsonObject> {
    return (await this.value(value, depth)) as JsonObject;
  }

  /** The entry of the keychain with this id. */
  async entry(id: string, depth = 0): Promise<ResolvedEntry> {
    let opened = this.opened.get(id);
    if (!opened) {
      opened = this.open((this.secrets[id] as Extract<Secret, { entry: SecretEntry }>).entry, depth);
      this.opened.set(id, opened);
    }
    return (await opened).resolved;
  }

  entries(): Promise<readonly OpenedEntry[]> {
    return Promise.all(this.opened.values());
  }

  private async open(written: SecretEntry, depth: number): Promise<OpenedEntry> {
    const entry = { ...written, config: await this.mapping(written.config, depth + 1) };
    return { entry, resolved: await this.sources.entry(entry) };
  }

  private async value(value: Json, depth: number): Promise<Json> {
    if (typeof value !== 'object' || value === null) return value;
    const handle = handleOf(value);
    if (handle && Object.hasOwn(this.secrets, handle.id)) return this.secret(handle, depth);
    if (Array.isArray(value)) return Promise.all(value.map((item) => this.value(item, depth)));
    const entries = Object.entries(value).map(
      async ([key, item]) => [key, await this.value(item, depth)] as const,
    );
    return Object.fromEntries(await Promise.all(entries));
  }

  private async secret({ id, field }: { id: string; field?: string }, depth: number): Promise<Json> {
    if (depth > MAX_DEPTH) throw invalid(`${this.kind}: secrets are nested too deeply`, 'SECRET_DEPTH');
    const secret = this.secrets[id]!;
    if ('entry' in secret) return this.ofEntry(secret.entry, await this.entry(id, depth), field);
    let found = this.found.get(id);
    if (!found) {
      found = 'ref' in secret ? this.sources.value(secret.ref) : this.deferred(secret.deferred, depth + 1);
      this.found.set(id, found);
    }
    const value = await found;
    const wanted = field === undefined ? value : fieldOf(value, field, this.kind);
    this.sources.hide(textsOf(wanted));
    return wanted;
  }

  /** Which of its texts are secret, the entry knows. */
  private ofEntry({ name }: SecretEntry, { value, secrets }: ResolvedEntry, field: string | undefined): Json {
    this.sources.hide(secrets);
    if (field === undefined) return value;
    if (Object.hasOwn(value, field)) return value[field]!;
    const has = Object.keys(value).join(', ') || 'none';
    const message = `${this.kind}: keychain entry '${name}' has no field '${field}'; it has ${has}`;
    throw new ToolError({ kind: 'not_found', code: 'SECRET_FIELD', message, entry: name });
  }

  private async deferred(
    { template, names, strict, now, seed }: DeferredTemplate,
    depth: number,
  ): Promise<Json> {
    const values = (await this.value(names, depth)) as JsonObject;
    const scope = { lookup: (name: string) => (Object.hasOwn(values, name) ? values[name] : undefined) };
    const environment = { now: () => now, random: randomFrom(seed) };
    try {
      return (evaluate(template, scope, environment, strict === true) ?? null) as Json;
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      // Its message names types and places, and no value; the redactor has seen the values all the same.
      throw invalid(`${this.kind}: ${formatTemplateError(error)}`, 'TEMPLATE');
    }
  }
}

/** A field of a secret that is a JSON mapping. @throws ToolError `SECRET_FIELD` */
export function fieldOf(value: Json, field: string, kind: string): Json {
  let data = value;
  if (typeof value === 'string') {
    try {
      data = JSON.parse(value) as Json;
    } catch {
      data = null;
    }
  }
  if (isMapping(data) && Object.hasOwn(data, field)) return (data as JsonObject)[field]!;
  const message = `${kind}: the secret has no field '${field}'${isMapping(data) ? '' : ': it is no JSON mapping'}`;
  throw new ToolError({ kind: 'not_found', code: 'SECRET_FIELD', message });
}

/** The texts of a value that are long enough to be hidden; numbers count. */
export function textsOf(value: Json): string[] {
  if (typeof value === 'string' || typeof value === 'number')
    return String(value).length >= MIN_HIDDEN ? [String(value)] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((part) => textsOf(part as Json));
}

/** Mulberry32: the same numbers for the same seed, in [0, 1). */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
