import { once } from 'node:events';
import http from 'node:http';
import { type AddressInfo } from 'node:net';
import express, { type Response } from 'express';
import { END, EventStream } from './stream';

/** What becomes of a stream: its client has left, or leaves while it ends. */
test.each<[string, (response: Response, leave: () => void) => Promise<unknown>]>([
  ['has left', (response, leave) => (leave(), once(response, 'close'))],
  [
    'reads no more and leaves',
    (response, leave) => {
      response.write('x'.repeat(32 * 1024 * 1024));
      setTimeout(leave, 50);
      return Promise.resolve();
    },
  ],
])('the stream of a client that %s comes to its end', async (_what, goes) => {
  let leave = (): void => undefined;
  const over = new Promise<void>((resolve, reject) => {
    const app = express();
    app.get('/', (_request, response) => {
      const stream = new EventStream(response);
      const work = async (): Promise<void> => {
        await stream.write('data: 1\n\n', new AbortController().signal);
        await goes(response, leave);
        await stream.end(END);
      };
      void work()
        .finally(() => stream.close())
        .then(resolve, reject);
    });
    const server = http.createServer(app).listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      const request = http.get({ port, host: '127.0.0.1' });
      request.on('error', () => undefined);
      leave = () => {
        request.destroy();
        server.close();
      };
    });
  });
  await over;
});
