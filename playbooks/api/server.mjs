// The API that the example playbooks read: three paged endpoints, one of them failing now and then, one that is not
// there; one whose pages are named by Link headers, and one of changes since an id; customers, one of whom is gone; a CSV file of any length; an OAuth 2
// server whose tokens open /api/v1/me; a shop that reserves, charges and ships; an MCP server with one tool; and a model
// that calls tools. Nothing but Node.
//
//   node playbooks/api/server.mjs [--port 8089]
import { randomBytes } from 'node:crypto';
import http from 'node:http';
import { Readable } from 'node:stream';

const ITEMS = 35;
const flag = process.argv.indexOf('--port');
const port = flag > 0 ? Number(process.argv[flag + 1]) : Number(process.env.PORT ?? 8089);

/** Pages that failed once already, by endpoint, page and client: the second try works. */
const failedOnce = new Set();
let requests = 0;

const endpoints = {
  '/api/v1/assessments': (id) => ({ id, name: `Assessment ${id}`, score: 50 + (id % 50) }),
  '/api/v1/users': (id) => ({ id, username: `user${id}`, email: `user${id}@example.com` }),
  '/api/v1/flaky': (id) => ({ id, value: `item_${id}` }),
};

/** Tokens that were given out, with the client each is for. */
const tokens = new Map();

/** Client credentials (RFC 6749 §4.4): any client that has a secret gets a token. */
async function token(request, answer) {
  let body = '';
  for await (const piece of request) body += piece;
  const form = new URLSearchParams(body);
  if (form.get('grant_type') !== 'client_credentials') return answer(400, { error: 'unsupported_grant_type' });
  if (!form.get('client_id') || !form.get('client_secret')) return answer(401, { error: 'invalid_client' });
  const access_token = randomBytes(24).toString('base64url');
  tokens.set(`Bearer ${access_token}`, form.get('client_id'));
  answer(200, { access_token, token_type: 'Bearer', expires_in: 600 });
}

function page(url, make) {
  const number = Math.max(1, Number(url.searchParams.get('page') ?? 1) || 1);
  const size = Math.min(100, Math.max(1, Number(url.searchParams.get('pageSize') ?? 10) || 10));
  const first = (number - 1) * size + 1;
  const last = Math.min(ITEMS, number * size);
  const data = [];
  for (let id = first; id <= last; id++) data.push(make(id));
  return { data, paging: { page: number, pageSize: size, total: ITEMS, hasMore: last < ITEMS } };
}

/** The page, and the address of the next one where GitHub and GitLab send it. */
function linked(url, answer) {
  const { data, paging } = page(url, (id) => ({ id, name: `repo-${id}` }));
  const next = `http://127.0.0.1:${server.address().port}${url.pathname}?page=${paging.page + 1}`;
  answer(200, data, paging.hasMore ? { link: `<${url.pathname}?page=1>; rel="first", <${next}>; rel="next"` } : {});
}

/** Changes that were posted, behind the first ones. */
const posted = [];

/** At most ten changes after the id `since`, oldest first. The second page is asked for too soon, once. A POST adds one. */
async function changes(request, url, answer) {
  if (request.method === 'POST') {
    let body = '';
    for await (const piece of request) body += piece;
    posted.push({ ...JSON.parse(body), id: ITEMS + posted.length + 1 });
    return answer(201, posted.at(-1));
  }
  const since = Number(url.searchParams.get('since') ?? 0);
  if (since === 10 && !failedOnce.has('changes')) {
    failedOnce.add('changes');
    return answer(429, { error: 'slow down' }, { 'retry-after': '1' });
  }
  const first = Array.from({ length: ITEMS }, (_, index) => index + 1);
  const all = [...first.map((id) => ({ id, customer: id % 20, name: `Customer ${id % 20}, change ${id}` })), ...posted];
  answer(200, { changes: all.filter(({ id }) => id > since).slice(0, 10) });
}

/** A customer's address; the account of number 13 is closed. */
function customer(id, answer) {
  if (id === '13') return answer(404, { error: 'no such customer' });
  answer(200, { id: Number(id), email: `customer${id}@example.com` });
}

/** What the shop did, in order. */
const done = [];

/** Orders are numbers; those above 1000 cannot be shipped. */
async function shop(request, url, answer) {
  let body = '';
  for await (const piece of request) body += piece;
  const { order } = body ? JSON.parse(body) : {};
  if (url.pathname === '/shop') return answer(200, { done });
  if (url.pathname === '/shop/shipments' && order > 1000) return answer(422, { error: 'no stock left' });
  done.push(`${request.method} ${url.pathname}`);
  answer(200, { id: String(done.length) });
}

