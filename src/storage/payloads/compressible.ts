/**
 * Marks payloads that only machines read (plans, states, chunks) for compression by the codec
 * (src/storage/codec/compression.ts). Inputs and results, which people look at in the Temporal UI, stay uncompressed.
 */

/** Key in a payload's metadata by which the converter tells the codec that it may compress the payload. */
export const COMPRESSIBLE = 'noetl-compressible';

const marked = new WeakSet<object>();

/** Marks `value` so that its payload may be compressed. Returns `value`. */
export function compressible<T extends object>(value: T): T {
  marked.add(value);
  return value;
}

export function isCompressible(value: unknown): boolean {
  return typeof value === 'object' && value !== null && marked.has(value);
}
