/** Writes of rules, tasks, steps and arcs (`set`, `set_ctx`, `set_iter`). ctx writes are patches, each an event. */
import { type Assignment, type Json, type JsonObject, jsonSize } from '../../../language/plan';
import { type Context } from '../batch';
import { type EnginePlace } from './place';
import { defineMember, type Frame, ownValue, seedFrom, type ValueTarget } from '../state';
import { write } from './paths';
import { evaluateAt } from './values';

/** Destination of writes that do not go to ctx. */
interface Targets {
  readonly iter: JsonObject;
  readonly step: JsonObject;
  readonly local: JsonObject;
}

/** Destinations of a frame. */
export function assignmentTargets(context: Context, { run, iter, locals }: Frame): Targets {
  return { iter, step: context.run(run).vars, local: locals };
}

/** Where writes of a scope go. */
export function containerOf(context: Context, frame: Frame, scope: ValueTarget['scope']): JsonObject {
  return scope === 'ctx' ? context.state.ctx : assignmentTargets(context, frame)[scope];
}

/**
 * Evaluates and applies assignments in order; each sees the ones before it.
 *
 * @throws TemplateError as the templates in them do; EngineError `VALUE_TOO_LARGE`; earlier assignments stay applied.
 */
export function assignAll(
  context: Context,
  assignments: readonly Assignment[],
  place: EnginePlace,
  targets: Targets,
): void {
  if (assignments.length === 0) return;
  const patch: JsonObject = {};
  try {
    for (const assignment of assignments) {
      const value = evaluateAt(context, assignment.value, place);
      if (assignment.scope === 'ctx') {
        write(context, context.state.ctx, assignment.path, value);
        if (context.state.part) defineMember(context.state.part.written, assignment.path[0]!, true);
        noteLoopWrite(context, assignment.path[0]!, place);
        patch[assignment.path.join('.')] = value;
      } else {
        write(context, targets[assignment.scope], assignment.path, value);
      }
      replaceCollected(place, assignment, value);
    }
  } finally {
    // Those before one that fails are reported too.
    const by = place.frame?.taskRunId ?? place.run?.id ?? null;
    if (Object.keys(patch).length > 0) patched(context, patch, by);
  }
}

/** The place of a `collect`, by which its step run knows what it gathered there. */
export function targetKey({ scope, path }: ValueTarget): string {
  return [scope, ...path].join('.');
}

/** A step that writes where it collects goes on from what it wrote. */
function replaceCollected({ run }: EnginePlace, target: ValueTarget, value: Json): void {
  const collected = run?.collected?.[targetKey(target)];
  if (collected) collected.parts = [{ path: [], value }];
}

/** Records a patch to ctx. */
export function patched(context: Context, patch: JsonObject, by: string | null): void {
  context.emit?.('ctx.patched', 'ctx', 'success', { patch }, { parent_id: by ?? undefined });
}

/** Records what an iteration of each enclosing parallel loop left in a ctx key, to detect conflicting writes. */
function noteLoopWrite(context: Context, key: string, place: EnginePlace): void {
  let text: string | undefined;
  for (let frame = place.frame ?? null; frame; frame = context.outerOf(frame)) {
    const loop = context.loopOf(frame)?.loop;
    // The iterations of a chunk may have siblings in other chunks.
    const isPart = context.state.part !== null && frame.parent === null;
    if (!loop || (loop.maxInFlight <= 1 && !isPart)) continue;
    if (!Object.hasOwn(loop.writes, key)) defineMember(loop.writes, key, {});
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
