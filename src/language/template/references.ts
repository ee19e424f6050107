import {
  type Arguments,
  type Expr,
  type ExprOf,
  type MacroBody,
  type MacroParameter,
  type Stmt,
  type StmtOf,
  type AssignmentTarget,
  type Template,
} from './ir';
import { presenceTests, testedIn } from './presence';

/** Something a template reads or uses, with its offset in the template's source. */
export interface TemplateReference {
  /** The name: from the scope for kind `name`; otherwise of the filter, test, global function or method. */
  readonly root: string;
  /** The keys after the root that are known at compile time. */
  readonly path: readonly (string | number)[];
  readonly offset: number;
  readonly kind: 'name' | 'filter' | 'test' | 'call' | 'method';
  /** A key after `path` is computed (`workload[x]`): what is read is known only at run time. */
  readonly dynamic: boolean;
  /** The template handles its absence: `is defined`, `default()`, or a branch taken only if it is present. */
  readonly guarded: boolean;
  /** Of a filter or test: its first argument, if it is a literal text. */
  readonly argument?: string;
}

/**
 * Everything a template reads and uses, in source order: for diagnostics, secrets, and large results. Names bound
 * by the template itself (loop variables, `set`, macro parameters) are excluded.
 */
export function references(subject: Template | Expr): TemplateReference[] {
  const walk = new Walk();
  if (!('kind' in subject)) walk.expr(subject, noLocals, false);
  else if (subject.kind === 'expression') walk.expr(subject.expr, noLocals, false);
  else walk.body(subject.body, new Set(), false);
  return walk.references.sort((a, b) => a.offset - b.offset);
}

type Locals = ReadonlySet<string>;
const noLocals: Locals = new Set();
const guardingFilters = new Set(['default', 'd']);

class Walk {
  readonly references: TemplateReference[] = [];

  expr(e: Expr, locals: Locals, guarded: boolean): void {
    switch (e.op) {
      case 'name':
      case 'get':
      case 'item':
        this.path(e, [], locals, guarded, false);
        return;
      case 'slice':
        this.expr(e.o, locals, guarded);
        for (const bound of [e.a, e.b, e.c]) if (bound) this.expr(bound, locals, guarded);
        return;
      case 'filter':
        this.references.push(used('filter', e.n, e.p, e));
        if (e.o) this.expr(e.o, locals, guarded || guardingFilters.has(e.n));
        this.named(e, locals, guarded);
        return;
      case 'test':
        this.references.push(used('test', e.n, e.p, e));
        this.expr(e.o, locals, guarded || presenceTests.has(e.n));
        this.arguments(e, locals, guarded);
        return;
      case 'call':
        if (e.f.op === 'name') {
          if (!locals.has(e.f.n)) this.references.push(used('call', e.f.n, e.f.p));
        } else this.expr(e.f, locals, guarded);
        this.arguments(e, locals, guarded);
        return;
      case 'method':
        this.method(e, locals, guarded);
        return;
      default:
        this.operator(e, locals, guarded);
    }
  }

  private operator(e: Expr, locals: Locals, guarded: boolean): void {
    switch (e.op) {
      case 'list':
      case 'tuple':
      case 'concat':
        for (const element of e.e) this.expr(element, locals, guarded);
        return;
      case 'dict':
        for (const [key, value] of e.e) {
          this.expr(key, locals, guarded);
          this.expr(value, locals, guarded);
        }
        return;
      case 'not':
      case 'neg':
      case 'pos':
        this.expr(e.e, locals, guarded);
        return;
      case 'and':
      case 'or':
        this.expr(e.l, locals, guarded);
        this.branch(e.r, testedIn(e.l), locals, guarded);
        return;
      case 'bin':
        this.expr(e.l, locals, guarded);
        this.expr(e.r, locals, guarded);
        return;
      case 'cmp':
        this.expr(e.l, locals, guarded);
        for (const [, operand] of e.c) this.expr(operand, locals, guarded);
        return;
      case 'if':
        this.expr(e.c, locals, guarded);
        this.branch(e.t, testedIn(e.c), locals, guarded);
        if (e.e) this.branch(e.e, testedIn(e.c), locals, guarded);
    }
  }

  /** `x.y` in `x is defined and x.y`: paths in a presence test are guarded where the test applies. */
  private branch(e: Expr, tested: Locals, locals: Locals, guarded: boolean): void {
    const from = this.references.length;
    this.expr(e, locals, guarded);
    for (let i = from; i < this.references.length; i++) {
      const reference = this.references[i]!;
      if (reference.kind === 'name' && isUnder(reference, tested))
        this.references[i] = { ...reference, guarded: true };
    }
  }

  /** Descends to the root of `a.b[c].d`, collecting the known keys. */
  private path(e: Expr, keys: (string | number)[], locals: Locals, guarded: boolean, dynamic: boolean): void {
    switch (e.op) {
      case 'name':
        if (!locals.has(e.n)) {
          this.references.push({ root: e.n, path: keys, offset: e.p, kind: 'name', dynamic, guarded });
        }
        return;
      case 'get':
        this.path(e.o, [e.k, ...keys], locals, guarded, dynamic);
        return;
      case 'item':
        this.path(e.o, [], locals, guarded, true);
        this.expr(e.i, locals, guarded);
        return;
      default:
        this.expr(e, locals, guarded);
    }
  }

