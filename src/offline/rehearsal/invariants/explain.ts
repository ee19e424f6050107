/** Why an expression is false: the values of the part that makes it so. */
import { excerpt } from '../../../language/plan';
import { evaluate, type Expr, type TemplateScope, type Template, truthy } from '../../../language/template';

/** `calls | length: 2, expected <= 1`; empty if the expression is self-explanatory. */
export function explainInvariant({ kind, source, ...template }: Template, scope: TemplateScope): string[] {
  return kind === 'expression' ? because((template as { expr: Expr }).expr, source, scope) : [];
}

function because(expr: Expr, source: string, scope: TemplateScope): string[] {
  const value = (e: Expr): unknown => evaluate({ kind: 'expression', expr: e, source }, scope);
  switch (expr.op) {
    case 'and':
      return because(truthy(value(expr.l)) ? expr.r : expr.l, source, scope);
    case 'or':
      return [...because(expr.l, source, scope), ...because(expr.r, source, scope)];
    case 'not': {
      const inner = value(expr.e);
      return [
        Array.isArray(inner)
          ? `${inner.length} of these, expected none: ${show(inner)}`
          : `not ${show(inner)} is false`,
      ];
    }
    case 'cmp': {
      const [first] = expr.c;
      const right = expr.c.length === 1 && first ? ` ${first[0]} ${show(value(first[1]))}` : '';
      return [`${show(value(expr.l))}${right} is false`];
    }
    default:
      return [`it is ${show(value(expr))}`];
  }
}

const LONGEST = 120;

function show(value: unknown): string {
  return excerpt(value, LONGEST);
}
