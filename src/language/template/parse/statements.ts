import {
  type Expr,
  type MacroBody,
  type MacroParameter,
  type Stmt,
  type StmtOf,
  type AssignmentTarget,
} from '../ir';
import { templateSuggestion } from '../suggest';
import { ExpressionParser } from './expressions';
import { tokenTypes as t } from './nunjucks';

const standsAlone = 'a playbook template stands alone: it cannot load other templates';
/** Tags of Jinja2 and nunjucks that are not supported, with the reason. */
const unsupported: Readonly<Record<string, string>> = {
  extends: standsAlone,
  include: standsAlone,
  import: standsAlone,
  from: standsAlone,
  autoescape: 'playbook values are not HTML: use the filter escape',
  break: 'not part of Jinja2: filter the loop, {% for x in xs if … %}',
  continue: 'not part of Jinja2: filter the loop, {% for x in xs if … %}',
  do: 'not part of Jinja2: use {% set %}',
  switch: 'not part of Jinja2: use {% if %} and {% elif %}',
};
const endTags = new Set(
  'endif endfor endset endwith endmacro endcall endfilter endblock endraw else elif'.split(' '),
);

/** Jinja2's statements on nunjucks' tokens. */
export class TemplateParser extends ExpressionParser {
  private readonly tags: Readonly<Record<string, (p: number) => Stmt | readonly Stmt[]>> = {
    if: () => this.if(),
    for: (p) => this.for(p),
    set: (p) => this.set(p),
    with: (p) => this.with(p),
    filter: () => this.filterBlock(),
    macro: () => this.macro(),
    call: (p) => this.callBlock(p),
    block: () => this.block(),
    print: (p) => this.print(p),
  };

  /** The whole template. */
  template(): Stmt[] {
    return this.statements([]);
  }

  /** The whole source as a single bare expression. */
  soleExpression(): Expr {
    const value = this.tuple();
    const rest = this.nextToken();
    if (rest) throw this.unexpected(rest, 'the end of the expression or an operator');
    return value;
  }

  /** Statements up to one of the tags `until`, whose `{%` is consumed and whose name comes next. */
  private statements(until: readonly string[], opener?: string, openedAt = 0): Stmt[] {
    const body: Stmt[] = [];
    for (let token = this.nextToken(); token; token = this.nextToken()) {
      if (token.type === t.TOKEN_DATA) {
        if (token.value !== '') body.push({ op: 'text', v: token.value });
      } else if (token.type === t.TOKEN_VARIABLE_START) {
        const p = this.offset();
        body.push({ op: 'out', e: this.tuple(), p });
        this.require(t.TOKEN_VARIABLE_END, "'}}' or an operator");
      } else {
        if (until.some((tag) => this.atSymbol(tag))) return body;
        body.push(...this.nested(() => this.statement(opener)));
      }
    }
    if (opener === undefined) return body;
    throw this.failure(`{% ${opener} %} is never closed: {% end${opener} %} is missing`, openedAt);
  }

  private statement(opener: string | undefined): readonly Stmt[] {
    const { value: tag, colno: p } = this.require(t.TOKEN_SYMBOL, "a tag's name after '{%'");
    if (Object.hasOwn(unsupported, tag)) {
      throw this.failure(`{% ${tag} %} is not supported: ${unsupported[tag]!}`, p, 'unsupportedTag');
    }
    if (!Object.hasOwn(this.tags, tag)) {
      if (endTags.has(tag)) {
        const open = opener === undefined ? 'no block is open' : `{% ${opener} %} is open`;
        throw this.failure(`{% ${tag} %} closes nothing here: ${open}`, p);
      }
      throw this.failure(
        `unknown tag '${tag}'${templateSuggestion(tag, Object.keys(this.tags))}`,
        p,
        'unsupportedTag',
      );
    }
    const statement = this.tags[tag]!(p);
    return Array.isArray(statement) ? (statement as readonly Stmt[]) : [statement as Stmt];
  }

  private endOfTag(): void {
    this.require(t.TOKEN_BLOCK_END, "'%}'");
  }

  /** The body of a block that ends with `end<tag>`. */
  private body(tag: string): Stmt[] {
    const p = this.offset();
    this.endOfTag();
    const body = this.statements([`end${tag}`], tag, p);
    this.next();
    this.endOfTag();
    return body;
  }

  private if(): Stmt {
    const branches: [Expr, Stmt[]][] = [];
    const p = this.offset();
    for (;;) {
      const condition = this.tuple();
      this.endOfTag();
      branches.push([condition, this.statements(['elif', 'elseif', 'else', 'endif'], 'if', p)]);
      const tag = this.next().value;
      if (tag === 'elif' || tag === 'elseif') continue;
      if (tag === 'else') return { op: 'if', branches, otherwise: this.elseBody('if', p) };
      this.endOfTag();
      return { op: 'if', branches };
    }
  }

  private elseBody(tag: string, p: number): Stmt[] {
    this.endOfTag();
    const body = this.statements([`end${tag}`], tag, p);
    this.next();
    this.endOfTag();
    return body;
  }

