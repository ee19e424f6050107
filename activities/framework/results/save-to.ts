/**
 * `save_to`: sends a tool's bytes to a file on the worker or to the store of large results, instead of into its result.
 */
import {
  compact,
  isMapping,
  type Json,
  type JsonObject,
  type TaskCall,
  workflowId,
} from '../../../src/language/plan';
import { type ResultStore } from '../../../src/storage/payloads';
import { invalidInput } from '../tool/outcome';
import { workerFile } from '../tool/worker-files';
import { save } from './save';
import { storeBody } from './body';
import { storeOf } from './reference';
import { type ToolContext } from '../tool/tool';

export type SaveTarget = { readonly file: string } | { readonly store: ResultStore };

/** Bytes between two progress heartbeats. */
const BEAT_BYTES = 4 * 1024 * 1024;

/**
 * A string names a file, `{store: results}` the store.
 *
 * @param name of the field, for messages
 * @throws ToolError `INVALID_SAVE_TO`, `NO_STORE`, `FILE_REFUSED`
 */
export function saveTarget(
  call: TaskCall,
  context: ToolContext,
  given: Json | undefined,
  name = 'save_to',
): SaveTarget | undefined {
  if (given === undefined || given === null || given === '') return undefined;
  if (typeof given === 'string') return { file: workerFile(call.kind, given) };
  if (isMapping(given) && given['store'] === 'results' && Object.keys(given).length === 1) {
    return { store: storeOf(call.kind, context) };
  }
  const message = `${call.kind}: ${name} must be a file on the worker, or {store: results}, not ${JSON.stringify(given)}`;
  throw invalidInput(message, 'INVALID_SAVE_TO');
}

export interface Bytes {
  readonly pieces: AsyncIterable<Buffer>;
  readonly contentType: string | null;
  /** Total number of bytes if known, for heartbeats. */
  readonly total?: number;
}

/**
 * Writes all of `bytes` or nothing: `{path, bytes, sha256, content_type}` for a file, the reference of the stored body
 * (with `size`, `sha256`, `content_type`). Heartbeats contain `{bytes, of}`.
 *
 * @throws ToolError `FILE_UNWRITABLE`; ApplicationFailure of the store; errors of the pieces
 */
export async function saveBytes(
  call: TaskCall,
  { pieces, contentType, total }: Bytes,
  target: SaveTarget,
  context: ToolContext,
  signal: AbortSignal,
): Promise<JsonObject> {
  const chunks = reported(pieces, total, context);
  if ('file' in target) return { ...(await save(call.kind, chunks, target.file)), content_type: contentType };
  const stored = await storeBody(target.store, workflowId(call.execution_id), chunks, contentType, signal);
  return { ...stored };
}

async function* reported(
  pieces: AsyncIterable<Buffer>,
  total: number | undefined,
  { heartbeat }: ToolContext,
): AsyncGenerator<Buffer> {
  let bytes = 0;
  let next = BEAT_BYTES;
  for await (const piece of pieces) {
    yield piece;
    bytes += piece.length;
    if (bytes < next) continue;
    heartbeat({ bytes, ...compact({ of: total }) });
    next = bytes + BEAT_BYTES;
  }
}
