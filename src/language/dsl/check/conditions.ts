/**
 * Static analysis of conditions: comparisons of one value with literals, and their `and`, `or` and `not`. Any other
 * expression is treated as an opaque boolean, equal wherever it is written the same.
 */
import { references } from '../../template';
import { type CompareOperator, type Expr, type Template } from '../../template/ir';

type Scalar = string | number | null;

type Part =
  | { readonly is: 'and' | 'or'; readonly l: Part; readonly r: Part }
  | { readonly is: 'not'; readonly e: Part }
  | { readonly is: 'fixed'; readonly holds: boolean }
  | { readonly is: 'holds'; readonly key: string }
  | { readonly is: 'order'; readonly key: string; readonly op: string; readonly to: number }
  | { readonly is: 'among'; readonly key: string; readonly these: readonly Scalar[] };

/** A condition, and the values it depends on. */
export interface Condition {
  readonly part: Part;
  readonly keys: ReadonlySet<string>;
  /** The number of its parts. */
  readonly size: number;
}

/** Remaining budget of evaluations, in parts: limits the time for playbooks with very many conditions. */
export interface CheckBudget {
  left: number;
}

/** Maximum number of value combinations tried. */
const MAX_CASES = 1_024;

/** Functions and filters with a different result at each call. */
const FICKLE = new Set(['now', 'random', 'lipsum', 'uuid', 'uuid4', 'cycler', 'joiner', 'shuffle']);

/** Undefined for a condition that may change between evaluations. */
export function conditionOf(template: Template): Condition | undefined {
  if (references(template).some(({ root, kind }) => kind !== 'name' && FICKLE.has(root))) return undefined;
  const part = template.kind === 'text' ? opaque(template.source.trim()) : partOf(template.expr);
  const keys = new Set<string>();
  let size = 0;
  each(part, (one) => {
    size += 1;
    if ('key' in one) keys.add(one.key);
  });
  return { part, keys, size };
}

/**
 * Whether `later` is true in some case not covered by `earlier`, any of which covers a case by being true or
 * failing. Also true if this cannot be decided, and for a condition that is never true.
 */
export function isReachable(later: Condition, earlier: readonly Condition[], work: CheckBudget): boolean {
  const near = earlier.filter(({ keys }) => [...later.keys].some((key) => keys.has(key)));
  const parts = [later, ...near].map(({ part }) => part);
  const points = [...later.keys].map((key) => [key, pointsOf(key, parts)] as const);
  const cases = points.reduce((product, [, values]) => product * values.length, 1);
  work.left -= cases * near.reduce((sum, { size }) => sum + size, later.size);
  if (near.length === 0 || cases > MAX_CASES || work.left < 0) return true;
  let holdsSomewhere = false;
  for (const at of assignments(points)) {
    if (evaluate(later.part, at) !== true) continue;
    holdsSomewhere = true;
    if (near.every(({ part }) => leaves(evaluate(part, at)))) return true;
  }
  return !holdsSomewhere;
}

function partOf(e: Expr): Part {
  switch (e.op) {
    case 'lit':
      return { is: 'fixed', holds: Boolean(e.v) };
    case 'and':
    case 'or':
      return { is: e.op, l: partOf(e.l), r: partOf(e.r) };
    case 'not':
      return { is: 'not', e: partOf(e.e) };
    case 'cmp': {
      const pairs = e.c.map(([op, right], i) => pairOf(i === 0 ? e.l : e.c[i - 1]![1], op, right));
      return pairs.every((pair) => pair !== undefined)
        ? pairs.reduce((l, r) => ({ is: 'and', l, r }))
        : opaque(keyOf(e));
    }
    default:
      return opaque(keyOf(e));
  }
}

function opaque(key: string): Part {
  return { is: 'holds', key: `?${key}` };
}

const MIRRORED: Readonly<Record<string, CompareOperator>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' };

/** A comparison of a value with literals; undefined for any other. */
function pairOf(left: Expr, op: CompareOperator, right: Expr): Part | undefined {
  const literal = literalOf(right);
  if (op === 'in' || op === 'not in') {
    const these = right.op === 'list' || right.op === 'tuple' ? right.e.map(literalOf) : [undefined];
    if (!isValue(left) || !these.every((one) => one !== undefined)) return undefined;
    return negatedIf(op === 'not in', { is: 'among', key: keyOf(left), these });
  }
  if (literal === undefined)
    return literalOf(left) === undefined || literalOf(right) !== undefined
      ? undefined
      : pairOf(right, MIRRORED[op] ?? op, left);
  if (!isValue(left)) return undefined;
  if (op === '==' || op === '!=')
    return negatedIf(op === '!=', { is: 'among', key: keyOf(left), these: [literal] });
  return typeof literal === 'number' ? { is: 'order', key: keyOf(left), op, to: literal } : undefined;
}

