import { child, type YamlNode, type ScalarNode } from '../../yaml/node';
import { type Rewrite, type RewriteSource } from '../rewrite';
import { referencesIn } from '../within';

/** Keys whose entries are named by the author. */
const NAMING = new Set([
  'args',
  'input',
  'with',
  'payload',
  'workload',
  'set',
  'set_ctx',
  'set_iter',
  'vars',
]);
/** Keys whose value is a name given by the author. */
const NAMES = new Set(['step', 'name', 'iterator']);
const FIELDS = new Set(['result', 'data', 'status', 'error', 'http', 'pg', 'py', 'meta']);

/** Renames `outcome.result` to `output.data`, and `outcome.status` (error, http, pg, py) to `output.status`. */
export function outcomes(source: RewriteSource): Rewrite[] {
  const { root, text } = source;
  // An author's own `outcome` or `output` would change its meaning.
  if (!text.includes('outcome') || names(root, false)) return [];
  const rewrites: Rewrite[] = [];
  const seen = new Set<ScalarNode>();
  const visit = (node: YamlNode, key: string): void => {
    if (node.kind === 'map') for (const each of node.entries) visit(each.value, each.key);
    else if (node.kind === 'list') for (const item of node.items) visit(item, key);
    else if (!seen.has(node) && key !== 'code') {
      seen.add(node);
      rewrites.push(...inScalar(text, node, key));
    }
  };
  for (const key of ['workflow', 'workbook']) {
    const part = child(root, key);
    if (part !== undefined) visit(part, key);
  }
  return rewrites;
}

function names(node: YamlNode, naming: boolean): boolean {
  if (node.kind === 'list') return node.items.some((item) => names(item, false));
  if (node.kind === 'scalar') return false;
  return node.entries.some(
    ({ key, value }) =>
      (naming && isOutcome(key)) ||
      (NAMES.has(key) && value.kind === 'scalar' && isOutcome(value.value)) ||
      // A labelled task.
      (isOutcome(key) && value.kind === 'map' && child(value, 'kind') !== undefined) ||
      names(value, NAMING.has(key)),
  );
}

function isOutcome(name: unknown): boolean {
  return name === 'outcome' || name === 'output';
}

function inScalar(text: string, node: ScalarNode, key: string): Rewrite[] {
  if (typeof node.value !== 'string' || !node.value.includes('outcome')) return [];
  return referencesIn(node.value, key).flatMap((reference) => {
    if (reference.root !== 'outcome' || reference.kind !== 'name') return [];
    if (!FIELDS.has(String(reference.path[0]))) return [];
    const start = node.offsetOf(reference.offset);
    const written = /^outcome(?:(\.|\[\\?["']{1,2})(result\b)?)/.exec(text.slice(start, start + 24));
    if (written === null) return [];
    const renamed = `output${written[1] ?? ''}${written[2] === undefined ? '' : 'data'}`;
    const edits = [{ start, end: start + written[0].length, text: renamed }];
    return [{ what: `\`${written[0]}\` → \`${renamed}\``, at: node, edits }];
  });
}
