/** NATS JetStream: keys, objects, streams. */
import { prefixed } from '../credentials';
import { type KindDeclaration } from '../declaration';
import { AUTH, TIMEOUT } from '../fields';

export const natsKind: KindDeclaration = {
  doc: 'Key-value buckets, object stores and streams of NATS.',
  closed: true,
  inputs: 'templates',
  fields: {
    operation:
      '`kv_get`, `kv_put`, `kv_delete`, `kv_purge`, `kv_keys`, `object_get`, `object_put`, `object_info`, `object_list`, ' +
      '`object_delete`, `js_publish`, `js_get_msg`, `js_consume`, `js_stream_create`, `js_stream_info`.',
    bucket: 'The bucket of a key or an object; created by the first put.',
    key: 'The key.',
    value: 'With `kv_put`: the value, text or data.',
    revision: 'With `kv_put`: write only if this is the revision of the key.',
    if_absent: 'With `kv_put`: write only if the key does not exist.',
    ttl: 'Lifetime of values in seconds, for a bucket that a put creates.',
    history: 'How many values of a key are kept, for a bucket that a put creates.',
    pattern: 'With `kv_keys`: which keys, `user.*` or `user.>`.',
    name: 'The object.',
    data: 'With `object_put` and `js_publish`: the content, text or data.',
    encoding: '`base64` for bytes, `utf-8` for text that should not be parsed as JSON.',
    stream: 'The stream.',
    subject: 'The subject of a message.',
    subjects: 'With `js_stream_create`: the subjects of the stream.',
    headers: 'With `js_publish`: headers of the message.',
    message_id:
      'With `js_publish`: the id by which the stream detects duplicates; default the idempotency key.',
    seq: 'With `js_get_msg`: the number of the message; default the last one of `subject`.',
    last: 'With `js_get_msg`: the last message.',
    consumer: 'With `js_consume`: the durable consumer, created if missing.',
    batch: 'With `js_consume`: the maximum number of messages; default 10.',
    wait: 'With `js_consume`: seconds to wait for them; default 1.',
    ...AUTH,
    ...TIMEOUT,
  },
  required: [['operation']],
  exclusive: [
    ['auth', 'credential'],
    ['timeout', 'timeout_seconds'],
  ],
  strict: ['bucket', 'key', 'subject', 'stream', 'auth', 'credential'],
  needsCredential: true,
  types: {
    operation: {
      words: [
        ...['get', 'put', 'delete', 'purge', 'keys'].map((what) => `kv_${what}`),
        ...['get', 'put', 'info', 'list', 'delete'].map((what) => `object_${what}`),
        ...['publish', 'get_msg', 'consume', 'stream_create', 'stream_info'].map((what) => `js_${what}`),
      ],
    },
  },
  credentials: [
    {
      names: ['nats', 'nats_kv', 'nats_object_store'],
      forms: [[prefixed('nats_', 'url', 'servers', 'server')]],
    },
  ],
  packages: ['@nats-io/transport-node', '@nats-io/jetstream', '@nats-io/kv', '@nats-io/obj'],
  timeout: 30,
  delivery: { killed: "`js_publish`: once within the stream's window of duplicates; others at least once" },
};
