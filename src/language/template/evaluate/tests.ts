import { TemplateError } from '../errors';
import { type CompareOperator } from '../ir';
import { contains, equals, comparisonHolds } from '../values/compare';
import { Callable, isDict, isList, resolve, valueTypeName } from '../values/kinds';
import { isFloat, isInt, isNumeric, modulo, toNumber, type Numeric } from '../values/numbers';
import { toText } from '../values/text';
import { regexTests } from '../filters/regex';
import { defineBuiltin, type Builtin, type Builtins } from './signature';

const equalTo = comparison('==');
const greater = comparison('>');
const less = comparison('<');

/** Jinja2's tests, and additional ones. */
export const tests: Builtins = {
  defined: defineBuiltin('', (_run, v) => v !== undefined),
  undefined: defineBuiltin('', (_run, v) => v === undefined),
  none: defineBuiltin('', (_run, v) => resolve(v) === null),
  null: defineBuiltin('', (_run, v) => resolve(v) === null),
  true: defineBuiltin('', (_run, v) => resolve(v) === true),
  false: defineBuiltin('', (_run, v) => resolve(v) === false),
  boolean: defineBuiltin('', (_run, v) => typeof resolve(v) === 'boolean'),
  integer: defineBuiltin('', (_run, v) => isInt(resolve(v))),
  float: defineBuiltin('', (_run, v) => isFloat(resolve(v))),
  number: defineBuiltin('', (_run, v) => isNumeric(resolve(v))),
  string: defineBuiltin('', (_run, v) => typeof resolve(v) === 'string'),
  mapping: defineBuiltin('', (_run, v) => isDict(resolve(v))),
  sequence: defineBuiltin('', (_run, v) => isIterable(v)),
  iterable: defineBuiltin('', (_run, v) => isIterable(v)),
  callable: defineBuiltin('', (_run, v) => v instanceof Callable),
  escaped: defineBuiltin('', () => false),
  odd: defineBuiltin('', (_run, v) => remainder(v, 2, 'odd') === 1),
  even: defineBuiltin('', (_run, v) => remainder(v, 2, 'even') === 0),
  divisibleby: defineBuiltin('num', (_run, v, num) => remainder(v, resolve(num), 'divisibleby') === 0),
  lower: defineBuiltin('', (run, v) => cased(toText(v, run), (text) => text.toLowerCase())),
  upper: defineBuiltin('', (run, v) => cased(toText(v, run), (text) => text.toUpperCase())),
  sameas: defineBuiltin(
    'other',
    (run, v, other) => same(resolve(v), resolve(other)) && equals(v, other, run),
  ),
  in: defineBuiltin('seq', (run, v, seq) => contains(seq, v, run)),
  test: defineBuiltin('', (_run, v) => typeof v === 'string' && Object.hasOwn(tests, v)),
  eq: equalTo,
  equalto: equalTo,
  '==': equalTo,
  ne: comparison('!='),
  '!=': comparison('!='),
  gt: greater,
  greaterthan: greater,
  '>': greater,
  ge: comparison('>='),
  '>=': comparison('>='),
  lt: less,
  lessthan: less,
  '<': less,
  le: comparison('<='),
  '<=': comparison('<='),
  ...regexTests,
};

function comparison(operator: CompareOperator): Builtin {
  return defineBuiltin('other', (run, v, other) => comparisonHolds(operator, v, other, run));
}

function isIterable(value: unknown): boolean {
  const v = resolve(value);
  return typeof v === 'string' || isList(v) || isDict(v) || v === undefined;
}

function remainder(value: unknown, divisor: unknown, test: string): number {
  const v = resolve(value);
  if (isNumeric(v) && isNumeric(divisor)) return toNumber(modulo(v, divisor as Numeric));
  throw new TemplateError(
    'wrongType',
    `the test ${test} needs numbers, not ${valueTypeName(isNumeric(v) ? divisor : v)}`,
  );
}

/** As in Python: there are characters with case, and all of them have this one. */
function cased(text: string, to: (text: string) => string): boolean {
  return to(text) === text && text.toLowerCase() !== text.toUpperCase();
}

/** Identity: a number equals neither a boolean nor a float, containers are identical only to themselves. */
function same(a: unknown, b: unknown): boolean {
  if (typeof a === 'object' && a !== null) return a === b;
  return valueTypeName(a) === valueTypeName(b);
}
