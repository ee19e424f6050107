/** Converts values for columns of a type, in the same way for each database. */
import { type Json } from '../../../../src/language/plan';
import { jsonOr } from '../../../../src/language/plan/json-text';
import { invalidInput } from '../../tool/outcome';
import { bytesOfBase64, notBase64 } from './base64';

/**
 * In a JSON column, a string containing a JSON mapping or list (`tojson`) is parsed; any other string is a JSON string.
 */
export function structured(value: Json): Json {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  return jsonOr(value, value);
}

/** Bytes are given as base64, the form in which results show them. @throws ToolError `INVALID_DATA` */
export function columnBytes(kind: string, text: string, column: string): Buffer {
  const bytes = bytesOfBase64(text);
  if (bytes) return bytes;
  throw invalidInput(notBase64(kind, column), 'INVALID_DATA', { column });
}
