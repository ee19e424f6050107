/**
 * What only machines read: plans, states, parts of loops. The codec compresses it (src/codec/compression.ts), so it has to
 * be told which payloads these are; what people look for in the Temporal UI, inputs and results, stays as it is.
 */

/** Key of a payload's metadata, from the converter to the codec: it may be compressed. */
export const COMPRESSIBLE = 'noetl-compressible';

const marked = new WeakSet<object>();

/** Says that `value`, when it becomes a payload, may be compressed. Returns `value`. */
export function compressible<T extends object>(value: T): T {
  marked.add(value);
  return value;
}

export function isCompressible(value: unknown): boolean {
  return typeof value === 'object' && value !== null && marked.has(value);
}
