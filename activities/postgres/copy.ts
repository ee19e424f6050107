/** `copy` of the postgres kind: a table (or the rows of a query) from or to a file of the worker, in bounded memory. */
import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { PassThrough, type Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { escapeIdentifier, escapeLiteral } from 'pg';
import { type JsonObject, type TaskCall } from '../../src/plan';
import { asError } from '../cause';
import { field, mappingField, typeName } from '../fields';
import { invalid, ToolError } from '../outcome';
import { tableName } from '../table/request';
import { copyIn, copyOut } from './copy-protocol';
import { type Session } from './session';

export interface Copy {
  readonly direction: 'from' | 'to';
  readonly file: string;
  readonly sql: string;
}

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

/** @throws ToolError `INVALID_COPY` (or `INVALID_TABLE`) */
export function copyOf(call: TaskCall): Copy | undefined {
  const copy = mappingField(call, 'copy');
  if (!copy) return undefined;
  const unknown = Object.keys(copy).find((name) => !FIELDS.includes(name));
  if (unknown) throw refused(`copy has no field \`${unknown}\`; its fields are ${FIELDS.join(', ')}`);
  const from = field(copy, 'from');
  const to = field(copy, 'to');
  if ((from === undefined) === (to === undefined)) throw refused('copy needs one of `from` and `to`, a file');
  const file = from ?? to;
  if (typeof file !== 'string' || file === '') throw refused(`a file is a text, not ${typeName(file)}`);
  const direction = from === undefined ? 'to' : 'from';
  return {
    direction,
    file: path.resolve(file),
    sql: `copy ${subject(copy, direction)} ${direction === 'from' ? 'from stdin' : 'to stdout'} with (${options(copy)})`,
  };
}

function refused(why: string): ToolError {
  return invalid(`postgres: ${why}`, 'INVALID_COPY');
}

function subject(copy: JsonObject, direction: Copy['direction']): string {
  const table = field(copy, 'table');
  const query = field(copy, 'query');
  if ((table === undefined) === (query === undefined)) throw refused('copy needs one of `table` and `query`');
  if (query !== undefined) {
    if (direction === 'from') throw refused('copy from a file goes into a `table`, not a `query`');
    if (typeof query !== 'string') throw refused(`copy.query must be text, not ${typeName(query)}`);
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

function options(copy: JsonObject): string {
  const format = String(field(copy, 'format') ?? 'csv').toLowerCase();
  if (!['csv', 'text', 'binary'].includes(format)) {
    throw refused(`copy.format '${format}' is not one of csv, text, binary`);
  }
  const header = field(copy, 'header') ?? format === 'csv';
  const texts = ['delimiter', 'null', 'encoding'].flatMap((name) => {
    const value = copy[name];
    return value === undefined || value === null ? [] : [`${name} ${escapeLiteral(String(value))}`];
  });
  return [`format ${format}`, ...(header === true ? ['header true'] : []), ...texts].join(', ');
}

/** @returns `{rows: [], row_count, columns: [], file, bytes}`; files ending in `.gz` are packed. */
export async function runCopy(session: Session, copy: Copy): Promise<JsonObject> {
  await session.begin(true);
  const row_count = copy.direction === 'from' ? await copyFrom(session, copy) : await copyTo(session, copy);
  await session.client.query('commit');
  const { size } = await stat(copy.file);
  return { rows: [], row_count, columns: [], file: copy.file, bytes: size };
}

async function copyFrom(session: Session, copy: Copy): Promise<number> {
  const file = createReadStream(copy.file, { signal: session.signal });
  await opened(file, copy.file);
  const source = copy.file.endsWith('.gz') ? createGunzip() : new PassThrough();
  // What goes wrong here (a broken archive) destroys the source, and the copy ends with that error.
  pipeline(file, source).catch(() => undefined);
  try {
    return await copyIn(session.client, copy.sql, source);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code?.startsWith('Z_')) throw unreadable(copy.file, error);
    throw error;
  } finally {
    file.destroy();
    source.destroy();
  }
}

async function opened(file: Readable, name: string): Promise<void> {
  try {
    await new Promise((resolve, reject) => file.once('ready', resolve).once('error', reject));
  } catch (error) {
    throw unreadable(name, error);
  }
}

function unreadable(name: string, error: unknown): ToolError {
  const { code } = error as NodeJS.ErrnoException;
  const missing = code === 'ENOENT';
  return new ToolError({
    kind: missing ? 'not_found' : 'validation',
    code: missing ? 'FILE_NOT_FOUND' : 'FILE_UNREADABLE',
    message: `postgres: the file ${name} cannot be read (${code ?? asError(error).message})`,
  });
}

/** Under another name until it is whole: whoever looks sees all of the file, or none. */
async function copyTo(session: Session, copy: Copy): Promise<number> {
  const partial = `${copy.file}.${process.pid}.${Math.random().toString(36).slice(2)}.partial`;
  const file = createWriteStream(partial, { flags: 'wx' });
  const target = copy.file.endsWith('.gz') ? createGzip() : new PassThrough();
  const written = pipeline(target, file).then(
    () => undefined,
    (error: unknown) => unwritable(copy.file, error),
  );
  try {
    const rows = await copyOut(session.client, copy.sql, target);
    target.end();
    const failure = await written;
    if (failure) throw failure;
    await rename(partial, copy.file);
    return rows;
  } catch (error) {
    target.destroy();
    await finished(file).catch(() => undefined);
    await rm(partial, { force: true });
    throw error;
  }
}

function unwritable(name: string, error: unknown): ToolError {
  const { code } = error as NodeJS.ErrnoException;
  const message = `postgres: the file ${name} cannot be written (${code ?? asError(error).message})`;
  return new ToolError({ kind: 'exception', code: 'FILE_UNWRITABLE', message, retryable: code === 'ENOSPC' });
}
