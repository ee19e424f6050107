import { type Arguments, type Expr, type ExprOf, type MacroExtra } from '../ir';
import { tokenTypes as t, type NunjucksToken } from './nunjucks';
import { maxNesting, TokenParser } from './tokens';

/** Words that end a test without parentheses: `x is defined and y`. */
const afterTest = new Set(['and', 'or', 'else', 'if', 'in', 'not', 'is', 'recursive']);
const extraNames = new Set<string>(['varargs', 'kwargs', 'caller']);
const reserved = new Set('and or not in is if else elif for import recursive'.split(' '));

/** Operands: literals, names, and their suffixes (attributes, subscripts, calls, filters, tests). */
export abstract class OperandParser extends TokenParser {
  /** Which of the current macro's implicit names have been used. */
  protected extras = new Set<MacroExtra>();

  /** A conditional expression: the lowest precedence without a comma. */
  protected abstract expression(): Expr;

  /** One expression, or a tuple of several separated by commas. */
  protected tuple(one: () => Expr = () => this.expression()): Expr {
    const first = one();
    if (!this.at(t.TOKEN_COMMA)) return first;
    const elements = [first];
    while (this.skip(t.TOKEN_COMMA)) {
      if (this.atTupleEnd()) break;
      elements.push(one());
    }
    return { op: 'tuple', e: elements };
  }

  private atTupleEnd(): boolean {
    if (!this.peekToken()) return true;
    return [t.TOKEN_VARIABLE_END, t.TOKEN_BLOCK_END, t.TOKEN_RIGHT_PAREN].some((type) => this.at(type));
  }

  /** The tree of a chain is as deep as the chain is long, and evaluation is recursive, so the length is limited. */
  protected boundChain(length: number): void {
    if (length > maxNesting) {
      throw this.failure(`a chain of more than ${String(maxNesting)} operators`, this.offset(), 'tooComplex');
    }
  }

  protected primary(): Expr {
    const token = this.nextToken();
    if (!token) throw this.unexpected(token, 'an expression');
    switch (token.type) {
      case t.TOKEN_STRING:
        return { op: 'lit', v: this.adjacentStrings(token.value) };
      case t.TOKEN_INT:
        return integerLiteral(token.value);
      case t.TOKEN_FLOAT:
        return { op: 'float', v: this.finite(token) };
      case t.TOKEN_BOOLEAN:
        return { op: 'lit', v: token.value.toLowerCase() === 'true' };
      case t.TOKEN_NONE:
        return { op: 'lit', v: null };
      case t.TOKEN_SYMBOL:
        if (reserved.has(token.value)) throw this.unexpected(token, 'an expression');
        if (extraNames.has(token.value)) this.extras.add(token.value as MacroExtra);
        return { op: 'name', n: token.value, p: token.colno };
      case t.TOKEN_LEFT_PAREN:
        return this.parenthesised();
      case t.TOKEN_LEFT_BRACKET:
        return { op: 'list', e: this.elements(t.TOKEN_RIGHT_BRACKET, () => this.expression()) };
      case t.TOKEN_LEFT_CURLY:
        return { op: 'dict', e: this.elements(t.TOKEN_RIGHT_CURLY, () => this.pair()), p: token.colno };
      default:
        throw this.unexpected(token, 'an expression');
    }
  }

  private finite(token: NunjucksToken): number {
    const value = Number(token.value);
    if (!Number.isFinite(value)) throw this.failure('this number is too large', token.colno);
    return value;
  }

  private adjacentStrings(first: string): string {
    let value = first;
    while (this.at(t.TOKEN_STRING)) value += this.next().value;
    return value;
  }

  private parenthesised(): Expr {
    if (this.skip(t.TOKEN_RIGHT_PAREN)) return { op: 'tuple', e: [] };
    const value = this.tuple();
    this.require(t.TOKEN_RIGHT_PAREN, "')'");
    return value;
  }

  /** Elements up to `close`; a trailing comma is allowed. */
  private elements<T>(close: string, element: () => T): T[] {
    const operands: T[] = [];
    while (!this.skip(close)) {
      if (operands.length > 0) {
        this.require(t.TOKEN_COMMA, `',' or ${close === t.TOKEN_RIGHT_BRACKET ? "']'" : "'}'"}`);
        if (this.skip(close)) break;
      }
      operands.push(element());
    }
    return operands;
  }

  private pair(): [Expr, Expr] {
    const key = this.expression();
    this.require(t.TOKEN_COLON, "':' after the key");
    return [key, this.expression()];
  }

  protected postfix(start: Expr): Expr {
    let value = start;
    for (let length = 1; ; length++) {
      const p = this.offset();
      this.boundChain(length);
      if (this.skipOperator('.')) value = this.attribute(value);
      else if (this.skip(t.TOKEN_LEFT_BRACKET)) value = this.subscript(value, p);
      else if (this.at(t.TOKEN_LEFT_PAREN)) value = this.call(value);
      else return value;
    }
  }

  private attribute(o: Expr): Expr {
    const token = this.next();
    const { type, value, colno: p } = token;
    if (type === t.TOKEN_INT) return { op: 'get', o, k: Number(value), p };
    // `a.true` and `a.none` are ordinary attributes.
    if (type === t.TOKEN_SYMBOL || type === t.TOKEN_BOOLEAN || type === t.TOKEN_NONE) {
      return { op: 'get', o, k: value, p };
    }
    // The lexer reads `a.0.1` as the number 0.1.
    if (type === t.TOKEN_FLOAT && /^\d+\.\d+$/.test(value)) {
      const [first, second] = value.split('.');
      return { op: 'get', o: { op: 'get', o, k: Number(first), p }, k: Number(second), p };
    }
    throw this.unexpected(token, "a name or number after '.'");
  }

