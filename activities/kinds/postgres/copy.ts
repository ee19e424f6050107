/**
 * `copy` of the postgres kind: a table (or the rows of a query) from or to a file on the worker or the store of large
 * results, in bounded memory.
 */
import { escapeIdentifier, escapeLiteral } from 'pg';
import { type JsonObject, type TaskCall } from '../../../src/language/plan';
import { field, mappingField, jsonTypeName } from '../../framework/tool/fields';
import { invalidInput, type ToolError } from '../../framework/tool/outcome';
import { saveTarget } from '../../framework/results/save-to';
import { workerFile } from '../../framework/tool/worker-files';
import { isReference, originIn, storeOf } from '../../framework/results/reference';
import { storeFailure } from '../../framework/results/store-failure';
import { tableName } from '../../framework/sql/table/request';
import { type ToolContext } from '../../framework/tool/tool';
import { type CopyRequest, type CopySource, receiveCopy, sendCopy } from './copy-ends';
import { type PostgresSession } from './session';

const FIELDS = [
  'from',
  'to',
  'table',
  'query',
  'columns',
  'format',
  'header',
  'delimiter',
  'null',
  'encoding',
];

/** @throws ToolError `INVALID_COPY`, `INVALID_TABLE`, `INVALID_SAVE_TO`, `NO_STORE`, those of references */
export function copyRequestOf(call: TaskCall, context: ToolContext): CopyRequest | undefined {
  const copy = mappingField(call, 'copy');
  if (!copy) return undefined;
  const unknown = Object.keys(copy).find((name) => !FIELDS.includes(name));
  if (unknown) throw refused(`copy has no field \`${unknown}\`; its fields are ${FIELDS.join(', ')}`);
  const from = field(copy, 'from');
  const to = field(copy, 'to');
  if ((from === undefined) === (to === undefined)) throw refused('copy needs one of `from` and `to`');
  const format = formatOf(copy);
  if (from !== undefined) {
    const sql = `copy ${subject(copy, 'from')} from stdin with (${options(copy, format)})`;
    return { sql, format, from: sourceOf(context, copy) };
  }
  const sql = `copy ${subject(copy, 'to')} to stdout with (${options(copy, format)})`;
  return { sql, format, to: saveTarget(call, context, to, 'copy.to')! };
}

function sourceOf(context: ToolContext, { from }: JsonObject): CopySource {
  if (isReference(from)) {
    return { store: storeOf('postgres', context), origin: originIn('postgres', 'copy.from', from) };
  }
  if (typeof from === 'string' && from !== '') return { file: workerFile('postgres', from) };
  throw refused(`copy.from must be a file (a string) or a reference (a mapping), not ${jsonTypeName(from)}`);
}

function refused(why: string): ToolError {
  return invalidInput(`postgres: ${why}`, 'INVALID_COPY');
}

function subject(copy: JsonObject, direction: 'from' | 'to'): string {
  const table = field(copy, 'table');
  const query = field(copy, 'query');
  if ((table === undefined) === (query === undefined)) throw refused('copy needs one of `table` and `query`');
  if (query !== undefined) {
    if (direction === 'from') throw refused('a copy `from` somewhere goes into a `table`, not a `query`');
    if (typeof query !== 'string') throw refused(`copy.query must be a string, not ${jsonTypeName(query)}`);
    return `(${query.trim().replace(/;$/, '')})`;
  }
  const name = tableName('postgres', String(table), 2).parts.map((part) =>
    escapeIdentifier(part.quoted ? part.name : part.name.toLowerCase()),
  );
  const columns = field(copy, 'columns');
  if (columns === undefined) return name.join('.');
  if (!Array.isArray(columns) || columns.some((one) => typeof one !== 'string')) {
    throw refused(`copy.columns must be a list of names, not ${JSON.stringify(columns)}`);
  }
  return `${name.join('.')} (${(columns as string[]).map(escapeIdentifier).join(', ')})`;
}

function formatOf(copy: JsonObject): string {
  const format = String(field(copy, 'format') ?? 'csv').toLowerCase();
  if (['csv', 'text', 'binary'].includes(format)) return format;
  throw refused(`copy.format '${format}' is not one of csv, text, binary`);
}

function options(copy: JsonObject, format: string): string {
  const header = field(copy, 'header') ?? format === 'csv';
  const texts = ['delimiter', 'null', 'encoding'].flatMap((name) => {
    const value = copy[name];
    return value === undefined || value === null ? [] : [`${name} ${escapeLiteral(String(value))}`];
  });
  return [`format ${format}`, ...(header === true ? ['header true'] : []), ...texts].join(', ');
}

/**
 * `{rows: [], row_count, columns: [], bytes}`, and `file` or, for a stored body, `ref`. Compressed data (a name ending
 * in `.gz`, a stored body of that type) is decompressed or compressed on the way.
 */
export async function runCopy(
  session: PostgresSession,
  copy: CopyRequest,
  call: TaskCall,
  context: ToolContext,
): Promise<JsonObject> {
  try {
    await session.begin(true);
    const done =
      'from' in copy ? await sendCopy(session, copy) : await receiveCopy(session, copy, call, context);
    await session.client.query('commit');
    return { rows: [], columns: [], ...done };
  } catch (error) {
    throw storeFailure('postgres', error);
  }
}
