/** The source against a real nats-server. */
import { AckPolicy, jetstream, jetstreamManager, type JetStreamManager } from '@nats-io/jetstream';
import { connect, headers, type NatsConnection } from '@nats-io/transport-node';
import { startNats, type TestNats } from '../../../../../test/support/nats';
import { until } from '../../../../../test/support/until';
import { type JsonObject } from '../../../../language/plan';
import { type OpenSource, type SourceMessage } from '../../source';
import { Taker } from '../../taker';
import { natsSource } from './source';

let nats: TestNats;
let connection: NatsConnection;
let manager: JetStreamManager;
let streams = 0;
const opened: OpenSource[] = [];
beforeAll(async () => {
  nats = await startNats();
  connection = await connect({ servers: nats.url, maxReconnectAttempts: -1, reconnectTimeWait: 50 });
  manager = await jetstreamManager(connection);
}, 200_000);
afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()));
});
afterAll(async () => {
  await connection?.close();
  await nats?.stop();
});

const stop = new AbortController();
const none = { databaseUrl: '', resultOf: () => Promise.resolve(undefined) };
const open = async (spec: JsonObject, data: JsonObject = {}, signal = stop.signal): Promise<OpenSource> => {
  const credential = { name: 'bus', data };
  const source = await natsSource.open({ id: '1', path: 'subs/x', spec, credential, ...none }, signal);
  opened.push(source);
  return source;
};

async function queue(consumer: object = {}) {
  streams += 1;
  const stream = `S${streams}`;
  await manager.streams.add({ name: stream, subjects: [`${stream}.>`] });
  await manager.consumers.add(stream, { durable_name: 'c', ack_policy: AckPolicy.Explicit, ...consumer });
  const js = jetstream(connection);
  const send = (...texts: string[]) => Promise.all(texts.map((text) => js.publish(`${stream}.a`, text)));
  return { stream, send, js, spec: { url: nats.url, stream, consumer: 'c' } };
}

const texts = (deliveries: readonly SourceMessage[]): string[] =>
  deliveries.map(({ bytes }) => new TextDecoder().decode(bytes));

test('a message has the official envelope, and is never delivered again once it is acknowledged', async () => {
  const { js, stream, spec } = await queue();
  const head = headers();
  head.append('X-Tag', 'a');
  head.append('x-tag', 'b');
  head.set('Kind', 'scan');
  await js.publish(`${stream}.eu`, '{"n": 1}', { headers: head });
  const source = await open(spec);
  const [one] = await source.take(10, 5000);
  expect(one).toMatchObject({
    id: expect.stringMatching(new RegExp(`^${stream}:1@\\d{19}$`)),
    headers: { 'x-tag': ['a', 'b'], kind: 'scan' },
    attributes: {},
    metadata: { subject: `${stream}.eu`, stream_seq: 1, consumer_seq: 1, delivered: 1, pending: 0 },
  });
  expect(texts([one!])).toEqual(['{"n": 1}']);
  expect(await source.lag!()).toBe(1);
  await source.settle([one!], []);
  expect([await source.lag!(), await source.take(10, 100)]).toEqual([0, []]);
});

test('no more is taken than may be, and all of it is taken in the end, in order', async () => {
  const { send, spec, stream } = await queue();
  const all = Array.from({ length: 25 }, (_, index) => String(index));
  await send(...all);
  const source = await open(spec);
  const seen: string[] = [];
  while (seen.length < all.length) {
    const some = await source.take(4, 2000);
    expect(some.length).toBeLessThanOrEqual(4);
    expect((await manager.consumers.info(stream, 'c')).num_ack_pending).toBeLessThanOrEqual(4);
    seen.push(...texts(some));
    await source.settle(some, []);
  }
  expect(seen).toEqual(all);
});

test('what is given back comes again, under the same id; so does what a killed connection had', async () => {
  const { send, spec } = await queue({ ack_wait: 1_000_000_000 });
  await send('x');
  const source = await open(spec);
  const [first] = await source.take(1, 5000);
  await source.settle([], [first!]);
  const [second] = await source.take(1, 5000);
  expect([second!.id, second!.metadata['delivered']]).toEqual([first!.id, 2]);
  await source.close();
  const next = await open(spec);
  const again = await until(async () => (await next.take(1, 1000))[0]);
  expect(again.id).toBe(first!.id);
  await next.settle([again], []);
});

