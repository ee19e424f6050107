/** Evaluates expressions over partly unknown values; fully known subexpressions are left to the language's evaluator. */
import { type Evaluator } from '../../../engine/machine';
import { type Expr, type ExprOf } from '../../../language/template/ir';
import {
  truthOfCondition,
  evaluate,
  lookup,
  plainValue,
  type TemplateScope,
  type Template,
  truthy,
  View,
} from '../../../language/template/runtime';
import { type Choices } from './facts';
import { ANY, hasUnknown, type Unknown, unknown, unknownIn } from './unknown';
import { objectsIn } from '../../../language/plan';

/** Operations that cannot propagate a symbolic value, and their results. */
export type Demand = 'guard' | 'list' | 'number' | 'moment';

type Environment = Parameters<Evaluator>[2];

interface SymbolicContext {
  readonly choices: Choices;
  /** Templates that need more than a value. */
  readonly demands: ReadonlyMap<Template, Demand>;
  /** The resolved keychain. */
  readonly keychain: Readonly<Record<string, unknown>>;
  /** The largest number of items that a loop is given. */
  readonly items: number;
  /** Called when a longer list was truncated. */
  cut(template: Template): void;
}

/** Operations whose result depends on the outer shape of a list or mapping only. */
const BY_SHAPE = new Set(['length', 'count', 'default', 'd', 'list', 'first', 'last', 'items', 'dictsort']);
const TESTS_OF_SHAPE = new Set('defined undefined none mapping sequence iterable string number'.split(' '));

export function evaluator(context: SymbolicContext): Evaluator {
  return (template, scope, environment, strict) => {
    const demand = context.demands.get(template);
    const names = {
      lookup: (name: string) => (name === 'keychain' ? context.keychain : scope.lookup(name)),
    };
    const value = new Symbolic(names, environment, context.choices, {
      branches: demand === 'guard',
      strict,
    }).template(template);
    const about = unknownIn(value);
    if (demand === 'list') return asList(context, template, value, about);
    if (!about || demand === undefined) return value;
    if (demand === 'guard') return context.choices.decide(about);
    return demand === 'number' ? 2 : '2100-01-01T00:00:00Z';
  };
}

/** A list of every length up to the bound. */
function asList(
  context: SymbolicContext,
  template: Template,
  value: unknown,
  about: Unknown | undefined,
): unknown {
  if (Array.isArray(value) && value.length > context.items) {
    context.cut(template);
    return value.slice(0, context.items);
  }
  if (!about) return value;
  const list: string[] = [];
  while (list.length < context.items && context.choices.decide(lengthAbove(about, list.length)))
    list.push(unknown(about.by ? ANY : { of: `${about.of}[${list.length}]` }));
  return list;
}

function lengthAbove({ of, by = DOLLAR }: Unknown, count: number): Unknown {
  const length: Expr = { op: 'filter', o: { op: 'filter', o: by, n: 'list', p: 0 }, n: 'length', p: 0 };
  return { of, by: { op: 'cmp', l: length, c: [['>', { op: 'lit', v: count }]], p: 0 } };
}

const DOLLAR: Expr = { op: 'name', n: '$', p: 0 };

class Symbolic {
  constructor(
    private readonly scope: TemplateScope,
    private readonly environment: Environment,
    private readonly choices: Choices,
    private readonly options: {
      /** Only guards split paths on a condition; elsewhere the value is unknown. */
      readonly branches: boolean;
      readonly strict: boolean | undefined;
    },
  ) {}

  template(template: Template): unknown {
    if (template.kind === 'expression') {
      const value = this.value(template.expr);
      return unknownIn(value) ? plainValue(value) : this.settled(template, value);
    }
    return this.readsUnknown(template) ? unknown(ANY) : this.real(template);
  }

  /** Known: evaluated by the language, so that its errors are the language's. */
  private settled(template: Template, value: unknown): unknown {
    return hasUnknown(value) || this.options.branches
      ? plainValue(value)
      : this.readsUnknown(template)
        ? plainValue(value)
        : this.real(template);
  }

  private real(template: Template): unknown {
    return evaluate(template, this.scope, this.environment, this.options.strict);
  }

  private readsUnknown(template: Template): boolean {
    return [...objectsIn(template)].some(
      ({ op, n }) => op === 'name' && typeof n === 'string' && hasUnknown(this.scope.lookup(n)),
    );
  }

