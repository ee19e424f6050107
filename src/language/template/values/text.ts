import { Float, Internal, isList, resolve, textual, Tuple, type Dict } from './kinds';
import { Meter } from './meter';
import { numberText } from './numbers';

/**
 * The text of a value in mixed text, as in Jinja2: `None`, `True`, Python's repr of values in containers, nothing
 * for undefined.
 *
 * @throws TemplateError NT4203 for data nested beyond the limit, NT4202 for a text beyond 16 MiB.
 */
export function toText(value: unknown, meter = new Meter()): string {
  if (typeof value === 'string') return value;
  const v = textual(value);
  if (v === undefined) return '';
  return typeof v === 'string' ? v : repr(v, meter);
}

/** Python's `repr`. */
export function repr(value: unknown, meter: Meter): string {
  const v = resolve(value);
  switch (typeof v) {
    case 'string':
      meter.produce(v.length);
      return quote(v);
    case 'boolean':
      return v ? 'True' : 'False';
    case 'bigint':
      meter.charge(meter.prices.bigInteger);
      return numberText(v);
    case 'number':
      return numberText(v);
    case 'undefined':
      return 'Undefined';
    case 'object':
      if (v === null) return 'None';
      if (v instanceof Float) return numberText(v);
      if (isList(v)) return listText(v, meter);
      if (v instanceof Internal) return v.text();
      return dictText(v as Dict, meter);
    default:
      return '';
  }
}

function listText(list: readonly unknown[], meter: Meter): string {
  meter.produce(list.length * 2);
  const parts = meter.nested(() => list.map((element) => part(element, meter)));
  if (!(list instanceof Tuple)) return `[${parts.join(', ')}]`;
  return parts.length === 1 ? `(${parts[0]!},)` : `(${parts.join(', ')})`;
}

function dictText(dict: Dict, meter: Meter): string {
  const entries = meter.nested(() =>
    Object.entries(dict).map(([key, value]) => `${part(key, meter)}: ${part(value, meter)}`),
  );
  return `{${entries.join(', ')}}`;
}

function part(value: unknown, meter: Meter): string {
  meter.charge(meter.prices.textPart);
  const text = repr(value, meter);
  // Each level of nesting copies the text of the levels below.
  meter.charge(meter.prices.textPartChar * text.length);
  return text;
}

const named: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\\': '\\\\' };
/**
 * Characters that Python's repr escapes: control, format, unassigned characters and every space except the ordinary
 * one.
 */
const unprintable = /[\\\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;

/** A string as Python writes it in a list: in single quotes, unless double quotes avoid an escape. */
function quote(s: string): string {
  const body = s.replace(unprintable, (char) => {
    if (Object.hasOwn(named, char)) return named[char]!;
    const point = char.codePointAt(0)!;
    if (point < 0x100) return `\\x${point.toString(16).padStart(2, '0')}`;
    if (point < 0x10000) return `\\u${point.toString(16).padStart(4, '0')}`;
    return `\\U${point.toString(16).padStart(8, '0')}`;
  });
  return s.includes("'") && !s.includes('"') ? `"${body}"` : `'${body.replaceAll("'", "\\'")}'`;
}
