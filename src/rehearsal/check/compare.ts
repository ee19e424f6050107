/** Compares what a rehearsal expects, a node of its file, with what came. */
import { type Located, type Node } from '../../dsl/format';
import { isMapping, type Json } from '../../plan';
import { listed } from '../../template/runtime';

export interface Difference {
  /** `result.items[2].name` */
  readonly path: string;
  /** Of what was expected; of the mapping or list around it when it was not. */
  readonly at: Located;
  /** Undefined: nothing was expected here. */
  readonly expected: Node | undefined;
  /** Undefined: got nothing. */
  readonly actual: Json | undefined;
}

/**
 * Where the two differ. Without `exact` a mapping may have more keys than expected, at every depth; lists have as many
 * items either way. Numbers compare by value, the order of keys does not matter. What a loop came to may be expected as
 * the list of its results.
 */
export function differences(
  expected: Node,
  actual: Json | undefined,
  exact: boolean,
  path: string,
): Difference[] {
  const whole: Difference = { path, at: expected, expected, actual };
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
  const known = new Set(expected.entries.map(({ key }) => key));
  const extra = exact ? Object.keys(own).filter((key) => !known.has(key)) : [];
  return [
    ...missing,
    ...extra.map((key) => ({ path: child(path, key), at: expected, expected: undefined, actual: own[key] })),
  ];
}

function child(path: string, key: string): string {
  return /^[\w-]+$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;
}
