/** A stream of JetStream, by its durable pull consumer, which exists. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Consumer, type JsMsg } from '@nats-io/jetstream';
import { type NatsConnection } from '@nats-io/transport-node';
import { natsFailure } from '../../../../../activities/kinds/nats/client';
import { optionsOf } from '../../../../../activities/kinds/nats/login';
import { toolPackage } from '../../../../../activities/framework/tool/optional-package';
import { CodedError } from '../../../../language/errors';
import { compact, type JsonObject } from '../../../../language/plan';
import { type OpenSource, type Source, type SourceMessage } from '../../source';
import { Bell, InHand, messageHeaders } from '../arriving';

const CONNECT_MS = 10_000;
/** The least that the client accepts: so long `close` waits. */
const FETCH_MS = 1_000;
/** What has been asked for arrives together. */
const TOGETHER_MS = 5;
const NANOS = 1_000_000;

export const natsSource: Source = {
  name: 'nats',
  shared: true,
  holds: true,
  async open({ spec, credential }, signal) {
    let connection: NatsConnection | undefined;
    try {
      const transport = await toolPackage(
        'nats',
        '@nats-io/transport-node',
        () => import('@nats-io/transport-node'),
      );
      const { jetstream } = await toolPackage(
        'nats',
        '@nats-io/jetstream',
        () => import('@nats-io/jetstream'),
      );
      const {
        url,
        user,
        password,
        token,
        stream,
        consumer: name,
      } = spec as Record<string, string | undefined>;
      const login = compact({ nats_url: url, nats_user: user, nats_password: password, nats_token: token });
      const data = { ...credential.data, ...login } as JsonObject;
      connection = await transport.connect(
        await optionsOf({ type: 'nats', ...credential, data }, CONNECT_MS, transport),
      );
      const consumer = await jetstream(connection).consumers.get(stream!, name!);
      const { config } = await consumer.info(true);
      if (config.ack_policy !== 'explicit')
        throw new CodedError(
          'NATS_CONSUMER',
          `nats: the consumer ${name} of ${stream} has ack_policy ${config.ack_policy}, with which messages are lost: it must be explicit`,
        );
      return new Pull(connection, consumer, (config.ack_wait ?? 30_000 * NANOS) / NANOS, signal);
    } catch (error) {
      await connection?.close().catch(() => undefined);
      throw natsFailure(error);
    }
  },
};

class Pull implements OpenSource {
  private arrived: SourceMessage[] = [];
  private readonly inHand: InHand<JsMsg>;
  private readonly bell: Bell;
  private fetching: Promise<void> | undefined;
  private failed: { readonly error: unknown } | undefined;

  constructor(
    private readonly connection: NatsConnection,
    private readonly consumer: Consumer,
    ackWaitMs: number,
    signal: AbortSignal,
  ) {
    this.bell = new Bell(signal);
    this.inHand = new InHand(ackWaitMs / 3, (messages) => messages.forEach((message) => message.working()));
  }

  async take(most: number, waitMs: number): Promise<readonly SourceMessage[]> {
    const waiting = await this.bell.first(() => this.waiting(most), waitMs);
    if (waiting.length > 0 && waiting.length < most) await sleep(TOGETHER_MS);
    return this.arrived.splice(0, most);
  }

  private waiting(most: number): readonly SourceMessage[] {
    if (this.failed) throw natsFailure(this.failed.error);
    if (this.arrived.length === 0) this.fetching ??= this.fetch(most);
    return this.arrived;
  }

  async settle(done: readonly SourceMessage[], back: readonly SourceMessage[]): Promise<void> {
    for (const message of this.inHand.letGo(back)) message.nak();
    const confirmed = await Promise.all(this.inHand.letGo(done).map((message) => message.ackAck()));
    if (confirmed.includes(false))
      throw new CodedError('NATS_UNREACHABLE', 'nats: the server did not confirm an acknowledgement');
  }

  async lag(): Promise<number> {
    const { num_pending, num_ack_pending } = await this.consumer.info();
    return num_pending + num_ack_pending;
  }

  async close(): Promise<void> {
    // What the server sends to nobody would have to wait for its time to pass.
    if (!this.connection.isClosed()) await this.fetching;
    this.inHand.close();
    await this.settle([], this.arrived.splice(0));
    await this.connection.close();
  }

  /** One at a time, so that no more than `most` are on their way. */
  private async fetch(most: number): Promise<void> {
    try {
      for await (const message of await this.consumer.fetch({ max_messages: most, expires: FETCH_MS })) {
        this.arrived.push(this.inHand.hold(messageOfStream(message), message));
        this.bell.ring();
      }
    } catch (error) {
      this.failed = { error };
    } finally {
      this.fetching = undefined;
      this.bell.ring();
    }
  }
}

function messageOfStream({ info, subject, data, headers }: JsMsg): SourceMessage {
  const { streamSequence, deliverySequence, deliveryCount, pending, stream, timestampNanos } = info;
  return {
    // A stream that is made anew begins to count anew.
    id: `${stream}:${streamSequence}@${timestampNanos}`,
    bytes: data,
    headers: messageHeaders((headers?.keys() ?? []).map((name) => [name, headers!.values(name)] as const)),
    attributes: {},
    metadata: {
      subject,
      stream_seq: streamSequence,
      consumer_seq: deliverySequence,
      delivered: deliveryCount,
      pending,
    },
  };
}
