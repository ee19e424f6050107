import { type Json } from '../../plan';

/** Anything with a position in the text: a node, a key, or a computed range. */
export interface Located {
  readonly start: number;
  readonly end: number;
  readonly path: string;
}

/**
 * The document as data with positions, as used by all later stages. Aliases are resolved (an aliased node is the
 * anchor's node, with its position), merge keys are merged, keys are unique strings.
 */
export type YamlNode = MapNode | ListNode | ScalarNode;
export type Scalar = null | boolean | number | string;

export interface ScalarNode extends Located {
  readonly kind: 'scalar';
  readonly value: Scalar;
  /** Offset in the text of the character `index` of a string value. */
  readonly offsetOf: (index: number) => number;
}

export interface ListNode extends Located {
  readonly kind: 'list';
  readonly items: readonly YamlNode[];
}

export interface MapEntry {
  readonly key: string;
  /** The position of the key. */
  readonly at: Located;
  readonly value: YamlNode;
}

export interface MapNode extends Located {
  readonly kind: 'map';
  readonly entries: readonly MapEntry[];
}

/** The entry of `key`, or undefined. */
export function entry(map: MapNode | undefined, key: string): MapEntry | undefined {
  return map?.entries.find((each) => each.key === key);
}

/** The value of `key`, or undefined; an empty value (`key:`) is a node of null. */
export function child(map: MapNode | undefined, key: string): YamlNode | undefined {
  return entry(map, key)?.value;
}

/** Like `child`, with an empty value counted as absent. */
export function presentValue(map: MapNode | undefined, key: string): YamlNode | undefined {
  const value = child(map, key);
  return value !== undefined && isNull(value) ? undefined : value;
}

/** The node as plain data; all keys are own properties, whatever their names. */
export function dataOf(node: YamlNode): Json {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'list') return node.items.map(dataOf);
  return Object.fromEntries(node.entries.map(({ key, value }) => [key, dataOf(value)]));
}

export function isNull(node: YamlNode): boolean {
  return node.kind === 'scalar' && node.value === null;
}

export function asMap(node: YamlNode | undefined): MapNode | undefined {
  return node?.kind === 'map' ? node : undefined;
}

export function asList(node: YamlNode | undefined): ListNode | undefined {
  return node?.kind === 'list' ? node : undefined;
}

/** The entries of a mapping; none of anything else. */
export function entriesOf(node: YamlNode | undefined): readonly MapEntry[] {
  return asMap(node)?.entries ?? [];
}

/** The items of a list; none of anything else. */
export function itemsOf(node: YamlNode | undefined): readonly YamlNode[] {
  return asList(node)?.items ?? [];
}

/** The mappings among the items of a list. */
export function mapsIn(node: YamlNode | undefined): MapNode[] {
  return itemsOf(node).flatMap((item) => (item.kind === 'map' ? [item] : []));
}

/** The mapping at a path of keys. */
export function mapUnder(map: MapNode | undefined, ...keys: readonly string[]): MapNode | undefined {
  return keys.reduce<MapNode | undefined>((node, key) => asMap(child(node, key)), map);
}

/** The scalars of a node, at any depth. */
export function scalarsIn(node: YamlNode): ScalarNode[] {
  if (node.kind === 'scalar') return [node];
  const parts = node.kind === 'list' ? node.items : node.entries.map(({ value }) => value);
  return parts.flatMap(scalarsIn);
}

/** The text of a string scalar; undefined for numbers and booleans. */
export function asText(node: YamlNode | undefined): string | undefined {
  return node?.kind === 'scalar' && typeof node.value === 'string' ? node.value : undefined;
}

/** Describes a node in YAML's terms: `a mapping`, `the text "x"`, `null`. */
export function describe(node: YamlNode): string {
  if (node.kind === 'map') return 'a mapping';
  if (node.kind === 'list') return 'a list';
  if (node.value === null) return 'nothing';
  if (typeof node.value === 'string') return `the text ${JSON.stringify(shorten(node.value))}`;
  return `the ${typeof node.value} ${String(node.value)}`;
}

function shorten(text: string): string {
  const line = text.split('\n', 1)[0]!;
  return line.length > 40 ? `${line.slice(0, 37)}…` : line === text ? line : `${line}…`;
}

/** Merges `over` into `base` key by key; mappings are merged deeply, everything else is replaced. */
export function mergeMaps(base: MapNode | undefined, over: MapNode | undefined): MapNode | undefined {
  if (base === undefined || over === undefined) return over ?? base;
  const merged = new Map(base.entries.map((each) => [each.key, each]));
  for (const each of over.entries) {
    const below = merged.get(each.key);
    const value =
      below?.value.kind === 'map' && each.value.kind === 'map'
        ? mergeMaps(below.value, each.value)!
        : each.value;
    merged.set(each.key, { ...each, value });
  }
  return { ...over, entries: [...merged.values()] };
}

/** The mapping without the named keys. */
export function without(map: MapNode, keys: ReadonlySet<string>): MapNode {
  return { ...map, entries: map.entries.filter((each) => !keys.has(each.key)) };
}

/** The position of a range of characters in a string. */
export function inside(node: ScalarNode, offset: number, length: number): Located {
  const start = node.offsetOf(offset);
  return { start, end: Math.max(start + 1, node.offsetOf(offset + length)), path: node.path };
}
