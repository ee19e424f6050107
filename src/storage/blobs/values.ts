/** JSON values among the objects of a store: compressed and encrypted like history. */
import { type Payload, type PayloadCodec } from '@temporalio/common';
import { decode, encode } from '@temporalio/common/lib/encoding';
import { temporal } from '@temporalio/proto';
import { COMPRESSIBLE } from '../payloads';
import { type Objects } from './object-driver';

const { Payload: PayloadProto } = temporal.api.common.v1;
const METADATA = { encoding: encode('json/plain'), [COMPRESSIBLE]: encode('1') };

/** Returns when written; the value may be lost in a power failure. @param codecs as for history */
export async function putValue(
  objects: Objects,
  key: string,
  value: unknown,
  codecs: readonly PayloadCodec[],
): Promise<void> {
  await objects.put(key, await valueBytes(value, codecs), false);
}

/** What `getValue` reads. */
export async function valueBytes(value: unknown, codecs: readonly PayloadCodec[]): Promise<Uint8Array> {
  let payload: Payload = { metadata: METADATA, data: encode(JSON.stringify(value)) };
  for (const codec of codecs) [payload = payload] = await codec.encode([payload]);
  return PayloadProto.encode(payload).finish();
}

/** Undefined if there is no such key. @param codecs as for history */
export async function getValue<T>(
  objects: Objects,
  key: string,
  codecs: readonly PayloadCodec[],
): Promise<T | undefined> {
  const bytes = await objects.get(key);
  if (!bytes) return undefined;
  let payload: Payload = PayloadProto.decode(bytes);
  for (const codec of [...codecs].reverse()) [payload = payload] = await codec.decode([payload]);
  return JSON.parse(decode(payload.data ?? new Uint8Array())) as T;
}
