import { type Plan } from '../../plan';

/** Positions and source texts, which are not part of the meaning. */
const APPEARANCE = new Set(['at', 'codeAt', 'map', 'p', 'source', 'sha256', 'digest', 'sugar']);

/**
 * The meaning of a plan, for comparing a playbook with its rewritten form: without positions and texts, with
 * `outcome` renamed and inputs of arcs as writes.
 */
export function meaningOf(plan: Plan): string {
  return JSON.stringify(normal(plan));
}

function normal(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normal);
  if (typeof value !== 'object' || value === null) return value;
  if ('const' in value) return value;
  const fields = { ...(value as Record<string, unknown>) };
  if (fields.op === 'name' && fields.n === 'outcome') fields.n = 'output';
  if (fields.op === 'get' && isOutcome(fields.o) && fields.k === 'result') fields.k = 'data';
  if ('handlesFailure' in fields && Array.isArray(fields.set)) {
    fields.set = [...argumentsOf(fields.args), ...(fields.set as unknown[])];
    delete fields.args;
  }
  if ('config' in fields) fields.config = byKey(fields.config);
  const kept = Object.entries(fields).filter(([key, each]) => !isAppearance(key, each));
  return Object.fromEntries(
    kept.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, each]) => [key, normal(each)]),
  );
}

/** A tool's fields are unordered. */
function byKey(config: unknown): unknown {
  const { const: data, map } = config as { const?: Record<string, unknown>; map?: [string, unknown][] };
  const sorted = <T>(entries: [string, T][]): [string, T][] => entries.sort(([a], [b]) => (a < b ? -1 : 1));
  if (map !== undefined) return { map: sorted([...map]) };
  return typeof data === 'object' ? { const: Object.fromEntries(sorted(Object.entries(data))) } : config;
}

/** `map` is a position in a template, but data in a value. */
function isAppearance(key: string, value: unknown): boolean {
  if (key === 'map')
    return Array.isArray(value) && Array.isArray(value[0]) && typeof value[0][0] === 'number';
  return APPEARANCE.has(key);
}

function isOutcome(value: unknown): boolean {
  const node = value as { op?: string; n?: string } | undefined;
  return node?.op === 'name' && (node.n === 'outcome' || node.n === 'output');
}

function argumentsOf(args: unknown): unknown[] {
  const value = args as { const?: Record<string, unknown>; map?: [string, unknown][] } | undefined;
  const entries =
    value?.map ?? Object.entries(value?.const ?? {}).map(([key, each]) => [key, { const: each }] as const);
  return entries.map(([key, each]) => ({ scope: 'local', path: [key], value: each }));
}
