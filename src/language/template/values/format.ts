import { TemplateError } from '../errors';
import { lookup } from './access';
import { isDict, isList, Tuple, valueTypeName, type Keywords } from './kinds';
import { type Meter } from './meter';
import { isNumeric, toNumber, type Numeric } from './numbers';
import { applySpec, fixedNotation, pad, sized } from './spec';
import { repr, toText } from './text';

const directive = /%(?:\(([^()]*)\))?([-+ #0]*)(\*|\d+)?(?:\.(\*|\d+))?([hlL]?)([\s\S]?)/g;

/** Python's `template % values`: `values` is a tuple, a dict for `%(name)s`, or a single value. */
export function formatPercent(template: string, values: unknown, meter: Meter): string {
  const positional = values instanceof Tuple ? values : [values];
  let used = 0;
  const next = (): unknown => {
    if (used >= positional.length)
      throw new TemplateError('wrongArguments', "'%' has too few values for its format");
    return positional[used++];
  };
  let named = false;
  const text = template.replace(
    directive,
    (whole, name: string | undefined, flags: string, width, precision, _size, type: string) => {
      meter.charge(meter.prices.directive);
      if (type === '%') return '%';
      if (name !== undefined) named = true;
      const size = (given: unknown): number | undefined =>
        given === undefined ? undefined : sized(given === '*' ? next() : Number(given), meter);
      const [w, p] = [size(width), size(precision)];
      const value = name === undefined ? next() : namedValue(values, name);
      const result = convert(whole, type, flags, p, value, meter);
      if (w === undefined) return result;
      const zero = flags.includes('0') && type !== 's' && type !== 'r';
      return pad(
        result,
        w,
        flags.includes('-') ? '<' : zero ? '=' : '>',
        zero && !flags.includes('-') ? '0' : ' ',
        meter,
      );
    },
  );
  if (!named && used < positional.length && !isDict(values) && !isList(values)) {
    throw new TemplateError('wrongArguments', "'%' has more values than its format has placeholders");
  }
  meter.produce(text.length);
  return text;
}

function namedValue(values: unknown, name: string): unknown {
  if (!isDict(values))
    throw new TemplateError('wrongType', `'%(${name})' needs a dict, not ${valueTypeName(values)}`);
  if (!Object.hasOwn(values, name)) throw new TemplateError('wrongValue', `'%(${name})' finds no such key`);
  return values[name];
}

function convert(
  whole: string,
  type: string,
  flags: string,
  precision: number | undefined,
  value: unknown,
  meter: Meter,
): string {
  if (type === 's' || type === 'r' || type === 'a') {
    const text = type === 's' ? toText(value, meter) : repr(value, meter);
    return precision === undefined ? text : text.slice(0, precision);
  }
  if (type === 'c')
    return typeof value === 'string' ? value : String.fromCodePoint(toNumber(number(value, whole)));
  const n = number(value, whole);
  const x = /[eEfFgG]/.test(type) ? toNumber(n) : Math.trunc(toNumber(n)) + 0;
  const negative = x < 0 || Object.is(x, -0);
  const sign = negative ? '-' : flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '';
  return sign + magnitude(type, n, precision, flags.includes('#'), whole);
}

function number(value: unknown, whole: string): Numeric {
  if (isNumeric(value)) return value;
  throw new TemplateError('wrongType', `'${whole}' needs a number, not ${valueTypeName(value)}`);
}

function magnitude(
  type: string,
  n: Numeric,
  precision: number | undefined,
  alternate: boolean,
  whole: string,
): string {
  const integer = (): bigint => {
    const value = typeof n === 'bigint' ? n : BigInt(Math.trunc(toNumber(n)));
    return value < 0n ? -value : value;
  };
  switch (type) {
    case 'd':
    case 'i':
    case 'u':
      return integer()
        .toString()
        .padStart(precision ?? 0, '0');
    case 'x':
      return (
        (alternate ? '0x' : '') +
        integer()
          .toString(16)
          .padStart(precision ?? 0, '0')
      );
    case 'X':
      return (
        (alternate ? '0X' : '') +
        integer()
          .toString(16)
          .toUpperCase()
          .padStart(precision ?? 0, '0')
      );
    case 'o':
      return (
        (alternate ? '0o' : '') +
        integer()
          .toString(8)
          .padStart(precision ?? 0, '0')
      );
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
      return fixedNotation(type, Math.abs(toNumber(n)), precision ?? 6);
    default:
      throw new TemplateError('wrongValue', `'${whole}' is not a valid format`);
  }
}

const field = /\{\{|\}\}|\{([^{}!:]*)(?:!([rsa]))?(?::((?:[^{}]|\{[^{}]*\})*))?\}|[{}]/g;

/** Python's `template.format(…)`. Fields can access data keys and indices only. */
export function formatBraces(
  template: string,
  positional: readonly unknown[],
  keywords: Keywords,
  meter: Meter,
): string {
  let automatic = 0;
  const valueOf = (path: string): unknown => {
    const [, head = '', rest = ''] = /^([^.[]*)([\s\S]*)$/.exec(path)!;
    let value = root(head === '' ? String(automatic++) : head, positional, keywords);
    for (const [, attribute, index] of rest.matchAll(/\.([^.[]+)|\[([^\]]*)\]/g)) {
      const key = attribute ?? index!;
      value = lookup(value, /^\d+$/.test(key) ? Number(key) : key);
    }
    return value;
  };
  const text = template.replace(
    field,
    (whole, path: string | undefined, conversion: string | undefined, spec = '') => {
      meter.charge(meter.prices.directive);
      if (whole === '{{' || whole === '}}') return whole.charAt(0);
      if (path === undefined)
        throw new TemplateError('wrongValue', `a single '${whole}' in a format string: double it`);
      const argument = valueOf(path);
      const value =
        conversion === undefined
          ? argument
          : conversion === 's'
            ? toText(argument, meter)
            : repr(argument, meter);
      const nested = String(spec).replace(/\{([^{}]*)\}/g, (_, inner: string) =>
        toText(valueOf(inner), meter),
      );
      return applySpec(value, nested, meter);
    },
  );
  meter.produce(text.length);
  return text;
}

function root(name: string, positional: readonly unknown[], keywords: Keywords): unknown {
  if (/^\d+$/.test(name)) {
    if (Number(name) < positional.length) return positional[Number(name)];
    throw new TemplateError('wrongArguments', `the format string needs value ${name}, which is missing`);
  }
  if (keywords.has(name)) return keywords.get(name);
  throw new TemplateError('wrongArguments', `the format string needs '${name}', which is missing`);
}
