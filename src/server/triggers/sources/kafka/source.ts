/** A topic of Kafka, by a consumer group. Its client is loaded when it is needed. */
import { promisify } from 'node:util';
import type { Consumer, Message, MessagesStream } from '@platformatic/kafka' with {
  'resolution-mode': 'import',
};
import { field } from '../../../../../activities/framework/tool/fields';
import { toolPackage } from '../../../../../activities/framework/tool/optional-package';
import { CodedError } from '../../../../language/errors';
import { compact } from '../../../../language/plan';
import { type OpenSource, type Source, type SourceConnection, type SourceMessage } from '../../source';
import { Bell, InHand, messageHeaders, sourceAway } from '../arriving';

/** Messages that are fetched ahead; they are not in hand. */
const AHEAD = 100;
const away = sourceAway('kafka');

export const kafkaSource: Source = {
  name: 'kafka',
  shared: true,
  holds: true,
  async open({ spec, credential }, signal) {
    const { Consumer } = await toolPackage(
      'kafka',
      '@platformatic/kafka',
      () => import('@platformatic/kafka'),
    );
    const { topic, group } = spec;
    const brokers = [spec['brokers'] ?? []].flat().flatMap((one) => String(one).split(','));
    const consumer = new Consumer({
      clientId: 'noetl-temporal',
      groupId: String(group),
      bootstrapBrokers: brokers.map((one) => one.trim()),
      autocommit: false,
      retries: 3,
      // A process that is killed has its partitions for so long.
      sessionTimeout: 15_000,
      rebalanceTimeout: 30_000,
      ...securityOf(credential),
    });
    // Of what nobody waits for, as rejoining the group: without a listener it ends the process.
    consumer.on('error', () => undefined);
    try {
      const topics = [String(topic)];
      const options = { topics, mode: 'committed', fallbackMode: 'earliest', highWaterMark: AHEAD } as const;
      return new Topic(consumer, await consumer.consume(options), topics, signal);
    } catch (error) {
      await closed(consumer).catch(() => undefined);
      return away(error);
    }
  },
};

const MECHANISMS = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'] as const;

/** `username`, `password` and `mechanism` of SASL; `tls: true`, or `tls_ca`, `tls_cert` and `tls_key` as PEM. */
function securityOf({ name, data }: SourceConnection['credential']) {
  const text = (...names: string[]): string | undefined => {
    const value = field(data, ...names);
    return value === undefined ? undefined : String(value);
  };
  const username = text('username', 'user', 'sasl_username');
  const mechanismName = text('mechanism', 'sasl_mechanism') ?? 'PLAIN';
  const mechanism = MECHANISMS.find((one) => one === mechanismName.toUpperCase());
  if (!mechanism)
    throw new CodedError(
      'CREDENTIAL_INVALID',
      `credential '${name}' has a mechanism that is none of ${MECHANISMS.join(', ')}`,
    );
  const password = text('password', 'sasl_password') ?? '';
  const tls = compact({ ca: text('tls_ca'), cert: text('tls_cert'), key: text('tls_key') });
  const isTls = Object.keys(tls).length > 0 || data['tls'] === true;
  return {
    ...(username !== undefined && { sasl: { mechanism, username, password } }),
    ...(isTls && { tls, tlsServerName: true }),
  };
}

class Topic implements OpenSource {
  private failed: { readonly error: unknown } | undefined;
  private readonly bell: Bell;
  private readonly inHand = new InHand<Message>();

  constructor(
    private readonly consumer: Consumer,
    private readonly stream: MessagesStream<Buffer, Buffer, Buffer, Buffer>,
    private readonly topics: string[],
    signal: AbortSignal,
  ) {
    this.bell = new Bell(signal);
    const fail = (error: unknown): void => {
      this.failed = { error };
      this.bell.ring();
    };
    stream.on('error', fail);
    consumer.on('error', fail);
    // The stream fetches as long as somebody listens.
    stream.on('readable', this.bell.ring);
  }

  async take(most: number, waitMs: number): Promise<readonly SourceMessage[]> {
    return await this.bell.first(() => this.arrived(most), waitMs);
  }

  private arrived(most: number): SourceMessage[] {
    if (this.failed) away(this.failed.error);
    const all: SourceMessage[] = [];
    while (all.length < most) {
      const message = this.stream.read() as Message | null;
      if (!message) break;
      all.push(this.inHand.hold(messageOfTopic(message), message));
    }
    return all;
  }

  /** Of each partition, up to the first message that is given back. */
  async settle(done: readonly SourceMessage[], back: readonly SourceMessage[]): Promise<void> {
    const first = new Map<number, bigint>();
    for (const { partition, offset } of this.inHand.letGo(back))
      if (offset < (first.get(partition) ?? offset + 1n)) first.set(partition, offset);
    const last = new Map<number, Message>();
    for (const message of this.inHand.letGo(done)) {
      const { partition, offset } = message;
      const isBefore = offset < (first.get(partition) ?? offset + 1n);
      if (isBefore && offset > (last.get(partition)?.offset ?? -1n)) last.set(partition, message);
    }
    await Promise.all([...last.values()].map(committed)).catch(away);
  }

  async lag(): Promise<number> {
    const lags = await this.consumer.getLag({ topics: this.topics });
    return Number([...lags.values()].flat().reduce((sum, one) => sum + (one > 0n ? one : 0n), 0n));
  }

  async close(): Promise<void> {
    await closed(this.consumer);
  }
}

function messageOfTopic({
  topic,
  partition,
  offset,
  key,
  value,
  headers,
  timestamp,
}: Message): SourceMessage {
  return {
    // A topic that is made anew begins to count anew.
    id: `${topic}:${partition}:${offset}@${timestamp}`,
    bytes: value ?? new Uint8Array(),
    headers: messageHeaders([...headers].map(([name, of]) => [name.toString(), of.toString()] as const)),
    attributes: {},
    metadata: { topic, partition, offset: String(offset), key: key?.toString() ?? null },
  };
}

function committed(message: Message): Promise<void> {
  return promisify((done: (error?: Error) => void) => message.commit(done))();
}

/** With or without an answer of the brokers. */
async function closed(consumer: Consumer): Promise<void> {
  await promisify((done: (error?: Error | null) => void) => consumer.close(true, done))();
}
