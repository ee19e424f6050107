/** Payloads in the protocol of Temporal's codec servers: protobuf as JSON, bytes in base64. */
import { type Payload } from '@temporalio/common';

export interface JsonPayload {
  readonly metadata?: Readonly<Record<string, string>> | null;
  readonly data?: string | null;
}

export function fromJson({ metadata, data }: JsonPayload): Payload {
  const entries = Object.entries(metadata ?? {}).map(
    ([key, value]) => [key, Buffer.from(value, 'base64')] as const,
  );
  return { metadata: Object.fromEntries(entries), data: Buffer.from(data ?? '', 'base64') };
}

export function payloadToJson({ metadata, data }: Payload): JsonPayload {
  const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
  const entries = Object.entries(metadata ?? {}).map(([key, value]) => [key, base64(value)] as const);
  return { metadata: Object.fromEntries(entries), data: base64(data ?? new Uint8Array()) };
}
