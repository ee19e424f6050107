/**
 * Tool kind `gcs`: objects of Google Cloud Storage, through Google's client. `source` and `destination` determine the
 * action: a file to `gs://…` is uploaded, `gs://…` to a file downloaded, one object copied to another; a source alone
 * is read, with a slash at its end listed; `data` is written. Files and objects are streamed, and checked by CRC32C.
 */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { File, Storage } from '@google-cloud/storage' with { 'resolution-mode': 'import' };
import { compact, type Json, type JsonObject, type Outcome, type TaskCall } from '../../../src/language/plan';
import { resolveAuth } from '../../framework/credentials/auth';
import { type Deadline, withDeadline } from '../../framework/tool/deadline';
import { field, numberField, textField } from '../../framework/tool/fields';
import { objectBytes } from '../../framework/google-storage/bytes';
import { gcsClient, gcsFailure } from '../../framework/google-storage/client';
import { gcsRequest, type GcsRequest, metadataOf, type GcsObjectPlace, type UploadSource } from './request';
import { responseData } from '../../framework/http/body';
import { invalidInput, succeeded, ToolError } from '../../framework/tool/outcome';
import { save } from '../../framework/results/save';
import { saveBytes, type SaveTarget } from '../../framework/results/save-to';
import { storeFailure } from '../../framework/results/store-failure';
import { openBody } from '../../framework/results/body';
import { type Tool, type ToolContext } from '../../framework/tool/tool';
import { unlessStopped } from '../../framework/tool/unless-stopped';

/** Larger uploads are sent in chunks that can be retried individually. */
const RESUMABLE_FROM_BYTES = 8 * 1024 * 1024;
const DEFAULT_MAX_READ_BYTES = 32 * 1024 * 1024;
const DEFAULT_MAX_RESULTS = 1000;

export const gcs: Tool = {
  kind: 'gcs',
  run: (call, context) => withDeadline(call, context.signal, (deadline) => execute(call, context, deadline)),
};

interface Task {
  readonly call: TaskCall;
  readonly context: ToolContext;
  readonly storage: Storage;
  readonly deadline: Deadline;
}

async function execute(call: TaskCall, context: ToolContext, deadline: Deadline): Promise<Outcome> {
  const request = gcsRequest(call, context);
  const storage = await gcsClient(await resolveAuth(call, context.credentials));
  try {
    return succeeded(await perform(request, { call, context, storage, deadline }));
  } catch (error) {
    throw deadline.reason() ?? gcsFailure(describe(request), storeFailure('gcs', error));
  }
}

function perform(request: GcsRequest, task: Task): Promise<JsonObject> {
  switch (request.action) {
    case 'upload':
      return upload(request.source, request.to, task);
    case 'write':
      return write(request.data, request.to, task);
    case 'download':
      return download(request.from, request.target, task);
    case 'copy':
      return unlessStopped(copy(request.from, request.to, task), task.deadline);
    case 'read':
      return read(request.from, task);
    case 'delete':
      return unlessStopped(remove(request.from, task), task.deadline);
    case 'list':
      return unlessStopped(list(request.from, task), task.deadline);
  }
}

function describe(request: GcsRequest): string {
  const place = 'from' in request ? request.from : request.to;
  return `${request.action} ${uri(place)}`;
}

function uri({ bucket, name }: GcsObjectPlace): string {
  return `gs://${bucket}/${name}`;
}

function objectOf({ storage }: Task, { bucket, name }: GcsObjectPlace): File {
  return storage.bucket(bucket).file(name);
}

async function upload(source: UploadSource, to: GcsObjectPlace, task: Task): Promise<JsonObject> {
  if ('store' in source) {
    const body = await openBody('gcs', source.store, source.origin, task.deadline.signal);
    const content = Readable.from(body.pieces(), { objectMode: false });
    const type = contentType(task.call) ?? body.content_type ?? undefined;
    return put(to, content, body.size, type, task);
  }
  const size = await sizeOf(source.file);
  return put(to, createReadStream(source.file), size, contentType(task.call), task);
}

async function sizeOf(file: string): Promise<number> {
  let why: string;
  try {
    const stats = await stat(file);
    if (stats.isFile()) return stats.size;
    why = 'not a file';
  } catch (error) {
    why = (error as NodeJS.ErrnoException).code ?? 'unknown error';
  }
  const missing = why === 'ENOENT';
  throw new ToolError({
    kind: missing ? 'not_found' : 'validation',
    code: missing ? 'FILE_NOT_FOUND' : 'FILE_UNREADABLE',
    message: `gcs: the file ${file} cannot be read (${why})`,
  });
}

