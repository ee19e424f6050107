/** Values at paths of a mapping. */
import { isMapping, type Json, type JsonObject } from '../../plan';
import { define, ownValue } from '../state';

/** The value at a path; undefined when there is none. */
export function read(target: JsonObject, path: readonly string[]): Json | undefined {
  let at: Json | undefined = target;
  for (const key of path) at = isMapping(at) ? ownValue(at as JsonObject, key) : undefined;
  return at;
}

/** Writes `value` at `path`, creating mappings on the way; a list or scalar in the way is replaced. */
export function write(target: JsonObject, path: readonly string[], value: Json): void {
  let at = target;
  for (const key of path.slice(0, -1)) {
    const below = ownValue(at, key);
    // Copied rather than shared: the value may be part of a result or of the workload.
    const next = isMapping(below) ? { ...(below as JsonObject) } : {};
    define(at, key, next);
    at = next;
  }
  define(at, path.at(-1)!, value);
}
