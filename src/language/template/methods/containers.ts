import { TemplateError } from '../errors';
import { defineBuiltin, type Builtins } from '../evaluate/signature';
import { item } from '../values/access';
import { dictArgument } from '../values/arguments';
import { equals } from '../values/compare';
import { dictOf, Tuple, type Dict } from '../values/kinds';

/**
 * Python's list methods. None mutates the list: otherwise templates could change the run's data without the engine,
 * so `append` and the like are rejected with an alternative.
 */
export const listMethods: Builtins = {
  count: defineBuiltin('value', (run, v, value) => {
    run.charge(run.prices.searchedElement * (v as unknown[]).length);
    return (v as unknown[]).filter((element) => equals(element, value, run)).length;
  }),
  index: defineBuiltin('value', (run, v, value) => {
    run.charge(run.prices.searchedElement * (v as unknown[]).length);
    const at = (v as unknown[]).findIndex((element) => equals(element, value, run));
    if (at < 0) throw new TemplateError('wrongValue', 'the list does not contain the value');
    return at;
  }),
  copy: defineBuiltin('', (run, v) => {
    run.elements((v as unknown[]).length);
    return [...(v as unknown[])];
  }),
};

/** Python's dict methods. */
export const dictMethods: Builtins = {
  get: defineBuiltin('key, default=', (_run, v, key, ...fallback) => {
    const value = item(v, key);
    // An existing key is returned even if its value is undefined.
    if (value !== undefined || (typeof key === 'string' && Object.hasOwn(v as Dict, key))) return value;
    // An undefined default was given explicitly; without a default it is Python's None.
    return fallback.length > 0 ? fallback[0] : null;
  }),
  keys: defineBuiltin('', (run, v) => {
    const keys = Object.keys(v as Dict);
    run.elements(keys.length);
    return keys;
  }),
  values: defineBuiltin('', (run, v) => {
    const values = Object.values(v as Dict);
    run.elements(values.length);
    return values;
  }),
  items: defineBuiltin('', (run, v) => {
    const entries = Object.entries(v as Dict);
    run.elements(entries.length * 2);
    return entries.map((entry) => Tuple.make(entry));
  }),
  copy: defineBuiltin('', (run, v) => {
    run.elements(Object.keys(v as Dict).length * 2);
    return { ...(v as Dict) };
  }),
  fromkeys: defineBuiltin('keys, value=', (run, _, keys, value = null) => {
    const names = Array.isArray(keys) ? (keys as unknown[]) : Object.keys(dictArgument(keys, 'fromkeys'));
    run.elements(names.length * 2);
    return dictOf(names.map((name) => [String(name), value]));
  }),
};

/** Mutating methods, with what to write instead. */
export const mutators: Readonly<Record<string, string>> = {
  append: 'write list + [x]',
  extend: 'write list + other',
  insert: 'write list[:i] + [x] + list[i:]',
  remove: "write list | reject('equalto', x)",
  clear: 'write []',
  sort: 'write list | sort',
  reverse: 'write list | reverse',
  pop: 'write list[:-1], or name the key with get',
  update: 'write dict(old, key=value)',
  setdefault: 'write dict.get(key, default)',
  popitem: 'write dict | items',
};
