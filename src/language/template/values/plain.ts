import { TemplateError } from '../errors';
import { View } from '../view';
import { Float, Internal, isList, setKey, Tuple, type Dict } from './kinds';
import { knownLevels } from './json-size';
import { templateLimits, type Meter } from './meter';

/** More elements than this come to more than `limits.output` as JSON: each takes two characters or more. */
const MAX_ELEMENTS = templateLimits.output / 2;

/** A unit of work for so many elements visited. */
const ELEMENTS_PER_UNIT = 32;

// A name of the global object takes a microsecond to look up where workflows run.
const BEYOND = Infinity;

/** Levels that the engine puts around values as deep as a template may make them: lists of results, envelopes. */
const LEVELS_AROUND = 64;

let visited = 0;
let deepest = templateLimits.depth;

/**
 * The JSON value of any expression value: views resolved, floats and tuples unboxed, recursively, with undefined
 * inside containers as null. Plain values are returned without copying; parts whose size was measured are not even
 * visited: values of the state are plain.
 *
 * @param meter of a template; without one it is the engine's own view of the state, which is deeper by what stands around values
 * @throws TemplateError NT4202 for so many elements that their JSON is beyond the limit, shared ones counted as often as
 *   they occur; NT4203 for data nested beyond the limit; NT4110 for a function.
 */
export function plainValue(value: unknown, meter?: Meter): unknown {
  visited = 0;
  deepest = templateLimits.depth + (meter ? 0 : LEVELS_AROUND);
  const unboxed = unbox(value, 0);
  if (visited > ELEMENTS_PER_UNIT) meter?.charge(visited / ELEMENTS_PER_UNIT);
  return unboxed;
}

/** A number would lose digits, and text would be a type that depends on the value: the author decides. */
function beyondNumbers(value: bigint): TemplateError {
  const digits = String(value);
  const shown = digits.length > 24 ? `${digits.slice(0, 24)}…` : digits;
  return new TemplateError(
    'wrongValue',
    `the result ${shown} is an integer beyond 2^53, which a number of JSON does not hold: write it as text with | string`,
  );
}

function visit(elements: number): void {
  visited += elements;
  if (visited > MAX_ELEMENTS) {
    throw new TemplateError('tooMuchOutput', 'the value of the template comes to more than 16 MiB as JSON');
  }
}

function unbox(value: unknown, depth: number): unknown {
  if (typeof value === 'bigint') throw beyondNumbers(value);
  if (value === BEYOND || value === -BEYOND) {
    throw new TemplateError('wrongValue', 'the result is beyond the largest double, 1.8e308');
  }
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Float) return value.n;
  if (value instanceof View) return unbox(value.plain(), depth);
  if (depth > deepest) {
    throw new TemplateError('tooDeep', `data nested deeper than ${String(deepest)} levels`);
  }
  const levels = knownLevels(value);
  if (levels !== undefined && depth + levels <= deepest) return value;
  if (isList(value)) return unboxList(value, depth + 1);
  if (value instanceof Internal) return value.plain();
  return unboxDict(value as Dict, depth + 1);
}

function unboxList(list: readonly unknown[], depth: number): readonly unknown[] {
  visit(list.length);
  let copy: unknown[] | undefined = list instanceof Tuple ? [...list] : undefined;
  for (let i = 0; i < list.length; i++) {
    const element = unbox(list[i], depth) ?? null;
    if (element !== list[i]) (copy ??= [...list])[i] = element;
  }
  return copy ?? list;
}

function unboxDict(dict: Dict, depth: number): Dict {
  let copy: Dict | undefined;
  const keys = Object.keys(dict);
  visit(keys.length);
  for (const key of keys) {
    const element = unbox(dict[key], depth) ?? null;
    if (element !== dict[key]) setKey((copy ??= { ...dict }), key, element);
  }
  return copy ?? dict;
}
