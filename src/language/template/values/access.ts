import { View } from '../view';
import { Float, GroupTuple, Internal, isList, type Dict } from './kinds';
import { resultsOf } from './loop-result';
import { isNumeric, toNumber } from './numbers';
import { elementAt } from './sequence';

/**
 * The only access to parts of a value. Only a value's own data keys exist, whatever their names: prototypes,
 * methods and host objects are unreachable. A missing part is undefined, as is every part of undefined and of
 * `none`.
 */
export function lookup(value: unknown, key: string | number): unknown {
  if (typeof value === 'object' && value !== null) {
    if (value instanceof View) return value.get(key);
    if (isList(value)) return typeof key === 'number' ? value.at(key) : named(value, key);
    if (value instanceof Float) return undefined;
    if (value instanceof Internal) return value.attribute(String(key));
    if (Object.hasOwn(value, key)) return data((value as Dict)[key]);
    return typeof key === 'number' ? resultsOf(value)?.at(key) : undefined;
  }
  return typeof value === 'string' && typeof key === 'number' ? elementAt(value, key) : undefined;
}

/** Functions and symbols in the data are treated as absent. */
function data(value: unknown): unknown {
  return typeof value === 'function' || typeof value === 'symbol' ? undefined : value;
}

function named(list: readonly unknown[], key: string): unknown {
  if (!(list instanceof GroupTuple)) return undefined;
  return key === 'grouper' ? list[0] : key === 'list' ? list[1] : undefined;
}

/** `value[key]` with a computed key. */
export function item(value: unknown, key: unknown): unknown {
  const k = key instanceof View ? key.plain() : key;
  if (typeof k === 'string') return lookup(value, k);
  if (isNumeric(k)) return lookup(value, toNumber(k));
  return k === null ? lookup(value, 'null') : undefined;
}

/** The path `a.b.0` of filters such as `map(attribute=…)`: digits are indices. */
export function attributePath(attribute: unknown): readonly (string | number)[] {
  if (attribute === null || attribute === undefined) return [];
  if (isNumeric(attribute)) return [toNumber(attribute)];
  return String(attribute)
    .split('.')
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

/** Follows a path from a value. */
export function follow(value: unknown, path: readonly (string | number)[]): unknown {
  let current = value;
  for (const key of path) current = lookup(current, key);
  return current;
}
