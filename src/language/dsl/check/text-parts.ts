/** The parts of a template that are converted to text: its outputs, and operands concatenated with text. */
import { type Expr, type Template } from '../../template/ir';
import { objectsIn } from '../../plan';

interface TextPart {
  readonly root: string;
  readonly path: readonly (string | number)[];
  readonly offset: number;
}

/** The names whose values become text, one path each. `whole`: the template's value is used as text. */
export function textParts(template: Template, whole: boolean): TextPart[] {
  const parts: TextPart[] = [];
  const take = (expr: Expr): void => {
    if (expr.op === 'if') [expr.t, ...(expr.e ? [expr.e] : [])].forEach(take);
    else if (expr.op === 'and' || expr.op === 'or') [expr.l, expr.r].forEach(take);
    else if (expr.op === 'filter' && /^(d|default)$/.test(expr.n) && expr.o) take(expr.o);
    else {
      const part = pathOf(expr);
      if (part) parts.push(part);
    }
  };
  if (whole && template.kind === 'expression') take(template.expr);
  for (const { op, e, l, r, f } of objectsIn(template)) {
    if (op === 'out') take(e as Expr);
    if (op === 'concat') (e as Expr[]).forEach(take);
    if (op === 'bin' && f === '+' && [l, r].some(isText)) [l as Expr, r as Expr].forEach(take);
  }
  return parts;
}

function isText(expr: unknown): boolean {
  const { op, v } = expr as { op: string; v?: unknown };
  return op === 'lit' && typeof v === 'string';
}

/** `a.b['c']`; undefined for anything but a name and known keys. */
function pathOf(expr: Expr): TextPart | undefined {
  const path: (string | number)[] = [];
  let at = expr;
  for (; at.op === 'get'; at = at.o) path.unshift(at.k);
  return at.op === 'name' ? { root: at.n, path, offset: at.p } : undefined;
}