  private for(p: number): Stmt {
    const target = this.target();
    this.requireSymbol('in');
    const source = this.tuple(() => this.or());
    const test = this.skipSymbol('if') ? this.expression() : undefined;
    const recursive = this.skipSymbol('recursive');
    this.endOfTag();
    const body = this.statements(['endfor', 'else'], 'for', p);
    const loop: StmtOf<'for'> = {
      op: 'for',
      target,
      in: source,
      ...(test && { test }),
      ...(recursive && { recursive }),
      body,
      p,
    };
    if (this.next().value === 'else') return { ...loop, otherwise: this.elseBody('for', p) };
    this.endOfTag();
    return loop;
  }

  private set(p: number): Stmt {
    const target = this.target(true);
    if (this.skipOperator('=')) {
      const e = this.tuple();
      this.endOfTag();
      return { op: 'set', target, e, p };
    }
    const filter = this.skip(t.TOKEN_PIPE) ? this.filterChain() : undefined;
    return { op: 'setblock', target, ...(filter && { filter }), body: this.body('set'), p };
  }

  private with(p: number): Stmt {
    const sets: [AssignmentTarget, Expr][] = [];
    while (!this.at(t.TOKEN_BLOCK_END)) {
      if (sets.length > 0) this.require(t.TOKEN_COMMA, "',' or '%}'");
      const target = this.singleTarget(false);
      if (!this.skipOperator('=')) throw this.unexpected(this.nextToken(), "'='");
      sets.push([target, this.expression()]);
    }
    return { op: 'with', sets, body: this.body('with'), p };
  }

  /** `a`, `a, (b, c)` or, in `set`, `namespace.a`. */
  private target(namespaced = false): AssignmentTarget {
    const p = this.offset();
    const first = this.singleTarget(namespaced);
    if (!this.at(t.TOKEN_COMMA)) return first;
    const e = [first];
    while (this.skip(t.TOKEN_COMMA)) {
      if (!this.at(t.TOKEN_SYMBOL) && !this.at(t.TOKEN_LEFT_PAREN)) break;
      if (this.atSymbol('in')) break;
      e.push(this.singleTarget(namespaced));
    }
    return { op: 'tuple', e, p };
  }

  private singleTarget(namespaced: boolean): AssignmentTarget {
    if (this.skip(t.TOKEN_LEFT_PAREN)) {
      const inner = this.nested(() => this.target(namespaced));
      this.require(t.TOKEN_RIGHT_PAREN, "')'");
      return inner;
    }
    const { value: n, colno: p } = this.require(t.TOKEN_SYMBOL, 'a name to assign to');
    if (!namespaced || !this.skipOperator('.')) return { op: 'name', n };
    return { op: 'ns', n, k: this.require(t.TOKEN_SYMBOL, "a name after '.'").value, p };
  }

  private filterChain(): Expr {
    let filter = this.filter(undefined);
    while (this.skip(t.TOKEN_PIPE)) filter = this.filter(filter);
    return filter;
  }

  private filterBlock(): Stmt {
    return { op: 'filterblock', filter: this.filterChain(), body: this.body('filter') };
  }

  private macro(): Stmt {
    const n = this.require(t.TOKEN_SYMBOL, "the macro's name").value;
    const params = this.parameters();
    return { op: 'macro', n, params, ...this.macroBody('macro') };
  }

  private callBlock(p: number): Stmt {
    const params = this.at(t.TOKEN_LEFT_PAREN) ? this.parameters() : [];
    const call = this.expression();
    if (call.op !== 'call' && call.op !== 'method') throw this.failure('expected the call of a macro', p);
    return { op: 'callblock', call, params, ...this.macroBody('call'), p };
  }

  /** The body of a macro, with the implicit names it uses. */
  private macroBody(tag: string): Omit<MacroBody, 'params'> {
    const outer = this.extras;
    this.extras = new Set();
    const body = this.body(tag);
    const extras = [...this.extras];
    this.extras = new Set([...outer, ...extras]);
    return extras.length > 0 ? { extras, body } : { body };
  }

  private parameters(): MacroParameter[] {
    const params: MacroParameter[] = [];
    this.require(t.TOKEN_LEFT_PAREN, "'('");
    while (!this.skip(t.TOKEN_RIGHT_PAREN)) {
      if (params.length > 0) this.require(t.TOKEN_COMMA, "',' or ')'");
      const { value: n, colno } = this.require(t.TOKEN_SYMBOL, "a parameter's name");
      if (this.skipOperator('=')) params.push({ n, default: this.expression() });
      else if (params.some((param) => param.default)) {
        throw this.failure('a parameter without a default after one with a default', colno);
      } else params.push({ n });
    }
    return params;
  }

  private block(): Stmt {
    const name = this.require(t.TOKEN_SYMBOL, "the block's name").value;
    const p = this.offset();
    while (this.at(t.TOKEN_SYMBOL)) this.next();
    this.endOfTag();
    const body = this.statements(['endblock'], 'block', p);
    this.next();
    this.skipSymbol(name);
    this.endOfTag();
    return { op: 'scope', body };
  }

  private print(p: number): readonly Stmt[] {
    const out: Stmt[] = [];
    while (!this.at(t.TOKEN_BLOCK_END)) {
      if (out.length > 0) this.require(t.TOKEN_COMMA, "',' or '%}'");
      out.push({ op: 'out', e: this.expression(), p });
    }
    this.endOfTag();
    return out;
  }
}
