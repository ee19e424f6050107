import http from 'node:http';
import { type AddressInfo } from 'node:net';
import { askApi, isLost } from './api';

/** A server that answers as it is told. */
async function serving(answer: (response: http.ServerResponse) => void): Promise<string> {
  const server = http.createServer((_, response) => answer(response)).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  servers.push(server);
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
const servers: http.Server[] = [];
afterEach(() => servers.splice(0).forEach((server) => server.close()));

test('an answer that is cut off is none: the server is lost until it answers again', async () => {
  const cut = await serving((response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{"started_at": ', () => response.destroy());
  });
  await expect(askApi(cut)).rejects.toMatchObject({ status: 0, code: 'UNREACHABLE' });
  expect(isLost()).toBe(true);
  expect(await askApi(await serving((response) => response.end('{"n": 1}')))).toEqual({ n: 1 });
  expect(isLost()).toBe(false);
});

test('an answer without a body is empty', async () => {
  expect(await askApi(await serving((response) => response.writeHead(204).end()))).toEqual({});
});

test('who is no longer interested hears of no lost server', async () => {
  const leave = new AbortController();
  const slow = await serving((response) => {
    response.writeHead(200);
    response.write('{');
    setImmediate(() => leave.abort());
  });
  await expect(askApi(slow, { signal: leave.signal })).rejects.toMatchObject({ name: 'AbortError' });
  expect(isLost()).toBe(false);
});
