/** How a connection is agreed upon, by servers that answer the request for TLS as they like. */
import fs from 'node:fs';
import net from 'node:net';
import { once } from 'node:events';
import path from 'node:path';
import tls from 'node:tls';
import { PreferTls } from './prefer-tls';

const FIXTURES = path.resolve(__dirname, '../../../test/fixtures/tls');
const pem = (name: string): Buffer => fs.readFileSync(path.join(FIXTURES, name));
const SSL_REQUEST = '0000000804d2162f';

type Conversation = (socket: net.Socket) => void;
const servers: net.Server[] = [];
const sockets: net.Socket[] = [];
afterEach(() => {
  servers.splice(0).forEach((server) => server.close());
  sockets.splice(0).forEach((socket) => socket.destroy());
});

/** Connections are had one after the other; the last conversation is had with all that follow. */
async function serverOf(...conversations: Conversation[]): Promise<number> {
  let count = 0;
  const server = net.createServer((socket) => {
    sockets.push(socket.on('error', () => undefined));
    conversations[Math.min(count++, conversations.length - 1)]!(socket);
  });
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as net.AddressInfo).port;
}

const echo: Conversation = (socket) => void socket.pipe(socket);
/** Answers the request, and goes on from there. */
const answering =
  (answer: string, next: Conversation = () => undefined): Conversation =>
  (socket) =>
    socket.once('data', (request) => {
      expect(request.toString('hex')).toBe(SSL_REQUEST);
      socket.write(answer);
      next(socket);
    });
/** So that its bytes do not come with those of the answer. */
const later =
  (next: Conversation): Conversation =>
  (socket) =>
    void setTimeout(() => next(socket), 20);
const encrypted =
  (next: Conversation): Conversation =>
  (socket) => {
    const secured = new tls.TLSSocket(socket, {
      isServer: true,
      requestCert: true,
      cert: pem('server.pem'),
      key: pem('server.key'),
    });
    secured.on('error', () => undefined);
    next(secured);
  };

async function said(stream: PreferTls, bytes: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) {
    parts.push(part as Buffer);
    if (Buffer.concat(parts).length >= bytes) break;
  }
  return Buffer.concat(parts);
}

test.each<[string, Conversation[]]>([
  ['a server that speaks TLS', [answering('S', encrypted(echo))]],
  ['a server that does not', [answering('N', echo)]],
  [
    'a server that says so, and fails at it',
    [
      answering(
        'S',
        later((socket) => socket.end('what?')),
      ),
      echo,
    ],
  ],
  ['a server that says so, and goes', [answering('S', (socket) => socket.destroy()), echo]],
])('%s is talked to', async (_, conversations) => {
  const port = await serverOf(...conversations);
  const stream = new PreferTls().connect(port, '127.0.0.1');
  await once(stream, 'connect');
  stream.write('hello');
  expect(String(await said(stream, 5))).toBe('hello');
});

test('megabytes come through whole, at the pace of whoever reads them', async () => {
  const port = await serverOf(answering('S', encrypted(echo)));
  const stream = new PreferTls().connect(port, '127.0.0.1');
  await once(stream, 'connect');
  const sent = Buffer.alloc(8_000_000, 'noetl-temporal ');
  stream.cork();
  for (let at = 0; at < sent.length; at += 100_000) stream.write(sent.subarray(at, at + 100_000));
  stream.uncork();
  expect((await said(stream, sent.length)).equals(sent)).toBe(true);
});

test('our certificate is shown to a server that asks', async () => {
  const seen = new Promise<unknown>((resolve) => {
    void serverOf(
      answering(
        'S',
        encrypted((socket) =>
          socket.once('secure', () => resolve((socket as tls.TLSSocket).getPeerCertificate().subject.CN)),
        ),
      ),
    ).then((port) =>
      new PreferTls({ cert: pem('client.pem'), key: pem('client.key') }).connect(port, '127.0.0.1'),
    );
  });
  expect(await seen).toBe('client');
});

test.each<[string, Conversation, string]>([
  ['nonsense', answering('HTTP/1.1 400'), 'the server did not answer the request for TLS with S or N'],
  ['more than was asked for', answering('NR'), 'the server did not answer the request for TLS with S or N'],
  ['nothing, and an end', (socket) => socket.end(), 'the server closed the connection'],
])('%s is a failure', async (_, conversation, why) => {
  const stream = new PreferTls().connect(await serverOf(conversation), '127.0.0.1');
  const [error] = (await once(stream, 'error')) as [Error];
  expect(error.message).toBe(why);
  expect(stream.destroyed).toBe(true);
});

test('nobody there is the failure that it is without us', async () => {
  const port = await serverOf(echo);
  servers.splice(0).forEach((server) => server.close());
  const [error] = (await once(new PreferTls().connect(port, '127.0.0.1'), 'error')) as [Error];
  expect(error).toMatchObject({ code: 'ECONNREFUSED' });
});

test('a server that ends, and one that is gone, are told apart', async () => {
  const ending = new PreferTls().connect(
    await serverOf(
      answering(
        'N',
        later((socket) => socket.end('bye')),
      ),
    ),
    '127.0.0.1',
  );
  expect(String(await said(ending, 10))).toBe('bye');
  const reset = new PreferTls().connect(
    await serverOf(
      answering(
        'N',
        later((socket) => socket.resetAndDestroy()),
      ),
    ),
    '127.0.0.1',
  );
  reset.resume();
  const [error] = (await once(reset, 'error')) as [Error];
  expect(error).toMatchObject({ code: 'ECONNRESET' });
});

test('who gives up while a server thinks leaves no connection behind', async () => {
  let closed = (): void => undefined;
  const over = new Promise<void>((resolve) => (closed = resolve));
  const port = await serverOf((socket) => socket.resume().once('close', closed));
  const stream = new PreferTls().connect(port, '127.0.0.1');
  setTimeout(() => stream.destroy(), 50);
  await once(stream, 'close');
  await over;
});
