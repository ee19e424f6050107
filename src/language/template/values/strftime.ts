import { TemplateError } from '../errors';
import { civil, daysOf, digits, fromParts, zoneText, type Civil, type Instant } from './time';

const months = 'January February March April May June July August September October November December'.split(
  ' ',
);
const days = 'Monday Tuesday Wednesday Thursday Friday Saturday Sunday'.split(' ');

/** Formats a moment with Python's `strftime`, in the C locale. Throws NT4112 for an unknown directive. */
export function strftime(instant: Instant, format: string): string {
  const c = civil(instant);
  return format.replace(/%-?([\s\S]?)/g, (whole, code: string) => {
    const text = directive(code, c, instant);
    if (text === undefined)
      throw new TemplateError('wrongValue', `'${whole}' is not a date format directive`);
    return whole.startsWith('%-') ? text.replace(/^0+(?=\d)/, '') : text;
  });
}

function directive(code: string, c: Civil, instant: Instant): string | undefined {
  const day = (((daysOf(c.year, c.month, c.day) + 3) % 7) + 7) % 7;
  const yearDay = daysOf(c.year, c.month, c.day) - daysOf(c.year, 1, 1) + 1;
  switch (code) {
    case 'Y':
      return String(c.year);
    case 'y':
      return digits(c.year % 100, 2);
    case 'm':
      return digits(c.month, 2);
    case 'd':
      return digits(c.day, 2);
    case 'e':
      return String(c.day).padStart(2);
    case 'H':
      return digits(c.hour, 2);
    case 'I':
      return digits(c.hour % 12 || 12, 2);
    case 'M':
      return digits(c.minute, 2);
    case 'S':
      return digits(c.second, 2);
    case 'f':
      return digits(c.micros, 6);
    case 'p':
      return c.hour < 12 ? 'AM' : 'PM';
    case 'z':
      return zoneText(instant.offset, '');
    case 'Z':
      return instant.offset === undefined
        ? ''
        : instant.offset === 0
          ? 'UTC'
          : `UTC${zoneText(instant.offset)}`;
    case 'j':
      return digits(yearDay, 3);
    case 'a':
      return days[day]!.slice(0, 3);
    case 'A':
      return days[day]!;
    case 'b':
      return months[c.month - 1]!.slice(0, 3);
    case 'B':
      return months[c.month - 1]!;
    case 'w':
      return String((day + 1) % 7);
    case 'u':
      return String(day + 1);
    case 's':
      return String(Math.floor(instant.ms / 1000));
    case 'F':
      return strftime(instant, '%Y-%m-%d');
    case 'T':
      return strftime(instant, '%H:%M:%S');
    case 'D':
      return strftime(instant, '%m/%d/%y');
    case '%':
      return '%';
    default:
      return undefined;
  }
}

type Fields = { -readonly [Name in keyof Civil]: Civil[Name] } & { afternoon?: boolean; offset?: number };

type Reader = readonly [pattern: string, read: (fields: Fields, text: string) => void];

const namesOf = (names: readonly string[], length?: number): string =>
  names.map((name) => name.slice(0, length)).join('|');
const monthOf = (text: string): number =>
  months.findIndex((name) => name.toLowerCase().startsWith(text.slice(0, 3).toLowerCase())) + 1;

