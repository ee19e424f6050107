/**
 * `collect`: gathers the results of several calls. Iterations of a parallel loop gather in the order of the items,
 * whichever settles first, and do not conflict.
 */
import {
  type Collect,
  deepMerge,
  isMapping,
  type Json,
  type JsonObject,
  jsonSize,
  levelsOf,
  rememberSize,
} from '../../plan';
import { listed } from '../../template/runtime';
import { type Place, targetsOf, valueAt, withPayload, write } from '../scope';
import { type Context, measured } from '../batch';
import {
  define,
  type Frame,
  type Gathered,
  type LoopState,
  ownValue,
  type Target,
  type TaskResult,
} from '../state';

/**
 * Evaluates the action and writes the collected value.
 *
 * @throws TemplateError; EngineError `VALUE_TOO_LARGE`: then nothing is written
 */
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
  write(context, target, path, measured(context, after, `the value collected in ${path.join('.')}`));
  if (scope !== 'ctx') return;
  const payload = { collect: { into: path.join('.'), mode: action.mode, value } };
  const parent_id = place.frame?.taskRunId ?? place.run?.id;
  context.emit?.('ctx.patched', 'ctx', 'success', payload, { parent_id });
}

/** The result of a paginated call: what its pages collected. */
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
      return inserted(listOf(before), Infinity, itemsOf(mode, value));
  }
}

/** What has been collected before; a single value becomes the first item. */
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

/** The collected value after the iteration at `path` has added one more value. */
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
    return inserted(listOf(before), end - items.length, items);
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

/** A copy of the list with more items. Its size follows from those of the parts: measuring it again would take longer. */
function inserted(list: Json[], at: number, items: readonly Json[]): Json[] {
  if (list.length === 0 || items.length === 0) return [...list, ...items];
  const longer =
    at >= list.length ? [...list, ...items] : [...list.slice(0, at), ...items, ...list.slice(at)];
  rememberSize(longer, jsonSize(list) + jsonSize(items) - 1, Math.max(levelsOf(list), levelsOf(items)));
  return longer;
}
