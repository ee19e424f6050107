/** DuckDB values as JSON data, in the same form as the postgres kind. */
import {
  DuckDBArrayValue,
  DuckDBBlobValue,
  DuckDBDecimalValue,
  DuckDBListValue,
  DuckDBMapValue,
  DuckDBStructValue,
  type DuckDBType,
  DuckDBTimestampMillisecondsValue,
  DuckDBTimestampNanosecondsValue,
  DuckDBTimestampSecondsValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  DuckDBUnionValue,
  type DuckDBValue,
} from '@duckdb/node-api';
import { type Json, type JsonObject } from '../../../../src/language/plan';
import { hasCode } from '../../../../src/language/errors';
import { jsonOr } from '../../../../src/language/plan/json-text';
import { Refused } from './refused';

/** @param type of the column: DuckDB treats a JSON column as text, results contain it parsed */
export function duckdbToJson(value: DuckDBValue, type?: DuckDBType): Json {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'string') return type?.alias === 'JSON' ? parsed(value) : value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'bigint')
    return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
  return ofObject(value);
}

function ofObject(value: Exclude<DuckDBValue, string | number | bigint | boolean | null>): Json {
  if (value instanceof DuckDBDecimalValue) return decimal(value);
  if (value instanceof DuckDBBlobValue) return Buffer.from(value.bytes).toString('base64');
  if (value instanceof DuckDBListValue || value instanceof DuckDBArrayValue)
    return value.items.map((one) => duckdbToJson(one));
  if (value instanceof DuckDBStructValue) return mapping(Object.entries(value.entries));
  if (value instanceof DuckDBMapValue) {
    return mapping(value.entries.map(({ key, value: one }) => [keyText(duckdbToJson(key)), one]));
  }
  if (value instanceof DuckDBUnionValue) return duckdbToJson(value.value);
  return isTimestamp(value) ? iso(value.toString()) : String(value);
}

function mapping(entries: readonly (readonly [string, DuckDBValue])[]): JsonObject {
  return Object.fromEntries(entries.map(([key, one]) => [key, duckdbToJson(one)]));
}

function keyText(key: Json): string {
  return typeof key === 'string' ? key : JSON.stringify(key);
}

/** The first decimal of these values of which a double does not keep all digits. */
let rounded: string | undefined;

/** That of the values since the last call. */
export function takeRounded(): string | undefined {
  const taken = rounded;
  rounded = undefined;
  return taken;
}

function parsed(text: string): Json {
  try {
    return jsonOr(text, text, (literal) => void (rounded ??= literal));
  } catch (error) {
    if (hasCode(error, 'NUMBER_TOO_LARGE')) throw new Refused(error.code, `duckdb: ${error.message}`);
    throw error;
  }
}

/** A number if it prints as the same decimal, otherwise a string. */
function decimal(value: DuckDBDecimalValue): Json {
  const text = value.toString();
  const number = Number(text);
  const trimmed = text.includes('.') ? text.replace(/\.?0+$/, '') : text;
  return String(number) === trimmed || number === 0 ? number : text;
}

function isTimestamp(value: DuckDBValue): boolean {
  return (
    value instanceof DuckDBTimestampValue ||
    value instanceof DuckDBTimestampTZValue ||
    value instanceof DuckDBTimestampMillisecondsValue ||
    value instanceof DuckDBTimestampNanosecondsValue ||
    value instanceof DuckDBTimestampSecondsValue
  );
}

/** '2024-01-02 03:04:05+00' → '2024-01-02T03:04:05+00:00' */
function iso(text: string): string {
  return text
    .replace(/^(\d{4,}-\d\d-\d\d) /, '$1T')
    .replace(/([+-]\d\d)$/, (zone) => (text.includes(':') ? `${zone}:00` : zone));
}