  private subscript(o: Expr, p: number): Expr {
    const parts: (Expr | undefined)[] = [];
    let current: Expr | undefined;
    while (!this.skip(t.TOKEN_RIGHT_BRACKET)) {
      if (this.skip(t.TOKEN_COLON)) {
        parts.push(current);
        current = undefined;
        if (parts.length > 2) throw this.failure('a slice has at most three parts', this.offset());
      } else if (current) {
        throw this.unexpected(this.nextToken(), "']'");
      } else {
        current = this.tuple();
      }
    }
    if (parts.length > 0) {
      const [a, b, c] = [...parts, current];
      return { op: 'slice', o, ...(a && { a }), ...(b && { b }), ...(c && { c }), p };
    }
    if (!current) throw this.failure("expected an index between '[' and ']'", p);
    if (current.op === 'lit' && (typeof current.v === 'string' || typeof current.v === 'number')) {
      return { op: 'get', o, k: current.v, p };
    }
    return { op: 'item', o, i: current, p };
  }

  protected call(f: Expr): ExprOf<'call' | 'method'> {
    const p = f.op === 'get' || f.op === 'name' ? f.p : this.offset();
    const args = this.callArguments();
    if (f.op === 'get' && typeof f.k === 'string') return { op: 'method', o: f.o, n: f.k, ...args, p };
    return { op: 'call', f, ...args, p };
  }

  protected callArguments(): Arguments {
    this.require(t.TOKEN_LEFT_PAREN, "'('");
    const a: Expr[] = [];
    const k: [string, Expr][] = [];
    let star: Expr | undefined;
    let stars: Expr | undefined;
    for (let first = true; !this.skip(t.TOKEN_RIGHT_PAREN); first = false) {
      if (!first) {
        this.require(t.TOKEN_COMMA, "',' or ')'");
        if (this.skip(t.TOKEN_RIGHT_PAREN)) break;
      }
      const p = this.offset();
      if (this.skipOperator('*')) star = this.expression();
      else if (this.skipOperator('**')) stars = this.expression();
      else {
        const value = this.expression();
        if (value.op === 'name' && this.skipOperator('=')) k.push([value.n, this.expression()]);
        else if (k.length > 0 || star || stars) {
          throw this.failure('a positional argument after a keyword argument', p);
        } else a.push(value);
      }
    }
    return {
      ...(a.length > 0 && { a }),
      ...(k.length > 0 && { k }),
      ...(star && { star }),
      ...(stars && { stars }),
    };
  }

  protected filtersAndTests(start: Expr): Expr {
    let value = start;
    for (let length = 1; ; length++) {
      this.boundChain(length);
      if (this.skip(t.TOKEN_PIPE)) value = this.filter(value);
      else if (this.skipSymbol('is')) value = this.test(value);
      else if (this.at(t.TOKEN_LEFT_PAREN)) value = this.call(value);
      else return value;
    }
  }

  /** A filter's name and arguments; `o` is absent in filter blocks. */
  protected filter(o: Expr | undefined): Expr {
    const [n, p] = this.dottedName("a filter's name after '|'");
    const args = this.at(t.TOKEN_LEFT_PAREN) ? this.callArguments() : {};
    return { op: 'filter', ...(o && { o }), n, ...args, p };
  }

  private test(o: Expr): Expr {
    const negated = this.skipSymbol('not');
    const [n, p] = this.testName();
    const test: Expr = { op: 'test', o, n, ...this.testArguments(), p };
    return negated ? { op: 'not', e: test } : test;
  }

  private testName(): [string, number] {
    const token = this.peekToken();
    // `is none`, `is true`, `is in [...]`: words with other token types.
    if (token && [t.TOKEN_NONE, t.TOKEN_BOOLEAN].includes(token.type)) {
      this.next();
      return [token.value.toLowerCase() === 'null' ? 'none' : token.value.toLowerCase(), token.colno];
    }
    return this.dottedName("a test's name after 'is'");
  }

  private testArguments(): Arguments {
    if (this.at(t.TOKEN_LEFT_PAREN)) return this.callArguments();
    const token = this.peekToken();
    if (!token) return {};
    const starts = [t.TOKEN_STRING, t.TOKEN_INT, t.TOKEN_FLOAT, t.TOKEN_LEFT_BRACKET, t.TOKEN_LEFT_CURLY];
    const constant = token.type === t.TOKEN_BOOLEAN || token.type === t.TOKEN_NONE;
    const word = token.type === t.TOKEN_SYMBOL && !afterTest.has(token.value);
    if (!constant && !word && !starts.includes(token.type)) return {};
    return { a: [this.postfix(this.primary())] };
  }

  private dottedName(what: string): [string, number] {
    const token = this.require(t.TOKEN_SYMBOL, what);
    let name = token.value;
    while (this.skipOperator('.')) name += `.${this.require(t.TOKEN_SYMBOL, 'a name').value}`;
    return [name, token.colno];
  }
}

function integerLiteral(text: string): Expr {
  const value = Number(text);
  return Number.isSafeInteger(value) ? { op: 'lit', v: value } : { op: 'int', v: BigInt(text).toString() };
}
