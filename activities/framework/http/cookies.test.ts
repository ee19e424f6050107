import http from 'node:http';
import { type AddressInfo } from 'node:net';
import { call, context } from '../../../test/support/tool-call';
import { http as tool } from '../../kinds/http/run';

/** Two servers: `/set` answers with the cookies of the query and redirects to `to`; what arrives elsewhere is noted. */
const arrived: Record<string, string | undefined> = {};
const servers: http.Server[] = [];
async function listen(name: string): Promise<string> {
  const server = http.createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://x');
    arrived[`${name}${pathname}`] = request.headers.cookie;
    const to = searchParams.get('to');
    if (to === null) return void response.end('{}');
    return void response.writeHead(302, { location: to, 'set-cookie': searchParams.getAll('c') }).end();
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

let here: string;
let there: string;
beforeAll(async () => void ([here, there] = await Promise.all([listen('here'), listen('there')])));
afterAll(async () => {
  await tool.close!();
  for (const server of servers) (server.closeAllConnections(), server.close());
});

/** Path and query of a redirect that sets cookies. */
const via = (path: string, to: string, ...cookies: string[]): string =>
  `${path}?${new URLSearchParams([['to', to], ...cookies.map((each): [string, string] => ['c', each])])}`;

async function get(url: string, headers = {}): Promise<void> {
  const outcome = await tool.run(call('http', { url, headers }), context());
  expect(outcome.error).toBeNull();
}

test.each([
  ['a session', ['sid=abc; HttpOnly; SameSite=Lax'], 'sid=abc'],
  ['several', ['a=1', 'b=x=y; Max-Age=60'], 'a=1; b=x=y'],
  ['one that is over', ['a=1', 'a=; Max-Age=0'], undefined],
  ['one that was over in 1970', ['a=1', 'a=; Expires=Thu, 01 Jan 1970 00:00:00 GMT'], undefined],
  ['of another path', ['a=1; Path=/elsewhere'], undefined],
  ['of a path that only begins alike', ['a=1; Path=/app/en'], undefined],
  ['of a path above', ['a=1; Path=/app'], 'a=1'],
  ['only for https', ['a=1; Secure'], undefined],
  ['without a name', ['=1', 'x'], undefined],
])('a redirect sets %s', async (_, cookies, expected) => {
  await get(here + via('/app/login', `${here}/app/end`, ...cookies));
  expect(arrived['here/app/end']).toBe(expected);
});

test('the request keeps its own cookies; one that is set again is replaced', async () => {
  await get(here + via('/login', '/end', 'sid=new'), { cookie: 'mine=1; sid=old' });
  expect(arrived['here/end']).toBe('mine=1; sid=new');
});

test('another origin gets none of them; the first gets its own again', async () => {
  const back = there + via('/away', `${here}/back`, 'evil=1; Domain=127.0.0.1');
  await get(here + via('/login', back, 'sid=abc; Domain=127.0.0.1'), { cookie: 'mine=1' });
  expect(arrived['there/away']).toBeUndefined();
  expect(arrived['here/back']).toBe('sid=abc');
});

test('they are forgotten with the request', async () => {
  await get(here + via('/login', '/end', 'sid=abc'));
  await get(`${here}/later`);
  expect(arrived['here/later']).toBeUndefined();
});
