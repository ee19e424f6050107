/** The client side of a copy: the source of its rows, or their destination. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { type JsonObject, type TaskCall } from '../../../src/language/plan';
import { asError } from '../../framework/tool/cause';
import { ToolError } from '../../framework/tool/outcome';
import { saveBytes, type SaveTarget } from '../../framework/results/save-to';
import { openBody } from '../../framework/results/body';
import { type ReferenceOrigin, type ResultStore } from '../../../src/storage/payloads';
import { type ToolContext } from '../../framework/tool/tool';
import { copyIn, copyOut } from './copy-protocol';
import { type PostgresSession } from './session';

/** The source of rows: a file, or a referenced body. */
export type CopySource =
  | { readonly file: string }
  | { readonly store: ResultStore; readonly origin: ReferenceOrigin };

export type CopyRequest = { readonly sql: string; readonly format: string } & (
  | { readonly from: CopySource }
  | { readonly to: SaveTarget }
);

type From = Extract<CopyRequest, { from: CopySource }>;
type To = Extract<CopyRequest, { to: SaveTarget }>;

const TYPES: Readonly<Record<string, string>> = {
  csv: 'text/csv; charset=utf-8',
  text: 'text/plain; charset=utf-8',
  binary: 'application/octet-stream',
};

interface Opened {
  readonly source: Readable;
  readonly packed: boolean;
  /** For messages. */
  readonly name: string;
  readonly done: JsonObject;
}

/** Sends the source to the server. @throws ToolError `FILE_NOT_FOUND`, `FILE_UNREADABLE`; those of the store */
export async function sendCopy(session: PostgresSession, copy: From): Promise<JsonObject> {
  const { source, packed, name, done } = await opened(session, copy.from);
  const rows = packed ? createGunzip() : new PassThrough();
  // An error here (a corrupt archive, a missing part) destroys the stream, and the copy ends with that error.
  pipeline(source, rows).catch(() => undefined);
  try {
    return { row_count: await copyIn(session.client, copy.sql, rows), ...done };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code?.startsWith('Z_')) throw unreadable(name, error);
    throw error;
  } finally {
    source.destroy();
    rows.destroy();
  }
}

async function opened({ signal }: PostgresSession, from: CopySource): Promise<Opened> {
  if ('file' in from) {
    const file = path.resolve(from.file);
    const source = createReadStream(file, { signal });
    try {
      await new Promise<void>((resolve, reject) =>
        source.once('ready', () => resolve()).once('error', reject),
      );
    } catch (error) {
      throw unreadable(`the file ${file}`, error);
    }
    const { size } = await stat(file);
    return { source, packed: file.endsWith('.gz'), name: `the file ${file}`, done: { file, bytes: size } };
  }
  const body = await openBody('postgres', from.store, from.origin, signal);
  return {
    source: Readable.from(body.pieces(), { objectMode: false }),
    packed: /^application\/(x-)?gzip\b/.test(body.content_type ?? ''),
    name: 'what the reference names',
    done: { bytes: body.size },
  };
}

function unreadable(name: string, error: unknown): ToolError {
  const { code } = error as NodeJS.ErrnoException;
  const missing = code === 'ENOENT';
  return new ToolError({
    kind: missing ? 'not_found' : 'validation',
    code: missing ? 'FILE_NOT_FOUND' : 'FILE_UNREADABLE',
    message: `postgres: ${name} cannot be read (${code ?? asError(error).message})`,
  });
}

/** Stores what the server sends: all of it or nothing. @throws ToolError `FILE_UNWRITABLE`; errors of the store */
export async function receiveCopy(
  session: PostgresSession,
  copy: To,
  call: TaskCall,
  context: ToolContext,
): Promise<JsonObject> {
  const rows = new PassThrough();
  const packed = 'file' in copy.to && copy.to.file.endsWith('.gz');
  const pieces = packed ? rows.pipe(createGzip()) : rows;
  // The server may fail before anything reads the stream: an unhandled stream error would end the process.
  for (const stream of [rows, pieces]) stream.on('error', () => undefined);
  const bytes = { pieces: pieces as AsyncIterable<Buffer>, contentType: TYPES[copy.format]! };
  const saving = saveBytes(call, bytes, copy.to, context, session.signal);
  // Awaited below; until then the server's messages are handled.
  saving.catch(() => rows.destroy());
  try {
    const row_count = await copyOut(session.client, copy.sql, rows);
    rows.end();
    const saved = await saving;
    return 'file' in copy.to
      ? { row_count, file: saved['path']!, bytes: saved['bytes']! }
      : { row_count, ref: saved, bytes: saved['size']! };
  } catch (error) {
    pieces.destroy(asError(error));
    rows.destroy();
    await saving.catch(() => undefined);
    throw error;
  }
}
