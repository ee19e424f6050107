/** Writes of rules, tasks, steps and arcs (`set`, `set_ctx`, `set_iter`). ctx writes are patches, each an event. */
import { isMapping, type Assignment, type Json, type JsonObject, jsonSize } from '../../plan';
import { type Context, measured } from '../batch';
import { type Place } from './place';
import { define, type Frame, ownValue, seedFrom } from '../state';
import { valueAt } from './values';

/** Destination of writes that do not go to ctx. */
interface Targets {
  readonly iter: JsonObject;
  readonly step: JsonObject;
  readonly local: JsonObject;
}

/** Destinations of a frame. */
export function targetsOf(context: Context, { run, iter, locals }: Frame): Targets {
  return { iter, step: context.run(run).vars, local: locals };
}

/**
 * Evaluates and applies assignments in order; each sees the ones before it.
 *
 * @throws TemplateError as the templates in them do; EngineError `VALUE_TOO_LARGE`; earlier assignments stay applied.
 */
export function assign(
  context: Context,
  assignments: readonly Assignment[],
  place: Place,
  targets: Targets,
): void {
  if (assignments.length === 0) return;
  const patch: JsonObject = {};
  for (const assignment of assignments) {
    const value = valueAt(context, assignment.value, place);
    if (assignment.scope === 'ctx') {
      write(context, context.state.ctx, assignment.path, value);
      if (context.state.part) define(context.state.part.written, assignment.path[0]!, true);
      noteLoopWrite(context, assignment.path[0]!, place);
      patch[assignment.path.join('.')] = value;
    } else {
      write(context, targets[assignment.scope], assignment.path, value);
    }
  }
  if (Object.keys(patch).length > 0) patched(context, patch, place.frame?.taskRunId ?? place.run?.id ?? null);
}

/** Records a patch to ctx. */
export function patched(context: Context, patch: JsonObject, by: string | null): void {
  context.emit?.('ctx.patched', 'ctx', 'success', { patch }, { parent_id: by ?? undefined });
}

/**
 * Writes `value`, which was measured, at `path`, creating mappings on the way; a list or scalar in the way is replaced.
 *
 * @throws EngineError `VALUE_TOO_LARGE` if the variable becomes too large; then nothing is written
 */
export function write(
  context: Context,
  target: JsonObject,
  [name, ...path]: readonly string[],
  value: Json,
): void {
  if (path.length === 0) return define(target, name!, value);
  const written = replaced(ownValue(target, name!), path, value);
  define(target, name!, measured(context, written, `the variable ${name}`));
}

/** A copy of the value with another part at the path. */
function replaced(whole: Json | undefined, [key, ...deeper]: readonly string[], value: Json): JsonObject {
  // The value may be part of a result or of the workload.
  const copy = isMapping(whole) ? { ...(whole as JsonObject) } : {};
  define(copy, key!, deeper.length === 0 ? value : replaced(ownValue(copy, key!), deeper, value));
  return copy;
}

/** Records what an iteration of each enclosing parallel loop left in a ctx key, to detect conflicting writes. */
function noteLoopWrite(context: Context, key: string, place: Place): void {
  let text: string | undefined;
  for (let frame = place.frame ?? null; frame; frame = context.outerOf(frame)) {
    const loop = context.loopOf(frame)?.loop;
    // The iterations of a chunk may have siblings in other chunks.
    const isPart = context.state.part !== null && frame.parent === null;
    if (!loop || (loop.maxInFlight <= 1 && !isPart)) continue;
    if (!Object.hasOwn(loop.writes, key)) define(loop.writes, key, {});
    text ??= traceOf(context, ownValue(context.state.ctx, key) ?? null);
    loop.writes[key]![String(frame.index)] = text;
  }
}

/** Longer texts are represented by a digest. */
const MAX_TRACE = 64;

/** A text that is equal for equal values. */
function traceOf(context: Context, value: Json): string {
  context.write(jsonSize(value));
  const text = JSON.stringify(value);
  return text.length <= MAX_TRACE ? text : `${text.length}:${seedFrom(text).join('.')}`;
}