/** A string verbatim, everything else as JSON; with `encoding: base64` the string is bytes. */
async function write(data: Json, to: GcsObjectPlace, task: Task): Promise<JsonObject> {
  const encoding = textField(task.call, 'encoding') ?? 'utf-8';
  const isText = typeof data === 'string';
  if (encoding === 'base64' && !(isText && /^[A-Za-z0-9+/\s]*={0,2}$/.test(data))) {
    throw invalidInput('gcs: with encoding base64, `data` must be base64', 'INVALID_DATA');
  }
  const bytes = Buffer.from(isText ? data : JSON.stringify(data), encoding === 'base64' ? 'base64' : 'utf8');
  const guessed =
    encoding === 'base64' ? undefined : isText ? 'text/plain; charset=utf-8' : 'application/json';
  return put(to, Readable.from([bytes]), bytes.length, contentType(task.call) ?? guessed, task);
}

function contentType(call: TaskCall): string | undefined {
  return textField(call, 'content_type');
}

async function put(
  to: GcsObjectPlace,
  content: Readable,
  size: number,
  type: string | undefined,
  task: Task,
): Promise<JsonObject> {
  const object = objectOf(task, to);
  const metadata = metadataOf(task.call);
  const target = object.createWriteStream({
    resumable: size > RESUMABLE_FROM_BYTES,
    validation: 'crc32c',
    ...compact({ contentType: type }),
    ...(metadata && { metadata: { metadata } }),
  });
  await pipeline(content, target, { signal: task.deadline.signal });
  return shown(object, to);
}

async function download(from: GcsObjectPlace, target: SaveTarget, task: Task): Promise<JsonObject> {
  const object = objectOf(task, from);
  const { call, context, deadline } = task;
  const place = { uri: uri(from), bucket: from.bucket, blob: from.name };
  // A stored body keeps its content type; a file has none.
  const metadata = 'file' in target ? undefined : (await unlessStopped(object.getMetadata(), deadline))[0];
  const pieces = objectBytes(object, deadline.signal) as AsyncIterable<Buffer>;
  if ('file' in target) {
    const saved = await save('gcs', pieces, target.file);
    return { ...place, ...saved, size: saved.bytes };
  }
  const bytes = { pieces, contentType: metadata!.contentType ?? null, total: Number(metadata!.size) };
  const data = await saveBytes(call, bytes, target, context, deadline.signal);
  return { ...place, data, size: data['size']! };
}

async function read(from: GcsObjectPlace, task: Task): Promise<JsonObject> {
  const limit = numberField(task.call, ['max_bytes'], DEFAULT_MAX_READ_BYTES);
  const object = objectOf(task, from);
  const [metadata] = await unlessStopped(object.getMetadata(), task.deadline);
  if (Number(metadata.size) > limit) {
    const message = `gcs: ${uri(from)} has ${metadata.size} bytes, more than ${limit} (max_bytes); download it to a file with \`destination\``;
    throw invalidInput(message, 'OBJECT_TOO_LARGE', { size: Number(metadata.size) });
  }
  const [body] = await unlessStopped(object.download({ validation: 'crc32c' }), task.deadline);
  const type = metadata.contentType ?? '';
  return {
    ...shownOf(metadata, from),
    ...responseData(body, type, field(task.call.config, 'response_type')),
  };
}

async function copy(from: GcsObjectPlace, to: GcsObjectPlace, task: Task): Promise<JsonObject> {
  await objectOf(task, from).copy(objectOf(task, to));
  return { ...(await shown(objectOf(task, to), to)), source: uri(from) };
}

/** Deleting a missing object succeeds: the second execution of a delete must not fail. */
async function remove(from: GcsObjectPlace, task: Task): Promise<JsonObject> {
  try {
    await objectOf(task, from).delete();
    return { uri: uri(from), deleted: true };
  } catch (error) {
    if ((error as { code?: unknown }).code !== 404) throw error;
    return { uri: uri(from), deleted: false };
  }
}

async function list(from: GcsObjectPlace, task: Task): Promise<JsonObject> {
  const limit = Math.floor(numberField(task.call, ['max_results'], DEFAULT_MAX_RESULTS));
  const [files] = await task.storage.bucket(from.bucket).getFiles({
    prefix: from.name,
    autoPaginate: true,
    maxResults: limit + 1,
  });
  const objects = files
    .slice(0, limit)
    .map((file) => shownOf(file.metadata, { bucket: from.bucket, name: file.name }));
  return { uri: uri(from), count: objects.length, truncated: files.length > limit, objects };
}

async function shown(object: File, place: GcsObjectPlace): Promise<JsonObject> {
  const [metadata] = await object.getMetadata();
  return shownOf(metadata, place);
}

function shownOf(metadata: File['metadata'], place: GcsObjectPlace): JsonObject {
  return {
    uri: uri(place),
    bucket: place.bucket,
    blob: place.name,
    size: Number(metadata.size ?? 0),
    content_type: metadata.contentType ?? null,
    generation: metadata.generation === undefined ? null : String(metadata.generation),
    updated: metadata.updated ?? null,
    metadata: (metadata.metadata ?? {}) as JsonObject,
  };
}
