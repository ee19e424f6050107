/** Kinds that move data to and from stores. */
import { AUTH, type ToolKind } from './tool-kind';

export const STORE_KINDS: Readonly<Record<string, ToolKind>> = {
  gcs: {
    doc: 'Objects of Google Cloud Storage: uploads, downloads, copies, reads, writes, lists and deletes them.',
    closed: true,
    inputs: 'templates',
    fields: {
      source:
        'A file of the worker, a reference, or `gs://bucket/name`; with a slash at its end, what begins so.',
      destination:
        '`gs://bucket/name`, a file of the worker, or `{store: results}`, the store of large results.',
      action:
        '`upload`, `download`, `copy`, `read`, `write`, `list`, `delete`; by source and destination unless written.',
      data: 'What to write to `destination`, instead of a file.',
      encoding: '`base64`: `data` is bytes as base64.',
      content_type: 'The type of the content.',
      metadata: 'Metadata of the object, a mapping.',
      response_type: 'With `read`: `json`, `text` or `binary`; by the content type unless written.',
      max_bytes: 'With `read`: the largest object, 32 MiB unless written.',
      max_results: 'With `list`: the most objects, 1000 unless written.',
      ...AUTH,
      timeout: 'Seconds for the whole.',
      timeout_seconds: 'The same as `timeout`.',
    },
    required: [['source', 'data']],
    exclusive: [
      ['source', 'data'],
      ['auth', 'credential'],
      ['timeout', 'timeout_seconds'],
    ],
    strict: ['source', 'destination', 'auth', 'credential'],
  },
  transfer: {
    doc: 'Copies rows from one store to another, in chunks.',
    closed: true,
    inputs: 'templates',
    fields: {
      source:
        'From: `{kind: http | postgres | duckdb | snowflake, auth, query, …}` with the fields of that kind.',
      target: 'To: `{kind, auth, table, …}` with the fields of that kind.',
      mode: '`append` unless written; `replace` or `upsert`.',
      key: 'The column or columns that tell rows apart in an upsert.',
      mapping:
        'Columns of the target by fields of the source, `{id: user.id}`; all fields by their names unless written.',
      chunk_size: 'Rows at a time, 1000 unless written.',
      timeout: 'Seconds for the whole.',
      timeout_seconds: 'The same as `timeout`.',
    },
    required: [['source'], ['target']],
    exclusive: [['timeout', 'timeout_seconds']],
    strict: ['source', 'target'],
    sides: ['source', 'target'],
  },
  nats: {
    doc: 'Key-value buckets, object stores and streams of NATS.',
    closed: true,
    inputs: 'templates',
    fields: {
      operation:
        '`kv_get`, `kv_put`, `kv_delete`, `kv_purge`, `kv_keys`, `object_get`, `object_put`, `object_info`, `object_list`, ' +
        '`object_delete`, `js_publish`, `js_get_msg`, `js_consume`, `js_stream_create`, `js_stream_info`.',
      bucket: 'The bucket of a key or an object; made by its first put.',
      key: 'The key.',
      value: 'With `kv_put`: the value, text or data.',
      revision: 'With `kv_put`: only if this is the revision of the key.',
      if_absent: 'With `kv_put`: only if the key is not there.',
      ttl: 'Seconds that values live, of a bucket that a put makes.',
      history: 'How many values of a key are kept, of a bucket that a put makes.',
      pattern: 'With `kv_keys`: which keys, `user.*` or `user.>`.',
      name: 'The object.',
      data: 'With `object_put` and `js_publish`: the content, text or data.',
      encoding: '`base64` for bytes, `utf-8` for text that is not to be read as JSON.',
      stream: 'The stream.',
      subject: 'The subject of a message.',
      subjects: 'With `js_stream_create`: what the stream takes.',
      headers: 'With `js_publish`: headers of the message.',
      message_id:
        'With `js_publish`: by what the stream knows a message again; the idempotency key unless written.',
      seq: 'With `js_get_msg`: the number of the message; the last one of `subject` unless written.',
      last: 'With `js_get_msg`: the last one.',
      consumer: 'With `js_consume`: the durable consumer, made where it is missing.',
      batch: 'With `js_consume`: the most messages, 10 unless written.',
      wait: 'With `js_consume`: seconds to wait for them, 1 unless written.',
      ...AUTH,
      timeout: 'Seconds for the whole.',
      timeout_seconds: 'The same as `timeout`.',
    },
    required: [['operation']],
    exclusive: [
      ['auth', 'credential'],
      ['timeout', 'timeout_seconds'],
    ],
    strict: ['bucket', 'key', 'subject', 'stream', 'auth', 'credential'],
    needsCredential: true,
  },
  artifact: {
    doc: 'Puts a value into the store of large results, and fetches one by its reference.',
    closed: true,
    fields: {
      action: '`put` or `get`; `put` where there is `data`, unless written.',
      data: 'With `put`: the value to store, any data.',
      ref: 'With `get`: the reference, `{{ step._ref }}` or what `put` returned.',
      result_ref: 'The same as `ref`.',
      save_to: 'With `get`: the file of the worker into which it goes, of any size.',
      response_type: 'With `get`, of a body: `json`, `text` or `binary`; by its content type unless written.',
      timeout: 'Seconds for the whole.',
      timeout_seconds: 'The same as `timeout`.',
    },
    required: [],
    exclusive: [
      ['data', 'ref', 'result_ref'],
      ['timeout', 'timeout_seconds'],
    ],
  },
};
