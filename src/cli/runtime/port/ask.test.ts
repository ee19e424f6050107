import http from 'node:http';
import { type AddressInfo } from 'node:net';
import { ask } from './ask';
import { facadeAt } from './facade';

test('an answer that is cut off is no answer', async () => {
  const server = http.createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{"status": ', () => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await expect(ask(facadeAt({ url }), '/api/executions/1')).rejects.toMatchObject({
    code: 'FACADE_UNREACHABLE',
  });
  server.close();
});
