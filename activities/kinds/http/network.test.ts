/** TLS, proxies and the limits of where a request may go, against real servers. */
import dns from 'node:dns';
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import net, { type AddressInfo } from 'node:net';
import path from 'node:path';
import { type TLSSocket } from 'node:tls';
import { context, run } from '../../../test/support/tool-call';
import { type JsonObject, type Outcome } from '../../../src/language/plan';
import { http as tool } from './run';
import { inNetwork, proxyFor } from '../../framework/http/proxy';

const TLS = path.resolve(__dirname, '../../../test/fixtures/tls');
const pem = (name: string): string => fs.readFileSync(path.join(TLS, name), 'utf8');

let plain: string;
let secure: string;
let mutual: string;
let proxy: string;
/** What the proxy was asked for: `GET http://…` or `CONNECT host:port`. */
const proxied: string[] = [];
const servers: (http.Server | https.Server)[] = [];

const listen = async (server: http.Server | https.Server): Promise<number> => {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
};
const answer: http.RequestListener = (request, response) => {
  if (request.url === '/away') return void response.writeHead(302, { location: `${mutual}/me` }).end();
  response.setHeader('content-type', 'application/json');
  const peer = (request.socket as TLSSocket).getPeerCertificate?.();
  response.end(JSON.stringify({ client: peer?.subject?.CN ?? null }));
};

beforeAll(async () => {
  plain = `http://127.0.0.1:${await listen(http.createServer(answer))}`;
  const own = { cert: pem('server.pem'), key: pem('server.key') };
  secure = `https://localhost:${await listen(https.createServer(own, answer))}`;
  const both = { ...own, ca: pem('ca.pem'), requestCert: true, rejectUnauthorized: true };
  mutual = `https://localhost:${await listen(https.createServer(both, answer))}`;
  proxy = `http://user:pa%20ss@127.0.0.1:${await listen(startProxy())}`;
});
afterAll(async () => {
  await tool.close!();
  for (const server of servers) {
    server.closeAllConnections?.();
    server.close();
  }
});
afterEach(() => {
  delete process.env['NOETL_HTTP_ALLOW'];
  proxied.length = 0;
});

/** Forwards plain requests, tunnels the others; wants `user` and `pa ss`. */
function startProxy(): http.Server {
  const authorized = (request: http.IncomingMessage): boolean =>
    request.headers['proxy-authorization'] === `Basic ${Buffer.from('user:pa ss').toString('base64')}`;
  const server = http.createServer((request, response) => {
    proxied.push(`${request.method} ${request.url}`);
    if (!authorized(request)) return void response.writeHead(407).end();
    request.pipe(
      http.request(request.url!, { method: request.method!, headers: request.headers }, (back) => {
        response.writeHead(back.statusCode!, back.headers);
        back.pipe(response);
      }),
    );
  });
  server.on('connect', (request, socket) => {
    proxied.push(`CONNECT ${request.url}`);
    if (!authorized(request)) return void socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    const [host, port] = request.url!.split(':') as [string, string];
    const onward = net.connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy());
  });
  return server;
}

const send = (config: JsonObject, more = {}): Promise<Outcome> => run(tool, config, more, context());
const data = async (config: JsonObject): Promise<unknown> => {
  const outcome = await send(config);
  expect(outcome.error).toBeNull();
  return (outcome.result as JsonObject)['data'];
};

