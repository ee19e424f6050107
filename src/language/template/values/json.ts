import { TemplateError } from '../errors';
import { compareTexts } from './compare';
import { Float, Internal, isList, resolve, setKey, type Dict } from './kinds';
import { Meter } from './meter';
import { chargeSort } from './weight';
import { losesDigits, NumberTooLarge, numberOf } from './digits';
import { float, numberText } from './numbers';

/**
 * JSON as written by Python's `json.dumps(sort_keys=True)`: sorted keys, a blank after comma and colon, ASCII only,
 * floats with a decimal point. Undefined is null.
 */
export function dumpJson(value: unknown, meter: Meter, indent?: number): string {
  const text = dump(value, meter, indent, 1);
  meter.produce(text.length);
  return text;
}

function dump(value: unknown, meter: Meter, indent: number | undefined, level: number): string {
  meter.charge(meter.prices.jsonPart);
  const v = resolve(value);
  if (typeof v === 'string') return dumpString(v, meter);
  if (typeof v === 'number' || typeof v === 'bigint' || v instanceof Float) return dumpNumber(v);
  if (v === null || v === undefined || typeof v === 'boolean') return String(v ?? null);
  if (isList(v)) {
    const items = meter.nested(() => v.map((element) => dump(element, meter, indent, level + 1)));
    return bracket('[', items, ']', indent, level, meter);
  }
  if (v instanceof Internal) return dump(v.plain(), meter, indent, level);
  const dict = v as Dict;
  const keys = Object.keys(dict);
  chargeSort(meter, keys.length, keys);
  keys.sort(compareTexts);
  const items = meter.nested(() =>
    keys.map((key) => `${dumpString(key, meter)}: ${dump(dict[key], meter, indent, level + 1)}`),
  );
  return bracket('{', items, '}', indent, level, meter);
}

function bracket(
  open: string,
  items: readonly string[],
  close: string,
  indent: number | undefined,
  level: number,
  meter: Meter,
): string {
  if (items.length === 0) return open + close;
  if (indent === undefined) return open + items.join(', ') + close;
  const inner = blanks(indent * level, meter);
  return `${open}\n${inner}${items.join(`,\n${inner}`)}\n${blanks(indent * (level - 1), meter)}${close}`;
}

function blanks(n: number, meter: Meter): string {
  meter.produce(Math.max(0, n));
  return ' '.repeat(Math.max(0, n));
}

function dumpNumber(v: number | bigint | Float): string {
  const text = numberText(v);
  if (text === 'nan') return 'NaN';
  return text.endsWith('inf') ? text.replace('inf', 'Infinity') : text;
}

function dumpString(s: string, meter: Meter): string {
  meter.produce(s.length);
  return JSON.stringify(s).replace(/[\x7f-\uffff]/g, (char) =>
    char === '\x7f' ? char : `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

const blank = /[ \t\n\r]*/y;
const number = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
const string = /"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*"/y;
const word = /true|false|null/y;
const words: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null };

/**
 * Parses JSON without the losses of JavaScript's parser: `1.0` stays a float, an integer beyond 2^53 is text. The result
 * may contain internal numbers; `plain` converts them.
 *
 * @throws TemplateError NT4112 with the position of invalid JSON.
 */
export function templateJson(text: string, meter = new Meter()): unknown {
  meter.charge(meter.prices.parsedChar * text.length);
  return new JsonReader(text, meter).document();
}

class JsonReader {
  private index = 0;

  constructor(
    private readonly text: string,
    private readonly meter: Meter,
  ) {}

  document(): unknown {
    const value = this.value();
    if (this.index < this.text.length) throw this.error();
    return value;
  }

  private value(): unknown {
    this.meter.charge(this.meter.prices.parsedValue);
    this.match(blank);
    const char = this.text.charAt(this.index);
    const value = char === '{' ? this.dict() : char === '[' ? this.list() : this.scalar(char);
    this.match(blank);
    return value;
  }

  private scalar(char: string): unknown {
    if (char === '"') return this.string();
    if (char === '-' || (char >= '0' && char <= '9')) return this.number();
    const match = this.match(word);
    if (match === undefined) throw this.error();
    return words[match];
  }

  private number(): unknown {
    number.lastIndex = this.index;
    const match = number.exec(this.text);
    if (!match) throw this.error();
    const [literal, fraction, exponent] = match;
    this.index += literal.length;
    const value = this.numberOf(literal);
    if (typeof value === 'string') return value;
    if (fraction === undefined && exponent === undefined) return value + 0;
    if (literal.length > 16 && losesDigits(literal)) this.meter.digitsLost(literal);
    return float(value);
  }

  private numberOf(literal: string): number | string {
    try {
      return numberOf(literal);
    } catch (error) {
      if (error instanceof NumberTooLarge) throw new TemplateError('wrongValue', error.message);
      throw error;
    }
  }

  private string(): string {
    const literal = this.match(string);
    if (literal === undefined) throw this.error();
    return literal.includes('\\') ? (JSON.parse(literal) as string) : literal.slice(1, -1);
  }

  private list(): unknown[] {
    const list: unknown[] = [];
    this.index++;
    this.match(blank);
    if (this.skip(']')) return list;
    return this.meter.nested(() => {
      do list.push(this.value());
      while (this.skip(','));
      if (!this.skip(']')) throw this.error();
      return list;
    });
  }

  private dict(): Dict {
    const dict: Dict = {};
    this.index++;
    this.match(blank);
    if (this.skip('}')) return dict;
    return this.meter.nested(() => {
      do {
        this.match(blank);
        const key = this.string();
        this.match(blank);
        if (!this.skip(':')) throw this.error();
        setKey(dict, key, this.value());
      } while (this.skip(','));
      if (!this.skip('}')) throw this.error();
      return dict;
    });
  }

  private skip(char: string): boolean {
    if (this.text.charAt(this.index) !== char) return false;
    this.index++;
    return true;
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.index;
    const token = pattern.exec(this.text)?.[0];
    if (token !== undefined) this.index += token.length;
    return token;
  }

  private error(): TemplateError {
    const char = this.text.charAt(this.index);
    const problem = char === '' ? 'the text ends' : `unexpected ${JSON.stringify(char)}`;
    return new TemplateError(
      'wrongValue',
      `this text is not JSON: ${problem} at character ${String(this.index + 1)}`,
    );
  }
}
