/** Parameters are bound, never interpolated. */
import { isMapping, type Json, type JsonObject } from '../../../src/language/plan';
import { invalidInput } from '../../framework/tool/outcome';
import { refuseListIn } from '../../framework/sql/list-parameter';
import { type SqlParameter, type Statement } from '../../framework/sql/split';

export interface Bound {
  readonly text: string;
  readonly values: unknown[];
  /** Placeholders without a value, left as they are: they may be none. */
  readonly unbound?: readonly Unbound[];
}

interface Unbound {
  /** Offset in the text. */
  readonly at: number;
  readonly placeholder: string;
}

/**
 * A list binds `$1…`, a mapping binds `:name` and `%(name)s`. Each statement gets only the values it refers to,
 * renumbered, because Postgres rejects unused values. A `:name` missing from the mapping is left unchanged (an array
 * slice `[a:b]`); without params the text is not touched at all. Beside `%(name)s`, `%%` is a percent sign, as in Python.
 *
 * @throws ToolError `INVALID_PARAMS` for `IN (:list)`
 */
export function bind(statement: Statement, params: Json | undefined): Bound {
  if (params === undefined || params === null)
    return {
      text: statement.text,
      values: [],
      unbound: statement.parameters.map((one) => unbound(one, statement, one.start)),
    };
  if (!Array.isArray(params) && !isMapping(params))
    throw invalidInput('postgres: params must be a list or a mapping');
  const isPython = statement.parameters.some(
    ({ start, name }) => statement.text[start] === '%' && lookup(params, name) !== undefined,
  );
  const raw = (from: number, to?: number): string => {
    const text = statement.text.slice(from, to);
    return isPython ? text.replaceAll('%%', '%') : text;
  };
  const values: unknown[] = [];
  const numbers = new Map<string, number>();
  const missing: Unbound[] = [];
  let text = '';
  let at = 0;
  for (const parameter of statement.parameters) {
    text += raw(at, parameter.start);
    at = parameter.start;
    const value = lookup(params as Json[] | JsonObject, parameter.name);
    if (value === undefined) {
      missing.push(unbound(parameter, statement, text.length));
      continue;
    }
    refuseListIn(statement, parameter, value, (list, not) => (not ? `<> ALL(${list})` : `= ANY(${list})`));
    const isJson = Array.isArray(value) && isCastToJson(statement.text, parameter);
    const key = `${parameter.name}${isJson ? '::json' : ''}`;
    let number = numbers.get(key);
    if (number === undefined) {
      number = values.push(isJson ? JSON.stringify(value) : parameterValue(value));
      numbers.set(key, number);
    }
    text += `$${number}`;
    at = parameter.end;
  }
  return { text: text + raw(at), values, unbound: missing };
}

const unbound = ({ start, end }: SqlParameter, { text }: Statement, at: number): Unbound => ({
  at,
  placeholder: text.slice(start, end),
});

/** Why Postgres cannot read the statement, if a placeholder without a value stands where it stopped. */
export function placeholderHint({ unbound = [] }: Bound, position: number): string | undefined {
  const one = unbound.find(({ at, placeholder }) => at < position && position <= at + placeholder.length);
  return one && `${one.placeholder} is not in \`params\``;
}

function lookup(params: Json[] | JsonObject, name: number | string): Json | undefined {
  if (Array.isArray(params)) {
    if (typeof name !== 'number') return undefined;
    if (name >= 1 && name <= params.length) return params[name - 1] ?? null;
    throw invalidInput(`postgres: the command uses $${name}, and params has ${params.length} values`);
  }
  if (Object.hasOwn(params, String(name))) return params[String(name)] ?? null;
  if (typeof name === 'number')
    throw invalidInput(`postgres: the command uses $${name}, and params is a mapping`);
  return undefined;
}

/** Whether the statement says that it wants JSON: an empty list, and one of plain values, would be an array otherwise. */
function isCastToJson(text: string, { start, end }: SqlParameter): boolean {
  const type = String.raw`jsonb?\b(?!\s*\[)`;
  const behind = text.slice(end);
  if (new RegExp(String.raw`^\s*::\s*${type}`, 'i').test(behind)) return true;
  return (
    /\bcast\s*\(\s*$/i.test(text.slice(0, start)) &&
    new RegExp(String.raw`^\s+as\s+${type}`, 'i').test(behind)
  );
}

/** Lists of plain values become Postgres arrays, other structured values become JSON. */
function parameterValue(value: Json): unknown {
  if (Array.isArray(value))
    return value.every((one) => typeof one !== 'object' || one === null) ? value : JSON.stringify(value);
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}
