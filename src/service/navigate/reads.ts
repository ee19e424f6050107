/** What the expressions of a text read, with the place of every part. */
import { hasTemplateSyntax, parseExpression, parseTemplate, references } from '../../language/template';
import { type NamePlace } from '../names/facts';
import { chainsOf, expressionParts, templateParts } from '../text/expression';
import { type OutlineNode } from '../text/node';

/** Keys whose value may be an expression without braces. */
const BARE = new Set(['when', 'retry_when', 'stop_when']);

/** The reads of a scalar, each as its root and the keys behind it; names that the template itself binds are left out. */
export function pathReads(text: string, node: OutlineNode, key: string): NamePlace[][] {
  const raw = samePlaces(text.slice(node.start, node.end), node.style);
  const isBare = BARE.has(key) && !hasTemplateSyntax(raw);
  if (!hasTemplateSyntax(raw) && !isBare) return [];
  const quoted = node.style === 'single' || node.style === 'double';
  const source = quoted ? ` ${raw.slice(1, -1)}` : raw;
  const parts = isBare ? expressionParts(source) : templateParts(source, { start: 0, end: source.length });
  const free = freeNames(source, isBare);
  return chainsOf(parts)
    .filter(([root]) => free?.has(root!.start) ?? true)
    .map((chain) =>
      chain.map(({ text: name, start, end }) => ({
        // An item of a list has no name.
        name: /^-?\d/.test(name) ? '' : name,
        start: start + node.start,
        end: end + node.start,
      })),
    );
}

/** The text of a scalar with its escapes replaced by as many characters: what is read in it stands where it stood. */
function samePlaces(raw: string, style: OutlineNode['style']): string {
  if (style === 'double')
    return raw
      .replaceAll(/\\(["\\/])/g, ' $1')
      .replaceAll(/\\\r?\n/g, (all) => ' '.repeat(all.length))
      .replaceAll(/\\[nrt]/g, '  ');
  return style === 'single' ? raw.replaceAll("''", " '") : raw;
}

/** Where names stand that the template does not bind itself; undefined while it cannot be parsed. */
function freeNames(source: string, isBare: boolean): ReadonlySet<number> | undefined {
  try {
    const template = isBare ? parseExpression(source) : parseTemplate(source);
    return new Set(references(template).flatMap(({ kind, offset }) => (kind === 'name' ? [offset] : [])));
  } catch {
    return undefined;
  }
}
