/**
 * Events of a history as `temporal workflow show --output json` writes them, turned into what the reader of histories
 * takes: bytes of payloads, times, and the two enums that it looks at. What the file does not hold (values that are
 * encrypted or stored elsewhere) becomes a value that says so.
 */
import { type HistoryEvent } from '../../src/history';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** The key that marks a value as absent. */
const ABSENT = '$not_here';

const TIMEOUT_TYPES = [
  'UNSPECIFIED',
  'START_TO_CLOSE',
  'SCHEDULE_TO_START',
  'SCHEDULE_TO_CLOSE',
  'HEARTBEAT',
];

/** @param event as JSON; parts of it are reused */
export function historyEvent(event: Json): HistoryEvent {
  const { eventTime, ...rest } = event as { eventTime?: string };
  const attributes = read(rest as Json, '') as object;
  return { ...attributes, ...(eventTime ? { eventTime: timestamp(eventTime) } : {}) } as HistoryEvent;
}

function timestamp(text: string): { seconds: number; nanos: number } {
  const seconds = Math.floor(Date.parse(text) / 1000);
  const fraction = /\.(\d+)/.exec(text)?.[1] ?? '';
  return { seconds, nanos: Number(fraction.padEnd(9, '0').slice(0, 9)) };
}

function read(value: Json, key: string): unknown {
  if (Array.isArray(value)) return value.map((item) => read(item, key));
  if (typeof value === 'string') return key === 'timeoutType' ? timeoutType(value) : value;
  if (value === null || typeof value !== 'object') return value;
  if (isPayload(value)) return payload(value);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, read(member, name)]));
}

function timeoutType(name: string): number {
  const words = name.replace(/^TIMEOUT_TYPE_/, '').replace(/([a-z])([A-Z])/g, '$1_$2');
  return Math.max(0, TIMEOUT_TYPES.indexOf(words.toUpperCase()));
}

type PayloadJson = {
  metadata: Record<string, string>;
  data?: string;
  externalPayloads?: { sizeBytes?: string }[];
};

function isPayload(value: { [key: string]: Json }): value is PayloadJson & { [key: string]: Json } {
  const { metadata } = value;
  return (
    typeof metadata === 'object' &&
    metadata !== null &&
    !Array.isArray(metadata) &&
    typeof metadata['encoding'] === 'string'
  );
}

function payload(given: PayloadJson): object {
  const encoding = atob(given.metadata['encoding'] ?? '');
  const reason =
    encoding === 'binary/encrypted' ? 'encrypted' : isReference(given, encoding) ? 'stored elsewhere' : null;
  if (reason !== null) return absent(reason, given);
  const metadata = Object.fromEntries(
    Object.entries(given.metadata).map(([name, value]) => [name, bytes(value)]),
  );
  return { metadata, data: bytes(given.data ?? '') };
}

function isReference({ metadata }: PayloadJson, encoding: string): boolean {
  return (
    encoding === 'json/protobuf' && atob(metadata['messageType'] ?? '').endsWith('.ExternalStorageReference')
  );
}

/** Also a valid outcome, so that a task with an absent result counts as done. */
function absent(why: string, { externalPayloads }: PayloadJson): object {
  const size = externalPayloads?.[0]?.sizeBytes;
  const what = { [ABSENT]: why, ...(size ? { bytes: Number(size) } : {}) };
  const text = JSON.stringify({ ...what, status: 'ok', result: what });
  return {
    metadata: { encoding: new TextEncoder().encode('json/plain') },
    data: new TextEncoder().encode(text),
  };
}

function bytes(base64: string): Uint8Array {
  const text = atob(base64);
  const buffer = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) buffer[i] = text.charCodeAt(i);
  return buffer;
}
