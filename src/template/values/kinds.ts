import { TemplateError } from '../errors';
import { View } from '../view';

/**
 * Values that exist only inside an evaluation, besides JSON and views: they have no properties a template could
 * reach but those `attribute` and `method` name.
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

  /** The JSON value that leaves the expression. */
  plain(): unknown {
    throw new TemplateError('wrongType', `a ${this.typeName} cannot be the result of an expression`);
  }

  /** What `value(…)` does. */
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

/** Keyword arguments, in the order they were written. */
export type Keywords = ReadonlyMap<string, unknown>;

/** A float whose value is integral: JSON has no way to tell 1.0 from 1, Jinja2's text does. Never leaves `evaluate`. */
export class Float {
  constructor(readonly n: number) {}
}

/** Python's tuple: a list but for its text and its inequality with lists. Leaves `evaluate` as a plain list. */
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

/** What `groupby` yields: a tuple whose parts have names. */
export class Group extends Tuple {
  static of2(grouper: unknown, list: readonly unknown[]): Group {
    const group = new Group();
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

/** The value behind a view; anything else is itself. */
export function resolve(v: unknown): unknown {
  return v instanceof View ? v.plain() : v;
}

/** The value behind a view where text is wanted. */
export function textual(v: unknown): unknown {
  return v instanceof View ? (v.text?.() ?? v.plain()) : v;
}

/** Writes an own data key, whatever its name: `__proto__` is a key like any other. */
export function setKey(dict: Dict, key: string, value: unknown): void {
  if (key !== '__proto__') dict[key] = value;
  else Object.defineProperty(dict, key, { value, enumerable: true, configurable: true, writable: true });
}

/** A dict of these entries, a later one winning. */
export function dictOf(entries: Iterable<readonly [string, unknown]>): Dict {
  const dict: Dict = {};
  for (const [key, value] of entries) setKey(dict, key, value);
  return dict;
}

/**
 * Python's name of a value's type, for messages: `NoneType bool int float str list tuple dict`, and `undefined`.
 */
export function typeName(value: unknown): string {
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

/** Whether a JS number stands for a Python int: JSON integers do, as far as JavaScript writes them in digits. */
export function isIntegral(n: number): boolean {
  return Number.isInteger(n) && Math.abs(n) < 1e21;
}
