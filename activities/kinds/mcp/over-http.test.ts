/** Against servers of the official SDK, over streamable HTTP. */
import { type ServerResponse } from 'node:http';
import { type JsonObject, type Outcome } from '../../../src/language/plan';
import { type McpTestServer, startMcpServer } from '../../../test/support/mcp-server';
import { call, context, run, type TestContext } from '../../../test/support/tool-call';
import { until } from '../../../test/support/until';
import { closeAgents } from '../../framework/http/agents';
import { mcp } from './run';

let server: McpTestServer;
beforeAll(async () => {
  server = await startMcpServer();
});
beforeEach(() => void server.heard.splice(0));
afterEach(() => expect(server.sessions()).toBe(0));
afterAll(async () => {
  await closeAgents();
  await server?.stop();
});

const WAYS = ['/mcp', '/json', '/stateless'];
const at = (config: JsonObject, ctx?: TestContext): Promise<Outcome> =>
  run(mcp, { endpoint: `${server.origin}/mcp`, ...config }, {}, ctx);
const json = (response: ServerResponse, status: number, body: unknown, headers = {}): void =>
  void response
    .writeHead(status, { 'content-type': 'application/json', ...headers })
    .end(JSON.stringify(body));
const methods = (): string[] =>
  server.heard.map(({ method, message }) => String(message?.['method'] ?? method));

test.each(WAYS)('%s: calls a tool, with what is official of its result', async (way) => {
  const endpoint = `${server.origin}${way}`;
  const { result, error } = await at({
    endpoint,
    server: 'demo',
    tool: 'add',
    arguments: '{"a": 2, "b": 3}',
  });
  expect(error).toBeNull();
  expect(result).toMatchObject({
    status: 'ok',
    server: 'demo',
    endpoint,
    method: 'tools/call',
    tool: 'add',
    arguments: { a: 2, b: 3 },
    data: { sum: 5 },
    text: 'the sum is 5',
    result: { structuredContent: { sum: 5 } },
    initialize: { protocolVersion: '2025-11-25', serverInfo: { name: 'tests' }, instructions: 'for tests' },
  });
  // Opened, used and closed.
  const end = way === '/stateless' ? [] : ['DELETE'];
  expect(methods()).toEqual(['initialize', 'notifications/initialized', 'tools/call', ...end]);
});

test.each([
  [
    { tool: 'say', arguments: { text: '{"n": [1, 9223372036854775807]}' } },
    { n: [1, '9223372036854775807'] },
  ],
  [{ tool: 'say', args: { text: 'plain' } }, 'plain'],
  [{ action: 'tools/call', tool_name: 'two' }, 'one\ntwo'],
  [{ tool: 'picture' }, [{ type: 'image', data: 'aGk=', mimeType: 'image/png' }]],
  [{ params: { name: 'say', arguments: { text: 'hi' } } }, 'hi'],
  [
    { method: 'resources/read', params: { uri: 'mem://note' } },
    { contents: [{ uri: 'mem://note', text: 'a note' }] },
  ],
  [{ method: 'ping' }, {}],
])('%j answers %j', async (config, data) => {
  expect((await at(config)).result).toMatchObject({ status: 'ok', data });
});

test('inputs are the arguments where nothing else is', async () => {
  const { result } = await run(
    mcp,
    { url: `${server.origin}/mcp`, tool: 'say' },
    { input: { text: 'from the inputs' } },
  );
  expect(result).toMatchObject({ data: 'from the inputs' });
});

test.each(['/mcp', '/json'])('%s: numbers of structured content keep their digits', async (way) => {
  const structuredContent = '{"n": 9223372036854775807, "half": 0.5}';
  server.instead('tools/call', (response, { id }) => {
    const message = `{"jsonrpc": "2.0", "id": ${Number(id)}, "result": {"content": [], "structuredContent": ${structuredContent}}}`;
    if (way === '/json') response.writeHead(200, { 'content-type': 'application/json' }).end(message);
    else
      response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .end(`event: message\r\ndata: ${message}\r\n\r\n`);
  });
  const { result } = await at({ tool: 'add', endpoint: server.origin + way });
  expect(result).toMatchObject({ data: { n: '9223372036854775807', half: 0.5 } });
});

