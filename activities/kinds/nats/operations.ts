/** The operations of the `nats` kind, each with the fields it reads. */
import { type KV } from '@nats-io/kv';
import { type ObjectInfo, type ObjectStore } from '@nats-io/obj';
import { type MsgHdrs } from '@nats-io/transport-node';
import { compact, type Json, type JsonObject, type TaskCall } from '../../../src/language/plan';
import { hasCode } from '../../../src/language/errors';
import { type DigitsLost, jsonOr } from '../../../src/language/plan/json-text';
import {
  booleanField,
  field,
  mappingField,
  numberField,
  secondsField,
  textField,
} from '../../framework/tool/fields';
import { invalidInput } from '../../framework/tool/outcome';
import { type Client } from './client';

export type Operation = (call: TaskCall, client: Client, digitsLost?: DigitsLost) => Promise<JsonObject>;

const NS = 1_000_000_000;

export const OPERATIONS: Readonly<Record<string, Operation>> = {
  async kv_get(call, client, digitsLost): Promise<JsonObject> {
    const { bucket, key } = { bucket: need(call, 'bucket'), key: need(call, 'key') };
    const entry = await (await openKv(bucket, client)).get(key);
    // Many playbooks branch on this: a missing key is a result, not a failure.
    if (!entry || entry.operation !== 'PUT') return { status: 'not_found', bucket, key, value: null };
    const { revision, created } = entry;
    return {
      status: 'success',
      bucket,
      key,
      value: decoded(entry.value, call, digitsLost),
      revision,
      created: created.toISOString(),
    };
  },
  async kv_put(call, client) {
    const { bucket, key } = { bucket: need(call, 'bucket'), key: need(call, 'key') };
    const value = encoded(content(call, 'value'), call);
    const kv = await (await client.kv()).create(bucket, bucketOptions(call));
    const expected = field(call.config, 'revision');
    const revision =
      expected !== undefined
        ? await kv.update(key, value, numberField(call, ['revision'], 0))
        : booleanField(call, ['if_absent'], false)
          ? await kv.create(key, value)
          : await kv.put(key, value);
    return { status: 'success', bucket, key, revision };
  },
  async kv_delete(call, client) {
    const { bucket, key } = { bucket: need(call, 'bucket'), key: need(call, 'key') };
    await (await openKv(bucket, client)).delete(key);
    return { status: 'success', bucket, key };
  },
  async kv_purge(call, client) {
    const { bucket, key } = { bucket: need(call, 'bucket'), key: need(call, 'key') };
    await (await openKv(bucket, client)).purge(key);
    return { status: 'success', bucket, key };
  },
  async kv_keys(call, client) {
    const bucket = need(call, 'bucket');
    const keys: string[] = [];
    const filter = textField(call, 'pattern', 'filter');
    for await (const key of await (await openKv(bucket, client)).keys(filter ?? '>')) keys.push(key);
    return { status: 'success', bucket, keys: keys.sort(), count: keys.length };
  },
  async object_put(call, client) {
    const { bucket, name } = { bucket: need(call, 'bucket'), name: need(call, 'name') };
    const data = encoded(content(call, 'data'), call);
    const store = await (await client.objects()).create(bucket, bucketOptions(call));
    return { status: 'success', bucket, ...shown(await store.putBlob({ name }, data)) };
  },
  async object_get(call, client, digitsLost): Promise<JsonObject> {
    const { bucket, name } = { bucket: need(call, 'bucket'), name: need(call, 'name') };
    const data = await (await openObjects(bucket, client)).getBlob(name);
    if (!data) return { status: 'not_found', bucket, name, data: null };
    return { status: 'success', bucket, name, data: decoded(data, call, digitsLost), size: data.length };
  },
  async object_info(call, client): Promise<JsonObject> {
    const { bucket, name } = { bucket: need(call, 'bucket'), name: need(call, 'name') };
    const info = await (await openObjects(bucket, client)).info(name);
    if (!info || info.deleted) return { status: 'not_found', bucket, name };
    return { status: 'success', bucket, ...shown(info) };
  },
  async object_list(call, client) {
    const bucket = need(call, 'bucket');
    const objects = (await (await openObjects(bucket, client)).list()).map(shown);
    return { status: 'success', bucket, objects, count: objects.length };
  },
  async object_delete(call, client) {
    const { bucket, name } = { bucket: need(call, 'bucket'), name: need(call, 'name') };
    const store = await openObjects(bucket, client);
    const info = await store.info(name);
    if (!info || info.deleted) return { status: 'not_found', bucket, name };
    await store.delete(name);
    return { status: 'success', bucket, name };
  },
  async js_publish(call, client) {
    const subject = need(call, 'subject');
    const headers = mappingField(call, 'headers');
    const stream = textField(call, 'stream');
    const ack = await (
      await client.stream()
    ).publish(subject, encoded(content(call, 'data'), call), {
      // The stream detects the second execution of a task as a duplicate, and publishes nothing.
      msgID: textField(call, 'message_id') ?? call.idempotency_key,
      ...(headers && { headers: headersOf(headers, client) }),
      ...(stream !== undefined && { expect: { streamName: stream } }),
    });
    return { status: 'success', stream: ack.stream, seq: ack.seq, duplicate: ack.duplicate };
  },
  async js_get_msg(call, client, digitsLost): Promise<JsonObject> {
    const stream = need(call, 'stream');
    const query = messageQuery(call);
    const message = await (await client.manager()).streams.getMessage(stream, query);
    if (!message) return { status: 'not_found', stream, data: null };
    return {
      status: 'success',
      stream,
      subject: message.subject,
      seq: message.seq,
      data: decoded(message.data, call, digitsLost),
      time: message.time?.toISOString() ?? null,
      headers: headersShown(message.header),
    };
  },
  async js_consume(call, client, digitsLost) {
    const { stream, consumer } = { stream: need(call, 'stream'), consumer: need(call, 'consumer') };
    const filter = textField(call, 'subject');
    const config = {
      durable_name: consumer,
      ack_policy: 'explicit' as const,
      ...compact({ filter_subject: filter }),
    };
    await (await client.manager()).consumers.add(stream, config);
    const batch = Math.max(1, Math.floor(numberField(call, ['batch'], 10)));
    const expires = Math.max(1000, secondsField(call, ['wait'], 1) * 1000);
    const consumerHandle = await (await client.stream()).consumers.get(stream, consumer);
    const messages: JsonObject[] = [];
    for await (const message of await consumerHandle.fetch({ max_messages: batch, expires })) {
      const { subject, seq, redelivered } = message;
      const headers = headersShown(message.headers);
      messages.push({ subject, seq, data: decoded(message.data, call, digitsLost), headers, redelivered });
      await message.ackAck();
    }
    return { status: 'success', stream, consumer, messages, count: messages.length };
  },
  async js_stream_create(call, client) {
    const stream = need(call, 'stream');
    const subjects = field(call.config, 'subjects', 'subject');
    const list = subjects === undefined ? [`${stream}.>`] : Array.isArray(subjects) ? subjects : [subjects];
    const info = await (
      await client.manager()
    ).streams.add({
      name: stream,
      subjects: list as string[],
    });
    return { status: 'success', stream, config: plain(info.config), state: plain(info.state) };
  },
  async js_stream_info(call, client) {
    const stream = need(call, 'stream');
    const info = await (await client.manager()).streams.info(stream);
    return { status: 'success', stream, config: plain(info.config), state: plain(info.state) };
  },
};

