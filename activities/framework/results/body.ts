/**
 * Bodies of any size in the store of large results. A body is stored in parts, each an ordinary stored value, plus a
 * list of them, which its reference names. So it works with every store, is encrypted if values are, and needs memory
 * for only one part; and since the list is written last, a reference always names a complete body.
 */
import { createHash, randomUUID } from 'node:crypto';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { isMapping, type Json, unpackOutcome, type WireOutcome } from '../../../src/language/plan';
import {
  type ReferenceOrigin,
  type ValueReference,
  type ResultStore,
  STORED_VALUE,
} from '../../../src/storage/payloads';
import { invalidInput } from '../tool/outcome';

/** Small enough for dozens of concurrent tasks per worker; a body of 10 GiB has 1,280 parts. */
const PART_BYTES = 8 * 1024 * 1024;
/** Key in a payload's metadata: the payload is the list of a body's parts. */
const PARTS = 'noetl-parts';
/** Key in a part's metadata: the body it belongs to. It makes the part's hash, and so its key, unique to the body. */
const PART_OF = 'noetl-part-of';

/** Result of a task that stored a body: its reference, content type, and the hash of its bytes. */
export interface StoredBody extends ValueReference {
  readonly content_type: string | null;
  readonly sha256: string;
}

interface PartList {
  readonly size: number;
  readonly content_type: string | null;
  readonly sha256: string;
  /** Key, checksum and size of each part. */
  readonly parts: readonly (readonly [string, string, number])[];
}

/** A body to read, or a value as the bytes that a file of it would contain. */
export interface OpenBody {
  readonly size: number;
  readonly content_type: string | null;
  /** For a value rather than a body: the value. */
  readonly value?: Json;
  /** The parts in order, each verified against its hash. @throws ToolError, and ApplicationFailure of the store */
  pieces(): AsyncGenerator<Buffer>;
}

/**
 * Stores the output of `pieces`. On failure everything stored is deleted, unless the worker itself is lost: then the
 * unreferenced parts remain as long as the results of their execution.
 *
 * @param workflowId owns the body, which determines its retention
 * @throws errors of `pieces`; ApplicationFailure `BLOB_NOT_STORED`
 */
export async function storeBody(
  store: ResultStore,
  workflowId: string,
  pieces: AsyncIterable<Buffer>,
  contentType: string | null,
  signal: AbortSignal,
): Promise<StoredBody> {
  const id = randomUUID();
  const hash = createHash('sha256');
  const stored: ReferenceOrigin[] = [];
  const parts: [string, string, number][] = [];
  let size = 0;
  try {
    for await (const part of inParts(pieces)) {
      hash.update(part);
      const metadata = {
        encoding: Buffer.from('binary/plain'),
        [PART_OF]: Buffer.from(`${id}/${parts.length}`),
      };
      const origin = await store.put(workflowId, { metadata, data: part }, signal);
      stored.push(origin);
      parts.push([origin.key, origin.checksum, part.length]);
      size += part.length;
    }
    const sha256 = hash.digest('hex');
    const list: PartList = { size, content_type: contentType, sha256, parts };
    const { metadata, data } = defaultPayloadConverter.toPayload(list);
    const payload: Payload = { metadata: { ...metadata, [PARTS]: Buffer.from('1') }, data };
    const origin = await store.put(workflowId, payload, signal);
    return {
      ...origin,
      range: null,
      size,
      schema_hint: { type: 'bytes' },
      content_type: contentType,
      sha256,
    };
  } catch (error) {
    await store.discard(stored);
    throw error;
  }
}

/** Regroups the bytes into parts of PART_BYTES plus a remainder. */
async function* inParts(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let size = 0;
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length;) {
      const taken = piece.subarray(at, at + PART_BYTES - size);
      waiting.push(taken);
      size += taken.length;
      at += taken.length;
      if (size < PART_BYTES) continue;
      yield Buffer.concat(waiting);
      waiting = [];
      size = 0;
    }
  }
  if (size > 0) yield Buffer.concat(waiting);
}

/**
 * Resolves a reference to a body, a stored value, or the result of a task.
 *
 * @throws ToolError `OTHER_STORE`, `INVALID_REFERENCE`; ApplicationFailure of the store
 */
export async function openBody(
  kind: string,
  store: ResultStore,
  origin: ReferenceOrigin,
  signal: AbortSignal,
): Promise<OpenBody> {
  const payload = await fetchPart(kind, store, origin, signal);
  if (payload.metadata?.[PARTS]) {
    const { parts, size, content_type } = defaultPayloadConverter.fromPayload<PartList>(payload);
    return { size, content_type, pieces: () => read(kind, store, origin, parts, signal) };
  }
  const value = valueOf(kind, payload);
  const isText = typeof value === 'string';
  const bytes = Buffer.from(isText ? value : JSON.stringify(value));
  const content_type = isText ? 'text/plain; charset=utf-8' : 'application/json';
  return { size: bytes.length, content_type, value, pieces: () => once(bytes) };
}

async function fetchPart(
  kind: string,
  store: ResultStore,
  origin: ReferenceOrigin,
  signal: AbortSignal,
): Promise<Payload> {
  const payload = await store.get(origin, signal);
  if (payload) return payload;
  const message = `${kind}: the value is in the store '${origin.store}', which this worker does not have (it has ${store.shown})`;
  throw invalidInput(message, 'OTHER_STORE', { store: origin.store });
}

function valueOf(kind: string, payload: Payload): Json {
  if (
    payload.metadata?.[PART_OF] ||
    Buffer.from(payload.metadata?.['encoding'] ?? []).toString() !== 'json/plain'
  ) {
    const message = `${kind}: this reference does not name a readable value: it is a part of one, or encrypted for its owner`;
    throw invalidInput(message, 'INVALID_REFERENCE');
  }
  const value = defaultPayloadConverter.fromPayload<Json>(payload);
  if (payload.metadata?.[STORED_VALUE]) return value;
  // A task's outcome, as referenced by history.
  return isMapping(value) && ('status' in value || 'result' in value)
    ? unpackOutcome(value as WireOutcome).result
    : value;
}

async function* read(
  kind: string,
  store: ResultStore,
  { store: name }: ReferenceOrigin,
  parts: PartList['parts'],
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  for (const [key, checksum] of parts) {
    const { data } = await fetchPart(kind, store, { store: name, key, checksum }, signal);
    yield Buffer.from(data ?? []);
  }
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield await Promise.resolve(bytes);
}

/**
 * Reads a whole body into memory.
 *
 * @throws ToolError `OBJECT_TOO_LARGE`, before fetching any of it
 */
export async function wholeBody(kind: string, body: OpenBody, limit: number): Promise<Buffer> {
  if (body.size > limit) {
    const message = `${kind}: the body has ${body.size} bytes, more than ${limit}; write it to a file with \`save_to\``;
    throw invalidInput(message, 'OBJECT_TOO_LARGE', { size: body.size });
  }
  const pieces: Buffer[] = [];
  for await (const piece of body.pieces()) pieces.push(piece);
  return Buffer.concat(pieces);
}