function negatedIf(negated: boolean, e: Part): Part {
  return negated ? { is: 'not', e } : e;
}

/** Neither a literal nor the event's name, which has several values at once. */
function isValue(e: Expr): boolean {
  const ofEvent = e.op === 'get' && e.o.op === 'name' && e.o.n === 'event';
  return literalOf(e) === undefined && !ofEvent;
}

/** As in Python's comparison: `true` is 1. */
function literalOf(e: Expr): Scalar | undefined {
  switch (e.op) {
    case 'lit':
      return typeof e.v === 'boolean' ? Number(e.v) : e.v;
    case 'float':
      return e.v;
    case 'int':
      return Number(e.v);
    case 'neg': {
      const inner = literalOf(e.e);
      return typeof inner === 'number' ? -inner : undefined;
    }
    default:
      return undefined;
  }
}

/** The expression as text, independent of its position. */
function keyOf(e: Expr): string {
  return JSON.stringify(e, (name, value: unknown) => (name === 'p' ? undefined : value));
}

function each(part: Part, visit: (part: Part) => unknown): void {
  visit(part);
  if (part.is === 'and' || part.is === 'or') {
    each(part.l, visit);
    each(part.r, visit);
  } else if (part.is === 'not') each(part.e, visit);
}

/** Neither number nor string nor null: a list, a mapping, an undefined value. */
const OTHER = Symbol('other');
type Point = Scalar | typeof OTHER | boolean;

/** A value of every kind that the conditions distinguish. */
function pointsOf(key: string, parts: readonly Part[]): Point[] {
  if (key.startsWith('?')) return [true, false];
  const literals = new Set<Scalar>();
  for (const part of parts) {
    each(part, (leaf) => {
      if (leaf.is === 'order' && leaf.key === key) literals.add(leaf.to);
      if (leaf.is === 'among' && leaf.key === key) leaf.these.forEach((one) => literals.add(one));
    });
  }
  const numbers = [...literals].filter((one) => typeof one === 'number').sort((a, b) => a - b);
  const texts = [...literals].filter((one) => typeof one === 'string');
  const between = numbers.slice(1).map((number, i) => (number + numbers[i]!) / 2);
  const ends = [(numbers[0] ?? 0) - 1, (numbers.at(-1) ?? 0) + 1];
  return [...numbers, ...between, ...ends, ...texts, `${texts.join('')} and another`, null, OTHER];
}

function* assignments(
  points: readonly (readonly [string, readonly Point[]])[],
): Generator<Map<string, Point>> {
  const [first, ...rest] = points;
  if (first === undefined) {
    yield new Map();
    return;
  }
  for (const at of assignments(rest)) for (const value of first[1]) yield new Map(at).set(first[0], value);
}

/** `fails`: the comparison is an error, which stops the evaluation. `maybe`: depends on parts not analysed. */
type Verdict = boolean | 'fails' | 'maybe';

/** Whether later conditions are evaluated in this case. */
function leaves(verdict: Verdict): boolean {
  return verdict === false || verdict === 'maybe';
}

function evaluate(part: Part, at: ReadonlyMap<string, Point>): Verdict {
  switch (part.is) {
    case 'fixed':
      return part.holds;
    case 'not': {
      const inner = evaluate(part.e, at);
      return typeof inner === 'boolean' ? !inner : inner;
    }
    case 'and':
    case 'or': {
      const left = evaluate(part.l, at);
      const decisive = part.is === 'or';
      if (left === decisive || left === 'fails') return left;
      const right = evaluate(part.r, at);
      return left === 'maybe' && right !== decisive ? 'maybe' : right;
    }
    default: {
      const value = at.get(part.key);
      if (value === undefined) return 'maybe';
      if (part.is === 'holds') return value === true;
      if (part.is === 'among') return part.these.includes(value as Scalar);
      return typeof value === 'number' ? inOrder(value, part.op, part.to) : 'fails';
    }
  }
}

function inOrder(value: number, op: string, to: number): boolean {
  if (value === to) return op.endsWith('=');
  return op.startsWith('<') ? value < to : value > to;
}
