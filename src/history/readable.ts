/** Histories with their values unpacked: fetched from where they are stored, decrypted, decompressed. */
import { type LoadedDataConverter, type Payload } from '@temporalio/common';
import { type HistoryEvent } from './event';
import { fetchStored } from './stored';

/**
 * The events with every payload as it was before it was packed; what cannot be unpacked here (no key, no store) stays
 * as it is. Changes the events it is given.
 */
export async function unpackPayloads(
  events: readonly HistoryEvent[],
  converter: LoadedDataConverter,
): Promise<readonly HistoryEvent[]> {
  const payloads: Payload[] = [];
  for (const event of events) collect(event, payloads);
  await Promise.all(
    payloads.map(async (payload) => {
      const { metadata, data } = await unpacked(payload, converter);
      Object.assign(payload, { metadata, data, externalPayloads: [] });
    }),
  );
  return events;
}

async function unpacked(payload: Payload, converter: LoadedDataConverter): Promise<Payload> {
  try {
    let [whole = payload] = await fetchStored([payload], converter);
    for (const codec of [...converter.payloadCodecs].reverse())
      [whole = payload] = await codec.decode([whole]);
    return whole;
  } catch {
    return payload;
  }
}

function collect(value: unknown, into: Payload[]): void {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return;
  if (isPayload(value)) into.push(value);
  else for (const member of Object.values(value)) collect(member, into);
}

function isPayload(value: object): value is Payload {
  const metadata: unknown = 'metadata' in value ? value.metadata : undefined;
  if (typeof metadata !== 'object' || metadata === null) return false;
  return 'encoding' in metadata && metadata.encoding instanceof Uint8Array;
}