describe('TLS', () => {
  test('a server nobody vouches for is refused, unless its CA is named or nothing is checked', async () => {
    const { error } = await send({ url: secure });
    expect(error).toMatchObject({ kind: 'connection', code: 'TLS_ERROR', retryable: false });
    expect(error!.message).toMatch(/the server's certificate is not trusted; name its CA with tls\.ca$/);
    const trusts: JsonObject[] = [
      { tls: { ca: pem('ca.pem') } },
      { tls: { ca: path.join(TLS, 'ca.pem') } },
      { tls: { verify: false } },
      { verify_ssl: false },
      { verify: 'no' },
    ];
    for (const trust of trusts) {
      expect(await data({ url: secure, ...trust })).toEqual({ client: null });
    }
  });

  test('a name that is not in the certificate is refused', async () => {
    const other = secure.replace('localhost', '127.0.0.2');
    const server = https.createServer({ cert: pem('server.pem'), key: pem('server.key') }, answer);
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(Number(new URL(other).port), '127.0.0.2', resolve));
    expect((await send({ url: other, tls: { ca: pem('ca.pem') } })).error!.message).toContain(
      'another host name',
    );
  });

  test('a client certificate is shown, from the fields or a credential, and not after a redirect elsewhere', async () => {
    const tls = { ca: pem('ca.pem'), cert: path.join(TLS, 'client.pem'), key: path.join(TLS, 'client.key') };
    expect(await data({ url: mutual, tls })).toEqual({ client: 'client' });
    const auth = { type: 'mtls', cert: pem('client.pem'), key: pem('client.key'), ca: pem('ca.pem') };
    expect(await data({ url: mutual, auth })).toEqual({ client: 'client' });
    expect((await send({ url: mutual, tls: { ca: tls.ca } })).error).toMatchObject({ kind: 'connection' });
    expect((await send({ url: `${plain}/away`, tls })).error).toMatchObject({ kind: 'connection' });
  });

  test.each<[JsonObject, string]>([
    [{ cert: 'x' }, 'tls.cert is neither PEM text nor a readable file (ENOENT)'],
    [{ cert: '-----BEGIN CERTIFICATE-----' }, 'a client certificate needs both `cert` and `key`'],
    [{ cacert: 'x' }, 'tls has no field `cacert`'],
  ])('%j is refused', async (tls, message) => {
    expect((await send({ url: secure, tls })).error).toMatchObject({
      kind: 'validation',
      code: 'INVALID_TLS',
      message: expect.stringContaining(message) as string,
    });
  });
});

describe('proxies', () => {
  test('plain requests are forwarded, TLS is tunnelled; the proxy’s password goes to the proxy alone', async () => {
    expect(await data({ url: `${plain}/x`, proxy })).toEqual({ client: null });
    expect(
      await data({
        url: mutual,
        proxy,
        tls: { ca: pem('ca.pem'), cert: path.join(TLS, 'client.pem'), key: path.join(TLS, 'client.key') },
      }),
    ).toEqual({
      client: 'client',
    });
    expect(proxied).toEqual([`GET ${plain}/x`, `CONNECT ${new URL(mutual).host}`]);
  });

  test('a refusal of the proxy is told apart from one of the server', async () => {
    const wrong = proxy.replace('user', 'nobody');
    expect((await send({ url: secure, proxy: wrong })).error).toMatchObject({
      kind: 'auth',
      code: 'PROXY_REFUSED',
      message: expect.stringContaining('the proxy answered 407') as string,
    });
    const none = await send({ url: plain, proxy: 'http://user:canary@127.0.0.1:1' });
    expect(none.error).toMatchObject({ kind: 'connection', code: 'CONNECTION_REFUSED' });
    expect(JSON.stringify(none)).not.toContain('canary');
    expect((await send({ url: plain, proxy: 'ftp://canary' })).error).toMatchObject({
      code: 'INVALID_PROXY',
    });
  });

  test.each<[string, string | undefined, Record<string, string>, string | undefined]>([
    ['http://a.test/', undefined, {}, undefined],
    ['http://a.test/', undefined, { HTTP_PROXY: 'http://p:1' }, 'http://p:1/'],
    ['https://a.test/', undefined, { HTTP_PROXY: 'http://p:1' }, undefined],
    ['https://a.test/', undefined, { https_proxy: 'p:1', HTTPS_PROXY: 'http://q:1' }, 'http://p:1/'],
    ['https://a.test/', undefined, { ALL_PROXY: 'http://p:1' }, 'http://p:1/'],
    ['http://a.test/', undefined, { HTTP_PROXY: 'http://p:1', NO_PROXY: 'b.test, .test' }, undefined],
    ['http://a.test/', undefined, { HTTP_PROXY: 'http://p:1', NO_PROXY: 'a.test:8080' }, 'http://p:1/'],
    ['http://a.test:8080/', undefined, { HTTP_PROXY: 'http://p:1', NO_PROXY: 'a.test:8080' }, undefined],
    ['http://x.a.test/', undefined, { HTTP_PROXY: 'http://p:1', no_proxy: 'a.test' }, undefined],
    ['http://xa.test/', undefined, { HTTP_PROXY: 'http://p:1', no_proxy: 'a.test' }, 'http://p:1/'],
    ['http://10.1.2.3/', undefined, { HTTP_PROXY: 'http://p:1', NO_PROXY: '10.0.0.0/8' }, undefined],
    ['http://a.test/', undefined, { HTTP_PROXY: 'http://p:1', NO_PROXY: '*' }, undefined],
    ['http://localhost/', undefined, { HTTP_PROXY: 'http://p:1' }, undefined],
    ['http://localhost/', 'http://q:1', { HTTP_PROXY: 'http://p:1' }, 'http://q:1/'],
    ['http://a.test/', 'none', { HTTP_PROXY: 'http://p:1' }, undefined],
  ])('%s with %j and %j goes through %s', (url, field, env, expected) => {
    expect(proxyFor(new URL(url), field, env)).toBe(expected);
  });
});

