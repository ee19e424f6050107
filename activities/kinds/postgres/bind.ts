/** Parameters are bound, never interpolated. */
import { isMapping, type Json, type JsonObject } from '../../../src/plan';
import { invalid } from '../../framework/tool/outcome';
import { type Statement } from '../../framework/sql/split';

export interface Bound {
  readonly text: string;
  readonly values: unknown[];
}

/**
 * A list binds `$1…`, a mapping binds `:name` and `%(name)s`. Each statement gets only the values it refers to,
 * renumbered, because Postgres rejects unused values. A `:name` missing from the mapping is left unchanged (an array
 * slice `[a:b]`); without params the text is not touched at all.
 */
export function bind(statement: Statement, params: Json | undefined): Bound {
  if (params === undefined || params === null) return { text: statement.text, values: [] };
  if (!Array.isArray(params) && !isMapping(params))
    throw invalid('postgres: params must be a list or a mapping');
  const values: unknown[] = [];
  const numbers = new Map<number | string, number>();
  let text = '';
  let at = 0;
  for (const parameter of statement.parameters) {
    const value = lookup(params as Json[] | JsonObject, parameter.name);
    if (value === undefined) continue;
    let number = numbers.get(parameter.name);
    if (number === undefined) {
      number = values.push(parameterValue(value));
      numbers.set(parameter.name, number);
    }
    text += `${statement.text.slice(at, parameter.start)}$${number}`;
    at = parameter.end;
  }
  return { text: text + statement.text.slice(at), values };
}

function lookup(params: Json[] | JsonObject, name: number | string): Json | undefined {
  if (Array.isArray(params)) {
    if (typeof name !== 'number') return undefined;
    if (name >= 1 && name <= params.length) return params[name - 1] ?? null;
    throw invalid(`postgres: the command uses $${name}, and params has ${params.length} values`);
  }
  if (Object.hasOwn(params, String(name))) return params[String(name)] ?? null;
  if (typeof name === 'number') throw invalid(`postgres: the command uses $${name}, and params is a mapping`);
  return undefined;
}

/** Lists of plain values become Postgres arrays, other structured values become JSON. */
function parameterValue(value: Json): unknown {
  if (Array.isArray(value))
    return value.every((one) => typeof one !== 'object' || one === null) ? value : JSON.stringify(value);
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}
