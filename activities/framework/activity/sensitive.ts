/**
 * `spec.sensitive` of a task: what stands at these paths of its result is kept encrypted, and leaves a handle, as the
 * kind `secrets` does. What the outcome says of these values elsewhere is redacted.
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
} from '../../../src/plan';
import { invalid } from '../tool/outcome';
import { textsOf } from '../secrets/reveal';
import { storeFailure } from '../results/store-failure';
import { type Tool, type ToolContext } from '../tool/tool';

/** A step of a path: a key, an index, or every one. */
type Segment = string | number | typeof EACH;
const EACH = Symbol('*');

interface Path {
  readonly written: string;
  readonly segments: readonly Segment[];
  /** `data.token?`: may be absent. */
  readonly optional: boolean;
}

/** Where a path begins: at the result, or, for one that leaves that out, at its payload (`token` of an http answer). */
const PAYLOADS: readonly (readonly string[])[] = [[], ['data'], ['rows'], ['result']];

/**
 * The paths of `spec.sensitive`: keys between dots, `*` for each of a list or mapping, `[3]` and `[*]`, a `?` at the end of
 * one that may be absent, `.` for the whole result.
 *
 * @throws ToolError `SENSITIVE_PATH` for what is no path
 */
export function sensitivePaths(call: TaskCall): Path[] {
  const given = call.options['sensitive'] ?? [];
  return (Array.isArray(given) ? given : [given]).map((path) => {
    if (typeof path !== 'string' || path === '')
      throw invalid(`${call.kind}: spec.sensitive is a list of paths such as data.token`, 'SENSITIVE_PATH');
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
 * Runs the tool, and keeps what is sensitive in its result; a task without `spec.sensitive` just runs.
 *
 * @param hide told the values, so that nothing else of the outcome holds them
 * @throws ToolError `SENSITIVE_PATH`, `SENSITIVE_MISSING`, `SEALED_STORE`, those of keys and store; before the tool runs
 *   where that can be known
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
    if (!sealed) throw invalid(`${who}: this worker has no store for secret values`, 'SEALED_STORE');
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

/** What was found at the paths: the handles that stand there now, and the values they stand for. */
interface Found {
  readonly outcome: Outcome;
  readonly values: ReadonlyMap<string, Json>;
}

/**
 * The outcome with handles where the paths lead.
 *
 * @throws ToolError `SENSITIVE_MISSING` for a path that leads nowhere: what it means could be anywhere
 */
export function takeSensitive(kind: string, outcome: Outcome, paths: readonly Path[]): Found {
  const values = new Map<string, Json>();
  let { result } = outcome;
  for (const { written, segments, optional } of paths) {
    const found = PAYLOADS.map((prefix) => new Place([...prefix, ...segments], values)).find((place) => {
      const replaced = place.in(result);
      if (place.hits > 0) result = replaced;
      return place.hits > 0;
    });
    if (found || optional || outcome.status === 'error') continue;
    const message = `${kind}: the result has no \`${written}\`, which spec.sensitive names; write \`${written}?\` where it may be absent`;
    throw invalid(message, 'SENSITIVE_MISSING');
  }
  return { outcome: { ...outcome, result }, values };
}

class Place {
  hits = 0;
  /** A part that stands in the result twice (the rows of the last statement) is replaced once, and stays the same. */
  private readonly replaced = new Map<object, Json>();

  constructor(
    private readonly segments: readonly Segment[],
    private readonly values: Map<string, Json>,
  ) {}

  /** In the result, and in the results of the statements of a script. */
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
    const made = Array.isArray(value)
      ? this.inList(value, depth)
      : this.inMapping(value as JsonObject, depth);
    if (depth > 0) this.replaced.set(value, made);
    return made;
  }

  private inList(list: readonly Json[], depth: number): Json {
    const segment = this.segments[depth]!;
    // A key of a list is the key of each of its items.
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
    // Nothing to hide, or hidden already.
    if (value === null || value === '' || handleOf(value)) return value;
    const id = randomBytes(16).toString('hex');
    this.values.set(id, value);
    return secretHandle(id);
  }
}

/** The outcome with what its handles stand for, as the engine takes it over. */
function withSecrets(outcome: Outcome, found: Secrets): Outcome {
  const told = outcome.meta['secrets'];
  const secrets = { ...(isMapping(told) ? told : {}), ...found };
  return { ...outcome, meta: { ...outcome.meta, secrets: secrets as unknown as Json } };
}
