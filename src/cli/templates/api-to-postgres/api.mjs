// Stands in for an API: pages of customers, and 429 for each third request. `node api.mjs [PORT]`
import http from 'node:http';

const customers = Array.from({ length: 25 }, (_, n) => ({
  id: n + 1,
  name: `Customer ${n + 1}`,
  city: ['Oslo', 'Rome'][n % 2],
}));
const SIZE = 10;
let requests = 0;

const server = http.createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost');
  const answer = (status, body, headers = {}) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  if (pathname !== '/customers') return answer(404, { error: 'there is /customers?page=1' });
  if (++requests % 3 === 0) return answer(429, { error: 'slow down' }, { 'retry-after': '1' });
  const page = Number(searchParams.get('page') ?? 1);
  const customersOfPage = customers.slice((page - 1) * SIZE, page * SIZE);
  return answer(200, { customers: customersOfPage, next: page * SIZE < customers.length ? page + 1 : null });
});
server.listen(Number(process.argv[2] ?? 8099), '127.0.0.1', () =>
  console.log(`customers at http://127.0.0.1:${server.address().port}/customers`),
);
