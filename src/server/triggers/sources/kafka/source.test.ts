/** The source against a real broker, nightly. */
import type * as Kafka from '@platformatic/kafka' with { 'resolution-mode': 'import' };
import { startKafka, type TestKafka } from '../../../../../test/support/kafka';
import { until } from '../../../../../test/support/until';
import { takenMessages } from '../../../../../test/support/taken-messages';
import { type JsonObject } from '../../../../language/plan';
import { type OpenSource, type SourceMessage } from '../../source';
import { kafkaSource } from './source';

describe('Kafka', () => {
  let broker: TestKafka;
  let address: string;
  let kafka: typeof Kafka;
  let admin: Kafka.Admin;
  let producer: Kafka.Producer;
  let count = 0;
  const opened: OpenSource[] = [];

  beforeAll(async () => {
    broker = await startKafka();
    ({ address } = broker);
    kafka = await import('@platformatic/kafka');
    const options = { clientId: 'test', bootstrapBrokers: [address] };
    admin = new kafka.Admin(options);
    producer = new kafka.Producer(options);
  }, 300_000);
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((one) => one.close()));
  });
  afterAll(async () => {
    await Promise.resolve(producer?.close(true));
    await admin?.close();
    await broker?.stop();
  });

  const stop = new AbortController();
  async function open(spec: JsonObject, data: JsonObject = {}): Promise<OpenSource> {
    const none = { databaseUrl: '', resultOf: () => Promise.resolve(undefined) };
    const credential = { name: 'bus', data };
    const source = await kafkaSource.open({ id: '1', path: 'x', spec, credential, ...none }, stop.signal);
    opened.push(source);
    return source;
  }

  async function queue(partitions = 1) {
    count += 1;
    const topic = `t${count}`;
    await admin.createTopics({ topics: [topic], partitions, replicas: 1 });
    const send = async (...texts: string[]) =>
      await producer.send({
        messages: texts.map((text) => ({
          topic,
          key: Buffer.from('k'),
          value: Buffer.from(text),
          headers: new Map([[Buffer.from('X-Tag'), Buffer.from('a')]]),
        })),
        compression: 'gzip',
      });
    return { topic, send, spec: { brokers: address, topic, group: `g${count}` } };
  }

  const texts = (deliveries: readonly SourceMessage[]): string[] =>
    deliveries.map(({ bytes }) => new TextDecoder().decode(bytes));

  test('a new group begins with the oldest message; what is acknowledged is never delivered again', async () => {
    const { topic, send, spec } = await queue();
    await send('a', 'b');
    const source = await open(spec);
    const [one, two] = await takenMessages(source, 2);
    expect(one).toMatchObject({
      id: expect.stringMatching(new RegExp(`^${topic}:0:0@\\d{13}$`)),
      headers: { 'x-tag': 'a' },
      metadata: { topic, partition: 0, offset: '0', key: 'k' },
    });
    expect(texts([one!, two!])).toEqual(['a', 'b']);
    await source.settle([two!, one!], []);
    await send('c');
    await source.close();
    const next = await open(spec);
    const again = await takenMessages(next, 1);
    expect(texts(again)).toEqual(['c']);
    expect(await next.lag!()).toBe(1);
    await next.settle(again, []);
    expect(await next.lag!()).toBe(0);
  });

  test('what is given back, and what follows it, comes again under the same id', async () => {
    const { send, spec } = await queue();
    await send('a', 'b', 'c');
    const source = await open(spec);
    const [a, b, c] = await takenMessages(source, 3);
    await source.settle([a!, c!], [b!]);
    await source.close();
    const again = await takenMessages(await open(spec), 2);
    expect(again.map(({ id }) => id)).toEqual([b!.id, c!.id]);
  });

  test('two that are open share the partitions', async () => {
    const { topic, spec } = await queue(2);
    const [source, other] = [await open(spec), await open(spec)];
    const messages = [0, 1].flatMap((partition) =>
      ['x', 'y'].map((text) => ({ topic, partition, value: Buffer.from(`${text}${partition}`) })),
    );
    await producer.send({ messages });
    const seen: string[] = [];
    await until(async () => {
      for (const one of [source, other])
        for (const message of await one.take(1, 500)) {
          seen.push(...texts([message]));
          await one.settle([message], []);
        }
      return new Set(seen).size === 4;
    });
  });

  test('a broker that is killed is an error, and what was not acknowledged comes again', async () => {
    const { send, spec } = await queue();
    await send('a');
    const source = await open(spec);
    const [one] = await takenMessages(source, 1);
    await broker.kill();
    await expect(source.settle([one!], [])).rejects.toThrow(/^kafka: /);
    await source.close().catch(() => undefined);
    opened.length = 0;
    await broker.startAgain();
    const next = await until(() => open(spec).catch(() => undefined), 60_000);
    expect((await takenMessages(next, 1))[0]!.id).toBe(one!.id);
  });

  test('by TLS and a login, with each mechanism; a wrong password and a certificate of somebody else are refused', async () => {
    const { send, spec } = await queue();
    await send('a');
    const login = { username: 'ada', password: 'secret', tls_ca: broker.ca };
    const secured = { ...spec, brokers: broker.secured };
    for (const mechanism of ['PLAIN', 'SCRAM-SHA-256', 'scram-sha-512']) {
      const source = await open({ ...secured, group: mechanism }, { ...login, mechanism });
      const [one] = await takenMessages(source, 1);
      await source.settle([one!], []);
    }
    const wrongs: JsonObject[] = [{ password: 'canary' }, { tls_ca: '', tls: true }, { mechanism: 'GSSAPI' }];
    for (const wrong of wrongs) {
      const refusal = await open(secured, { ...login, ...wrong }).catch(String);
      expect(refusal).toMatch(/^(KAFKA|Coded|Error|CREDENTIAL)/);
      expect(refusal).not.toContain('canary');
    }
  });

  test('a broker that is not there is told', async () => {
    await expect(open({ brokers: '127.0.0.1:1', topic: 't', group: 'g' })).rejects.toThrow(/^kafka: /);
  });
});