test('what is in hand for longer than the server waits is nobody else’s', async () => {
  const { send, spec } = await queue({ ack_wait: 1_000_000_000 });
  await send('x');
  const [source, other] = [await open(spec), await open(spec)];
  const [one] = await source.take(1, 5000);
  const stolen = [];
  for (let round = 0; round < 4; round += 1) stolen.push(...(await other.take(1, 1000)));
  expect(stolen).toEqual([]);
  await source.settle([one!], []);
});

test('while something is away, what is in hand is held: no delivery is used up', async () => {
  const { send, spec, stream } = await queue({ ack_wait: 1_000_000_000, max_deliver: 2 });
  await send('x', 'y');
  const stopTaker = new AbortController();
  const { signal } = stopTaker;
  let attempts = 0;
  const dispatch = (): Promise<void> => {
    attempts += 1;
    return attempts < 4 ? Promise.reject(new Error('Temporal is away')) : Promise.resolve();
  };
  const troubles: (string | undefined)[] = [];
  const taker = new Taker({
    trigger: { id: '1', plan: { batch: 10, waitMs: 500, limits: {}, dispatch: { atOnce: 1 } } } as never,
    open: () => open(spec, {}, signal),
    dispatcher: { dispatch } as never,
    holds: natsSource.holds === true,
    trouble: (why) => Promise.resolve(void troubles.push(why)),
    lag: () => Promise.resolve(),
    signal,
  });
  const done = taker.run(1);
  const info = async () => await manager.consumers.info(stream, 'c');
  await until(async () => (await info()).ack_floor.stream_seq === 2);
  expect(await info()).toMatchObject({ num_redelivered: 0, delivered: { consumer_seq: 2 } });
  expect(troubles.slice(0, 4)).toEqual([...Array<string>(3).fill('Temporal is away'), undefined]);
  stopTaker.abort();
  await done;
});

test('two that are open share the messages', async () => {
  const { send, spec } = await queue();
  await send(...'abcdefgh');
  const [source, other] = [await open(spec), await open(spec)];
  const [some, others] = [await source.take(4, 5000), await other.take(4, 5000)];
  expect(texts([...some, ...others]).sort()).toEqual([...'abcdefgh']);
  await Promise.all([source.settle(some, []), other.settle(others, [])]);
});

test('a server that goes away is an error of the next take', async () => {
  const { spec } = await queue();
  const source = await open(spec);
  await nats.kill();
  await expect(
    (async () => {
      for (;;) await source.take(1, 1000);
    })(),
  ).rejects.toThrow(/^nats: /);
  await nats.startAgain();
  await until(async () => (await open(spec)) !== undefined);
  await until(async () => (await manager.streams.names().next()) !== undefined);
});

test('a wait for messages ends when the source is to be closed', async () => {
  const { spec } = await queue();
  const leaving = new AbortController();
  const source = await open(spec, {}, leaving.signal);
  const taken = source.take(1, 60_000);
  leaving.abort();
  expect(await taken).toEqual([]);
});

test.each([
  [{ consumer: 'nobody' }, {}, /consumer not found/],
  [{ stream: 'NONE' }, {}, /stream not found/],
  [{ url: 'nats://127.0.0.1:1' }, {}, /ECONNREFUSED|refused/i],
  [{ token: 'canary-4711', url: undefined }, {}, /no nats_url/],
])('%j is refused, without its secrets', async (wrong, data, why) => {
  const { spec } = await queue();
  const refusal = await open({ ...spec, ...wrong } as JsonObject, data).catch(
    (error: unknown) => error as Error,
  );
  expect(String(refusal)).toMatch(why);
  expect(String(refusal)).not.toContain('canary');
});

test('a consumer that acknowledges by itself is refused: messages would be lost', async () => {
  const { spec } = await queue({ ack_policy: AckPolicy.None });
  await expect(open(spec)).rejects.toThrow(
    /ack_policy none, with which messages are lost: it must be explicit/,
  );
});
