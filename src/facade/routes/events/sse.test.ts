import http from 'node:http';
import { type AddressInfo } from 'node:net';
import express from 'express';
import { type Line } from '../../reading/spool';
import { sendEvents } from './sse';

const BIG = 'x'.repeat(100_000);
const line = (n: number): Line => ({
  event_id: `1/0/${n}/0`,
  event_type: 'task.done',
  row: JSON.stringify({ BIG }),
});

/** A server whose feed tells `total` big events, one at a time, then waits for `release`. */
async function serve(total: number, heartbeatMs: number) {
  let taken = 0;
  let release = (): void => undefined;
  const released = new Promise<undefined>((resolve) => (release = () => resolve(undefined)));
  const spool = {
    firstUnseen: (_isUnseen: unknown, from = 0) => from,
    block: (index: number) => {
      taken = Math.max(taken, index);
      return index < total ? Promise.resolve([line(index + 1)]) : released;
    },
  };
  const app = express();
  app.get('/', (_request, response) => sendEvents(response, spool, { heartbeatMs }));
  const server = http.createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { port, release, taken: () => taken, close: () => (server.closeAllConnections(), server.close()) };
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

test('says that it is alive while nothing happens', async () => {
  const server = await serve(1, 30);
  const response = await get(server.port);
  let text = '';
  response.setEncoding('utf8').on('data', (more: string) => (text += more));
  await pause(300);
  expect(text.match(/^: alive$/gm)!.length).toBeGreaterThan(2);
  server.release();
  await new Promise((resolve) => response.once('end', resolve));
  expect(text).toMatch(/event: end\ndata: \{\}\n\n$/);
  server.close();
});
