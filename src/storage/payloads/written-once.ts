/**
 * Values that never change and are written often, as the plans of a catalog, of which a process starts one execution after
 * another: to write and compress a plan takes longer than all else that a start does.
 */
import { type Payload } from '@temporalio/common';

/** Larger ones are written each time: a process keeps some hundred of them. */
const MOST_BYTES = 128 * 1024;

interface Written {
  payload?: Payload;
  packed?: Promise<Payload>;
}

const byValue = new WeakMap<object, Written>();
const byPayload = new WeakMap<Payload, Written>();

/** From now on nobody changes the value. Returns `value`. */
export function writtenOnce<T extends object>(value: T): T {
  byValue.set(value, {});
  return value;
}

/** The payload of a value, which nobody may change either. */
export function payloadOnce(value: unknown, write: () => Payload): Payload {
  const written = typeof value === 'object' && value !== null ? byValue.get(value) : undefined;
  if (!written) return write();
  if (written.payload) return written.payload;
  const payload = write();
  if ((payload.data?.length ?? 0) > MOST_BYTES) return payload;
  byPayload.set((written.payload = payload), written);
  return payload;
}

/** What a codec makes of such a payload. */
export function packedOnce(payload: Payload, pack: (payload: Payload) => Promise<Payload>): Promise<Payload> {
  const written = byPayload.get(payload);
  return written ? (written.packed ??= pack(payload)) : pack(payload);
}
