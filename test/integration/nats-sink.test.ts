/** Events to a real NATS server: each once in the stream, whatever is sent again, and a server that dies meanwhile. */
import { type CanonicalEvent } from '../../src/history';
import { outgoingEvent, cloudEvent, natsPublisher } from '../../src/server/projection';
import { readStream, startNats, type StreamReader, type TestNats } from '../support/nats';
import { until } from '../support/until';

const execution = { namespace: 'default', workflowId: 'noetl-7', runId: 'r', executionId: '7' };
const event = (n: number, event_type = 'task.done') =>
  cloudEvent(
    {
      event_id: `7/0/3/${n}`,
      event_type,
      execution_id: '7',
      timestamp: '2026-01-02T03:04:05.678Z',
      entity_type: 'task',
      entity_id: 'store',
      payload: { n },
    } as unknown as CanonicalEvent,
    execution,
  );
const prefix = 'noetl.events';
const stream = 'NOETL_EVENTS';

describe('JetStream', () => {
  let nats: TestNats;
  let reader: StreamReader;
  beforeAll(async () => {
    nats = await startNats();
    reader = await readStream(nats.url, stream);
  });
  afterAll(async () => {
    await reader?.close();
    await nats?.stop();
  });

  test('has each event once, under the subject of its execution and type; a second consumer finds the stream', async () => {
    const publisher = await natsPublisher({ url: nats.url, prefix, stream });
    await publisher.publish(outgoingEvent(event(0)));
    await publisher.publish(outgoingEvent(event(1, 'loop.iteration.done')));
    const again = await natsPublisher({ url: nats.url, prefix, stream });
    await again.publish(outgoingEvent(event(0)));
    await again.publish(outgoingEvent(event(1, 'loop.iteration.done')));
    expect(await reader.messages()).toBe(2);
    const message = await reader.message(2);
    expect(message.subject).toBe('noetl.events.7.loop.iteration.done');
    expect(message.header.get('content-type')).toBe('application/cloudevents+json');
    expect(message.json()).toEqual(JSON.parse(JSON.stringify(event(1, 'loop.iteration.done'))));
    await Promise.all([publisher.close(), again.close()]);
  });

  test('that dies is a failure that may pass, and it goes on when it is back', async () => {
    const publisher = await natsPublisher({ url: nats.url, prefix, stream, timeoutMs: 2_000 });
    await publisher.publish(outgoingEvent(event(10)));
    const before = await reader.messages();
    await nats.kill();
    await expect(publisher.publish(outgoingEvent(event(11)))).rejects.toMatchObject({
      code: 'SINK_UNREACHABLE',
      retryable: true,
    });
    await nats.startAgain();
    await until(() => publisher.publish(outgoingEvent(event(11))).then(() => true));
    expect(await reader.messages()).toBe(before + 1);
    await publisher.close();
  });

  test('takes no message above its limit: refused, and no other try helps', async () => {
    const publisher = await natsPublisher({ url: nats.url, prefix, stream });
    const large = { ...event(20), data: { ...event(20).data, payload: { text: 'x'.repeat(2_000_000) } } };
    await expect(publisher.publish(outgoingEvent(large))).rejects.toMatchObject({
      code: 'SINK_REFUSED',
      retryable: false,
    });
    await publisher.publish(outgoingEvent(event(21)));
    await publisher.close();
  });

  test('that is not there, not open to us, or without JetStream is said at the start', async () => {
    const closed = await startNats(['-js', '--user', 'u', '--pass', 'right']);
    const plain = await startNats([]);
    try {
      const open = (url: string) => natsPublisher({ url, prefix, stream });
      await expect(open('nats://127.0.0.1:1')).rejects.toMatchObject({ code: 'NATS_UNREACHABLE' });
      const denied = open(closed.url.replace('//', '//u:wrong@'));
      await expect(denied).rejects.toMatchObject({ code: 'NATS_UNREACHABLE' });
      await expect(denied).rejects.not.toThrow(/wrong/);
      await expect(open(plain.url)).rejects.toMatchObject({ code: 'NATS_NO_STREAM' });
      const allowed = await open(closed.url.replace('//', '//u:right@'));
      await allowed.publish(outgoingEvent(event(0)));
      await allowed.close();
    } finally {
      await closed.stop();
      await plain.stop();
    }
  });
});
