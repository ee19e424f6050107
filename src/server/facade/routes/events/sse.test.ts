import http from 'node:http';
import v8 from 'node:v8';
import vm from 'node:vm';
import { type AddressInfo } from 'node:net';
import express from 'express';
import { type Line } from '../../reading/spool';
import { until } from '../../../../../test/support/until';
import { sendEvents } from './sse';

const BIG = 'x'.repeat(100_000);
const line = (n: number): Line => ({
  event_id: `1/0/${n}/0`,
  event_type: 'task.done',
  position: n,
  row: JSON.stringify({ BIG }),
});

const servers: http.Server[] = [];
afterAll(() => {
  for (const server of servers) server.closeAllConnections();
});

/** A server whose feed tells `total` big events, one at a time, then waits for `release`. */
async function serve(total: number, heartbeatMs: number) {
  let taken = 0;
  const sent: WeakRef<object>[] = [];
  let release = (): void => undefined;
  const released = new Promise<undefined>((resolve) => (release = () => resolve(undefined)));
  const spool = {
    firstUnseen: (_isUnseen: unknown, from = 0) => from,
    block: (index: number) => {
      taken = Math.max(taken, index);
      if (index >= total) return released;
      const lines = [line(index + 1)];
      sent.push(new WeakRef(lines));
      return Promise.resolve(lines);
    },
  };
  const app = express();
  app.get('/', (_request, response) => sendEvents(response, spool, { heartbeatMs }));
  const server = http.createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const kept = (): number => sent.filter((one) => one.deref()).length;
  servers.push(server);
  return {
    port,
    release,
    kept,
    taken: () => taken,
    close: () => (server.closeAllConnections(), server.close()),
  };
}

const get = (port: number): Promise<http.IncomingMessage> =>
  new Promise((resolve) => http.get({ port, host: '127.0.0.1' }, resolve));
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

test('a client that reads nothing holds back its own stream, and gets all of it when it reads again', async () => {
  const total = 2000;
  const server = await serve(total, 10_000);
  const response = await get(server.port);
  response.pause();
  let held = -1;
  while (held !== server.taken()) {
    held = server.taken();
    await pause(300);
  }
  expect(held).toBeLessThan(total / 2);
  server.release();
  let length = 0;
  for await (const chunk of response) length += (chunk as Buffer).length;
  expect(length).toBeGreaterThan(total * BIG.length);
  server.close();
});

test('what was sent is not kept while the stream goes on', async () => {
  v8.setFlagsFromString('--expose-gc');
  const collect = vm.runInNewContext('gc') as () => void;
  const server = await serve(300, 10_000);
  const response = await get(server.port);
  response.resume();
  await until(() => server.taken() >= 300);
  await until(() => {
    collect();
    return server.kept() < 30;
  });
  server.release();
  await new Promise((resolve) => response.once('end', resolve));
  server.close();
});

test('says that it is alive while nothing happens', async () => {
  const server = await serve(1, 30);
  const response = await get(server.port);
  let text = '';
  response.setEncoding('utf8').on('data', (more: string) => (text += more));
  await until(() => text.match(/^: alive$/gm)?.length === 3);
  server.release();
  await new Promise((resolve) => response.once('end', resolve));
  expect(text).toMatch(/event: end\ndata: \{\}\n\n$/);
  server.close();
});