test('a list has all pages', async () => {
  const first = await at({ method: 'tools/list' });
  const names = ((first.result as JsonObject)['data'] as JsonObject[]).map(({ name }) => name);
  expect(names).toContain('add');
  server.instead(
    'tools/list',
    (response, { id, params }) => {
      const cursor = (params as JsonObject)?.['cursor'];
      const nextCursor = cursor === undefined ? 'b' : cursor === 'b' ? 'c' : undefined;
      json(response, 200, {
        jsonrpc: '2.0',
        id,
        result: { tools: [{ name: `t${String(cursor)}` }], nextCursor },
      });
    },
    3,
  );
  const { result } = await at({ method: 'tools/list' });
  expect(result).toMatchObject({ data: [{ name: 'tundefined' }, { name: 'tb' }, { name: 'tc' }] });
});

test('a list that never ends is too large', async () => {
  let page = 0;
  server.instead(
    'tools/list',
    (response, { id }) =>
      json(response, 200, {
        jsonrpc: '2.0',
        id,
        result: { tools: [{ name: 'x'.repeat(100) }], nextCursor: String(++page) },
      }),
    1000,
  );
  const { error } = await at({ method: 'tools/list', max_response_bytes: 2000 });
  expect(error).toMatchObject({ kind: 'validation', code: 'RESPONSE_TOO_LARGE' });
  expect(page).toBeLessThan(30);
});

test('credentials, headers, the key of the work and the words about the client are sent', async () => {
  const ctx = context({ token: { type: 'bearer', data: { token: 'T0KEN' } } });
  const own = { client_name: 'me', client_version: '7', protocol_version: '2025-03-26', request_id: 9 };
  const { result } = await at(
    { tool: 'say', arguments: { text: 'x' }, auth: 'token', headers: { 'X-Team': 'blue' }, ...own },
    ctx,
  );
  expect(result).toMatchObject({ initialize: { protocolVersion: '2025-03-26' } });
  for (const { headers } of server.heard)
    expect(headers).toMatchObject({ authorization: 'Bearer T0KEN', 'x-team': 'blue' });
  expect(server.heard[0]!.message).toMatchObject({
    params: { clientInfo: { name: 'me', version: '7' }, protocolVersion: '2025-03-26' },
  });
  const key = call('mcp', {}).idempotency_key;
  const asked = server.heard.find(({ message }) => message?.['method'] === 'tools/call')!;
  expect(asked.message).toMatchObject({ params: { _meta: { 'io.noetl/idempotency-key': key } } });
});

test('a tool that says that it failed is an error, with its words', async () => {
  const { status, error, result } = await at({ tool: 'fail', server: 'shop' });
  expect(status).toBe('error');
  expect(error).toMatchObject({ kind: 'exception', code: 'TOOL_ERROR', retryable: false });
  expect(error!.message).toContain('the shelf is empty');
  expect(result).toMatchObject({ status: 'error', server: 'shop', tool: 'fail', text: 'the shelf is empty' });
});

test('a tool that is not there, arguments that are wrong, and a method that is not there', async () => {
  expect((await at({ tool: 'nope' })).error).toMatchObject({ kind: 'not_found', code: 'TOOL_NOT_FOUND' });
  expect((await at({ tool: 'add', arguments: { a: 'x' } })).error).toMatchObject({ code: 'TOOL_ERROR' });
  expect((await at({ method: 'no/such' })).error).toMatchObject({ kind: 'not_found', code: 'MCP_32601' });
});

