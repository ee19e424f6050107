import { type BinaryOperator, type CompareOperator, type Expr } from '../ir';
import { tokenTypes as t } from './nunjucks';
import { OperandParser } from './operands';

const comparisons = new Set<string>(['==', '!=', '<', '<=', '>', '>=']);
const additive = new Set<string>(['+', '-']);
const multiplicative = new Set<string>(['*', '/', '//', '%']);

/**
 * Jinja2's expression grammar (jinja2/parser.py, 3.1) on nunjucks' tokens, building the IR. Each method is one
 * level of precedence. Where nunjucks' own grammar differs (tests without parentheses, nested conditionals, chained
 * comparison, slices, literals with attributes, adjacent strings, the precedence of `*`, `/` and `//`), Jinja2's is
 * used.
 */
export class ExpressionParser extends OperandParser {
  /** A conditional expression: the lowest precedence without a comma. */
  protected expression(): Expr {
    return this.nested(() => {
      let value = this.or();
      while (this.skipSymbol('if')) {
        const condition = this.or();
        value = this.skipSymbol('else')
          ? { op: 'if', c: condition, t: value, e: this.expression() }
          : { op: 'if', c: condition, t: value };
      }
      return value;
    });
  }

  protected or(): Expr {
    return this.leftAssociative(
      () => this.and(),
      () => (this.skipSymbol('or') ? 'or' : undefined),
      (op, l, r) => ({ op, l, r }),
    );
  }

  private and(): Expr {
    return this.leftAssociative(
      () => this.not(),
      () => (this.skipSymbol('and') ? 'and' : undefined),
      (op, l, r) => ({ op, l, r }),
    );
  }

  private not(): Expr {
    if (!this.skipSymbol('not')) return this.comparison();
    return { op: 'not', e: this.nested(() => this.not()) };
  }

  private comparison(): Expr {
    const p = this.offset();
    const l = this.sum();
    const c: [CompareOperator, Expr][] = [];
    for (let op = this.comparisonOperator(); op; op = this.comparisonOperator()) c.push([op, this.sum()]);
    return c.length > 0 ? { op: 'cmp', l, c, p } : l;
  }

  private comparisonOperator(): CompareOperator | undefined {
    const token = this.peekToken();
    if (token?.type === t.TOKEN_OPERATOR && comparisons.has(token.value)) {
      return this.next().value as CompareOperator;
    }
    if (this.skipSymbol('in')) return 'in';
    if (!this.skipSymbol('not')) return undefined;
    this.requireSymbol('in');
    return 'not in';
  }

  private sum(): Expr {
    return this.binary(additive, () => this.concatenation());
  }

  private concatenation(): Expr {
    const first = this.product();
    if (!this.at(t.TOKEN_TILDE)) return first;
    const e = [first];
    while (this.skip(t.TOKEN_TILDE)) e.push(this.product());
    return { op: 'concat', e };
  }

  private product(): Expr {
    return this.binary(multiplicative, () => this.power());
  }

  private power(): Expr {
    return this.binary(new Set(['**']), () => this.unary());
  }

  private binary(operators: ReadonlySet<string>, operand: () => Expr): Expr {
    let p = 0;
    return this.leftAssociative(
      operand,
      () => {
        const token = this.peekToken();
        if (token?.type !== t.TOKEN_OPERATOR || !operators.has(token.value)) return undefined;
        p = token.colno;
        return this.next().value as BinaryOperator;
      },
      (f, l, r) => ({ op: 'bin', f, l, r, p }),
    );
  }

  private leftAssociative<O>(
    operand: () => Expr,
    operator: () => O | undefined,
    combine: (op: O, l: Expr, r: Expr) => Expr,
  ): Expr {
    let left = operand();
    for (let length = 1; ; length++) {
      const op = operator();
      if (op === undefined) return left;
      this.boundChain(length);
      left = combine(op, left, operand());
    }
  }

  private unary(withFilters = true): Expr {
    const p = this.offset();
    let value: Expr;
    if (this.skipOperator('-')) value = { op: 'neg', e: this.nested(() => this.unary(false)), p };
    else if (this.skipOperator('+')) value = { op: 'pos', e: this.nested(() => this.unary(false)), p };
    else value = this.postfix(this.primary());
    return withFilters ? this.filtersAndTests(value) : value;
  }
}
