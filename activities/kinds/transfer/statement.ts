/**
 * `query` of a target: one statement that runs for each row, or once for a whole chunk, with the row's values bound.
 * Nothing here knows a database; run-statement.ts runs it.
 */
import { type Json, type JsonObject } from '../../../src/language/plan';
import { field } from '../../framework/tool/fields';
import { invalidInput } from '../../framework/tool/outcome';
import { splitStatements } from '../../framework/sql/split';
import { type Side, wrongSide } from './side';

/** How a database writes its parameters. */
export interface Dialect {
  /** Stands for the next column each, besides `%s`, which always does. */
  readonly mark: string;
  readonly placeholder: (number: number) => string;
}

export interface RowStatement {
  /** One placeholder for each value, in their order. */
  readonly text: string;
  /** The values of a row. @throws ToolError `INVALID_MAPPING`, when the first row lacks what the statement names */
  values(row: JsonObject): readonly Json[];
  /** The statement takes all rows of a chunk at once, as the one value `:rows`. */
  readonly takesChunk: boolean;
}

/** The parameter that is the chunk itself, as JSON. */
const CHUNK = 'rows';

/**
 * The statement of the target's `query`; undefined where it has none.
 *
 * @throws ToolError `INVALID_TARGET`
 */
export function rowStatement({ call }: Side, { mark, placeholder }: Dialect): RowStatement | undefined {
  const query = field(call.config, 'query', 'command', 'statement', 'sql');
  if (query === undefined) return undefined;
  if (typeof query !== 'string') throw wrongSide('target', '`query` of the target must be a string');
  if (field(call.config, 'table') !== undefined)
    throw wrongSide('target', 'the target has both a `table` and a `query`; keep one of them');
  const mode = String(call.config['mode']);
  if (!['append', 'insert', 'upsert'].includes(mode) || field(call.config, 'key') !== undefined)
    throw wrongSide(
      'target',
      'a target with a `query` takes no key, and only mode append or upsert: the query decides what happens to rows',
    );
  const statements = splitStatements(query, [...new Set(['%s', mark])]);
  const [statement] = statements;
  if (!statement || statements.length !== 1)
    throw wrongSide('target', `\`query\` of the target must be one statement, not ${statements.length}`);
  const parameters = statement.parameters.filter(({ start }) => !isPath(statement.text, start));
  const names = parameters.map(({ name }) => name);
  if (names.length === 0) {
    const ways = 'with `:column`, or with `%s` for each column in order';
    throw wrongSide('target', `\`query\` of the target uses no value of the row; refer to them ${ways}`);
  }
  let text = '';
  let at = 0;
  for (const [index, { start, end }] of parameters.entries()) {
    text += statement.text.slice(at, start) + placeholder(index + 1);
    at = end;
  }
  const isMarked = parameters.some(({ start }) => /[%?]/.test(statement.text[start]!));
  return {
    text: text + statement.text.slice(at),
    values: valuesOf(names, isMarked && names.every((name) => typeof name === 'number')),
    takesChunk: names.every((name) => name === CHUNK),
  };
}

/** `value:name` of Snowflake and the slice `list[from:to]` are no parameters. */
function isPath(text: string, start: number): boolean {
  return text[start] === ':' && /[\w"'\])]/.test(text[start - 1] ?? '');
}

/**
 * Later rows may lack what the first one has: null, as where rows go into a table.
 *
 * @param all every column has a mark of its own
 */
function valuesOf(names: readonly (number | string)[], all: boolean): RowStatement['values'] {
  let columns: readonly string[] | undefined;
  let fields: readonly string[] = [];
  return (row) => {
    if (!columns) {
      columns = Object.keys(row);
      fields = names.map((name) => columnOf(name, columns!));
      if (all && names.length !== columns.length)
        throw mismatch(`has ${names.length} placeholders for ${columns.length} columns`, columns);
    }
    return fields.map((column) => row[column] ?? null);
  };
}

/** Names in any case: Snowflake shouts. */
function columnOf(name: number | string, columns: readonly string[]): string {
  if (typeof name === 'number') {
    const column = columns[name - 1];
    if (column !== undefined) return column;
    throw mismatch(`refers to column ${name} of ${columns.length}`, columns);
  }
  const column =
    columns.find((one) => one === name) ?? columns.find((one) => one.toLowerCase() === name.toLowerCase());
  if (column !== undefined) return column;
  throw mismatch(`refers to :${name}, which the first row does not have`, columns);
}

function mismatch(what: string, columns: readonly string[]): Error {
  const hint = '`mapping` names the columns and their order, and gives null for missing values';
  return invalidInput(
    `transfer: the query of the target ${what} (${columns.join(', ')}); ${hint}`,
    'INVALID_MAPPING',
  );
}