describe('where a request may go', () => {
  const code = async (config: JsonObject): Promise<string | undefined> => (await send(config)).error?.code;

  test('with NOETL_HTTP_ALLOW only to what it names, also by redirect and by proxy', async () => {
    process.env['NOETL_HTTP_ALLOW'] = 'api.test, *.example.com 127.0.0.1';
    expect(await code({ url: `${plain}/x` })).toBeUndefined();
    const { error } = await send({ url: secure, verify_ssl: false });
    expect(error).toMatchObject({ kind: 'validation', code: 'HOST_NOT_ALLOWED', retryable: false });
    expect(error!.message).toContain(
      'the host localhost is not one that this worker may reach (NOETL_HTTP_ALLOW)',
    );
    expect(await code({ url: `${plain}/away` })).toBe('HOST_NOT_ALLOWED');
    expect(await code({ url: `${plain}/x`, proxy: 'http://evil.test:1' })).toBe('HOST_NOT_ALLOWED');
    process.env['NOETL_HTTP_ALLOW'] = `127.0.0.1:1`;
    expect(await code({ url: `${plain}/x` })).toBe('HOST_NOT_ALLOWED');
  });

  test('a network allows what a name resolves to, all of it', async () => {
    process.env['NOETL_HTTP_ALLOW'] = '127.0.0.0/8';
    const lookup = jest.spyOn(dns, 'lookup');
    const resolveTo = (...addresses: string[]): void => {
      lookup.mockImplementation(((
        _host: string,
        options: dns.LookupOptions,
        done: (...args: unknown[]) => void,
      ) => {
        const all = addresses.map((address) => ({ address, family: 4 }));
        if (options.all) done(null, all);
        else done(null, addresses[0], 4);
      }) as unknown as typeof dns.lookup);
    };
    const url = `http://inside.test:${new URL(plain).port}/`;
    resolveTo('127.0.0.1');
    expect(await code({ url })).toBeUndefined();
    resolveTo('127.0.0.1', '192.0.2.1');
    expect(await code({ url: url.replace('inside', 'both') })).toBe('HOST_NOT_ALLOWED');
    delete process.env['NOETL_HTTP_ALLOW'];
    resolveTo('169.254.169.254');
    expect(await code({ url: url.replace('inside', 'cloud') })).toBe('ADDRESS_DENIED');
    lookup.mockRestore();
  });

  test.each([
    '169.254.169.254',
    '169.254.170.2',
    '2852039166',
    '0xa9.0xfe.0xa9.0xfe',
    '0251.0376.0251.0376',
    '169.254.43518',
    '[::ffff:169.254.169.254]',
    '[::ffff:a9fe:a9fe]',
    '[64:ff9b::a9fe:a9fe]',
    '[2002:a9fe:a9fe::1]',
    '[fe80::1]',
    '[fd00:ec2::254]',
    '169.254.169.254.',
    '168.63.129.16',
    '2822734096',
    '0xa83f8110',
    '192.0.0.192',
    '100.100.100.200',
    '[fd00:ec2::23]',
    '[fd20:ce::254]',
    '[fd00:c1::a9fe:a9fe]',
    '[fd00:42::42]',
    '[::ffff:168.63.129.16]',
    '[::ffff:0:192.0.0.192]',
    '[::169.254.169.254]',
    '[64:ff9b::6464:64c8]',
    '[64:ff9b:1::a83f:8110]',
    '[64:ff9b:1:a9fe:a9:fe00::]',
    '[2002:a83f:8110::1]',
    'metadata.google.internal',
    'METADATA.google.internal.',
  ])('%s, behind which clouds keep credentials, is denied, also through a proxy and as one', async (host) => {
    const url = `http://${host}/latest/meta-data`;
    expect(await code({ url })).toBe('ADDRESS_DENIED');
    expect(await code({ url, proxy })).toBe('ADDRESS_DENIED');
    expect(await code({ url: plain, proxy: `http://${host}:80` })).toBe('ADDRESS_DENIED');
    expect(proxied).toEqual([]);
  });

  test('networks', () => {
    expect(inNetwork('10.0.0.0/8', '10.255.0.1')).toBe(true);
    expect(inNetwork('10.0.0.0/8', '11.0.0.1')).toBe(false);
    expect(inNetwork('fd00::/8', 'fd12::1')).toBe(true);
    expect(inNetwork('10.0.0.0/99', '10.0.0.1')).toBe(false);
    expect(inNetwork('nonsense/8', '10.0.0.1')).toBe(false);
  });
});

