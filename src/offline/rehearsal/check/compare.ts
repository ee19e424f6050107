/** Compares an expectation, a node of the rehearsal file, with the actual value. */
import { type Located, type YamlNode } from '../../../language/dsl/format';
import { isMapping, type Json } from '../../../language/plan';
import { listed } from '../../../language/template/runtime';

export interface ValueDifference {
  /** `result.items[2].name` */
  readonly path: string;
  /** Of the expected value, or of the surrounding mapping or list if there is none. */
  readonly at: Located;
  /** Undefined: no value was expected here. */
  readonly expected: YamlNode | undefined;
  /** Undefined: no actual value. */
  readonly actual: Json | undefined;
}

/**
 * The differences. Without `exact` a mapping may have more keys than expected, at every depth; lists must have the
 * same length in any case. Numbers compare by value, the order of keys is irrelevant. The value of a loop may be
 * expected as the list of its results.
 */
export function differences(
  expected: YamlNode,
  actual: Json | undefined,
  exact: boolean,
  path: string,
): ValueDifference[] {
  const whole: ValueDifference = { path, at: expected, expected, actual };
  if (expected.kind === 'scalar') return expected.value === actual ? [] : [whole];
  if (expected.kind === 'list') {
    const list = listed(actual) as Json;
    if (!Array.isArray(list)) return [whole];
    const length = Math.max(expected.items.length, list.length);
    return Array.from({ length }, (_, i) => {
      const item = expected.items[i];
      const itemPath = `${path}[${i}]`;
      return item === undefined
        ? [{ path: itemPath, at: expected, expected: undefined, actual: list[i] }]
        : differences(item, list[i], exact, itemPath);
    }).flat();
  }
  if (!isMapping(actual)) return [whole];
  const own = actual as Record<string, Json>;
  const missing = expected.entries.flatMap(({ key, value, at }) => {
    const inner = child(path, key);
    return Object.hasOwn(own, key)
      ? differences(value, own[key], exact, inner)
      : [{ path: inner, at, expected: value, actual: undefined }];
  });
  const keys = new Set(expected.entries.map(({ key }) => key));
  const extra = exact ? Object.keys(own).filter((key) => !keys.has(key)) : [];
  return [
    ...missing,
    ...extra.map((key) => ({ path: child(path, key), at: expected, expected: undefined, actual: own[key] })),
  ];
}

function child(path: string, key: string): string {
  return /^[\w-]+$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;
}
