/**
 * Bodies of any size in the store of large results. A body is kept in parts, each a stored value like any other, and
 * a list of them, which is what its reference names. So it works in every store and is encrypted where values are;
 * memory holds one part; and since the list is written last, whoever has a reference has all of the body.
 */
import { createHash, randomUUID } from 'node:crypto';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { isMapping, type Json, unpackOutcome, type WireOutcome } from '../../../src/plan';
import { type Origin, type Reference, type ResultStore, STORED_VALUE } from '../../../src/payloads';
import { invalid } from '../tool/outcome';

/** Small enough that some dozens of tasks fit into a worker; a body of 10 GiB has 1,280 of them. */
const PART_BYTES = 8 * 1024 * 1024;
/** Key of a payload's metadata: the payload is the list of the parts of a body. */
const PARTS = 'noetl-parts';
/** Key of a part's metadata: what it is a part of. It makes the part's hash, and so its key, one that no other body has. */
const PART_OF = 'noetl-part-of';

/** What a task answers that stored a body: its reference, what it is, and the hash of its bytes. */
export interface StoredBody extends Reference {
  readonly content_type: string | null;
  readonly sha256: string;
}

interface PartList {
  readonly size: number;
  readonly content_type: string | null;
  readonly sha256: string;
  /** Key, checksum and bytes of each. */
  readonly parts: readonly (readonly [string, string, number])[];
}

/** A body to be read, or a value as the bytes that a file of it would hold. */
export interface OpenBody {
  readonly size: number;
  readonly content_type: string | null;
  /** Of a value, which is no body: the value. */
  readonly value?: Json;
  /** One part after the other, each checked against its hash. @throws ToolError, and ApplicationFailure of the store */
  pieces(): AsyncGenerator<Buffer>;
}

/**
 * Stores what `pieces` gives. Whatever goes wrong, of what was stored nothing is left, unless the worker itself is lost:
 * then the parts stay, unnamed, as long as the results of their execution.
 *
 * @param workflowId owns it, and decides how long it is kept
 * @throws what `pieces` throws; ApplicationFailure `BLOB_NOT_STORED`
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
  const stored: Origin[] = [];
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

/** The same bytes, in parts of PART_BYTES and a rest. */
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
 * What a reference names: a body, a value that was put, or the result of a task.
 *
 * @throws ToolError `OTHER_STORE`, `INVALID_REFERENCE`; ApplicationFailure of the store
 */
export async function openBody(
  kind: string,
  store: ResultStore,
  origin: Origin,
  signal: AbortSignal,
): Promise<OpenBody> {
  const payload = await fetch(kind, store, origin, signal);
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

async function fetch(
  kind: string,
  store: ResultStore,
  origin: Origin,
  signal: AbortSignal,
): Promise<Payload> {
  const payload = await store.get(origin, signal);
  if (payload) return payload;
  const message = `${kind}: the value is in the store '${origin.store}', which this worker does not have (it has ${store.shown})`;
  throw invalid(message, 'OTHER_STORE', { store: origin.store });
}

function valueOf(kind: string, payload: Payload): Json {
  if (
    payload.metadata?.[PART_OF] ||
    Buffer.from(payload.metadata?.['encoding'] ?? []).toString() !== 'json/plain'
  ) {
    const message = `${kind}: this reference names no value: it is a part of one, or what only its owner can read`;
    throw invalid(message, 'INVALID_REFERENCE');
  }
  const value = defaultPayloadConverter.fromPayload<Json>(payload);
  if (payload.metadata?.[STORED_VALUE]) return value;
  // A task's outcome, as history refers to it.
  return isMapping(value) && 'status' in value ? unpackOutcome(value as WireOutcome).result : value;
}

async function* read(
  kind: string,
  store: ResultStore,
  { store: name }: Origin,
  parts: PartList['parts'],
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  for (const [key, checksum] of parts) {
    const { data } = await fetch(kind, store, { store: name, key, checksum }, signal);
    yield Buffer.from(data ?? []);
  }
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield await Promise.resolve(bytes);
}

/**
 * All of a body, for memory.
 *
 * @throws ToolError `OBJECT_TOO_LARGE`, before anything of it is fetched
 */
export async function wholeBody(kind: string, body: OpenBody, limit: number): Promise<Buffer> {
  if (body.size > limit) {
    const message = `${kind}: the body has ${body.size} bytes, more than ${limit}; write it into a file with \`save_to\``;
    throw invalid(message, 'OBJECT_TOO_LARGE', { size: body.size });
  }
  const pieces: Buffer[] = [];
  for await (const piece of body.pieces()) pieces.push(piece);
  return Buffer.concat(pieces);
}