test('each limit of time has its own error, which says what it was', async () => {
  const silent = net.createServer((socket) => socket.on('error', () => undefined));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  expect((await send({ url }, { timeout: { read: 0.5, total: 20 } })).error).toMatchObject({
    kind: 'timeout',
    code: 'READ_TIMEOUT',
    message: `GET ${url}/: no response within 0.5 s (spec.timeout.read)`,
  });
  expect((await send({ url, timeout: 0.3 })).error).toMatchObject({
    code: 'TIMEOUT',
    message: 'http did not finish within 0.3 s and was stopped',
  });
  // TLS that never answers is a connection that does not come about.
  expect(
    (await send({ url: url.replace('http:', 'https:') }, { timeout: { connect: 0.5, total: 20 } })).error,
  ).toMatchObject({
    code: 'CONNECT_TIMEOUT',
    message: expect.stringContaining('no connection within 0.5 s (spec.timeout.connect)') as string,
  });
  silent.close();
});

describe('a connection that the server closed while a request was on its way to it', () => {
  /** Answers the first request of a connection, and closes it at the second, unanswered. */
  const begin = async (answersFirst: boolean): Promise<{ url: string; asked: string[] }> => {
    const asked: string[] = [];
    const server = net.createServer((socket) => {
      let requests = 0;
      socket.on('error', () => undefined);
      socket.on('data', (piece) => {
        asked.push(/idempotency-key: (.*)\r/i.exec(piece.toString())?.[1] ?? 'none');
        if (++requests > 1 || !answersFirst) return void socket.destroy();
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');
      });
    });
    return { url: `http://127.0.0.1:${await listen(server as http.Server)}`, asked };
  };
  const post = (url: string, more: JsonObject = {}): Promise<Outcome> =>
    run(tool, { url, method: 'POST', json: { a: 1 }, ...more });

  test('is replaced: a POST with its key goes out again, once', async () => {
    const { url, asked } = await begin(true);
    expect((await post(url)).status).toBe('ok');
    await new Promise((resolve) => setTimeout(resolve, 50)); // The connection is idle now.
    expect((await post(url)).error).toBeNull();
    expect(asked).toHaveLength(3);
    expect(new Set(asked).size).toBe(1);
  });

  test('a server that answers nothing on a new connection is asked once', async () => {
    const { url, asked } = await begin(false);
    expect((await post(url)).error).toMatchObject({ kind: 'connection', retryable: true });
    expect(asked).toHaveLength(1);
  });
});
