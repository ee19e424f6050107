/** What arrives where a response redirects to, at real servers: two origins, each status, chains. */
import http from 'node:http';
import { type AddressInfo } from 'node:net';
import { runHidden } from '../../framework/activity/activity';
import { redirected } from '../../framework/http/redirect';
import { type JsonObject, type Outcome, secretHandle } from '../../../src/language/plan';
import { call, context } from '../../../test/support/tool-call';
import { http as tool } from './run';

const SECRET = 'Rd7-made up/value+of 22';
const ID = 'a'.repeat(32);

interface Seen {
  readonly at: string;
  readonly text: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly method: string;
  readonly body: string;
}
let seen: Seen[] = [];
const servers: http.Server[] = [];

/** `/302/<address>` redirects there; anything else is the end. */
function answer(at: string): http.RequestListener {
  return (request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const body = Buffer.concat(pieces).toString();
      const { headers, method, url } = request;
      seen.push({ at, headers, method: method!, body, text: `${url} ${JSON.stringify(headers)} ${body}` });
      const [, status, to] = /^\/(\d{3})\/(.*)$/.exec(url!) ?? [];
      if (status) response.writeHead(Number(status), { location: decodeURIComponent(to!) }).end();
      else response.end('{}');
    });
  };
}

async function listen(at: string): Promise<string> {
  const server = http.createServer(answer(at));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

let here: string;
let there: string;
beforeAll(async () => {
  [here, there] = await Promise.all([listen('here'), listen('there')]);
  process.env['NOETL_SECRET_RD'] = SECRET;
});
afterAll(async () => {
  delete process.env['NOETL_SECRET_RD'];
  await tool.close!();
  for (const server of servers) (server.closeAllConnections(), server.close());
});
beforeEach(() => void (seen = []));

/** The task, with a secret wherever its fields have `SECRET`. */
function send(config: JsonObject): Promise<Outcome> {
  const handle = secretHandle(ID);
  const filled = JSON.parse(JSON.stringify(config), (_, value: unknown) =>
    value === 'SECRET' ? handle : value,
  ) as JsonObject;
  const secrets = { [ID]: { ref: { provider: 'environment', secret: 'rd' } } };
  return runHidden(tool, call('http', filled, { secrets }), context(), new AbortController().signal);
}
const via = (status: number, to: string): string => `/${status}/${encodeURIComponent(to)}`;
const leaks = (at: string): string[] =>
  seen.filter((one) => one.at === at && /Rd7|made.up|UmQ3/i.test(one.text)).map(({ text }) => text);

const ALL = [301, 302, 303, 307, 308];

test.each(ALL)(
  '%d to another origin takes no header made of a secret along, to the same one all',
  async (status) => {
    const deferred = { 'x-note': 'SECRET', 'x-api-key': 'short', 'private-token': 'p', 'x-plain': 'kept' };
    const outcome = await send({ url: here + via(status, `${there}/end?c=1`), headers: deferred });
    expect(outcome.error).toBeNull();
    expect(leaks('here')).toHaveLength(1);
    expect(leaks('there')).toEqual([]);
    expect(seen[1]!.headers).toMatchObject({ 'x-plain': 'kept' });
    expect(Object.keys(seen[1]!.headers)).not.toEqual(expect.arrayContaining(['x-api-key']));
    expect(Object.keys(seen[1]!.headers)).not.toEqual(expect.arrayContaining(['private-token']));
    seen = [];
    await send({ url: here + via(status, '/end'), headers: deferred });
    expect(leaks('here')).toHaveLength(2);
  },
);

test.each(ALL)('%d: credentials do not come back with a redirect to the first origin', async (status) => {
  const back = there + via(status, `${here}/end`);
  await send({
    url: here + via(status, back),
    headers: { cookie: 'a=b', 'x-note': 'SECRET' },
    auth: { type: 'bearer', token: 'SECRET' },
  });
  expect(seen.map(({ at }) => at)).toEqual(['here', 'there', 'here']);
  expect(seen[0]!.headers).toMatchObject({ authorization: `Bearer ${SECRET}`, cookie: 'a=b' });
  for (const { headers } of seen.slice(1))
    for (const name of ['authorization', 'cookie', 'x-note']) expect(headers).not.toHaveProperty(name);
});

test.each([
  ['POST', 307, { json: { k: 'SECRET' } }],
  ['POST', 308, { form: { k: 'SECRET' } }],
  ['PUT', 302, { data: { k: 'SECRET' } }],
  ['PATCH', 301, { body: 'SECRET' }],
  ['DELETE', 307, { json: ['SECRET'] }],
  ['POST', 307, { form: { k: 'SECRET' }, files: { f: { content: 'x' } } }],
  ['POST', 308, { files: { f: { content: 'SECRET' } } }],
] satisfies [string, number, JsonObject][])(
  '%s, %d: a body with a secret does not go to another origin',
  async (method, status, body) => {
    const to = (target: string): JsonObject => ({ method, url: here + via(status, target), ...body });
    const outcome = await send(to(`${there}/end`));
    expect(outcome.error).toMatchObject({
      kind: 'validation',
      code: 'REDIRECT_WITH_SECRET',
      retryable: false,
    });
    expect(outcome.error!.message).toContain(there);
    expect(seen.map(({ at }) => at)).toEqual(['here']);
    // To its own origin, or without a secret, it does.
    expect((await send(to('/end'))).error).toBeNull();
    expect(seen.at(-1)!.body).toContain('Rd7');
    expect((await send({ method, url: here + via(status, `${there}/end`), body: 'plain' })).error).toBeNull();
    expect(seen.at(-1)).toMatchObject({ at: 'there', method, body: 'plain' });
  },
);

test('a POST that becomes a GET leaves its body behind', async () => {
  for (const status of [301, 302, 303]) {
    const outcome = await send({
      method: 'POST',
      url: here + via(status, `${there}/end`),
      json: { k: 'SECRET' },
    });
    expect(outcome.error).toBeNull();
    expect(seen.at(-1)).toMatchObject({ at: 'there', method: 'GET', body: '' });
  }
  expect(leaks('there')).toEqual([]);
});

test('a secret in any encoding counts, in the value or across name and value', async () => {
  const basic = Buffer.from(`me:${SECRET}`).toString('base64');
  const encoded = {
    'x-a': `q=${encodeURIComponent(SECRET)}`,
    'x-b': basic,
    'x-c': Buffer.from(SECRET).toString('hex'),
  };
  // The task has to know the secret: one header is made of it.
  await send({ url: here + via(302, `${there}/end`), headers: { ...encoded, 'x-note': 'SECRET' } });
  for (const name of Object.keys(encoded)) {
    expect(seen[0]!.headers).toHaveProperty(name);
    expect(seen[1]!.headers).not.toHaveProperty(name);
  }
});

test.each([
  ['https://a.test/', 'http://a.test/'],
  ['http://a.test/', 'https://a.test/'],
  ['https://a.test/', 'https://a.test:444/'],
  ['https://a.test/', 'https://b.a.test/'],
  ['https://a.test/', 'https://a.test.evil.test/'],
])('from %s to %s is another origin', (from, to) => {
  const names = [
    'authorization',
    'cookie',
    'x-api-key',
    'X-Auth-Token',
    'private-token',
    'ocp-apim-subscription-key',
    'x-signed',
  ];
  const headers = Object.fromEntries([...names, 'accept', 'idempotency-key'].map((name) => [name, 'v']));
  const sent = { url: new URL(from), method: 'GET', headers, body: undefined, tls: undefined };
  const next = redirected(sent, 302, new URL(to), { secretHeaders: ['x-signed'] });
  expect(Object.keys(next.headers)).toEqual(['accept', 'idempotency-key']);
  expect(redirected(sent, 302, new URL('/x', from), { secretHeaders: ['x-signed'] }).headers).toEqual(
    headers,
  );
});

test('an address that the server wrote in UTF-8 is followed as such', async () => {
  const raw = Buffer.from('/echo?name=Салат').toString('latin1');
  const { result } = await send({ url: `${here}/302/${encodeURIComponent(raw)}` });
  expect((result as JsonObject)['url']).toBe(`${here}/echo?name=${encodeURIComponent('Салат')}`);
  expect(seen.at(-1)!.text).toContain('/echo?name=%D0%A1');
});
