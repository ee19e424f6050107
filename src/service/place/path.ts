/** The way from the root of a text to a place in it. */
import { type PlaceKind } from '../../language/plan';
import { type OutlineEntry, type OutlineNode } from '../text/node';
import { type Expected, itemExpected, rootExpected, type TextOf, valueExpected } from './expected';

/** One container on the way, and where in it the way goes on. */
export interface PathPart {
  readonly node: OutlineNode;
  readonly expected: Expected;
  readonly at: OutlineEntry | number;
}

export interface PathTo {
  /** The outermost container first. */
  readonly parts: readonly PathPart[];
  /** What the way leads to, and what is expected there. */
  readonly node: OutlineNode;
  readonly expected: Expected;
  /** The way ends at the key of the last part, not at its value. */
  readonly isKey: boolean;
}

/** The way to the innermost value or key that holds the offset, for as long as `into` agrees. */
export function pathAt(root: OutlineNode, offset: number, where: TextOf): PathTo {
  const parts: PathPart[] = [];
  let node = root;
  let expected = rootExpected(root);
  for (;;) {
    if (node.kind === 'map') {
      const entry = node.entries.findLast((each) => each.start <= offset);
      const isIn = entry && offset <= Math.max(entry.end, entry.value.end);
      if (entry === undefined || !isIn) break;
      parts.push({ node, expected, at: entry });
      if (offset <= entry.end) return { parts, node: entry.value, expected, isKey: true };
      expected = valueExpected(expected, node, entry.key, where);
      node = entry.value;
    } else if (node.kind === 'list') {
      const index = node.items.findLastIndex((each) => each.start <= offset && offset <= each.end);
      const item = node.items[index];
      if (item === undefined) break;
      parts.push({ node, expected, at: index });
      expected = itemExpected(expected);
      node = item;
    } else break;
  }
  return { parts, node, expected, isKey: false };
}

/** The keys on the way; items of lists are left out. */
export function keysAlong(parts: readonly PathPart[]): string[] {
  return parts.flatMap(({ at }) => (typeof at === 'number' ? [] : [at.key]));
}

const WRITES = new Set(['set', 'set_ctx', 'set_iter', 'vars']);

/** The first that holds decides: what a way leads through, and the kind of the place. */
const PLACES: readonly (readonly [(keys: ReadonlySet<string>, last: string) => boolean, PlaceKind])[] = [
  [(keys) => keys.has('sink') && keys.has('retry'), 'retrySink'],
  [(keys) => keys.has('sink'), 'sink'],
  [(keys) => keys.has('retry'), 'retry'],
  [(keys, last) => keys.has('case') && last === 'when', 'guard'],
  [(keys) => keys.has('case') && keys.has('next'), 'route'],
  [(keys) => keys.has('case'), 'action'],
  [(keys) => keys.has('admit'), 'admit'],
  [(keys) => keys.has('next'), 'arc'],
  [(keys) => keys.has('rules') || (keys.has('tool') && [...keys].some((key) => WRITES.has(key))), 'outcome'],
  [(keys) => keys.has('loop') && !keys.has('tool'), 'loop'],
  [(keys) => [...keys].some((key) => WRITES.has(key)), 'done'],
];

/** What a template at the end of the way can read: which names the runtime provides there. */
export function placeKindOf(parts: readonly PathPart[]): PlaceKind {
  const keys = keysAlong(parts);
  const root = keys[0] ?? '';
  if (root === 'workload' || root === 'metadata') return 'start';
  if (root === 'keychain') return root;
  const all = new Set(keys);
  return PLACES.find(([holds]) => holds(all, keys.at(-1) ?? ''))?.[1] ?? 'task';
}

/** The step that a way leads through: an item of `workflow`. */
export function stepOn({ parts, node }: Pick<PathTo, 'parts' | 'node'>): OutlineNode | undefined {
  const [first, second, third] = parts;
  if (typeof first?.at !== 'object' || first.at.key !== 'workflow' || second === undefined) return undefined;
  return third?.node ?? node;
}

/** The innermost tool around a place. */
export function toolOn({ parts }: Pick<PathTo, 'parts'>): OutlineNode | undefined {
  return parts.findLast(({ node, expected }) => expected.tool && node.kind === 'map')?.node;
}
