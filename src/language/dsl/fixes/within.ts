import {
  hasTemplateSyntax,
  parseExpression,
  parseTemplate,
  type TemplateReference,
  references,
} from '../../template';
import { type MapEntry, type MapNode, type YamlNode, type ScalarNode } from '../yaml/node';

/** Keys that contain data of the author: nothing below them is a construct of the language. */
const DATA: ReadonlySet<string> = new Set([
  ...['input', 'args', 'with', 'payload', 'workload', 'set', 'set_ctx', 'set_iter', 'vars'],
  ...['data', 'json', 'body', 'params', 'headers', 'env', 'code', 'message', 'log', 'result'],
]);

/** An entry, and its mapping. */
interface EntryAt {
  readonly owner: MapNode;
  readonly entry: MapEntry;
}

/** All entries with one of the keys below a node, at any depth, except in data of the author. */
export function entriesWithin(node: YamlNode | undefined, keys: readonly string[]): EntryAt[] {
  if (node === undefined || node.kind === 'scalar') return [];
  if (node.kind === 'list') return node.items.flatMap((item) => entriesWithin(item, keys));
  return node.entries.flatMap((entry) => [
    ...(keys.includes(entry.key) ? [{ owner: node, entry }] : []),
    ...(DATA.has(entry.key) ? [] : entriesWithin(entry.value, keys)),
  ]);
}

/** All scalars below a node with their keys; aliased ones once. */
export function scalarsWithin(nodes: readonly (YamlNode | undefined)[]): { node: ScalarNode; key: string }[] {
  const texts = new Map<ScalarNode, string>();
  const visit = (node: YamlNode, key: string): void => {
    if (node.kind === 'map') for (const each of node.entries) visit(each.value, each.key);
    else if (node.kind === 'list') for (const item of node.items) visit(item, key);
    else if (!texts.has(node)) texts.set(node, key);
  };
  for (const node of nodes) if (node !== undefined) visit(node, '');
  return [...texts].map(([node, key]) => ({ node, key }));
}

const CONDITIONS: ReadonlySet<string> = new Set(['when', 'expr', 'retry_when', 'stop_when']);

const byNode = new WeakMap<ScalarNode, readonly TemplateReference[]>();

/** The references of a text; none if it is not a template. Conditions need no braces. */
export function referencesIn(node: ScalarNode, key: string): readonly TemplateReference[] {
  const reads = byNode.get(node) ?? find(node.value, key);
  byNode.set(node, reads);
  return reads;
}

function find(value: unknown, key: string): readonly TemplateReference[] {
  if (typeof value !== 'string') return [];
  try {
    if (hasTemplateSyntax(value)) return references(parseTemplate(value));
    return CONDITIONS.has(key) ? references(parseExpression(value)) : [];
  } catch {
    return [];
  }
}
