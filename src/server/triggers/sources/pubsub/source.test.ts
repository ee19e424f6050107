/** The source against Google's own fake of Pub/Sub, nightly. */
import { PubSub } from '@google-cloud/pubsub';
import { startPubSub } from '../../../../../test/support/pubsub';
import { takenMessages } from '../../../../../test/support/taken-messages';
import { type JsonObject } from '../../../../language/plan';
import { type OpenSource } from '../../source';
import { pubsubSource } from './source';

describe('Pub/Sub', () => {
  let server: Awaited<ReturnType<typeof startPubSub>>;
  let endpoint: string;
  let client: PubSub;
  let count = 0;
  const opened: OpenSource[] = [];
  beforeAll(async () => {
    server = await startPubSub();
    ({ endpoint } = server);
    client = new PubSub({ projectId: 'p', apiEndpoint: endpoint, emulatorMode: true });
  }, 300_000);
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((one) => one.close()));
  });
  afterAll(async () => {
    await client?.close();
    await server?.stop();
  });

  const stop = new AbortController();
  async function open(subscription: string, signal = stop.signal): Promise<OpenSource> {
    const none = { databaseUrl: '', resultOf: () => Promise.resolve(undefined) };
    const spec: JsonObject = { subscription, endpoint };
    const credential = { name: '', data: {} };
    const source = await pubsubSource.open({ id: '1', path: 'x', spec, credential, ...none }, signal);
    opened.push(source);
    return source;
  }

  async function queue(options = {}) {
    count += 1;
    const [topic] = await client.createTopic(`t${count}`);
    await topic.createSubscription(`s${count}`, options);
    const send = (...texts: string[]) =>
      Promise.all(
        texts.map((text) => topic.publishMessage({ data: Buffer.from(text), attributes: { Kind: 'scan' } })),
      );
    return { send, subscription: `projects/p/subscriptions/s${count}` };
  }

  test('a message has the official envelope, and is never delivered again once it is acknowledged', async () => {
    const { send, subscription } = await queue();
    const [id] = await send('{"n": 1}');
    const source = await open(subscription);
    const [one] = await takenMessages(source, 1);
    expect(one).toMatchObject({
      id,
      headers: { kind: 'scan' },
      attributes: { Kind: 'scan' },
      metadata: { messageId: id, ackId: expect.any(String), publishTime: expect.stringMatching(/^20\d\d-/) },
    });
    expect(new TextDecoder().decode(one!.bytes)).toBe('{"n": 1}');
    await source.settle([one!], []);
    expect(await source.take(10, 300)).toEqual([]);
  });

  test('what is given back comes again, under the same id, and no more is taken than may be', async () => {
    const { send, subscription } = await queue();
    await send(...'abcdefgh');
    const source = await open(subscription);
    const some = await source.take(3, 5000);
    expect(some.length).toBeLessThanOrEqual(3);
    await source.settle([], some);
    const all = await takenMessages(source, 8);
    expect(new Set(all.map(({ id }) => id)).size).toBe(8);
    expect(all.map(({ id }) => id)).toEqual(expect.arrayContaining(some.map(({ id }) => id)));
    await source.settle(all, []);
    expect(await source.take(10, 300)).toEqual([]);
  });

  test('what is in hand for longer than the subscription waits is nobody else’s', async () => {
    const { send, subscription } = await queue({ ackDeadlineSeconds: 10 });
    await send('x');
    const [source, other] = [await open(subscription), await open(subscription)];
    const [one] = await takenMessages(source, 1);
    expect(await other.take(1, 13_000)).toEqual([]);
    await source.settle([one!], []);
  });

  test('a wait for messages ends when the source is to be closed', async () => {
    const { subscription } = await queue();
    const leaving = new AbortController();
    const source = await open(subscription, leaving.signal);
    const pull = source.take(1, 20_000);
    leaving.abort();
    expect(await pull).toEqual([]);
  });

  test('a subscription that does not exist is told by its name; one of another form is refused', async () => {
    const source = await open('projects/p/subscriptions/none');
    await expect(source.take(1, 5000)).rejects.toThrow(/^pubsub: .*NOT_FOUND/);
    await expect(open('none')).rejects.toThrow(/`subscription` is projects\/PROJECT\/subscriptions\/NAME/);
  });
});
