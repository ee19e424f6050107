/** A subscription of Google Cloud Pub/Sub, pulled. Its client is loaded when it is needed. */
import { type protos, type v1 } from '@google-cloud/pubsub';
import type * as Grpc from '@grpc/grpc-js';
import { serviceAccountOf } from '../../../../../activities/framework/credentials/google';
import { toolPackage } from '../../../../../activities/framework/tool/optional-package';
import { CodedError } from '../../../../language/errors';
import { type OpenSource, type Source, type SourceConnection, type SourceMessage } from '../../source';
import { InHand, messageHeaders, sourceAway } from '../arriving';

/** For so long the server waits for what is taken and not settled; it is asked again three times meanwhile. */
const DEADLINE_S = 60;
const CALL_MS = 15_000;
const DEADLINE_EXCEEDED = 4;
/** Messages of the client name the subscription and the reason, never the identity. */
const away = sourceAway('pubsub');

type Received = protos.google.pubsub.v1.IReceivedMessage;

export const pubsubSource: Source = {
  name: 'pubsub',
  shared: true,
  holds: true,
  async open({ spec, credential }, signal) {
    const { subscription, endpoint } = spec;
    if (typeof subscription !== 'string' || !/^projects\/[^/]+\/subscriptions\/[^/]+$/.test(subscription))
      throw new CodedError(
        'PUBSUB_SUBSCRIPTION',
        'pubsub: `subscription` is projects/PROJECT/subscriptions/NAME',
      );
    const { v1 } = await toolPackage('pubsub', '@google-cloud/pubsub', () => import('@google-cloud/pubsub'));
    const grpc = await import('@grpc/grpc-js');
    const client = new v1.SubscriberClient({
      grpc,
      ...(typeof endpoint === 'string' ? emulatorAt(endpoint, grpc) : identityOf(credential, grpc)),
    });
    return new Subscription(client, subscription, signal);
  },
};

type Options = NonNullable<ConstructorParameters<typeof v1.SubscriberClient>[0]>;

function emulatorAt(endpoint: string, { credentials }: typeof Grpc): Partial<Options> {
  const { hostname, port } = new URL(/^https?:/.test(endpoint) ? endpoint : `http://${endpoint}`);
  return { servicePath: hostname, port: Number(port || 443), sslCreds: credentials.createInsecure() };
}

/** A service account, a token, or the identity of the machine. */
function identityOf(
  credential: SourceConnection['credential'],
  {
    credentials: { combineChannelCredentials, createSsl, createFromMetadataGenerator },
    Metadata,
  }: typeof Grpc,
): Partial<Options> {
  const account = serviceAccountOf({ type: '', ...credential });
  if (account) return { credentials: account };
  const token = credential.data['token'] ?? credential.data['access_token'];
  if (typeof token !== 'string') return {};
  const bearer = createFromMetadataGenerator((_about, done) => {
    const metadata = new Metadata();
    metadata.set('authorization', `Bearer ${token}`);
    done(null, metadata);
  });
  return { sslCreds: combineChannelCredentials(createSsl(), bearer) };
}

class Subscription implements OpenSource {
  private readonly inHand: InHand<string>;
  private readonly stopped: Promise<undefined>;

  constructor(
    private readonly client: v1.SubscriberClient,
    private readonly subscription: string,
    signal: AbortSignal,
  ) {
    this.inHand = new InHand((DEADLINE_S * 1000) / 3, (ackIds) => this.extend(ackIds, DEADLINE_S));
    this.stopped = new Promise((resolve) =>
      signal.addEventListener('abort', () => resolve(undefined), { once: true }),
    );
  }

  async take(most: number, waitMs: number): Promise<readonly SourceMessage[]> {
    const request = { subscription: this.subscription, maxMessages: most };
    const pull = this.client.pull(request, { timeout: waitMs, retry: null });
    const answer = await Promise.race([pull, this.stopped]).catch((error: unknown) =>
      (error as { code?: unknown }).code === DEADLINE_EXCEEDED ? undefined : away(error),
    );
    const received = answer?.[0].receivedMessages ?? [];
    const messages = received.map((one) => this.inHand.hold(messageOfTopic(one), one.ackId ?? ''));
    // The time of the subscription may be short: what is taken has at least this.
    await this.extend(
      received.map(({ ackId }) => ackId ?? ''),
      DEADLINE_S,
    );
    return messages;
  }

  async settle(done: readonly SourceMessage[], back: readonly SourceMessage[]): Promise<void> {
    const ackIds = this.inHand.letGo(done);
    await this.extend(this.inHand.letGo(back), 0);
    if (ackIds.length > 0)
      await this.client
        .acknowledge({ subscription: this.subscription, ackIds }, { timeout: CALL_MS })
        .catch(away);
  }

  async close(): Promise<void> {
    this.inHand.close();
    await this.client.close();
  }

  /** @param seconds 0: they are given back */
  private async extend(ackIds: readonly string[], seconds: number): Promise<void> {
    if (ackIds.length === 0) return;
    const request = { subscription: this.subscription, ackIds: [...ackIds], ackDeadlineSeconds: seconds };
    await this.client.modifyAckDeadline(request, { timeout: CALL_MS }).catch(away);
  }
}

function messageOfTopic({ ackId, message, deliveryAttempt }: Received): SourceMessage {
  const { messageId = '', attributes, data, publishTime } = message ?? {};
  const seconds = Number(publishTime?.seconds ?? 0);
  return {
    id: String(messageId),
    bytes: typeof data === 'string' ? Buffer.from(data, 'base64') : (data ?? new Uint8Array()),
    headers: messageHeaders(Object.entries(attributes ?? {})),
    attributes: { ...attributes },
    metadata: {
      messageId: String(messageId),
      publishTime: new Date(seconds * 1000 + Math.floor((publishTime?.nanos ?? 0) / 1e6)).toISOString(),
      deliveryAttempt: deliveryAttempt ?? 0,
      ackId: ackId ?? '',
    },
  };
}
