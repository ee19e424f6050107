/** Postgres values as JSON data. */
import { type CustomTypesConfig, types } from 'pg';
import { type Json } from '../../../src/language/plan';
import { type DigitsLost, parseJson } from '../../../src/language/plan/json-text';

type Parse = (text: string) => Json;

/** A decimal string becomes a number if that prints as the same decimal, otherwise it stays a string. */
export function exactNumber(text: string): Json {
  const number = Number(text);
  if (!Number.isFinite(number)) return text === 'NaN' || /inf/i.test(text) ? null : text;
  if (!/[.eE]/.test(text)) return Number.isSafeInteger(number) ? number : text;
  const trimmed = text.includes('e') || text.includes('E') ? text : text.replace(/\.?0+$/, '');
  return String(number) === trimmed || (number === 0 && Number(trimmed) === 0) ? number : text;
}

/**
 * A computed decimal (avg, division) becomes a double: Postgres prints quotients with 16 or more digits, and the type
 * should not depend on whether the quotient is finite. An integral part beyond 2^53 stays a string.
 */
export function computedNumber(text: string): Json {
  const exact = exactNumber(text);
  if (typeof exact !== 'string') return exact;
  const number = Number(text);
  return /[.]/.test(text) && Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : exact;
}

/** '2026-11-21 08:52:02.369356+00' → '2026-11-21T08:52:02.369356+00:00'; infinity and BC dates stay as they are. */
export function isoTimestamp(text: string): string {
  const match =
    /^(\d{4,})-(\d\d)-(\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)(?:([+-]\d\d)(?::?(\d\d))?(?::\d\d)?)?$/.exec(text);
  if (!match) return text;
  const [, year, month, day, time, hours, minutes] = match;
  return `${year}-${month}-${day}T${time}${hours ? `${hours}:${minutes ?? '00'}` : ''}`;
}

function float(text: string): Json {
  const number = Number(text);
  return Number.isFinite(number) ? number : null;
}

const text: Parse = (value) => value;
/** Oids whose values are JSON. */
const JSON_OIDS = [114, 3802];
const bytes: Parse = (value) =>
  value.startsWith('\\x')
    ? Buffer.from(value.slice(2), 'hex').toString('base64')
    : Buffer.from(value, 'latin1').toString('base64');

/** Element parsers by type oid, with the oid of the array type. Other types are returned as Postgres' text. */
const TYPES: readonly (readonly [oid: number, array: number, parse: Parse])[] = [
  [16, 1000, (value) => value === 't' || value === 'true'], // bool
  [17, 1001, bytes], // bytea
  [18, 1002, text], // char
  [19, 1003, text], // name
  [20, 1016, exactNumber], // int8
  [21, 1005, float], // int2
  [23, 1007, float], // int4
  [25, 1009, text], // text
  [26, 1028, float], // oid
  [700, 1021, float], // float4
  [701, 1022, float], // float8
  [869, 1041, text], // inet
  [1042, 1014, text], // bpchar
  [1043, 1015, text], // varchar
  [1082, 1182, text], // date
  [1083, 1183, text], // time
  [1114, 1115, isoTimestamp], // timestamp
  [1184, 1185, isoTimestamp], // timestamptz
  [1186, 1187, text], // interval
  [1266, 1270, text], // timetz
  [1700, 1231, exactNumber], // numeric
  [2950, 2951, text], // uuid
];

/** Postgres' oid of `numeric`. */
export const NUMERIC = 1700;

const JSON_ARRAYS = [199, 3807];
const parsers = new Map<number, Parse>();
for (const [oid, array, parse] of TYPES) {
  parsers.set(oid, parse);
  parsers.set(array, (value) => arrayParser.create(value, parse).parse());
}

/** pg's array parser, which its type declarations omit. */
const arrayParser = (
  types as unknown as { arrayParser: { create(source: string, parse: Parse): { parse(): Json[] } } }
).arrayParser;

/** For pg's `types` option. `numeric` of computed columns is converted later, when the column is known. */
export function valueTypes(digitsLost?: DigitsLost): CustomTypesConfig {
  const json: Parse = (value) => parseJson(value, digitsLost);
  const parserOf = (oid: number): Parse => {
    if (JSON_OIDS.includes(oid)) return json;
    if (JSON_ARRAYS.includes(oid)) return (value) => arrayParser.create(value, json).parse();
    return oid === NUMERIC ? text : (parsers.get(oid) ?? text);
  };
  return {
    getTypeParser: (oid: number, format?: string) =>
      format === 'binary' ? (value: Buffer) => value.toString('base64') : parserOf(oid),
  };
}
