/**
 * `collect`: gathers the results of several calls. Each step run begins with nothing. In a loop each iteration has its
 * own, and the place in ctx has all of them in the order of the items, whichever settles first.
 */
import { type Collect, deepMerge, isMapping, type Json, type StepPlan } from '../../../language/plan';
import { listed } from '../../../language/template/runtime';
import {
  collectedBy,
  combined,
  containerOf,
  joined,
  targetKey,
  collectedList,
  type EnginePlace,
  readPath,
  evaluateAt,
  withPayload,
  write,
} from '../scope';
import { type Context, measured } from '../batch';
import {
  type CollectedValues,
  defineMember,
  type Frame,
  type StepRun,
  type ValueTarget,
  type TaskResult,
} from '../state';

/**
 * Evaluates the action and writes the collected value.
 *
 * @throws TemplateError; EngineError `VALUE_TOO_LARGE`: then nothing is written
 */
export function collect(context: Context, action: Collect, place: EnginePlace): void {
  const frame = place.frame!;
  const value = evaluateAt(context, action.from, place);
  const { into, mode } = action;
  const target = containerOf(context, frame, into.scope);
  const collected = isShared(into.scope) ? collectedIn(context.run(frame.run), action) : undefined;
  const before = readPath(target, into.path);
  const parts = collected && added(collected, context.iterationsOf(frame), value);
  const after = parts ? combined({ mode, parts })! : gather(mode, before, value);
  write(
    context,
    target,
    into.path,
    measured(context, after, `the value collected in ${into.path.join('.')}`),
  );
  if (collected) collected.parts = parts!;
  if (into.scope !== 'ctx') return;
  const payload = { collect: { into: into.path.join('.'), mode, value } };
  const parent_id = frame.taskRunId ?? place.run?.id;
  context.emit?.('ctx.patched', 'ctx', 'success', payload, { parent_id });
}

/** The result of a paginated call: what its own pages collected. */
export function gathered(
  context: Context,
  frame: Frame,
  target: ValueTarget,
  last: TaskResult | undefined,
): TaskResult {
  const collected = context.run(frame.run).collected?.[targetKey(target)];
  const own = collected
    ? collectedBy(collected, context.iterationsOf(frame))
    : readPath(containerOf(context, frame, target.scope), target.path);
  return { ...withPayload(last, own ?? null), ...(last && { call: last.call ?? last }) };
}

/** Empties what the rules of a step collect in ctx: a former run, or another step, may have left something there. */
export function collectAnew(context: Context, step: StepPlan, run: StepRun): void {
  for (const { path, mode } of step.collects ?? []) {
    const empty = mode === 'merge' ? {} : [];
    write(context, context.state.ctx, path, empty);
    const patch = { [path.join('.')]: empty };
    context.emit?.('ctx.patched', 'ctx', 'success', { patch }, { parent_id: run.id });
  }
}

function collectedIn(run: StepRun, { into, mode }: Collect): CollectedValues {
  const all = (run.collected ??= {});
  const key = targetKey(into);
  if (!Object.hasOwn(all, key)) defineMember(all, key, { mode, parts: [] });
  all[key]!.mode = mode;
  return all[key]!;
}

/** Iterations share the place; those of the other scopes belong to a frame. */
function isShared(scope: ValueTarget['scope']): boolean {
  return scope === 'ctx' || scope === 'step';
}

function gather(mode: Collect['mode'], before: Json | undefined, value: Json): Json {
  if (mode === 'replace') return value;
  if (mode === 'merge') return isMapping(before) ? deepMerge(before as Json, value) : value;
  const list = mode === 'concat' ? listed(value) : null;
  return joined([collectedList(before), Array.isArray(list) ? (list as Json[]) : [value]]);
}

/** The parts with one more value in that of an iteration. */
function added({ mode, parts }: CollectedValues, path: number[], value: Json): CollectedValues['parts'] {
  const index = parts.filter((part) => comparePaths(part.path, path) < 0).length;
  const own = parts[index];
  const isOwn = own !== undefined && comparePaths(own.path, path) === 0;
  const part = { path, value: gather(mode, isOwn ? own.value : undefined, value) };
  return [...parts.slice(0, index), part, ...parts.slice(index + (isOwn ? 1 : 0))];
}

function comparePaths(a: readonly number[], b: readonly number[]): number {
  for (const [depth, index] of a.entries()) {
    const other = b[depth];
    if (other === undefined) return 1;
    if (index !== other) return index - other;
  }
  return a.length - b.length;
}
