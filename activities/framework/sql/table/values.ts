/** Converts values for columns of a type, in the same way for each database. */
import { type Json } from '../../../../src/plan';
import { jsonOr } from '../../tool/json-text';
import { invalid } from '../../tool/outcome';

/**
 * In a JSON column, a string containing a JSON mapping or list (`tojson`) is parsed; any other string is a JSON string.
 */
export function structured(value: Json): Json {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  return jsonOr(value, value);
}

/** Bytes are given as base64, the form in which results show them. @throws ToolError `INVALID_DATA` */
export function bytesOf(kind: string, text: string, column: string): Buffer {
  if (/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)) {
    return Buffer.from(text, 'base64');
  }
  const message = `${kind}: column \`${column}\` contains bytes, but its value is not base64; filter it with b64encode`;
  throw invalid(message, 'INVALID_DATA', { column });
}