async function openKv(bucket: string, client: Client): Promise<KV> {
  return (await client.kv()).open(bucket);
}

async function openObjects(bucket: string, client: Client): Promise<ObjectStore> {
  return (await client.objects()).open(bucket);
}

/** @throws ToolError `MISSING_FIELD` */
function need(call: TaskCall, name: string): string {
  const value = textField(call, name);
  if (value !== undefined && value !== '') return value;
  throw invalidInput(`nats: ${String(call.config['operation'])} needs \`${name}\``, 'MISSING_FIELD', {
    field: name,
  });
}

function content(call: TaskCall, name: 'value' | 'data'): Json {
  const value = field(call.config, name, name === 'value' ? 'data' : 'value');
  if (value !== undefined) return value;
  throw invalidInput(`nats: ${String(call.config['operation'])} needs \`${name}\``, 'MISSING_FIELD', {
    field: name,
  });
}

/** Settings for a bucket created by its first put: lifetime in seconds, and how many values of a key are kept. */
function bucketOptions(call: TaskCall): JsonObject {
  const ttl = secondsField(call, ['ttl'], 0);
  const history = numberField(call, ['history'], 0);
  const isKv = String(call.config['operation']).startsWith('kv');
  return { ...(ttl > 0 && { ttl: isKv ? ttl * 1000 : ttl * NS }), ...(history > 0 && { history }) };
}

/** A string verbatim, everything else as JSON; with `encoding: base64` the string is bytes. */
function encoded(value: Json, call: TaskCall): Uint8Array {
  const isBase64 = textField(call, 'encoding') === 'base64';
  if (!isBase64) return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
  if (typeof value === 'string' && /^[A-Za-z0-9+/\s]*={0,2}$/.test(value))
    return Buffer.from(value, 'base64');
  throw invalidInput('nats: with encoding base64 the value must be base64', 'INVALID_DATA');
}

/** JSON if it parses, otherwise text; bytes that are not text, and everything with `encoding: base64`, as base64. */
function decoded(bytes: Uint8Array, call: TaskCall, digitsLost: DigitsLost | undefined): Json {
  const encoding = textField(call, 'encoding');
  if (encoding === 'base64') return Buffer.from(bytes).toString('base64');
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return Buffer.from(bytes).toString('base64');
  }
  if (encoding !== undefined) return text;
  try {
    return jsonOr(text, text, digitsLost);
  } catch (error) {
    if (hasCode(error, 'NUMBER_TOO_LARGE')) throw invalidInput(`nats: ${error.message}`, error.code);
    throw error;
  }
}

function messageQuery(call: TaskCall): { seq: number } | { last_by_subj: string } {
  const seq = field(call.config, 'seq');
  if (seq !== undefined) return { seq: numberField(call, ['seq'], 0) };
  return { last_by_subj: textField(call, 'subject') ?? '>' };
}

function headersOf(given: JsonObject, client: Client): MsgHdrs {
  const headers = client.newHeaders();
  for (const [name, value] of Object.entries(given)) {
    headers.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  return headers;
}

function headersShown(headers: MsgHdrs | undefined): JsonObject {
  return Object.fromEntries((headers?.keys() ?? []).map((name) => [name, headers!.get(name)]));
}

function shown({ name, size, chunks, digest, mtime }: ObjectInfo): JsonObject {
  return { name, size, chunks, digest, mtime };
}

function plain(value: unknown): JsonObject {
  return JSON.parse(JSON.stringify(value));
}
