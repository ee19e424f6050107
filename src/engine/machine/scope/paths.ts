/** Values at paths of a mapping. */
import { isMapping, type Json, type JsonObject } from '../../../language/plan';
import { type Context, measured } from '../batch';
import { defineMember, ownValue } from '../state';

/** The value at a path; undefined when there is none. */
export function readPath(target: JsonObject, path: readonly string[]): Json | undefined {
  let at: Json | undefined = target;
  for (const key of path) at = isMapping(at) ? ownValue(at as JsonObject, key) : undefined;
  return at;
}

/**
 * Writes `value`, which was measured, at `path`, creating mappings on the way; a list or scalar in the way is replaced.
 *
 * @throws EngineError `VALUE_TOO_LARGE` if the variable becomes too large; then nothing is written
 */
export function write(context: Context, target: JsonObject, path: readonly string[], value: Json): void {
  const [name, ...deeper] = path as readonly [string, ...string[]];
  if (deeper.length === 0) return defineMember(target, name, value);
  const written = replaced(ownValue(target, name), deeper, value);
  defineMember(target, name, measured(context, written, `the variable ${name}`));
}

/** A copy of the value with another part at the path. */
export function replaced(
  whole: Json | undefined,
  [key, ...deeper]: readonly string[],
  value: Json,
): JsonObject {
  // The value may be part of a result or of the workload.
  const copy = isMapping(whole) ? { ...(whole as JsonObject) } : {};
  defineMember(copy, key!, deeper.length === 0 ? value : replaced(ownValue(copy, key!), deeper, value));
  return copy;
}
