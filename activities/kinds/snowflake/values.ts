/** Snowflake's values as JSON data, in the same form as the postgres kind. */
import { type Json } from '../../../src/language/plan';
import { type DigitsLost, jsonOr, outsideOfStrings } from '../../../src/language/plan/json-text';
import { exactNumber } from '../postgres/values';

/** The driver's form of a timestamp: a Date plus what a Date cannot represent. */
interface SfDate extends Date {
  getEpochSeconds(): number;
  getNanoSeconds(): number;
  /** Offset from UTC in minutes, or the name of a time zone. */
  getTimezone(): number | string | undefined;
}

/** @param type of the column, as named by the driver; numbers arrive as strings (`fetchAsString`) */
export function snowflakeToJson(value: unknown, type: string, digitsLost?: DigitsLost): Json {
  if (value === null || value === undefined) return null;
  switch (type) {
    case 'fixed':
      return exactNumber(String(value));
    case 'real': {
      const number = Number(value);
      return Number.isFinite(number) ? number : null;
    }
    case 'date':
      return value instanceof Date || isDate(value) ? value.toISOString().slice(0, 10) : String(value);
    case 'timestamp_ntz':
      return timestamp(value as SfDate, '');
    case 'timestamp_ltz':
      return timestamp(value as SfDate, 'Z');
    case 'timestamp_tz':
      return timestamp(value as SfDate, 'zone');
    case 'binary':
      return Buffer.from(value as Buffer).toString('base64');
    default:
      return OF_JSON.has(type) ? variant(value, digitsLost) : plain(value);
  }
}

/** Types whose text is JSON. */
const OF_JSON: ReadonlySet<string> = new Set(['variant', 'object', 'array', 'map']);

/** A Date of the driver's own realm. */
function isDate(value: unknown): value is Date {
  return typeof (value as Partial<Date>).toISOString === 'function';
}

function timestamp(value: SfDate, zone: '' | 'Z' | 'zone'): string {
  if (typeof value.getEpochSeconds !== 'function') return String(value);
  const offset =
    zone === 'zone' && typeof value.getTimezone() === 'number' ? (value.getTimezone() as number) : 0;
  const local = new Date((value.getEpochSeconds() + offset * 60) * 1000).toISOString().slice(0, 19);
  const nanos = value.getNanoSeconds();
  const fraction =
    nanos === 0
      ? ''
      : `.${String(nanos)
          .padStart(9, '0')
          .replace(/0{3}$|0{6}$/, '')}`;
  return `${local}${fraction}${zone === 'zone' ? zoneText(offset) : zone}`;
}

function zoneText(minutes: number): string {
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${minutes < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(rest).padStart(2, '0')}`;
}

/** VARIANT and similar: parsed by the driver; values that JSON cannot represent are converted as by JSON.stringify. */
function plain(value: unknown): Json {
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  return JSON.parse(JSON.stringify(value) ?? 'null');
}

/** Snowflake's literals that JSON lacks. */
const WORDS = /-?\b(?:undefined|NaN|Infinity|inf)\b/;

/**
 * Parses a VARIANT from its text form; returns the text itself if it is not JSON. The driver's own parser rounds large
 * numbers, and evaluates non-JSON as JavaScript.
 */
export function variant(text: unknown, digitsLost?: DigitsLost): Json {
  if (typeof text !== 'string') return text === undefined || text === null ? null : plain(text);
  const asWritten = jsonOr(text, undefined, digitsLost);
  if (asWritten !== undefined) return asWritten;
  return jsonOr(
    outsideOfStrings(text, WORDS, () => 'null'),
    text,
    digitsLost,
  );
}
