import { type AddressInfo } from 'node:net';
import http from 'node:http';
import { CodedError } from '../../../language/errors';
import { type CanonicalEvent } from '../../../history';
import { type Cursors } from '../cursors';
import { type Followed } from '../followed';
import { type EventBatch } from '../sink';
import { cloudEvent } from './cloud-event';
import { httpPublisher } from './http';
import { outgoingEvent, type Publisher, publishingSink } from './publishing-sink';

const execution: Followed = { namespace: 'team a', workflowId: 'noetl-7', runId: 'r', executionId: '7' };
const event = (n: number): CanonicalEvent =>
  ({
    event_id: `7/0/3/${n}`,
    event_type: 'task.done',
    execution_id: '7',
    timestamp: '2026-01-02T03:04:05.678Z',
    seq: n + 1,
    entity_type: 'task',
    entity_id: 'store',
    task_run_id: 'fetch#1.store~1@1',
    payload: { n },
  }) as unknown as CanonicalEvent;
const batch = (count: number): EventBatch =>
  ({
    execution,
    events: Array.from({ length: count }, (_, n) => ({ event: event(n), row: {} })),
  }) as unknown as EventBatch;

/** Cursors that remember what they were told. */
function noted() {
  const moves: unknown[] = [];
  const advance = (_: Followed, to: { event?: { seq: number }; endedAt?: number }): Promise<void> => {
    moves.push({ seq: to.event?.seq, endedAt: to.endedAt });
    return Promise.resolve();
  };
  return { moves, cursors: { advance } as unknown as Cursors };
}

describe('CloudEvents', () => {
  test('have the attributes that the specification asks for, and names that it allows', () => {
    const made = cloudEvent(event(4), execution);
    expect(made).toMatchObject({
      specversion: '1.0',
      id: '7/0/3/4',
      source: '/noetl/team%20a/executions/7',
      type: 'io.noetl.task.done',
      subject: 'task/fetch#1.store~1@1',
      time: '2026-01-02T03:04:05.678Z',
      datacontenttype: 'application/json',
      partitionkey: '7',
      data: { payload: { n: 4 } },
    });
    for (const name of Object.keys(made)) expect(name).toMatch(/^[a-z0-9]{1,20}$/);
  });
});

describe('a sink that publishes', () => {
  const publisher = (publish: (id: string) => void): Publisher => ({
    name: 'test',
    publish: ({ id }) => Promise.resolve().then(() => publish(id)),
    close: () => Promise.resolve(),
  });

  test('moves the cursor to the last event, and says when the execution is over', async () => {
    const { moves, cursors } = noted();
    const ids: string[] = [];
    await publishingSink(publisher((id) => ids.push(id))).take({ ...batch(3), endedAt: 9 }, cursors);
    expect(ids).toEqual(['7/0/3/0', '7/0/3/1', '7/0/3/2']);
    expect(moves).toEqual([{ seq: 3, endedAt: 9 }]);
  });

  test('tries again what may work a moment later, before any later event', async () => {
    const { moves, cursors } = noted();
    const tried: string[] = [];
    const flaky = publisher((id) => {
      tried.push(id.slice(-1));
      if (tried.length === 2) throw new CodedError('SINK_UNREACHABLE', 'away', { retryable: true });
    });
    await publishingSink(flaky).take(batch(3), cursors);
    expect(tried).toEqual(['0', '1', '1', '2']);
    expect(moves).toEqual([{ seq: 3 }]);
  });

  test('leaves the cursor before an event that is refused, and passes none over', async () => {
    const { moves, cursors } = noted();
    const tried: string[] = [];
    const refusing = publisher((id) => {
      tried.push(id.slice(-1));
      if (id.endsWith('1')) throw new CodedError('SINK_REFUSED', 'no');
    });
    await expect(publishingSink(refusing).take({ ...batch(3), endedAt: 9 }, cursors)).rejects.toThrow('no');
    expect(tried).toEqual(['0', '1']);
    expect(moves).toEqual([{ seq: 1 }]);
  });
});

describe('over HTTP', () => {
  let answer = 200;
  const requests: { headers: http.IncomingHttpHeaders; body: unknown }[] = [];
  const server = http.createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (more: string) => (text += more));
    request.on('end', () => {
      requests.push({ headers: request.headers, body: JSON.parse(text) });
      response.writeHead(answer).end('thanks');
    });
  });
  let url = '';
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/in?key=secret`;
  });
  afterAll(() => (server.closeAllConnections(), server.close()));

  test('an event is one POST in structured mode; the query of the address is shown nowhere', async () => {
    const publisher = httpPublisher('cloudevents', url, 't0ken');
    await publisher.publish(outgoingEvent(cloudEvent(event(0), execution)));
    expect(requests.at(-1)).toMatchObject({
      headers: {
        'content-type': 'application/cloudevents+json; charset=utf-8',
        authorization: 'Bearer t0ken',
      },
      body: { specversion: '1.0', id: '7/0/3/0' },
    });
    expect(publisher.name).not.toContain('secret');
    await publisher.close();
  });

  test.each([
    [503, true],
    [429, true],
    [400, false],
    [401, false],
    [302, false],
  ])('an answer of %s is a failure; another try may help: %s', async (status, retryable) => {
    answer = status;
    const publisher = httpPublisher('cloudevents', url);
    await expect(publisher.publish(outgoingEvent(cloudEvent(event(0), execution)))).rejects.toMatchObject({
      code: 'SINK_REFUSED',
      retryable,
      message: expect.stringContaining(`answered ${status}`) as string,
    });
    await publisher.close();
  });

  test('nobody there: another try may help', async () => {
    const publisher = httpPublisher('cloudevents', 'http://127.0.0.1:1/');
    await expect(publisher.publish(outgoingEvent(cloudEvent(event(0), execution)))).rejects.toMatchObject({
      code: 'SINK_UNREACHABLE',
      retryable: true,
    });
    await publisher.close();
  });
});
