import { TemplateError } from '../errors';
import { type Arguments, type Expr, type ExprOf } from '../ir';
import { callMethod } from '../methods';
import { type TemplateScope } from '../scope';
import { templateSuggestion } from '../suggest';
import { item, lookup } from '../values/access';
import { comparisonHolds } from '../values/compare';
import {
  Float,
  Internal,
  isDict,
  resolve,
  setKey,
  Tuple,
  valueTypeName,
  type Dict,
  type Keywords,
} from '../values/kinds';
import { isNumeric, negate, numberText, add } from '../values/numbers';
import { operate } from '../values/operators';
import { listedItems, slice } from '../values/sequence';
import { toText } from '../values/text';
import { globalNamed, globalNames } from './globals';
import { type Evaluation } from './run';

const noKeywords: Keywords = new Map();
const noArguments: readonly unknown[] = [];

/** Evaluates an expression in a scope: the run's, or a frame of statements. Views are kept. */
export function evaluateExpr(run: Evaluation, scope: TemplateScope, expr: Expr): unknown {
  run.charge(run.prices.expression);
  switch (expr.op) {
    case 'name':
      return name(run, scope, expr);
    case 'get': {
      const o = evaluateExpr(run, scope, expr.o);
      run.p = expr.p;
      if (typeof o === 'string') run.charge(run.prices.indexedChar * o.length);
      return lookup(o, expr.k);
    }
    case 'lit':
      return expr.v;
    case 'float':
      return Number.isInteger(expr.v) ? new Float(expr.v) : expr.v;
    case 'int':
      return BigInt(expr.v);
    case 'and': {
      const l = evaluateExpr(run, scope, expr.l);
      return run.truth(l) ? evaluateExpr(run, scope, expr.r) : l;
    }
    case 'or': {
      const l = evaluateExpr(run, scope, expr.l);
      return run.truth(l) ? l : evaluateExpr(run, scope, expr.r);
    }
    case 'not':
      return !run.truth(evaluateExpr(run, scope, expr.e));
    case 'cmp':
      return comparison(run, scope, expr);
    case 'if':
      if (run.truth(evaluateExpr(run, scope, expr.c))) return evaluateExpr(run, scope, expr.t);
      return expr.e && evaluateExpr(run, scope, expr.e);
    case 'filter':
    case 'test': {
      const subject = expr.o && evaluateExpr(run, scope, expr.o);
      return builtin(run, scope, expr, subject);
    }
    case 'bin': {
      const l = evaluateExpr(run, scope, expr.l);
      const r = evaluateExpr(run, scope, expr.r);
      run.p = expr.p;
      return operate(expr.f, l, r, run);
    }
    case 'concat':
      return concatenation(run, scope, expr);
    case 'neg':
    case 'pos':
      return signed(run, scope, expr);
    case 'item': {
      const o = evaluateExpr(run, scope, expr.o);
      const i = evaluateExpr(run, scope, expr.i);
      run.p = expr.p;
      if (typeof o === 'string') run.charge(run.prices.indexedChar * o.length);
      return item(o, i);
    }
    case 'slice': {
      const o = evaluateExpr(run, scope, expr.o);
      const [a, b, c] = [expr.a, expr.b, expr.c].map((part) => part && evaluateExpr(run, scope, part));
      run.p = expr.p;
      return slice(o, [a, b, c], run);
    }
    case 'list':
      return elements(run, scope, expr.e);
    case 'tuple':
      return Tuple.make(elements(run, scope, expr.e));
    case 'dict':
      return dict(run, scope, expr);
    case 'call':
      return call(run, scope, expr);
    case 'method':
      return method(run, scope, expr);
  }
}

function name(run: Evaluation, scope: TemplateScope, expr: ExprOf<'name'>): unknown {
  const value = scope.lookup(expr.n);
  if (value !== undefined) return typeof value === 'function' ? undefined : value;
  run.p = expr.p;
  return globalNamed(run, expr.n);
}

/** Applies the filter or test of a node; its subject is a parameter because a filter block has none in the IR. */
export function builtin(
  run: Evaluation,
  scope: TemplateScope,
  expr: ExprOf<'filter' | 'test'>,
  subject: unknown,
): unknown {
  const args = positional(run, scope, expr);
  const named = keywords(run, scope, expr);
  run.p = expr.p;
  const apply = expr.op === 'filter' ? run.filter : run.test;
  return apply(run, expr.n, subject, args, named);
}

function elements(run: Evaluation, scope: TemplateScope, exprs: readonly Expr[]): unknown[] {
  run.elements(exprs.length);
  return exprs.map((element) => evaluateExpr(run, scope, element));
}

