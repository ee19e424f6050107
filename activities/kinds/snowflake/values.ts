/** Snowflake's values as JSON data: the same forms as those of the postgres kind. */
import { type Json } from '../../../src/plan';
import { outsideOfStrings, parseJson } from '../../framework/tool/json-text';
import { exactNumber } from '../postgres/values';

/** What the driver makes of a timestamp: a Date, and what a Date cannot hold. */
interface SfDate extends Date {
  getEpochSeconds(): number;
  getNanoSeconds(): number;
  /** Minutes from UTC, or the name of a zone. */
  getTimezone(): number | string | undefined;
}

/** @param type of the column, as the driver names it; numbers come as text (`fetchAsString`) */
export function toJson(value: unknown, type: string): Json {
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
      return plain(value);
  }
}

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

/** VARIANT and the like: parsed by the driver; whatever JSON cannot hold becomes what JSON makes of it. */
function plain(value: unknown): Json {
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  return JSON.parse(JSON.stringify(value) ?? 'null') as Json;
}

/** Snowflake's words where JSON has none. */
const WORDS = /-?\b(?:undefined|NaN|Infinity|inf)\b/;

/**
 * What a VARIANT holds, from the text in which it travels; the text itself where it is no JSON. The driver's own reader
 * rounds large numbers, and runs as JavaScript what is no JSON.
 */
export function variant(text: unknown): Json {
  if (typeof text !== 'string') return text === undefined || text === null ? null : plain(text);
  try {
    return parseJson(text);
  } catch {
    // Tried once more below.
  }
  try {
    return parseJson(outsideOfStrings(text, WORDS, () => 'null'));
  } catch {
    return text;
  }
}
