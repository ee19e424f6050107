/**
 * `collect`: gathers what several calls return. Iterations of a parallel loop gather in the order of the items,
 * whichever settles first, and are no conflict.
 */
import { deepMerge, isMapping, type Collect, type Json, type JsonObject } from '../../plan';
import { listed } from '../../template/runtime';
import { type Place, targetsOf, valueAt, withPayload, write } from '../scope';
import { type Context } from '../batch';
import {
  define,
  type Frame,
  type Gathered,
  type LoopState,
  ownValue,
  type Target,
  type TaskResult,
} from '../state';

/** Evaluates the action and writes what it gathers. */
export function collect(context: Context, action: Collect, place: Place): void {
  const value = valueAt(context, action.from, place);
  const { scope, path } = action.into;
  const target = containerOf(context, place.frame!, scope);
  const loop = scope === 'ctx' || scope === 'step' ? outermostParallel(context, place.frame!) : null;
  const before = read(target, path);
  const all = loop && (loop.gathered ??= {});
  const key = `${scope}.${path.join('.')}`;
  if (all && !Object.hasOwn(all, key)) define(all, key, { base: before ?? null, parts: [] });
  const after = all
    ? inOrder(all[key]!, context.iterationsOf(place.frame!), action.mode, before, value)
    : gather(action.mode, before, value);
  write(target, path, after);
  if (scope !== 'ctx') return;
  const payload = { collect: { into: path.join('.'), mode: action.mode, value } };
  const parent_id = place.frame?.taskRunId ?? place.run?.id;
  context.emit?.('ctx.patched', 'ctx', 'success', payload, { parent_id });
}

/** The result of what turned pages: what they gathered stands for it. */
export function gathered(
  context: Context,
  frame: Frame,
  at: Target,
  last: TaskResult | undefined,
): TaskResult {
  return withPayload(last, read(containerOf(context, frame, at.scope), at.path) ?? null);
}

function containerOf(context: Context, frame: Frame, scope: Target['scope']): JsonObject {
  return scope === 'ctx' ? context.state.ctx : targetsOf(context, frame)[scope];
}

function read(target: JsonObject, path: readonly string[]): Json | undefined {
  let at: Json | undefined = target;
  for (const key of path) at = isMapping(at) ? ownValue(at as JsonObject, key) : undefined;
  return at;
}

function gather(mode: Collect['mode'], before: Json | undefined, value: Json): Json {
  switch (mode) {
    case 'replace':
      return value;
    case 'merge':
      return isMapping(before) ? deepMerge(before as Json, value) : value;
    default:
      return [...listOf(before), ...itemsOf(mode, value)];
  }
}

/** What is there already; a single value becomes the first item. */
function listOf(before: Json | undefined): Json[] {
  if (before === undefined || before === null) return [];
  const list = listed(before);
  return Array.isArray(list) ? (list as Json[]) : [before];
}

function itemsOf(mode: Collect['mode'], value: Json): Json[] {
  const list = mode === 'concat' ? listed(value) : null;
  return Array.isArray(list) ? (list as Json[]) : [value];
}

function outermostParallel(context: Context, frame: Frame): LoopState | null {
  let parallel: LoopState | null = null;
  for (let at: Frame | null = frame; at; at = context.outerOf(at)) {
    const loop = context.loopOf(at)?.loop;
    if (loop && loop.maxInFlight > 1) parallel = loop;
  }
  return parallel;
}

/** What stands there once the iteration at `path` has gathered one value more. */
function inOrder(
  { base, parts }: Gathered,
  path: number[],
  mode: Collect['mode'],
  before: Json | undefined,
  value: Json,
): Json {
  const index = parts.filter((part) => comparePaths(part.path, path) < 0).length;
  let part = parts[index];
  if (!part || comparePaths(part.path, path) !== 0) {
    part = { path, count: 0, value: null };
    parts.splice(index, 0, part);
  }
  if (mode === 'push' || mode === 'concat') {
    const items = itemsOf(mode, value);
    part.count += items.length;
    const end = listOf(base).length + parts.slice(0, index + 1).reduce((sum, { count }) => sum + count, 0);
    const list = listOf(before);
    return [...list.slice(0, end - items.length), ...items, ...list.slice(end - items.length)];
  }
  part.value = part.count === 0 ? value : gather(mode, part.value, value);
  part.count = 1;
  return parts.reduce<Json>((sum, one) => (one.count === 0 ? sum : gather(mode, sum, one.value)), base);
}

function comparePaths(a: readonly number[], b: readonly number[]): number {
  for (const [depth, index] of a.entries()) {
    const other = b[depth];
    if (other === undefined) return 1;
    if (index !== other) return index - other;
  }
  return a.length - b.length;
}
