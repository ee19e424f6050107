/**
 * `table` + `mode` + `data` of the SQL kinds: parses what to write where from a task's fields. Independent of any
 * database; `columns.ts` maps the data to columns, and each kind writes the SQL.
 */
import { isMapping, type Json, type JsonObject, type TaskCall } from '../../../../src/language/plan';
import { listed } from '../../../../src/language/template/runtime';
import { field, textField, jsonTypeName } from '../../tool/fields';
import { jsonOr } from '../../../../src/language/plan/json-text';
import { invalidInput } from '../../tool/outcome';

export type TableMode = 'insert' | 'upsert' | 'replace';

export interface TableWrite {
  readonly table: TableName;
  readonly mode: TableMode;
  /** Columns that identify rows in an upsert; undefined: the table's primary key. */
  readonly key: readonly string[] | undefined;
  readonly rows: readonly JsonObject[];
  /** The rows are the task's inputs because it has neither `data` nor a list of `args`. */
  readonly fromInputs: boolean;
}

export interface TableName {
  readonly parts: readonly NamePart[];
  /** As written by the author. */
  readonly text: string;
}

/** One part of `schema.table`. An unquoted name matches in any case. */
export interface NamePart {
  readonly name: string;
  readonly quoted: boolean;
}

const MODES: Readonly<Record<string, TableMode>> = {
  insert: 'insert',
  append: 'insert',
  upsert: 'upsert',
  replace: 'replace',
};

/** Fields that are valid only together with `table`. */
const COMPANIONS = ['mode', 'key'] as const;

/**
 * The write that the call asks for; undefined when it names no `table`.
 *
 * @param maxParts how many names a table may have: 2 for `schema.table`, 3 for `database.schema.table`
 * @param sqlFields fields that hold SQL, none of which may stand beside `table`
 * @throws ToolError of kind `validation`: `INVALID_TABLE`, `INVALID_MODE`, `INVALID_KEY`, `NO_DATA`, `INVALID_DATA`
 */
export function tableWrite(
  call: TaskCall,
  maxParts: number,
  sqlFields: readonly string[],
): TableWrite | undefined {
  const text = textField(call, 'table');
  if (text === undefined) {
    const stray = COMPANIONS.find((name) => field(call.config, name) !== undefined);
    if (stray && field(call.config, ...sqlFields) === undefined) {
      throw invalidInput(`${call.kind}: \`${stray}\` needs a \`table\` to write to`, 'INVALID_TABLE');
    }
    return undefined;
  }
  const sql = sqlFields.find((name) => field(call.config, name) !== undefined);
  if (sql) {
    const message = `${call.kind}: \`table\` and \`${sql}\` exclude each other; write the rows with \`table\` and \`data\`, or with your own SQL`;
    throw invalidInput(message, 'INVALID_TABLE');
  }
  const mode = modeOf(call);
  const data = dataOf(call);
  return {
    table: tableName(call.kind, text, maxParts),
    mode,
    key: keyOf(call, mode),
    rows: rowsOf(call, data.value),
    fromInputs: data.fromInputs,
  };
}

/** Parses `table`, `schema.table`, `"Any name"."with dots."`. */
export function tableName(kind: string, text: string, maxParts: number): TableName {
  const parts: NamePart[] = [];
  const part = /\s*(?:"((?:[^"]|"")+)"|([\p{L}_][\p{L}\p{N}_$]*))\s*(\.|$)/uy;
  for (let more = true; more;) {
    const match = part.exec(text);
    if (!match) throw notATable(kind, text, maxParts);
    parts.push(
      match[1] === undefined
        ? { name: match[2]!, quoted: false }
        : { name: match[1].replaceAll('""', '"'), quoted: true },
    );
    more = match[3] === '.';
  }
  if (parts.length > maxParts || text.includes('\0')) throw notATable(kind, text, maxParts);
  return { parts, text };
}

function notATable(kind: string, text: string, maxParts: number): Error {
  const forms = ['table', 'schema.table', 'database.schema.table'].slice(0, maxParts).join(', ');
  const message = `${kind}: '${text}' does not name a table; write ${forms}, each part a plain name or in double quotes`;
  return invalidInput(message, 'INVALID_TABLE');
}

function modeOf(call: TaskCall): TableMode {
  const text = textField(call, 'mode') ?? 'insert';
  const mode = MODES[text.trim().toLowerCase()];
  if (mode) return mode;
  throw invalidInput(
    `${call.kind}: mode '${text}' is not one of insert (append), upsert, replace`,
    'INVALID_MODE',
  );
}

function keyOf(call: TaskCall, mode: TableMode): readonly string[] | undefined {
  const value = field(call.config, 'key');
  if (value === undefined) return undefined;
  const names = (Array.isArray(value) ? value : String(value).split(',')).map((one) =>
    typeof one === 'string' ? one.trim() : one,
  );
  if (names.length === 0 || names.some((one) => typeof one !== 'string' || one === '')) {
    throw invalidInput(
      `${call.kind}: key must be a column or a list of columns, not ${JSON.stringify(value)}`,
      'INVALID_KEY',
    );
  }
  // A key identifies equal rows, which matters only for an upsert; elsewhere it does no harm.
  return mode === 'upsert' ? (names as string[]) : undefined;
}

function dataOf(call: TaskCall): { value: Json; fromInputs: boolean } {
  for (const name of ['data', 'args']) {
    const value = call.config[name];
    if (value === null) throw noData(call, `\`${name}\` is null`);
    if (value !== undefined) return { value, fromInputs: false };
  }
  if (Object.keys(call.input).length === 0) throw noData(call, 'there is no `data`');
  return { value: call.input, fromInputs: true };
}

function noData(call: TaskCall, why: string): Error {
  const message = `${call.kind}: ${why} to write; \`data\` is a mapping of column to value, or a list of such mappings`;
  return invalidInput(message, 'NO_DATA');
}

/**
 * An empty list is fine (an empty page writes nothing); a row without columns is not. A loop's value stands for its
 * results.
 */
function rowsOf(call: TaskCall, value: Json): JsonObject[] {
  const data = listed(typeof value === 'string' ? jsonText(value) : value) as Json;
  const rows: readonly Json[] = Array.isArray(data) ? data : [data];
  return rows.map((row, index) => {
    const place = Array.isArray(data) ? `data[${index}]` : 'data';
    if (!isMapping(row)) {
      const message = `${call.kind}: ${place} is ${jsonTypeName(row)}, not a mapping of column to value`;
      throw invalidInput(message, 'INVALID_DATA');
    }
    if (Object.keys(row).length === 0) throw noData(call, `${place} has no column`);
    return row as JsonObject;
  });
}

/** Rows that a template turned into a string (`tojson`). */
function jsonText(text: string): Json {
  return /^\s*[[{]/.test(text) ? jsonOr(text, text) : text;
}
