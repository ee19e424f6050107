/** Keyframes at rest: encrypted where payloads are, by the process that has the keys. */
import { type Client } from '@temporalio/client';
import { type Payload } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { type Segment } from '../../history/keyframes';
import { encryptionOf } from './host';

const { Payload: Message } = temporal.api.common.v1;

/** As they are stored. */
export async function sealed<Of extends Segment>(client: Client, segments: readonly Of[]): Promise<Of[]> {
  let payloads: Payload[] = segments.map(({ bytes }) => ({ metadata: {}, data: bytes }));
  for (const codec of encryptionOf(client)) payloads = await codec.encode(payloads);
  return segments.map((segment, n) => ({ ...segment, bytes: Message.encode(payloads[n]!).finish() }));
}

/** @throws KeyRingError if the key is not here */
export async function unsealed(client: Client, segment: Segment): Promise<Segment> {
  let payloads: Payload[] = [segment.bytes, ...(segment.more ?? [])].map((bytes) => Message.decode(bytes));
  for (const codec of [...encryptionOf(client)].reverse()) payloads = await codec.decode(payloads);
  const [bytes, ...more] = payloads.map(({ data }) => data!);
  return { ...segment, bytes: bytes!, more };
}
