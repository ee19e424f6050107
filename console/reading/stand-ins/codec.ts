/** Replaces `src/storage/codec`, which uses `node:zlib`: the same format, decompressed by the browser. */
import {
  defaultDataConverter,
  type LoadedDataConverter,
  type Payload,
  type PayloadCodec,
} from '@temporalio/common';
import { decode as text } from '@temporalio/common/lib/encoding';

/** `encoding` of a compressed payload. */
const ZLIB = 'binary/zlib';

const compression: PayloadCodec = {
  encode: (payloads) => Promise.resolve([...payloads]),
  decode: (payloads) => Promise.all(payloads.map(uncompressed)),
};

export const plainConverter: LoadedDataConverter = { ...defaultDataConverter, payloadCodecs: [compression] };

async function uncompressed(payload: Payload): Promise<Payload> {
  const encoding = payload.metadata?.['encoding'];
  if (encoding === undefined || text(encoding) !== ZLIB) return payload;
  const packed = new Blob([new Uint8Array(payload.data ?? [])]).stream();
  const unpacked = await new Response(packed.pipeThrough(new DecompressionStream('deflate'))).arrayBuffer();
  return messageOf(new Uint8Array(unpacked));
}

/** `temporal.api.common.v1.Payload` in protobuf: field 1 a map of text to bytes, field 2 bytes. */
function messageOf(bytes: Uint8Array): Payload {
  const metadata: Record<string, Uint8Array> = {};
  let data = new Uint8Array();
  for (const [field, value] of fieldsOf(bytes)) {
    if (field === 2) data = value;
    if (field !== 1) continue;
    const entry = new Map(fieldsOf(value));
    metadata[text(entry.get(1) ?? new Uint8Array())] = entry.get(2) ?? new Uint8Array();
  }
  return { metadata, data };
}

/** The length-delimited fields of a message; it has no others. */
function fieldsOf(bytes: Uint8Array): [number, Uint8Array<ArrayBuffer>][] {
  const fields: [number, Uint8Array<ArrayBuffer>][] = [];
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Error('a compressed value is damaged');
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    if ((tag & 7) !== 2) throw new Error('a compressed value is damaged');
    const length = varint();
    fields.push([tag >>> 3, new Uint8Array(bytes.slice(at, at + length))]);
    at += length;
  }
  return fields;
}