  private method(e: ExprOf<'method'>, locals: Locals, guarded: boolean): void {
    this.references.push(used('method', e.n, e.p));
    const [key] = e.a ?? [];
    const isLiteral = e.n === 'get' && key?.op === 'lit' && typeof key.v === 'string';
    if (isLiteral) this.path(e.o, [key.v as string], locals, guarded || (e.a?.length ?? 0) > 1, false);
    else this.path(e.o, [], locals, guarded, e.n === 'get');
    this.arguments(e, locals, guarded);
  }

  /** `map('upper')` and `select('odd')` use a filter and a test by name. */
  private named(e: ExprOf<'filter'>, locals: Locals, guarded: boolean): void {
    const at = e.n === 'selectattr' || e.n === 'rejectattr' ? 1 : 0;
    const name = e.a?.[at];
    if (name?.op === 'lit' && typeof name.v === 'string') {
      const rest = { a: e.a!.slice(at + 1) };
      if (e.n === 'map') this.references.push(used('filter', name.v, e.p, rest));
      if (/^(select|reject)(attr)?$/.test(e.n)) this.references.push(used('test', name.v, e.p, rest));
    }
    this.arguments(e, locals, guarded);
  }

  private arguments({ a = [], k = [], star, stars }: Arguments, locals: Locals, guarded: boolean): void {
    for (const arg of a) this.expr(arg, locals, guarded);
    for (const [, arg] of k) this.expr(arg, locals, guarded);
    if (star) this.expr(star, locals, guarded);
    if (stars) this.expr(stars, locals, guarded);
  }

  /** Statements in order; `locals` is extended with the names they bind. */
  body(body: readonly Stmt[], locals: Set<string>, guarded: boolean): void {
    for (const statement of body) this.statement(statement, locals, guarded);
  }

  private statement(s: Stmt, locals: Set<string>, guarded: boolean): void {
    switch (s.op) {
      case 'text':
        return;
      case 'out':
        this.expr(s.e, locals, guarded);
        return;
      case 'if':
        this.ifStatement(s, locals, guarded);
        return;
      case 'for': {
        this.expr(s.in, locals, guarded);
        const inner = new Set(locals).add('loop');
        bindTarget(s.target, inner);
        if (s.test) this.expr(s.test, inner, guarded);
        this.body(s.body, inner, guarded);
        this.body(s.otherwise ?? [], new Set(locals), guarded);
        return;
      }
      case 'set':
        this.expr(s.e, locals, guarded);
        bindTarget(s.target, locals);
        return;
      case 'setblock':
        this.body(s.body, new Set(locals), guarded);
        if (s.filter) this.expr(s.filter, locals, guarded);
        bindTarget(s.target, locals);
        return;
      case 'with': {
        const inner = new Set(locals);
        for (const [target, value] of s.sets) {
          this.expr(value, locals, guarded);
          bindTarget(target, inner);
        }
        this.body(s.body, inner, guarded);
        return;
      }
      case 'scope':
        this.body(s.body, new Set(locals), guarded);
        return;
      case 'filterblock':
        this.expr(s.filter, locals, guarded);
        this.body(s.body, new Set(locals), guarded);
        return;
      case 'macro':
        locals.add(s.n);
        this.macro(s, locals, guarded);
        return;
      case 'callblock':
        this.expr(s.call, locals, guarded);
        this.macro(s, locals, guarded);
    }
  }

  private ifStatement(s: StmtOf<'if'>, locals: Set<string>, guarded: boolean): void {
    const tested = new Set<string>();
    for (const [condition, body] of s.branches) {
      this.expr(condition, locals, guarded);
      for (const name of testedIn(condition)) tested.add(name);
      this.guardedBody(body, tested, locals, guarded);
    }
    this.guardedBody(s.otherwise ?? [], tested, locals, guarded);
  }

  private guardedBody(body: readonly Stmt[], tested: Locals, locals: Set<string>, guarded: boolean): void {
    const from = this.references.length;
    this.body(body, locals, guarded);
    for (let i = from; i < this.references.length; i++) {
      const reference = this.references[i]!;
      if (reference.kind === 'name' && isUnder(reference, tested))
        this.references[i] = { ...reference, guarded: true };
    }
  }

  private macro(s: MacroBody, locals: Locals, guarded: boolean): void {
    const inner = new Set([...locals, 'varargs', 'kwargs', 'caller']);
    this.parameters(s.params, inner, guarded);
    this.body(s.body, inner, guarded);
  }

  private parameters(params: readonly MacroParameter[], inner: Set<string>, guarded: boolean): void {
    for (const param of params) {
      if (param.default) this.expr(param.default, inner, guarded);
      inner.add(param.n);
    }
  }
}

function used(
  kind: TemplateReference['kind'],
  root: string,
  offset: number,
  given: Arguments = {},
): TemplateReference {
  const first = given.a?.[0] ?? given.k?.find(([name]) => name === 'pattern')?.[1];
  const argument = first?.op === 'lit' && typeof first.v === 'string' ? { argument: first.v } : {};
  return { root, path: [], offset, kind, dynamic: false, guarded: false, ...argument };
}

function bindTarget(target: AssignmentTarget, locals: Set<string>): void {
  if (target.op === 'name') locals.add(target.n);
  else if (target.op === 'tuple') for (const part of target.e) bindTarget(part, locals);
}

function isUnder({ root, path }: TemplateReference, tested: Locals): boolean {
  return tested.has(root) || path.some((_, i) => tested.has([root, ...path.slice(0, i + 1)].join('.')));
}