const readers: Readonly<Record<string, Reader>> = {
  Y: ['\\d{4}', (f, text) => (f.year = Number(text))],
  y: ['\\d{2}', (f, text) => (f.year = Number(text) + (Number(text) < 69 ? 2000 : 1900))],
  m: ['1[0-2]|0[1-9]|[1-9]', (f, text) => (f.month = Number(text))],
  d: ['3[01]|[12]\\d|0[1-9]|[1-9]', (f, text) => (f.day = Number(text))],
  H: ['2[0-3]|[01]\\d|\\d', (f, text) => (f.hour = Number(text))],
  I: ['1[0-2]|0[1-9]|[1-9]', (f, text) => (f.hour = Number(text) % 12)],
  M: ['[0-5]\\d|\\d', (f, text) => (f.minute = Number(text))],
  S: ['6[01]|[0-5]\\d|\\d', (f, text) => (f.second = Number(text))],
  f: ['\\d{1,6}', (f, text) => (f.micros = Number(text.padEnd(6, '0')))],
  p: ['am|pm', (f, text) => (f.afternoon = text.toLowerCase() === 'pm')],
  z: ['Z|[-+]\\d{2}:?[0-5]\\d', (f, text) => (f.offset = zoneOffset(text))],
  Z: ['UTC|GMT|', (f, text) => (f.offset = text === '' ? f.offset : 0)],
  b: [namesOf(months, 3), (f, text) => (f.month = monthOf(text))],
  B: [namesOf(months), (f, text) => (f.month = monthOf(text))],
  a: [namesOf(days, 3), () => undefined],
  A: [namesOf(days), () => undefined],
  j: ['\\d{3}', (f, text) => ([f.month, f.day] = [1, Number(text)])],
};

/** Parses a moment with Python's `strptime`. Throws NT4112 if the text does not match. */
export function strptime(text: string, format: string): Instant {
  const codes: string[] = [];
  const pattern = format
    .replace(/%F/g, '%Y-%m-%d')
    .replace(/%T/g, '%H:%M:%S')
    .replace(/%([\s\S]?)|([.*+?^${}()|[\]\\])|(\s+)/g, (whole, code: string | undefined, special, blanks) => {
      if (special !== undefined) return `\\${String(special)}`;
      if (blanks !== undefined) return '\\s+';
      if (code === '%') return '%';
      if (code === undefined || !Object.hasOwn(readers, code)) {
        throw new TemplateError('wrongValue', `'${whole}' is not a date format directive`);
      }
      // As in Python; with several, the pattern would backtrack without end.
      if (codes.includes(code)) {
        throw new TemplateError('wrongValue', `the date format has '${whole}' twice`);
      }
      codes.push(code);
      return `(${readers[code]![0]})`;
    });
  // Every part is a bounded choice and occurs once, so this pattern cannot backtrack far.
  const match = text.length > 200 || format.length > 200 ? null : new RegExp(`^${pattern}$`, 'i').exec(text);
  if (!match)
    throw new TemplateError('wrongValue', `the date '${text.slice(0, 60)}' does not fit '${format}'`);
  const fields: Fields = { year: 1900, month: 1, day: 1, hour: 0, minute: 0, second: 0, micros: 0 };
  codes.forEach((code, i) => {
    readers[code]![1](fields, match[i + 1]!);
  });
  return instantOf(fields);
}

const iso =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*(Z|[-+]\d{2}(?::?\d{2})?)?)?$/;

/** Parses ISO 8601; undefined if invalid. */
export function parseIso(text: string): Instant | undefined {
  const match = iso.exec(text.trim());
  if (!match) return undefined;
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', zone] = match;
  return instantOf({
    year: Number(year),
    month: Number(month),
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
    micros: Number(fraction.slice(0, 6).padEnd(6, '0')),
    ...(zone !== undefined && { offset: zoneOffset(zone) }),
  });
}

function zoneOffset(text: string): number {
  if (text.toUpperCase() === 'Z') return 0;
  const [, sign, hours, minutes = '0'] = /^([-+])(\d{2}):?(\d{2})?$/.exec(text)!;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

function instantOf(f: Fields): Instant {
  const hour = f.hour + (f.afternoon ? 12 : 0);
  const dayMs = daysOf(f.year, f.month, f.day) * 86_400_000;
  const ms = dayMs + ((hour * 60 + f.minute) * 60 + f.second) * 1000 - (f.offset ?? 0) * 60_000;
  const instant = fromParts(ms + Math.floor(f.micros / 1000), f.micros % 1000, f.offset);
  const c = civil(instant);
  const real = f.day > 31 || (c.month === f.month && c.day === f.day);
  if (!real || f.month < 1 || f.month > 12 || hour > 23 || f.minute > 59 || f.second > 61) {
    throw new TemplateError('wrongValue', 'this date does not exist');
  }
  return instant;
}
