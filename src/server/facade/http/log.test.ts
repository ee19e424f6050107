/** A log line of a request is one JSON object in which each key is once: parsers differ in which of two they keep. */
import { type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import express from 'express';
import { pino } from 'pino';
import { until } from '../../../../test/support/until';
import { requestLog } from './log';

let server: Server;
const lines: string[] = [];

beforeAll(async () => {
  const app = express();
  app.use(requestLog(pino({}, { write: (line: string) => void lines.push(line) })));
  app.get('/:status', (request, response) => void response.status(Number(request.params.status)).end('{}'));
  server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
});
afterAll(() => void server.close());

test.each([200, 404, 501, 503])('of a request that is answered with %d', async (status) => {
  lines.length = 0;
  const { port } = server.address() as AddressInfo;
  await (await fetch(`http://127.0.0.1:${port}/${status}?token=secret`)).text();
  const line = await until(() => Promise.resolve(lines[0]));
  // None of these values contains a quote, so every key is what stands before a colon.
  const keys = [...line.matchAll(/"(\w+)":/g)].map(([, key]) => key);
  expect(keys).toEqual([...new Set(keys)]);
  expect(JSON.parse(line)).toMatchObject({ status, method: 'GET', path: `/${status}?token=…` });
  expect(line).not.toContain('secret');
});
