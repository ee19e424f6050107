/** What each source of messages is configured with: the keys of `spec` that are its own (docs/triggers.md). */
import * as field from '../schema/fields';
import { type SchemaField, shape } from '../schema/shape';

export interface SourceDeclaration {
  /** `push`: messages come to `/ingress/…`. */
  readonly modes: readonly ('pull' | 'push')[];
  /** Keys of `spec` for its connection. */
  readonly fields: Readonly<Record<string, SchemaField>>;
  /** Where messages are taken. */
  readonly required?: readonly string[];
  /** Official documents always say the mode. */
  readonly sayMode?: true;
}

const text = field.anyTextField;
const ENDS = { values: ['completed', 'failed', 'cancelled'] } as const;

export const SOURCES: Readonly<Record<string, SourceDeclaration>> = {
  webhook: { modes: ['push'], fields: {}, sayMode: true },
  nats: {
    modes: ['pull'],
    sayMode: true,
    fields: {
      url: text('The address of the server: `nats://host:4222`.'),
      user: text('A user name, instead of a credential.'),
      password: text('A password, instead of a credential.'),
      token: text('A token, instead of a credential.'),
      stream: text('The stream of JetStream.'),
      consumer: text('Its durable consumer, which exists.'),
    },
    required: ['stream', 'consumer'],
  },
  pubsub: {
    modes: ['pull', 'push'],
    sayMode: true,
    fields: {
      subscription: text('Its full name: `projects/P/subscriptions/S`.'),
      endpoint: text('The address of an emulator.'),
    },
  },
  kafka: {
    modes: ['pull'],
    sayMode: true,
    fields: {
      brokers: field.either(['text', { list: 'text' }], 'Addresses: `host:9092`.'),
      topic: text('The topic.'),
      group: text('The consumer group; a new one begins with the oldest message.'),
    },
    required: ['brokers', 'topic', 'group'],
  },
  postgres: {
    modes: ['pull'],
    fields: {
      table: text('The table, one row a message: `jobs`, `app.jobs`.'),
      columns: field.nestedField(
        () =>
          shape('`columns`', 'error', {
            id: text('The column that tells rows apart; default `id`.'),
            payload: text('The column with the body; default: the whole row.'),
            headers: text('The column with headers, a JSON mapping.'),
          }),
        'Columns with a meaning.',
      ),
      waiting: text("Which rows wait, in SQL: `state = 'new'`; default: all."),
      order: text('The order, in SQL; default: by `id`.'),
      done: text(
        'What is done with the rows in `$1`, in SQL: `UPDATE jobs SET … WHERE id = ANY($1)`; default: they are deleted.',
      ),
      channel: text(
        'The channel of `NOTIFY` that says that there are rows; without it the table is looked at.',
      ),
    },
    required: ['table', 'auth'],
  },
  playbook: {
    modes: ['pull'],
    fields: {
      playbook: text('The path of the playbook whose ends are the messages; `*` is any part of a name.'),
      ends: field.either([ENDS, { list: ENDS }], 'Which ends; default `completed`.'),
    },
    required: ['playbook'],
  },
};
