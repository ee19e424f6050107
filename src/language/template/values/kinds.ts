import { TemplateError } from '../errors';
import { View } from '../view';

/**
 * Values that exist only during an evaluation, besides JSON and views: templates can access only the properties
 * defined by `attribute` and `method`.
 */
export abstract class Internal {
  abstract readonly typeName: string;

  attribute(_key: string): unknown {
    return undefined;
  }

  /** The function behind `value.name(…)`. */
  method(_name: string): Callable | undefined {
    return undefined;
  }

  /** Its text in mixed text. */
  text(): string {
    return `<${this.typeName}>`;
  }

  /** The JSON value at the end of the expression. */
  plain(): unknown {
    throw new TemplateError('wrongType', `a ${this.typeName} cannot be the result of an expression`);
  }

  /** The implementation of `value(…)`. */
  call(_args: readonly unknown[], _keywords: Keywords): unknown {
    throw new TemplateError('wrongType', `a ${this.typeName} cannot be called`);
  }
}

/** Something a template may call: a global, a macro, `caller`, `loop`. */
export class Callable extends Internal {
  readonly typeName = 'function';

  constructor(
    readonly name: string,
    private readonly body: (args: readonly unknown[], keywords: Keywords) => unknown,
  ) {
    super();
  }

  override text(): never {
    throw new TemplateError('wrongType', `'${this.name}' is a function: call it, ${this.name}(…)`);
  }

  override plain(): never {
    return this.text();
  }

  override call(args: readonly unknown[], keywords: Keywords): unknown {
    return this.body(args, keywords);
  }
}

/** Keyword arguments, in the order written. */
export type Keywords = ReadonlyMap<string, unknown>;

/**
 * A float with an integral value: JSON cannot distinguish 1.0 from 1, Jinja2's text can. Never returned from
 * `evaluate`.
 */
export class Float {
  constructor(readonly n: number) {}
}

/** Python's tuple: a list except for its text and its inequality with lists. Returned as a plain list. */
export class Tuple extends Array<unknown> {
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }

  static make(elements: readonly unknown[]): Tuple {
    const tuple = new Tuple();
    for (const element of elements) tuple.push(element);
    return tuple;
  }
}

/** An element of `groupby`: a tuple with named parts. */
export class GroupTuple extends Tuple {
  static of2(grouper: unknown, list: readonly unknown[]): GroupTuple {
    const group = new GroupTuple();
    group.push(grouper, list);
    return group;
  }
}

export type Dict = Record<string, unknown>;

export function isDict(v: unknown): v is Dict {
  return (
    typeof v === 'object' &&
    v !== null &&
    !Array.isArray(v) &&
    !(v instanceof Float) &&
    !(v instanceof Internal) &&
    !(v instanceof View)
  );
}

export function isList(v: unknown): v is readonly unknown[] {
  return Array.isArray(v);
}

/** The value of a view; other values are returned unchanged. */
export function resolve(v: unknown): unknown {
  return v instanceof View ? v.plain() : v;
}

/** The value of a view for conversion to text. */
export function textual(v: unknown): unknown {
  return v instanceof View ? (v.text?.() ?? v.plain()) : v;
}

/** Writes an own data key, whatever its name: `__proto__` is an ordinary key. */
export function setKey(dict: Dict, key: string, value: unknown): void {
  if (key !== '__proto__') dict[key] = value;
  else Object.defineProperty(dict, key, { value, enumerable: true, configurable: true, writable: true });
}

/** A dict of these entries; later ones take precedence. */
export function dictOf(entries: Iterable<readonly [string, unknown]>): Dict {
  const dict: Dict = {};
  for (const [key, value] of entries) setKey(dict, key, value);
  return dict;
}

/**
 * Python's name of a value's type, for messages: `NoneType bool int float str list tuple dict`, and `undefined`.
 */
export function valueTypeName(value: unknown): string {
  const v = resolve(value);
  switch (typeof v) {
    case 'undefined':
      return 'undefined';
    case 'boolean':
      return 'bool';
    case 'number':
      return isIntegral(v) ? 'int' : 'float';
    case 'bigint':
      return 'int';
    case 'string':
      return 'str';
    case 'object':
      if (v === null) return 'NoneType';
      if (v instanceof Float) return 'float';
      if (v instanceof Tuple) return 'tuple';
      if (Array.isArray(v)) return 'list';
      return v instanceof Internal ? v.typeName : 'dict';
    default:
      return typeof v;
  }
}

/** Whether a JS number represents a Python int: JSON integers do, as far as JavaScript writes them as digits. */
export function isIntegral(n: number): boolean {
  return Number.isInteger(n) && Math.abs(n) < 1e21;
}
