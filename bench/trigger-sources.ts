/** Sources of messages for `bench triggers`: each is filled, and harmed in its own way while its messages are taken. */
import net from 'node:net';
import { AckPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { type Pool } from 'pg';
import { startKafka } from '../test/support/kafka';
import { startNats } from '../test/support/nats';
import { startPubSub } from '../test/support/pubsub';
import { post } from './processes';

export interface FilledSource {
  /** Of `spec`. */
  readonly spec: string;
  fill(count: number): Promise<void>;
  /** Its server is killed and comes back, or connections to it are cut. */
  harm(): Promise<void>;
  stop(): Promise<void>;
}

export interface SourceWorld {
  readonly url: string;
  readonly pool: Pool;
  /** Kills the process of the projection, and starts another. */
  readonly killProjection: () => void;
}

export const FILLED: Readonly<Record<string, (world: SourceWorld) => Promise<FilledSource>>> = {
  async postgres({ pool }) {
    await pool.query('CREATE TABLE jobs (id bigserial PRIMARY KEY, n int)');
    return {
      spec: 'source: postgres, auth: pg, table: jobs, channel: jobs',
      fill: async (count) =>
        void (await pool.query('INSERT INTO jobs (n) SELECT i FROM generate_series(1, $1) i', [count])),
      harm: async () =>
        void (await pool.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'noetl-temporal triggers'`,
        )),
      stop: () => Promise.resolve(),
    };
  },
  playbook: ({ url, killProjection }) =>
    Promise.resolve({
      spec: 'source: playbook, playbook: bench/feed',
      fill: (count) => manyAtOnce(count, () => post(url, '/api/execute', { path: 'bench/feed' })),
      harm: () => Promise.resolve(killProjection()),
      stop: () => Promise.resolve(),
    }),
  async nats() {
    const nats = await startNats();
    const connection = await connect({ servers: nats.url, maxReconnectAttempts: -1, reconnectTimeWait: 50 });
    const manager = await jetstreamManager(connection);
    await manager.streams.add({ name: 'SCANS', subjects: ['scans.>'] });
    const consumer = { durable_name: 'bench', ack_policy: AckPolicy.Explicit, ack_wait: 5_000_000_000 };
    await manager.consumers.add('SCANS', consumer);
    const js = jetstream(connection);
    return {
      spec: `source: nats, mode: pull, url: "${nats.url}", stream: SCANS, consumer: bench`,
      fill: (count) => manyAtOnce(count, (n) => js.publish('scans.eu', JSON.stringify({ n }))),
      async harm() {
        await nats.kill();
        await nats.startAgain();
      },
      async stop() {
        await connection.close();
        await nats.stop();
      },
    };
  },
  async kafka() {
    const broker = await startKafka();
    const { Admin, Producer } = await import('@platformatic/kafka');
    const options = { clientId: 'bench', bootstrapBrokers: [broker.address] };
    const admin = new Admin(options);
    await admin.createTopics({ topics: ['scans'], partitions: 4, replicas: 1 });
    await admin.close();
    return {
      spec: `source: kafka, mode: pull, brokers: "${broker.address}", topic: scans, group: bench`,
      async fill(count) {
        const producer = new Producer(options);
        const messages = Array.from({ length: count }, (_, n) => ({
          topic: 'scans',
          partition: n % 4,
          value: Buffer.from(JSON.stringify({ n })),
        }));
        for (let n = 0; n < count; n += 1000)
          await producer.send({ messages: messages.slice(n, n + 1000), acks: -1 });
        await producer.close();
      },
      async harm() {
        await broker.kill();
        await broker.startAgain();
      },
      stop: () => broker.stop(),
    };
  },
  async pubsub() {
    const fake = await startPubSub();
    const { PubSub } = await import('@google-cloud/pubsub');
    const client = new PubSub({ projectId: 'p', apiEndpoint: fake.endpoint, emulatorMode: true });
    const [topic] = await client.createTopic('scans');
    await topic.createSubscription('bench', { ackDeadlineSeconds: 10 });
    const between = await cuttable(Number(fake.endpoint.split(':')[1]));
    return {
      spec: `source: pubsub, mode: pull, subscription: projects/p/subscriptions/bench, endpoint: "127.0.0.1:${between.port}"`,
      fill: (count) => manyAtOnce(count, (n) => topic.publishMessage({ json: { n } })),
      harm: () => Promise.resolve(between.cut()),
      async stop() {
        await client.close();
        between.stop();
        await fake.stop();
      },
    };
  },
};

/** Connections to a port of this machine that can be cut. */
async function cuttable(port: number): Promise<{ port: number; cut(): void; stop(): void }> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((near) => {
    const far = net.connect(port, '127.0.0.1');
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => undefined).on('close', () => (sockets.delete(one), other.destroy()));
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = (): void => sockets.forEach((socket) => socket.destroy());
  return {
    port: (server.address() as net.AddressInfo).port,
    cut,
    stop: () => (cut(), void server.close()),
  };
}

const AT_ONCE = 16;

async function manyAtOnce(count: number, act: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) await act(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}
