/**
 * `token(NAME)`, of the older official engine: the access token of a stored credential. It is read as `keychain.<entry>.token`
 * of an entry of kind `bearer`, so it stays as secret as one that the playbook declares.
 */
import { isMapping } from '../../plan';
import { type Expr, type ExprOf, type Template } from '../../template/ir';

/** Declares the entry for a name; returns its own. */
export type DeclareToken = (name: string, isText: boolean, call: ExprOf<'call'>) => string | undefined;

/** The template with what its calls of `token` stand for. Only literal names and paths can be declared: others stay. */
export function withTokens<T extends Template>(template: T, declare: DeclareToken): T {
  const { source } = template;
  return /\btoken\s*\(/.test(source) && !/\bmacro\s+token\b/.test(source)
    ? (replaced(template, declare) as T)
    : template;
}

function replaced(part: unknown, declare: DeclareToken): unknown {
  if (Array.isArray(part)) return part.map((each) => replaced(each, declare));
  if (!isMapping(part)) return part;
  if (part['op'] === 'call')
    return ofCall(part as unknown as ExprOf<'call'>, declare) ?? inside(part, declare);
  return inside(part, declare);
}

function inside(part: object, declare: DeclareToken): unknown {
  return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, replaced(value, declare)]));
}

function ofCall(call: ExprOf<'call'>, declare: DeclareToken): Expr | undefined {
  const { f, a: [only, ...others] = [], k, star, stars, p } = call;
  if (f.op !== 'name' || f.n !== 'token' || others.length > 0 || k || star || stars) return undefined;
  const isText = only?.op === 'lit' && typeof only.v === 'string';
  const name = isText ? String(only.v) : only && pathOf(only);
  const entry = name === undefined ? undefined : declare(name, isText, call);
  if (entry === undefined) return undefined;
  const keychain: Expr = { op: 'name', n: 'keychain', p };
  return { op: 'get', o: { op: 'get', o: keychain, k: entry, p }, k: 'token', p };
}

/** `workload.auth`, as it is written. */
function pathOf(expr: Expr): string | undefined {
  if (expr.op === 'name') return expr.n;
  const above = expr.op === 'get' && /^\w+$/.test(String(expr.k)) ? pathOf(expr.o) : undefined;
  return above === undefined ? undefined : `${above}.${String((expr as ExprOf<'get'>).k)}`;
}
