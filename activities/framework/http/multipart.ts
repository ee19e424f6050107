/**
 * Multipart bodies (`files` plus the fields of `form`), and bodies from files: streamed, and again for each redirect.
 */
import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { isMapping, type Json, type JsonObject } from '../../../src/language/plan';
import { field, jsonTypeName } from '../tool/fields';
import { invalidInput, ToolError } from '../tool/outcome';
import { workerFile } from '../tool/worker-files';
import { queryPairs } from './query';

/** A body that is created anew each time it is sent. */
export interface StreamedBody {
  readonly length: number;
  /** What of it is not the content of files. */
  readonly text: string;
  open(): Readable;
}

interface Part {
  readonly head: Buffer;
  readonly content: Buffer | { readonly file: string; readonly size: number };
}

/**
 * @param files `{field: path}`, `{field: {path | content | content_base64, filename, content_type}}`, lists of these
 * for several files of one field, or a list of mappings with a `field`
 * @throws ToolError `INVALID_FILES`, `FILE_NOT_FOUND`
 */
export async function multipart(
  form: JsonObject,
  files: Json,
): Promise<{ body: StreamedBody; contentType: string }> {
  const boundary = `noetl-${randomUUID()}`;
  const parts: Part[] = queryPairs(form).map(([name, value]) => ({
    head: head(boundary, `form-data; name="${escaped(name)}"`),
    content: Buffer.from(value),
  }));
  for (const [name, file] of fileList(files)) parts.push(await filePart(boundary, name, file));
  const end = Buffer.from(`--${boundary}--\r\n`);
  const sizes = parts.map(({ head: { length }, content }) => length + sizeOf(content) + 2);
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: {
      length: sizes.reduce((sum, size) => sum + size, end.length),
      text: parts.flatMap(({ head: before, content }) => [before, inMemory(content)]).join('\n'),
      open: () => Readable.from(send(parts, end), { objectMode: false }),
    },
  };
}

/** @throws ToolError `FILE_NOT_FOUND` */
export async function fileBody(file: string): Promise<StreamedBody> {
  const length = await fileSize(file);
  return { length, text: '', open: () => createReadStream(path.resolve(file)) };
}

async function* send(parts: readonly Part[], end: Buffer): AsyncGenerator<Buffer> {
  for (const { head: before, content } of parts) {
    yield before;
    if (Buffer.isBuffer(content)) yield content;
    else yield* createReadStream(content.file) as AsyncIterable<Buffer>;
    yield Buffer.from('\r\n');
  }
  yield end;
}

function sizeOf(content: Part['content']): number {
  return Buffer.isBuffer(content) ? content.length : content.size;
}

function inMemory(content: Part['content']): string {
  return Buffer.isBuffer(content) ? content.toString('utf8') : content.file;
}

function head(boundary: string, disposition: string, type?: string): Buffer {
  const lines = [`--${boundary}`, `Content-Disposition: ${disposition}`];
  if (type !== undefined) lines.push(`Content-Type: ${type}`);
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`);
}

/** In the same form as browsers. */
function escaped(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function fileList(files: Json): [name: string, file: Json][] {
  if (Array.isArray(files)) {
    return files.map((file, index) => {
      const name = isMapping(file) ? field(file as JsonObject, 'field', 'name') : undefined;
      if (typeof name !== 'string') throw refused(`files[${index}] needs a \`field\``);
      return [name, file];
    });
  }
  if (!isMapping(files)) throw refused(`files must be a mapping or a list, not ${jsonTypeName(files)}`);
  return Object.entries(files as JsonObject).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((file): [string, Json] => [name, file]),
  );
}

async function filePart(boundary: string, name: string, given: Json): Promise<Part> {
  const file: JsonObject = typeof given === 'string' ? { path: given } : (given as JsonObject);
  if (!isMapping(file))
    throw refused(`files.${name} must be a path or a mapping, not ${jsonTypeName(given)}`);
  const source = field(file, 'path', 'file');
  const filename = String(
    field(file, 'filename') ?? (typeof source === 'string' ? path.basename(source) : name),
  );
  const type = String(field(file, 'content_type', 'type') ?? 'application/octet-stream');
  if (/[\r\n]/.test(type)) throw refused(`files.${name}.content_type has a line break`);
  const disposition = `form-data; name="${escaped(name)}"; filename="${escaped(filename)}"`;
  return { head: head(boundary, disposition, type), content: await contentOf(name, file, source) };
}

async function contentOf(name: string, file: JsonObject, source: Json | undefined): Promise<Part['content']> {
  if (typeof source === 'string') return { file: path.resolve(source), size: await fileSize(source) };
  const base64 = field(file, 'content_base64');
  if (typeof base64 === 'string') return Buffer.from(base64, 'base64');
  const content = file['content'];
  if (content === undefined || content === null) {
    throw refused(`files.${name} needs one of \`path\`, \`content\` and \`content_base64\``);
  }
  return Buffer.from(typeof content === 'string' ? content : JSON.stringify(content));
}

async function fileSize(name: string): Promise<number> {
  const file = workerFile('http', name);
  try {
    return (await stat(file)).size;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new ToolError({
      kind: code === 'ENOENT' ? 'not_found' : 'validation',
      code: code === 'ENOENT' ? 'FILE_NOT_FOUND' : 'FILE_UNREADABLE',
      message: `http: the file ${file} cannot be read (${code})`,
    });
  }
}

function refused(why: string): ToolError {
  return invalidInput(`http: ${why}`, 'INVALID_FILES');
}