function dict(run: Evaluation, scope: TemplateScope, expr: ExprOf<'dict'>): Dict {
  const result: Dict = {};
  run.elements(expr.e.length * 2);
  for (const [keyExpr, valueExpr] of expr.e) {
    const key = resolve(evaluateExpr(run, scope, keyExpr));
    const value = evaluateExpr(run, scope, valueExpr);
    run.p = expr.p;
    setKey(result, dictKey(key), value);
  }
  return result;
}

/** Dict keys are strings, as in JSON. A number, boolean or `none` as key is converted as in JSON. */
function dictKey(key: unknown): string {
  if (typeof key === 'string') return key;
  if (typeof key === 'boolean' || key === null) return String(key);
  if (isNumeric(key)) return key instanceof Float ? String(key.n) : numberText(key as number | bigint);
  throw new TemplateError('wrongType', `a dict's key must be a string or number, not ${valueTypeName(key)}`);
}

function comparison(run: Evaluation, scope: TemplateScope, expr: ExprOf<'cmp'>): boolean {
  let left = evaluateExpr(run, scope, expr.l);
  for (const [operator, operand] of expr.c) {
    const right = evaluateExpr(run, scope, operand);
    run.p = expr.p;
    if (!comparisonHolds(operator, left, right, run)) return false;
    left = right;
  }
  return true;
}

function concatenation(run: Evaluation, scope: TemplateScope, expr: ExprOf<'concat'>): string {
  return expr.e
    .map((part) => {
      const text = toText(evaluateExpr(run, scope, part), run);
      run.produce(text.length);
      return text;
    })
    .join('');
}

function signed(run: Evaluation, scope: TemplateScope, expr: ExprOf<'neg' | 'pos'>): unknown {
  const value = resolve(evaluateExpr(run, scope, expr.e));
  run.p = expr.p;
  if (isNumeric(value)) return expr.op === 'neg' ? negate(value) : add(value, 0);
  const what = value === undefined ? 'an undefined value' : valueTypeName(value);
  const kind = value === undefined ? 'undefinedValue' : 'wrongType';
  throw new TemplateError(kind, `'${expr.op === 'neg' ? '-' : '+'}' needs a number, not ${what}`);
}

function method(run: Evaluation, scope: TemplateScope, expr: ExprOf<'method'>): unknown {
  const subject = evaluateExpr(run, scope, expr.o);
  const args = positional(run, scope, expr);
  const named = keywords(run, scope, expr);
  run.p = expr.p;
  return callMethod(run, subject, expr.n, args, named);
}

function call(run: Evaluation, scope: TemplateScope, expr: ExprOf<'call'>): unknown {
  const callee = evaluateExpr(run, scope, expr.f);
  run.p = expr.p;
  if (!(callee instanceof Internal)) throw notCallable(expr.f, callee);
  const args = positional(run, scope, expr);
  const named = keywords(run, scope, expr);
  run.p = expr.p;
  return callee.call(args, named);
}

function notCallable(f: Expr, callee: unknown): TemplateError {
  if (f.op !== 'name')
    return new TemplateError('wrongType', `a value of type ${valueTypeName(callee)} cannot be called`);
  if (callee !== undefined)
    return new TemplateError('unknownCallable', `'${f.n}' is not a function but ${valueTypeName(callee)}`);
  return new TemplateError(
    'unknownCallable',
    `unknown function '${f.n}()'${templateSuggestion(f.n, globalNames)}`,
  );
}

/** The positional arguments of a call, including `*args`. */
export function positional(
  run: Evaluation,
  scope: TemplateScope,
  { a, star }: Arguments,
): readonly unknown[] {
  if (!a && !star) return noArguments;
  const args = a ? a.map((arg) => evaluateExpr(run, scope, arg)) : [];
  if (!star) return args;
  const spread = listedItems(evaluateExpr(run, scope, star), run, "'*'");
  run.elements(spread.length);
  return [...args, ...spread];
}

/** The keyword arguments of a call, including `**kwargs`. */
export function keywords(run: Evaluation, scope: TemplateScope, { k, stars }: Arguments): Keywords {
  if (!k && !stars) return noKeywords;
  const named = new Map<string, unknown>();
  for (const [key, value] of k ?? []) named.set(key, evaluateExpr(run, scope, value));
  const spread = stars && resolve(evaluateExpr(run, scope, stars));
  if (spread === undefined) return named;
  if (!isDict(spread))
    throw new TemplateError('wrongType', `'**' needs a dict, not ${valueTypeName(spread)}`);
  const entries = Object.entries(spread);
  run.elements(entries.length * 4);
  for (const [key, value] of entries) named.set(key, value);
  return named;
}
