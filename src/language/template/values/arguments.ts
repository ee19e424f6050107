import { TemplateError } from '../errors';
import { isDict, resolve, textual, valueTypeName, type Dict } from './kinds';
import { isFloat, isNumeric, toNumber } from './numbers';

/** An argument that must be an integer, or `fallback` if omitted. */
export function integerArgument(value: unknown, name: string, fallback?: number): number {
  const v = resolve(value);
  if (v === undefined && fallback !== undefined) return fallback;
  if (isNumeric(v) && !isFloat(v)) return toNumber(v);
  throw new TemplateError('wrongType', `'${name}' must be an integer, not ${valueTypeName(v)}`);
}

/** An argument that must be a string, or `fallback` if omitted. */
export function textArgument(value: unknown, name: string, fallback?: string): string {
  const v = textual(value);
  if (v === undefined && fallback !== undefined) return fallback;
  if (typeof v === 'string') return v;
  throw new TemplateError('wrongType', `'${name}' must be a string, not ${valueTypeName(v)}`);
}

/** A value that must be a dict. */
export function dictArgument(value: unknown, what: string): Dict {
  const v = resolve(value);
  if (isDict(v)) return v;
  throw new TemplateError('wrongType', `${what} needs a dict, not ${valueTypeName(v)}`);
}

/** An argument that must be a number; undefined if omitted. */
export function numberArgument(value: unknown, what: string): number | undefined {
  const v = resolve(value);
  if (v === undefined) return undefined;
  if (isNumeric(v)) return toNumber(v);
  throw new TemplateError('wrongType', `${what} needs numbers, not ${valueTypeName(v)}`);
}
