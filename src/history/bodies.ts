/** Replaces bodies above the limit in events with references. */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { type EngineEvent } from '../engine/machine';
import { isMapping, type Json, type JsonObject, jsonSize } from '../language/plan';
import { type ValueReference, valueReferenceOf, schemaHint } from '../storage/payloads';

type EventPayload = EngineEvent['payload'];

/** Fields that identify an event and are never bodies; their size is limited elsewhere. */
const ALWAYS_INLINE: ReadonlySet<string> = new Set(['error', 'reason', 'code', 'meta']);

/**
 * Replaces each body in the payload above `limit` bytes with a reference: to the store if the value is a stored result,
 * otherwise into history (`store: history`, the event's id, and the path in it), where the same derivation with
 * `bodies: true` finds it. Bodies are the payload's fields, and the members of fields that are mappings.
 */
export function withoutLargeBodies(payload: EventPayload, limit: number, eventId: string): EventPayload {
  const large = Object.keys(payload).filter((name) => isBody(name) && isAbove(payload[name], limit));
  if (large.length === 0) return payload;
  const bounded: Record<string, Json | undefined> = { ...payload };
  for (const name of large) bounded[name] = boundedField(name, payload[name]!, limit, eventId);
  return bounded;
}

function boundedField(name: string, value: Json, limit: number, eventId: string): Json {
  const pointer = pointerTo('/payload', name);
  const existing = valueReferenceOf(value);
  if (existing || !isMapping(value))
    return (existing ?? intoHistory(value, eventId, pointer)) as unknown as Json;
  const bounded = Object.fromEntries(
    Object.entries(value as JsonObject).map(([member, one]) => {
      if (!isBody(member) || !isAbove(one, limit)) return [member, one];
      const reference = storedResult(value, member) ?? intoHistory(one, eventId, pointerTo(pointer, member));
      return [member, reference as unknown as Json];
    }),
  );
  // Many small members, none of which exceeds the limit. An outcome keeps its status and metadata.
  if (name !== 'outcome' && isAbove(bounded, limit)) {
    return intoHistory(value as Json, eventId, pointer) as unknown as Json;
  }
  return bounded;
}

/** A value of the state at an event, or above `limit` bytes a reference: into history unless it was stored. */
export function boundedValue(name: string, value: Json, limit: number, eventId: string): Json {
  if (!isAbove(value, limit)) return value;
  return (valueReferenceOf(value) ?? intoHistory(value, eventId, pointerTo('/ctx', name))) as unknown as Json;
}

/** Variables, those above the limit as references. */
export function boundedValues(variables: JsonObject, limit: number, eventId: string): JsonObject {
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [name, boundedValue(name, value, limit, eventId)]),
  );
}

/** A stored outcome contains its own reference. */
function storedResult(holder: Record<string, unknown>, member: string): unknown {
  const { meta } = holder;
  if (member === 'result' && isMapping(meta) && isMapping(meta['ref'])) return meta['ref'];
  return valueReferenceOf(holder[member]);
}

function isBody(name: string): boolean {
  return !ALWAYS_INLINE.has(name);
}

function pointerTo(parent: string, name: string): string {
  return `${parent}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function intoHistory(value: Json, key: string, range: string): ValueReference {
  const bytes = utf8ToBytes(JSON.stringify(value));
  const checksum = `sha256:${bytesToHex(sha256(bytes))}`;
  return {
    store: 'history',
    key,
    range,
    size: bytes.length,
    checksum,
    schema_hint: schemaHint(value),
  };
}

/** Whether the value is longer than `limit` as JSON. */
function isAbove(value: Json | undefined, limit: number): boolean {
  return jsonSize(value) > limit;
}
