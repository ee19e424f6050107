// The API that the example playbooks read: three paged endpoints, one of them failing now and then, one that is not
// there. Nothing but Node.
//
//   node playbooks/api/server.mjs [--port 8089]
import http from 'node:http';

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

function page(url, make) {
  const number = Math.max(1, Number(url.searchParams.get('page') ?? 1) || 1);
  const size = Math.min(100, Math.max(1, Number(url.searchParams.get('pageSize') ?? 10) || 10));
  const first = (number - 1) * size + 1;
  const last = Math.min(ITEMS, number * size);
  const data = [];
  for (let id = first; id <= last; id++) data.push(make(id));
  return { data, paging: { page: number, pageSize: size, total: ITEMS, hasMore: last < ITEMS } };
}

const server = http.createServer((request, response) => {
  requests++;
  const url = new URL(request.url, 'http://localhost');
  const answer = (status, body) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
  if (url.pathname === '/health') return answer(200, { status: 'ok', requests });
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
