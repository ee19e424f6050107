/** The words of an expression with their places, whatever is wrong with it. */
import { type TextRange } from './node';

export interface ExpressionPart extends TextRange {
  readonly kind:
    | 'name'
    | 'key'
    | 'filter'
    | 'test'
    | 'function'
    | 'keyword'
    | 'string'
    | 'number'
    | 'operator';
  readonly text: string;
  /** Of a name and of a key: the names from its root to it. */
  readonly path: readonly string[];
}

/** In YAML's double quotes, quotes have a backslash; a string may not be closed yet. */
const PART =
  /\.\s*get\(\s*\\?["'](?<got>[^"'\\]*)\\?["'][^)"']*\)|(?<=[\w\])])\[\s*\\?["'](?<item>[^"'\\\]]*)\\?["']\s*\]|(?<=[\w\])])\[\s*(?<index>-?\d+)\s*\]|(?<quote>\\?["'])(?:(?!\k<quote>).)*(?:\k<quote>|$)|\.\s*(?<key>[A-Za-z_]\w*)|\|\s*(?<filter>[A-Za-z_]\w*)|\bis\s+(?:not\s+)?(?<test>[A-Za-z_]\w*)|(?<word>[A-Za-z_]\w*)|\d+(?:\.\d+)?|==|!=|<=|>=|[^\s\w]/dg;
const KEYWORDS = new Set(
  'and or not in is if elif else endif for endfor set endset true false none True False None'.split(' '),
);

/** @param from where the code begins */
export function expressionParts(code: string, from = 0): ExpressionPart[] {
  let path: readonly string[] = [];
  let until = 0;
  return [...code.matchAll(PART)].map(({ index, 0: all, groups = {}, indices }) => {
    const [group = '', text = all] = Object.entries(groups).find(([, word]) => word !== undefined) ?? [];
    const isString = group === 'quote';
    const [at, end] = (isString ? undefined : indices?.groups?.[group]) ?? [index, index + all.length];
    const isBehind = code.slice(until, index).trim() === '';
    until = index + all.length;
    const isCall = group !== 'got' && /^\s*\(/.test(code.slice(until, until + 9));
    const kind = kindOf(group, text, isCall);
    path = kind === 'name' ? [text] : kind === 'key' && isBehind && path.length > 0 ? [...path, text] : [];
    return { kind, text: isString ? all : text, path, start: from + at, end: from + end };
  });
}

function kindOf(group: string, text: string, isCall: boolean): ExpressionPart['kind'] {
  switch (group) {
    case 'filter':
    case 'test':
      return group;
    case 'quote':
      return 'string';
    case '':
      return /^\d/.test(text) ? 'number' : 'operator';
    default:
      if (group === 'word' && KEYWORDS.has(text)) return 'keyword';
      return isCall ? 'function' : group === 'word' ? 'name' : 'key';
  }
}

/** The parts of the templates in a scalar, also of one that is not closed. */
export function templateParts(text: string, { start, end }: TextRange): ExpressionPart[] {
  return [...text.slice(start, end).matchAll(/\{[{%]-?([\s\S]*?)(?:-?[}%]\}|$)/dg)].flatMap(
    ({ 1: code = '', indices }) => expressionParts(code, start + (indices?.[1]?.[0] ?? 0)),
  );
}

/** What parts read: each name, and the keys that follow it. */
export function chainsOf(parts: readonly ExpressionPart[]): ExpressionPart[][] {
  const chains: ExpressionPart[][] = [];
  for (const part of parts) {
    if (part.kind === 'name') chains.push([part]);
    else if (part.path.length > 1) chains.at(-1)?.push(part);
  }
  return chains;
}

/** The path that a text ends with; undefined if it ends otherwise. */
export function pathBefore(code: string): readonly string[] | undefined {
  const path = expressionParts(code).at(-1)?.path ?? [];
  return path.length > 0 ? path : undefined;
}
