/**
 * `collect`: gathers the results of several calls. Each step run begins with nothing. In a loop each iteration has its
 * own, and the place in ctx has all of them in the order of the items, whichever settles first.
 */
import { type Collect, type Json } from '../../plan';
import { listed } from '../../template/runtime';
import {
  collectedBy,
  combined,
  containerOf,
  keyOf,
  listOf,
  type Place,
  read,
  valueAt,
  withPayload,
  write,
} from '../scope';
import { type Context } from '../batch';
import { type Collected, define, type Frame, type StepRun, type Target, type TaskResult } from '../state';

/** Evaluates the action and writes the collected value. */
export function collect(context: Context, action: Collect, place: Place): void {
  const frame = place.frame!;
  const value = valueAt(context, action.from, place);
  const { into, mode } = action;
  const target = containerOf(context, frame, into.scope);
  if (into.scope === 'ctx' || into.scope === 'step') {
    const collected = collectedIn(context.run(frame.run), action);
    add(collected, context.iterationsOf(frame), value);
    write(target, into.path, combined(collected)!);
  } else write(target, into.path, gather(mode, read(target, into.path), value));
  if (into.scope !== 'ctx') return;
  const payload = { collect: { into: into.path.join('.'), mode, value } };
  const parent_id = frame.taskRunId ?? place.run?.id;
  context.emit?.('ctx.patched', 'ctx', 'success', payload, { parent_id });
}

/** The result of a paginated call: what its own pages collected. */
export function gathered(
  context: Context,
  frame: Frame,
  target: Target,
  last: TaskResult | undefined,
): TaskResult {
  const collected = context.run(frame.run).collected?.[keyOf(target)];
  const own = collected
    ? collectedBy(collected, context.iterationsOf(frame))
    : read(containerOf(context, frame, target.scope), target.path);
  return { ...withPayload(last, own ?? null), ...(last && { call: last }) };
}

/** Empties what the rules of a step collect in ctx: a former run, or another step, may have left something there. */
export function collectAnew(context: Context, run: StepRun): void {
  for (const { into, mode } of context.index.collectsOf(run.step)) {
    const { path } = into;
    if (into.scope !== 'ctx' || mode === 'replace' || read(context.state.ctx, path) === undefined) continue;
    const empty = mode === 'merge' ? {} : [];
    write(context.state.ctx, path, empty);
    const patch = { [path.join('.')]: empty };
    context.emit?.('ctx.patched', 'ctx', 'success', { patch }, { parent_id: run.id });
  }
}

function collectedIn(run: StepRun, { into, mode }: Collect): Collected {
  const all = (run.collected ??= {});
  const key = keyOf(into);
  if (!Object.hasOwn(all, key)) define(all, key, { mode, parts: [] });
  all[key]!.mode = mode;
  return all[key]!;
}

function gather(mode: Collect['mode'], before: Json | undefined, value: Json): Json {
  if (mode === 'replace') return value;
  if (mode === 'merge')
    return combined({ mode, parts: [before ?? {}, value].map((one) => ({ path: [], value: one })) })!;
  const list = mode === 'concat' ? listed(value) : null;
  return [...listOf(before), ...(Array.isArray(list) ? (list as Json[]) : [value])];
}

/** Adds a value to the part of an iteration. */
function add({ mode, parts }: Collected, path: number[], value: Json): void {
  const index = parts.filter((part) => comparePaths(part.path, path) < 0).length;
  const part = parts[index];
  if (part && comparePaths(part.path, path) === 0) part.value = gather(mode, part.value, value);
  else parts.splice(index, 0, { path, value: gather(mode, undefined, value) });
}

function comparePaths(a: readonly number[], b: readonly number[]): number {
  for (const [depth, index] of a.entries()) {
    const other = b[depth];
    if (other === undefined) return 1;
    if (index !== other) return index - other;
  }
  return a.length - b.length;
}
