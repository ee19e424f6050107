import { TemplateError } from '../errors';
import { View } from '../view';
import { Float, Internal, isList, setKey, Tuple, type Dict } from './kinds';
import { limits } from './meter';

/**
 * The JSON value of any expression value: views resolved, floats and tuples unboxed, recursively, with undefined
 * inside containers as null. Plain values are returned without copying.
 *
 * @throws TemplateError NT4203 for data nested beyond the limit; NT4110 for a function.
 */
export function plain(value: unknown): unknown {
  return unbox(value, 0);
}

function unbox(value: unknown, depth: number): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Float) return value.n;
  if (value instanceof View) return unbox(value.plain(), depth);
  if (depth > limits.depth) {
    throw new TemplateError('tooDeep', `data nested deeper than ${String(limits.depth)} levels`);
  }
  if (isList(value)) return unboxList(value, depth + 1);
  if (value instanceof Internal) return value.plain();
  return unboxDict(value as Dict, depth + 1);
}

function unboxList(list: readonly unknown[], depth: number): readonly unknown[] {
  let copy: unknown[] | undefined = list instanceof Tuple ? [...list] : undefined;
  for (let i = 0; i < list.length; i++) {
    const element = unbox(list[i], depth) ?? null;
    if (element !== list[i]) (copy ??= [...list])[i] = element;
  }
  return copy ?? list;
}

function unboxDict(dict: Dict, depth: number): Dict {
  let copy: Dict | undefined;
  for (const key of Object.keys(dict)) {
    const element = unbox(dict[key], depth) ?? null;
    if (element !== dict[key]) setKey((copy ??= { ...dict }), key, element);
  }
  return copy ?? dict;
}
