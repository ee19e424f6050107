/** Reads a tool's fields: names with aliases, and values that templates may have turned into strings. */
import { isMapping, type Json, type JsonObject, secondsOf, type TaskCall } from '../../../src/language/plan';
import { invalidInput } from './outcome';

/** The first of `names` that is present and not null. */
export function field(config: JsonObject, ...names: string[]): Json | undefined {
  for (const name of names) {
    const value = config[name];
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
}

export function textField(call: TaskCall, ...names: string[]): string | undefined {
  const value = field(call.config, ...names);
  if (value === undefined || typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw invalidInput(`${call.kind}: ${names[0]} must be a string, not ${jsonTypeName(value)}`);
}

/** Booleans, and their common spellings: true/false, yes/no, on/off, 1/0. */
export function booleanField(call: TaskCall, names: readonly string[], otherwise: boolean): boolean {
  const value = field({ ...call.options, ...call.config }, ...names);
  if (value === undefined) return otherwise;
  const text = String(value).trim().toLowerCase();
  if (['true', 'yes', 'on', '1'].includes(text)) return true;
  if (['false', 'no', 'off', '0', ''].includes(text)) return false;
  throw invalidInput(`${call.kind}: ${names[0]} must be true or false, not ${JSON.stringify(value)}`);
}

export function numberField(call: TaskCall, names: readonly string[], otherwise: number): number {
  const value = field({ ...call.options, ...call.config }, ...names);
  if (value === undefined) return otherwise;
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number === 'number' && Number.isFinite(number) && number >= 0) return number;
  throw invalidInput(`${call.kind}: ${names[0]} must be a number of 0 or more, not ${JSON.stringify(value)}`);
}

/** Like `numberField`, for a time: a duration (`5m`, `PT5M`) is accepted too. */
export function secondsField(call: TaskCall, names: readonly string[], otherwise: number): number {
  const value = field({ ...call.options, ...call.config }, ...names);
  const seconds = value === undefined ? otherwise : secondsOf(value);
  if (seconds !== undefined) return seconds;
  throw invalidInput(
    `${call.kind}: ${names[0]} must be seconds, or a duration like 5m, not ${JSON.stringify(value)}`,
  );
}

export function mappingField(call: TaskCall, ...names: string[]): JsonObject | undefined {
  const value = field(call.config, ...names);
  if (value === undefined) return undefined;
  if (isMapping(value)) return value as JsonObject;
  throw invalidInput(`${call.kind}: ${names[0]} must be a mapping, not ${jsonTypeName(value)}`);
}

/** The type's name in messages: null, boolean, number, string, list, mapping. */
export function jsonTypeName(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a mapping';
  return typeof value === 'string' ? 'a string' : `a ${typeof value}`;
}
