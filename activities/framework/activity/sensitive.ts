/**
 * `spec.sensitive` of a task: the values at these paths of its result are encrypted and replaced with handles, as in
 * kind `secrets`. Other occurrences of these values in the outcome are redacted.
 */
import { randomBytes } from 'node:crypto';
import {
  handleOf,
  isMapping,
  type Json,
  type JsonObject,
  type Outcome,
  secretHandle,
  type Secrets,
  type TaskCall,
} from '../../../src/language/plan';
import { invalidInput } from '../tool/outcome';
import { textsOf } from '../secrets/reveal';
import { storeFailure } from '../results/store-failure';
import { type Tool, type ToolContext } from '../tool/tool';

/** A path segment: a key, an index, or a wildcard. */
type Segment = string | number | typeof EACH;
const EACH = Symbol('*');

interface Path {
  readonly written: string;
  readonly segments: readonly Segment[];
  /** `data.token?`: may be absent. */
  readonly optional: boolean;
}

/** Start of a path: the result, or its payload for a path relative to that (`token` of an http response). */
const PAYLOADS: readonly (readonly string[])[] = [[], ['data'], ['rows'], ['result']];

/**
 * Parses the paths of `spec.sensitive`: keys separated by dots, `*` for each element of a list or mapping, `[3]` and
 * `[*]`, a trailing `?` for a value that may be absent, `.` for the whole result.
 *
 * @throws ToolError `SENSITIVE_PATH` for an invalid path
 */
function sensitivePaths(call: TaskCall): Path[] {
  const given = call.options['sensitive'] ?? [];
  return (Array.isArray(given) ? given : [given]).map((path) => {
    if (typeof path !== 'string' || path === '')
      throw invalidInput(
        `${call.kind}: spec.sensitive must be a list of paths such as data.token`,
        'SENSITIVE_PATH',
      );
    const optional = path.endsWith('?');
    const body = (optional ? path.slice(0, -1) : path).replace(
      /^\.|\[(\d+|\*)\]/g,
      (_, index: string | undefined) => (index === undefined ? '' : `.${index === '*' ? '*' : `#${index}`}`),
    );
    const segments = body
      .split('.')
      .filter((key) => key !== '')
      .map((key): Segment => (key === '*' ? EACH : /^#\d+$/.test(key) ? Number(key.slice(1)) : key));
    return { written: path, segments, optional };
  });
}

/**
 * Runs the tool and encrypts the sensitive parts of its result; a task without `spec.sensitive` simply runs.
 *
 * @param hide called with the values, to redact them elsewhere in the outcome
 * @throws ToolError `SENSITIVE_PATH`, `SENSITIVE_MISSING`, `SEALED_STORE`, errors of keys and store; thrown before the
 * tool runs if possible
 */
export async function runSensitive(
  tool: Tool,
  call: TaskCall,
  context: ToolContext,
  hide: (values: readonly string[]) => void,
): Promise<Outcome> {
  const paths = sensitivePaths(call);
  if (paths.length === 0) return tool.run(call, context);
  const who = `${call.kind}: spec.sensitive`;
  const { sealed, signal } = context;
  try {
    if (!sealed) throw invalidInput(`${who}: this worker has no store for secret values`, 'SEALED_STORE');
    sealed.check();
    const { outcome, values } = takeSensitive(call.kind, await tool.run(call, context), paths);
    for (const value of values.values()) hide(textsOf(value));
    const refs = [...values].map(
      async ([id, value]) => [id, { ref: await sealed.seal(value, call.execution_id, signal) }] as const,
    );
    return withSecrets(outcome, Object.fromEntries(await Promise.all(refs)));
  } catch (error) {
    throw storeFailure(who, error);
  }
}

/** The matches of the paths: the handles now in their place, and the values. */
interface Taken {
  readonly outcome: Outcome;
  readonly values: ReadonlyMap<string, Json>;
}

/**
 * Replaces the values at the paths with handles.
 *
 * @throws ToolError `SENSITIVE_MISSING` for a path without a match: the secret could be anywhere
 */
function takeSensitive(kind: string, outcome: Outcome, paths: readonly Path[]): Taken {
  const values = new Map<string, Json>();
  let { result } = outcome;
  for (const { written, segments, optional } of paths) {
    const source = PAYLOADS.map((prefix) => new Place([...prefix, ...segments], values)).find((place) => {
      const replaced = place.in(result);
      if (place.hits > 0) result = replaced;
      return place.hits > 0;
    });
    if (source || optional || outcome.status === 'error') continue;
    const message = `${kind}: the result has no \`${written}\`, which spec.sensitive names; write \`${written}?\` if it may be absent`;
    throw invalidInput(message, 'SENSITIVE_MISSING');
  }
  return { outcome: { ...outcome, result }, values };
}

class Place {
  hits = 0;
  /** A part that occurs twice in the result (the rows of the last statement) is replaced once, and stays shared. */
  private readonly replaced = new Map<object, Json>();

  constructor(
    private readonly segments: readonly Segment[],
    private readonly values: Map<string, Json>,
  ) {}

  /** In the result, and in the results of a script's statements. */
  in(result: Json): Json {
    const whole = this.at(result, 0);
    if (this.segments.length === 0 || !isMapping(whole)) return whole;
    const parts = Object.entries(whole as JsonObject).map(
      ([key, part]) => [key, /^command_\d+$/.test(key) ? this.at(part, 0) : part] as const,
    );
    return Object.fromEntries(parts);
  }

  private at(value: Json, depth: number): Json {
    if (depth === this.segments.length) return this.take(value);
    if (typeof value !== 'object' || value === null) return value;
    const cached = depth === 0 ? undefined : this.replaced.get(value);
    if (cached !== undefined) return cached;
    const copy = Array.isArray(value)
      ? this.inList(value, depth)
      : this.inMapping(value as JsonObject, depth);
    if (depth > 0) this.replaced.set(value, copy);
    return copy;
  }

  private inList(list: readonly Json[], depth: number): Json {
    const segment = this.segments[depth]!;
    // A key applied to a list applies to each of its items.
    if (typeof segment === 'string' && !/^\d+$/.test(segment))
      return list.map((item) => this.at(item, depth));
    return list.map((item, index) =>
      segment === EACH || Number(segment) === index ? this.at(item, depth + 1) : item,
    );
  }

  private inMapping(mapping: JsonObject, depth: number): Json {
    const segment = this.segments[depth]!;
    const entries = Object.entries(mapping).map(([key, item]) =>
      segment === EACH || String(segment) === key ? [key, this.at(item, depth + 1)] : [key, item],
    );
    return Object.fromEntries(entries) as JsonObject;
  }

  private take(value: Json): Json {
    this.hits++;
    // Empty, or already replaced.
    if (value === null || value === '' || handleOf(value)) return value;
    const id = randomBytes(16).toString('hex');
    this.values.set(id, value);
    return secretHandle(id);
  }
}

/** The outcome with the secrets its handles refer to, in the form the engine expects. */
function withSecrets(outcome: Outcome, added: Secrets): Outcome {
  const existing = outcome.meta['secrets'];
  const secrets = { ...(isMapping(existing) ? existing : {}), ...added };
  return { ...outcome, meta: { ...outcome.meta, secrets: secrets as unknown as Json } };
}
