/** Words of expressions and names of the playbook, for colours that a YAML grammar does not give. */
import { ROOTS } from '../../language/plan';
import { type PlaybookFacts } from '../names/facts';
import { type ExpressionPart, templateParts } from '../text/expression';
import { type OutlineNode, type TextRange } from '../text/node';

export const TOKEN_TYPES = [
  'class',
  'function',
  'variable',
  'parameter',
  'property',
  'keyword',
  'string',
  'number',
  'operator',
] as const;

export interface ColouredToken extends TextRange {
  readonly type: (typeof TOKEN_TYPES)[number];
}

/** What parts of expressions are called there. */
const TYPES: Readonly<Record<Exclude<ExpressionPart['kind'], 'name'>, ColouredToken['type']>> = {
  key: 'property',
  filter: 'function',
  test: 'function',
  function: 'function',
  keyword: 'keyword',
  string: 'string',
  number: 'number',
  operator: 'operator',
};

/** In text order, without overlaps. */
export function colouredTokens({ text, root, steps, ctx }: PlaybookFacts): ColouredToken[] {
  const tasks = steps.flatMap((step) => step.tasks.flatMap(({ at }) => at ?? []));
  const named = [...steps, ...steps.flatMap(({ targets }) => targets), ...tasks];
  const tokens: ColouredToken[] = [
    ...named.map(({ start, end }): ColouredToken => ({ start, end, type: 'class' })),
    ...ctx.map(({ start, end }): ColouredToken => ({ start, end, type: 'variable' })),
  ];
  const visit = (node: OutlineNode): void => {
    for (const item of node.items) visit(item);
    for (const { value } of node.entries) visit(value);
    if (node.kind !== 'scalar') return;
    for (const { kind, text: word, start, end } of templateParts(text, node))
      if (kind !== 'operator' || /[=<>!+*/%~|-]/.test(word))
        tokens.push({
          start,
          end,
          type: kind === 'name' ? (ROOTS.has(word) ? 'parameter' : 'variable') : TYPES[kind],
        });
  };
  visit(root);
  let end = -1;
  return tokens
    .toSorted((a, b) => a.start - b.start || a.end - b.end)
    .filter((each) => each.start >= end && each.end > each.start && (end = each.end) > 0);
}