test.each([
  [401, {}, { kind: 'auth', code: 'HTTP_401', retryable: false }],
  [429, { 'retry-after': '17' }, { kind: 'rate_limit', code: 'HTTP_429', retryable: true, retry_after: 17 }],
  [503, {}, { kind: 'server_error', code: 'HTTP_503', retryable: true }],
  [400, {}, { kind: 'client_error', code: 'HTTP_400', retryable: false }],
])('an answer %i says what it is', async (status, headers, expected) => {
  for (const method of ['initialize', 'tools/call']) {
    server.instead(method, (response) =>
      json(response, status, { jsonrpc: '2.0', error: { code: -32000, message: 'no, said it' } }, headers),
    );
    const { error, result } = await at({ tool: 'say', arguments: { text: 'x' } });
    expect(error).toMatchObject(expected);
    expect(error!.message).toContain('no, said it');
    expect(result).toMatchObject({ status: 'error', error: error!.message });
  }
});

test('an expired session is opened anew, once', async () => {
  const forgets = (response: ServerResponse): void => json(response, 404, {});
  server.instead('tools/call', forgets);
  expect((await at({ tool: 'say', arguments: { text: 'again' } })).result).toMatchObject({ data: 'again' });
  expect(methods().filter((one) => one === 'initialize')).toHaveLength(2);
  server.instead('tools/call', forgets, 2);
  expect((await at({ tool: 'say', arguments: { text: 'again' } })).error).toMatchObject({
    kind: 'connection',
    code: 'SESSION_EXPIRED',
    retryable: true,
  });
});

test.each(WAYS)('%s: a call that is cancelled is cancelled on the server', async (way) => {
  server.told.splice(0);
  const ctx = context();
  const running = at({ tool: 'slow', endpoint: server.origin + way }, ctx);
  await until(async () => server.told.includes('started'));
  // Its progress is that of the task.
  if (way === '/mcp') await until(async () => ctx.beats.length > 0);
  ctx.controller.abort();
  expect((await running).error).toMatchObject({ kind: 'cancelled' });
  if (way === '/mcp') expect(ctx.beats).toEqual([{ progress: 1, total: 9 }]);
  // Without sessions there is nothing by which a server could know the call.
  if (way === '/stateless') expect(methods()).toContain('notifications/cancelled');
  else await until(async () => server.told.includes('cancelled'));
});

test('a call that takes too long ends in time', async () => {
  const { error, result } = await at({ tool: 'slow', timeout: 0.5 });
  expect(error).toMatchObject({ kind: 'timeout', code: 'TIMEOUT', retryable: true });
  expect(result).toMatchObject({ status: 'error', tool: 'slow' });
});

test.each(['/mcp', '/json'])('%s: an answer has bounds', async (way) => {
  const endpoint = server.origin + way;
  const limited = { endpoint, tool: 'huge', max_response_bytes: 100_000 };
  const large = await at({ ...limited, arguments: { bytes: 200_000 } });
  expect(large.error).toMatchObject({ kind: 'validation', code: 'RESPONSE_TOO_LARGE' });
  const fits = await at({ endpoint, tool: 'huge', arguments: { bytes: 3_000_000 } });
  expect((fits.result as JsonObject)['text']).toHaveLength(3_000_000);
});

const EVENTS = { 'content-type': 'text/event-stream' };
test.each<[string, (response: ServerResponse) => void]>([
  ['without an answer', (response) => void response.destroy()],
  [
    'in its answer',
    (response) =>
      response
        .writeHead(200, { 'content-length': '1000', 'content-type': 'application/json' })
        .write('{', () => response.destroy()),
  ],
  [
    'in its stream',
    (response) => response.writeHead(200, EVENTS).write('data: {"jsonr', () => response.destroy()),
  ],
  ['between events', (response) => void response.writeHead(200, EVENTS).end(': nothing\n\n')],
])('a server that dies %s is a lost connection', async (_, die) => {
  server.instead('tools/call', die);
  const { error } = await at({ tool: 'say', arguments: { text: 'x' }, timeout: 60 });
  expect(error).toMatchObject({ kind: 'connection', retryable: true });
  expect(error!.code).not.toBe('TIMEOUT');
});

