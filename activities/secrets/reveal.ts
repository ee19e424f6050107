/** Puts values in place of handles (DESIGN.md section 7): the last thing before a tool runs, and in its worker only. */
import {
  handleOf,
  isMapping,
  type Json,
  type JsonObject,
  type Secrets,
  type SecretReference,
  type DeferredTemplate,
  type TaskCall,
} from '../../src/plan';
import { evaluate, formatTemplateError, TemplateError } from '../../src/template/runtime';
import { invalid, ToolError } from '../outcome';

/** Shorter ones would redact ordinary words. */
const MIN_HIDDEN = 8;
/** Templates in templates in templates: nobody writes more. */
const MAX_DEPTH = 32;

/** Gets the value of a secret, as text. */
export type Fetch = (ref: SecretReference) => Promise<string>;

/**
 * The call with values in it, and without what they stood for.
 *
 * @param hide told every value that was revealed, so that nothing of it leaves the worker
 * @throws ToolError as `fetch` does; `SECRET_FIELD` for a field that the secret has not, `TEMPLATE` for a template that
 *   cannot be evaluated
 */
export async function revealSecrets(
  call: TaskCall,
  fetch: Fetch,
  hide: (values: readonly string[]) => void,
): Promise<TaskCall> {
  if (!call.secrets) return call;
  const { secrets, ...rest } = call;
  const reveal = new Reveal(call.kind, secrets, fetch, hide);
  const [input, config, options] = await Promise.all([
    reveal.mapping(call.input),
    reveal.mapping(call.config),
    reveal.mapping(call.options),
  ]);
  return { ...rest, input, config, options };
}

class Reveal {
  /** Each is fetched once a call, however often it stands there. */
  private readonly found = new Map<string, Promise<Json>>();

  constructor(
    private readonly kind: string,
    private readonly secrets: Secrets,
    private readonly fetch: Fetch,
    private readonly hide: (values: readonly string[]) => void,
  ) {}

  async mapping(value: JsonObject): Promise<JsonObject> {
    return (await this.value(value, 0)) as JsonObject;
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
    let found = this.found.get(id);
    if (!found) {
      const secret = this.secrets[id]!;
      found = 'ref' in secret ? this.fetch(secret.ref) : this.deferred(secret.deferred, depth + 1);
      this.found.set(id, found);
    }
    const value = await found;
    const wanted = field === undefined ? value : fieldOf(value, field, this.kind);
    this.hide(textsOf(wanted));
    return wanted;
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

function textsOf(value: Json): string[] {
  if (typeof value === 'string') return value.length >= MIN_HIDDEN ? [value] : [];
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