/** What an MCP server has to answer: a greeting, a list, and calls of the one tool. */
async function mcp(request, response, answer) {
  if (request.method !== 'POST') return response.writeHead(405).end();
  let body = '';
  for await (const piece of request) body += piece;
  const { id, method, params = {} } = JSON.parse(body);
  if (id === undefined) return response.writeHead(202).end();
  const city = params.arguments?.city;
  const t = { Oslo: 4, Rome: 16, Lima: 19 }[city];
  const say = (text, more) => ({ content: [{ type: 'text', text }], ...more });
  const results = {
    initialize: () => ({
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'example', version: '1' },
    }),
    'tools/list': () => ({
      tools: [{ name: 'weather', inputSchema: { type: 'object', properties: { city: { type: 'string' } } } }],
    }),
    'tools/call': () =>
      t === undefined
        ? say(`no weather of ${city}`, { isError: true })
        : say(`${t} degrees in ${city}`, { structuredContent: { city, t } }),
  };
  const result = results[method]?.();
  const error = { code: -32601, message: `no method ${method}` };
  answer(200, { jsonrpc: '2.0', id, ...(result ? { result } : { error }) });
}

/**
 * A model of few words, for the Messages API: it looks up the cities of the prompt, known ones first, and says what it was told.
 */
async function model(request, answer) {
  let body = '';
  for await (const piece of request) body += piece;
  const { messages, model: name, tools = [] } = JSON.parse(body);
  if (!request.headers['x-api-key'])
    return answer(401, { type: 'error', error: { type: 'authentication_error', message: 'x-api-key header is required' } });
  const blocks = messages.flatMap(({ content }) => (typeof content === 'string' ? [{ type: 'text', text: content }] : content));
  const cities = [...new Set(blocks[0].text.match(/(?<=in )[A-Z]\w+/g) ?? [])];
  const uses = blocks.filter(({ type }) => type === 'tool_use');
  const told = (city) => {
    const use = uses.find(({ input }) => input.city === city);
    const result = blocks.find(({ tool_use_id: id }) => use !== undefined && id === use.id);
    return result && (result.is_error ? 'unknown' : JSON.parse(result.content).t);
  };
  const left = tools.length > 0 ? cities.filter((city) => told(city) === undefined) : [];
  // In the first turn all but the last, at once.
  const next = uses.length === 0 && left.length > 1 ? left.slice(0, -1) : left;
  const content =
    next.length > 0
      ? next.map((city, index) => ({ type: 'tool_use', id: `toolu_${uses.length + index + 1}`, name: tools[0].name, input: { city } }))
      : [{ type: 'text', text: cities.map((city) => `${city}: ${told(city) ?? '?'}`).join(', ') || 'Hello.' }];
  const usage = { input_tokens: Math.ceil(body.length / 4), output_tokens: 20 * content.length };
  const stop_reason = next.length > 0 ? 'tool_use' : 'end_turn';
  answer(200, { id: `msg_${requests}`, type: 'message', role: 'assistant', model: name, content, stop_reason, usage });
}

/** Readings of three cities in turn, line by line: `?rows=` says how many. */
function* readings(rows) {
  yield 'id,city,t\n';
  for (let id = 0; id < rows; id++) yield `${id},${['Oslo', 'Rome', 'Lima'][id % 3]},${(id % 30) / 2}\n`;
}

const server = http.createServer((request, response) => {
  requests++;
  const url = new URL(request.url, 'http://localhost');
  const answer = (status, body, headers = {}) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
  if (url.pathname === '/health') return answer(200, { status: 'ok', requests });
  if (url.pathname === '/oauth/token' && request.method === 'POST') return void token(request, answer);
  if (url.pathname === '/api/v1/me') {
    const client = tokens.get(request.headers.authorization);
    return client ? answer(200, { client }) : answer(401, { error: 'invalid_token' });
  }
  if (url.pathname === '/api/v1/repos') return linked(url, answer);
  if (url.pathname === '/api/v1/changes') return void changes(request, url, answer);
  if (url.pathname.startsWith('/api/v1/customers/')) return customer(url.pathname.split('/').at(-1), answer);
  if (url.pathname === '/v1/messages' && request.method === 'POST') return void model(request, answer);
  if (url.pathname === '/mcp') return void mcp(request, response, answer);
  if (url.pathname.startsWith('/shop')) return void shop(request, url, answer);
  if (url.pathname === '/export/readings.csv') {
    response.writeHead(200, { 'content-type': 'text/csv; charset=utf-8' });
    return void Readable.from(readings(Number(url.searchParams.get('rows') ?? 1000))).pipe(response);
  }
  const make = endpoints[url.pathname];
  if (!make) return answer(404, { error: 'not found', path: url.pathname });
  if (url.pathname === '/api/v1/flaky') {
    const key = `${url.searchParams.get('page')}/${url.searchParams.get('pageSize')}`;
    if (Number(url.searchParams.get('page')) % 2 === 0 && !failedOnce.delete(key)) {
      failedOnce.add(key);
      return answer(503, { error: 'try again' });
    }
  }
  answer(200, page(url, make));
});

server.listen(port, '127.0.0.1', () => {
  process.stdout.write(`example API on http://127.0.0.1:${server.address().port}\n`);
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => server.close(() => process.exit(0)));