test('a stream that ends with an id is asked for the rest; no rest is a lost connection', async () => {
  const interrupted = (response: ServerResponse): void =>
    void response.writeHead(200, EVENTS).end('id: 7\nretry: 1\ndata:\n\n');
  let id: unknown;
  server.instead('tools/call', (response, message) => ((id = message['id']), interrupted(response)));
  server.instead('GET', (response) =>
    response
      .writeHead(200, EVENTS)
      .end(
        `id: 8\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'rest' }] } })}\n\n`,
      ),
  );
  expect((await at({ tool: 'say', arguments: { text: 'x' } })).result).toMatchObject({ data: 'rest' });
  expect(server.heard.find(({ method }) => method === 'GET')!.headers['last-event-id']).toBe('7');
  server.instead('tools/call', interrupted);
  server.instead('GET', (response) => void response.destroy(), 9);
  expect((await at({ tool: 'say', arguments: { text: 'x' } })).error).toMatchObject({ kind: 'connection' });
});

test.each<[string, string, string]>([
  ['a page', 'text/html', '<html>'],
  ['JSON that is none', 'application/json', '{"jsonrpc": '],
  ['JSON that is no message', 'application/json', '{"hello": 1}'],
])('%s is no answer of the protocol', async (_, type, body) => {
  server.instead(
    'initialize',
    (response) => void response.writeHead(200, { 'content-type': type }).end(body),
  );
  expect((await at({ tool: 'say' })).error).toMatchObject({ kind: 'server_error', code: 'NO_MCP_ANSWER' });
});

test('health asks for /healthz', async () => {
  server.instead('GET', (response) => json(response, 200, { ready: true }));
  expect((await at({ method: 'health' })).result).toMatchObject({ status: 'ok', data: { ready: true } });
  server.instead('GET', (response) => json(response, 503, {}));
  expect((await at({ method: 'health' })).error).toMatchObject({ code: 'HTTP_503' });
});

describe('where requests may go', () => {
  const allow = process.env['NOETL_HTTP_ALLOW'];
  afterEach(() => {
    if (allow === undefined) delete process.env['NOETL_HTTP_ALLOW'];
    else process.env['NOETL_HTTP_ALLOW'] = allow;
  });

  test('as for http: no metadata, and only what the operator allows', async () => {
    const metadata = await at({ endpoint: 'http://169.254.169.254/mcp', tool: 'x' });
    expect(metadata.error).toMatchObject({ kind: 'validation', code: 'ADDRESS_DENIED' });
    process.env['NOETL_HTTP_ALLOW'] = 'example.com';
    expect((await at({ tool: 'say' })).error).toMatchObject({ code: 'HOST_NOT_ALLOWED' });
    expect(server.heard).toEqual([]);
  });

  test('a redirect elsewhere takes no credential along', async () => {
    const other = await startMcpServer();
    try {
      server.instead('initialize', (response) =>
        response.writeHead(307, { location: `${other.origin}/json` }).end(),
      );
      const ctx = context({ token: { type: 'bearer', data: { token: 'T0KEN' } } });
      await at({ tool: 'say', arguments: { text: 'x' }, auth: 'token' }, ctx);
      expect(other.heard.length).toBeGreaterThan(0);
      for (const { headers } of other.heard) expect(headers['authorization']).toBeUndefined();
      for (const { headers } of other.heard) expect(headers['mcp-session-id']).toBeUndefined();
    } finally {
      await other.stop();
    }
  });
});

test('the worker knows servers by name', async () => {
  const name = 'NOETL_MCP_OUR_SHOP_ENDPOINT';
  try {
    process.env[name] = `${server.origin}/json`;
    const known = await run(mcp, { server: 'our-shop', tool: 'say', arguments: { text: 'x' } });
    expect(known.result).toMatchObject({ data: 'x', server: 'our-shop' });
  } finally {
    delete process.env[name];
  }
  const unknown = await run(mcp, { tool: 'say' });
  expect(unknown.error).toMatchObject({ kind: 'validation', code: 'NO_SERVER' });
  expect(unknown.error!.message).toContain('NOETL_MCP_KUBERNETES_ENDPOINT');
});