  private value(e: Expr): unknown {
    switch (e.op) {
      case 'name':
        return this.scope.lookup(e.n);
      case 'get':
        return this.part(e, this.value(e.o));
      case 'and':
      case 'or': {
        const left = this.value(e.l);
        const holds = this.truth(left);
        if (holds === undefined) return this.derived(e, [left, this.value(e.r)]);
        return holds === (e.op === 'and') ? this.value(e.r) : unknownIn(left) ? e.op === 'or' : left;
      }
      case 'if': {
        const holds = this.truth(this.value(e.c));
        if (holds === undefined) return unknown(ANY);
        return holds ? this.value(e.t) : e.e && this.value(e.e);
      }
      default:
        return this.operation(e);
    }
  }

  /** Undefined: unknown, and not a condition that splits paths here. */
  private truth(value: unknown): boolean | undefined {
    const about = unknownIn(value);
    if (!about) return this.options.branches ? truthOfCondition(value) : truthy(value);
    return this.options.branches ? this.choices.decide(about) : undefined;
  }

  private part(e: ExprOf<'get'>, of: unknown): unknown {
    const part = typeof of === 'string' ? undefined : lookup(of, e.k);
    const about = unknownIn(of);
    // A result that may be anything may have a member with the name of a field of its envelope, and is asked first.
    if (part !== undefined && !(about && of instanceof View && !hasUnknown(part))) return part;
    if (about)
      return unknown(
        about.by
          ? { ...about, by: { ...e, o: about.by } }
          : { of: about.of === '?' ? '?' : `${about.of}.${e.k}` },
      );
    return typeof of === 'string' ? lookup(of, e.k) : undefined;
  }

  private operation(e: Expr): unknown {
    const values: unknown[] = [];
    const rebuilt = mapChildren(e, (child) => {
      const value = this.value(child);
      values.push(value);
      return { op: 'name', n: `$${values.length - 1}`, p: 0 };
    });
    if (
      !values.some(hasUnknown) ||
      this.isByShape(e, values) ||
      e.op === 'list' ||
      e.op === 'dict' ||
      e.op === 'tuple'
    )
      return this.over(rebuilt, values);
    return this.derived(e, values);
  }

  private over(expr: Expr, values: readonly unknown[]): unknown {
    const scope = {
      lookup: (name: string) =>
        name.startsWith('$') ? values[Number(name.slice(1))] : this.scope.lookup(name),
    };
    return evaluate({ kind: 'expression', source: '', expr }, scope, this.environment);
  }

  private isByShape(e: Expr, [subject, ...others]: readonly unknown[]): boolean {
    if (unknownIn(subject) || others.some(hasUnknown)) return false;
    return (e.op === 'filter' && BY_SHAPE.has(e.n)) || (e.op === 'test' && TESTS_OF_SHAPE.has(e.n));
  }

  /** A value computed from unknown ones: exact if there is a single one. */
  private derived(e: Expr, values: readonly unknown[]): unknown {
    const abouts = values.map(unknownIn);
    if (values.some((value, i) => !abouts[i] && hasUnknown(value))) return unknown(ANY);
    const roots = new Set(abouts.flatMap((about) => (about ? [about.of] : [])));
    if (roots.has('?')) return unknown(ANY);
    let next = 0;
    const by = mapChildren(e, () => {
      const about = abouts[next];
      const value = values[next++];
      return about
        ? (about.by ?? { ...DOLLAR, ...(roots.size > 1 && { n: about.of }) })
        : literal(plainValue(value));
    });
    if (roots.size === 1) return unknown({ ...abouts.find((about) => about)!, by });
    return unknown(abouts.some((about) => about?.by) ? ANY : { of: `(${JSON.stringify(by)})` });
  }
}

/** The expression with its direct operands replaced. */
function mapChildren(e: Expr, by: (child: Expr) => Expr): Expr {
  const walk = (node: unknown): unknown => {
    if (typeof node !== 'object' || node === null) return node;
    if (Array.isArray(node)) return node.map(walk);
    return 'op' in node ? by(node as Expr) : node;
  };
  return Object.fromEntries(
    Object.entries(e).map(([key, value]) => [key, key === 'f' && e.op === 'call' ? value : walk(value)]),
  ) as unknown as Expr;
}

function literal(value: unknown): Expr {
  if (value === undefined) return { op: 'name', n: 'undefined', p: 0 };
  if (Array.isArray(value)) return { op: 'list', e: value.map(literal) };
  if (typeof value === 'object' && value !== null && !(value instanceof View))
    return { op: 'dict', e: Object.entries(value).map(([k, v]) => [literal(k), literal(v)] as const), p: 0 };
  if (typeof value === 'number' && !Number.isInteger(value)) return { op: 'float', v: value };
  return { op: 'lit', v: value as string | number | boolean | null };
}
