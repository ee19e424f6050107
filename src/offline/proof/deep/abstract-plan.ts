/** The abstracted plan: any workload, loops and retries up to the bound, nothing that runs in other processes. */
import {
  isMapping,
  type Json,
  type JsonObject,
  objectsIn,
  type Plan,
  type PlanValue,
} from '../../../language/plan';
import { type Template } from '../../../language/template/runtime';
import { type Demand } from './symbolic';
import { unknown, unknownLike } from './unknown';

export interface Abstracted {
  readonly plan: Plan;
  readonly demands: ReadonlyMap<Template, Demand>;
  /** The reductions made, in words. */
  readonly assumed: readonly string[];
}

/** A cycle of steps without calls, within one batch, ends within this many rounds or never. */
const MAX_ROUNDS = 200;

const NUMBERS = new Set(
  'delay multiplier maxDelay maxInFlight timeout deadline connect read total'.split(' '),
);

type Loose = Record<string, unknown>;

/** @param bound how many items a loop has, and how often a call is repeated, at most */
export function abstracted(original: Plan, bound: number): Abstracted {
  const plan = JSON.parse(JSON.stringify(original)) as Plan;
  const demands = new Map<Template, Demand>();
  const assumed = new Set<string>();
  const demand = (value: unknown, kind: Demand): void => {
    const { template } = value as { template?: Template };
    if (template) demands.set(template, kind);
  };
  const field = (holder: Loose, key: string, value: unknown): void => {
    if (key === 'when' || key === 'unless') demands.set(value as Template, 'guard');
    else if (NUMBERS.has(key)) demand(value, 'number');
    else if (key === 'attempts') {
      demand(value, 'number');
      const { const: most } = value as { const?: Json };
      if (Number(most) > bound + 1) {
        holder[key] = { const: bound + 1 };
        assumed.add(`retries end after ${bound + 1} attempts`);
      }
    } else if (key === 'exec') holder[key] = 'inline';
    else if (key === 'in' && 'iterator' in holder) {
      demand(value, 'list');
      const { const: list } = value as { const?: Json };
      if (Array.isArray(list) && list.length > bound) {
        holder[key] = { const: list.slice(0, bound) };
        assumed.add(`loops have at most ${bound} items`);
      }
    }
  };
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    if (Array.isArray(node)) return node.forEach(walk);
    const holder = node as Loose;
    withoutLimits(holder);
    if (holder['cursor']) {
      overAnyList(holder);
      assumed.add('claims of cursor loops succeed');
    }
    if (holder['kind'] === 'wait') moments(holder['config'] as PlanValue, demand);
    for (const [key, value] of Object.entries(holder)) {
      field(holder, key, value);
      if (key !== 'const' && key !== 'template') walk(holder[key]);
    }
  };
  walk(plan.steps);
  withoutLimits(plan as unknown as Loose);
  const { secretInputs: _keys, secretPaths: _paths, inputs: _inputs, ...rest } = plan;
  const workload = { const: workloadOf(plan) as Json };
  const limits = { ...plan.limits, maxStepRuns: MAX_ROUNDS, maxTaskVisits: MAX_ROUNDS, maxLiveTokens: 1_000 };
  return { plan: { ...rest, workload, limits, keychain: [] }, demands, assumed: [...assumed] };
}

/** Of a loop over claimed rows: what its claims return is a list of which nothing is known. */
function overAnyList(loop: Loose): void {
  const { claim } = loop['cursor'] as { claim: string };
  const expr = { op: 'lit', v: unknown({ of: claim }) } as const;
  loop['in'] = { template: { kind: 'expression', expr, source: claim, at: loop['at'] } };
  loop['mode'] = 'parallel';
  delete loop['cursor'];
}

/** Takes limits by key away: what they do depends on other executions (not-covered.ts). */
function withoutLimits(holder: Loose): void {
  for (const key of ['concurrency', 'debounce', 'rateLimit']) Reflect.deleteProperty(holder, key);
}

function moments(config: PlanValue, demand: (value: unknown, kind: Demand) => void): void {
  if (!('map' in config)) return;
  for (const [key, value] of config.map) {
    if (key === 'for' || key === 'timeout') demand(value, 'number');
    if (key === 'until') demand(value, 'moment');
  }
}

/** The keys that the author wrote, declared, or reads although a payload alone can give them, each with any value. */
function workloadOf({ workload, inputs, steps }: Plan): JsonObject {
  const shape = (value: PlanValue): unknown =>
    'const' in value
      ? value.const
      : 'map' in value
        ? Object.fromEntries(value.map.map(([key, below]) => [key, shape(below)]))
        : null;
  const written = shape(workload);
  const read = inputs ? [] : keysRead(steps);
  const any = [...read, ...Object.keys(inputs?.schemas ?? {})].map((key) => [
    key,
    unknown({ of: `workload.${key}` }),
  ]);
  const chosen = Object.entries(inputs?.schemas ?? {}).flatMap(([key, schema]) => {
    const isGiven = isMapping(written) && (written[key] ?? null) !== null;
    const values = valuesOf(schema, isGiven);
    return values ? [[key, unknown({ of: `workload.${key}`, in: values })] as const] : [];
  });
  return {
    ...(Object.fromEntries(any) as JsonObject),
    ...(isMapping(written) ? (unknownLike(written, 'workload') as JsonObject) : {}),
    ...Object.fromEntries(chosen),
  };
}

/** Without declarations, a payload may have other keys. */
function keysRead(steps: Plan['steps']): string[] {
  return [...objectsIn(steps)].flatMap(({ op, o, k }) =>
    op === 'get' && typeof k === 'string' && isMapping(o) && o['op'] === 'name' && o['n'] === 'workload'
      ? [k]
      : [],
  );
}

/** The values of an input, if they can be counted. @param isGiven it has a default */
function valuesOf(schema: Json | undefined, isGiven: boolean): readonly Json[] | undefined {
  if (!isMapping(schema)) return undefined;
  const { enum: listed, options = listed, type, required } = schema as JsonObject;
  const values = Array.isArray(options) ? options : type === 'boolean' ? [true, false] : undefined;
  return values && !isGiven && required !== true ? [...values, null] : values;
}
