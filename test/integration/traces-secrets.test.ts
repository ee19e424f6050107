/** Spans, as a collector gets them, have no secret: of tasks that use one everywhere and fail with it, and of requests. */
import http from 'node:http';
import { type AddressInfo } from 'node:net';
import { openTracing, type Tracing } from '../../src/telemetry/tracing';
import { startFacade, type TestFacade } from '../support/facade';
import { type Collector, startCollector } from '../support/otlp';
import { playbookOf } from '../support/simulator';
import { type Stack, startStack } from '../support/stack';

const SECRET = 'kept-Out-of-spans-4711';
const FORMS = [SECRET, Buffer.from(SECRET).toString('base64').replace(/=+$/, ''), encodeURIComponent(SECRET)];
const K = '{{ keychain.app.k }}';

const playbook = (url: string): string =>
  playbookOf(
    `
- step: start
  tool:
    - {name: asks, kind: http, url: "${url}/path/${K}?q=${K}", method: POST, headers: {x-key: "${K}", authorization: "Bearer ${K}"}, json: {k: "${K}"},
       spec: {policy: {rules: [{else: {then: {do: continue}}}]}}}
    - {name: gone, kind: http, url: "http://127.0.0.1:1/${K}", auth: {type: basic, username: u, password: "${K}"},
       spec: {policy: {rules: [{else: {then: {do: continue}}}]}}}
    - {name: prints, kind: shell, cmds: ["echo $K; echo $K >&2; exit 3"], env: {K: "${K}"}}
`,
    'keychain: [{name: app, kind: secret_manager, provider: environment, map: {k: spans}}]\n',
  );

let collector: Collector;
let tracing: Tracing;
let stack: Stack;
let facade: TestFacade;
const arrived: string[] = [];
const target = http.createServer((request, response) => {
  arrived.push(`${request.url} ${request.headers['x-key']} ${request.headers.authorization}`);
  response.statusCode = 500;
  response.statusMessage = 'no';
  request.on('data', (piece: Buffer) => response.write(piece));
  request.on('end', () => response.end(String(request.url) + JSON.stringify(request.headers)));
});

beforeAll(async () => {
  collector = await startCollector();
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
  Object.assign(process.env, {
    NOETL_SECRET_SPANS: SECRET,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    NOETL_TRACE_HOSTS: '127.0.0.1',
    OTEL_BSP_SCHEDULE_DELAY: '200',
  });
  tracing = openTracing('test', '1.2.3', () => undefined)!;
  stack = await startStack({ kinds: ['shell', 'http', 'secrets'], tracing });
  facade = await startFacade(stack, { edge: { traced: tracing.requests } });
});
afterAll(async () => {
  await facade?.stop();
  await stack?.stop();
  await tracing?.shutdown();
  await collector?.close();
  target.close();
});

test('a secret is in no span', async () => {
  const { port } = target.address() as AddressInfo;
  const post = async (path: string, body: object): Promise<Response> =>
    fetch(`${facade.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', baggage: `k=${SECRET}`, 'x-request-id': SECRET },
      body: JSON.stringify(body),
    });
  await post('/api/catalog/register', {
    content: playbook(`http://127.0.0.1:${port}`),
    resource_type: 'playbook',
  });
  const started = await post('/api/execute', { path: 'test/test' });
  expect(started.ok).toBe(true);
  // A secret where it does not belong: the path, the query, and the body of a request that fails.
  await fetch(`${facade.url}/api/executions/${SECRET}?q=${SECRET}`).then((answer) => answer.text());
  await post('/api/execute', { path: SECRET }).then((answer) => answer.text());
  const run = await collector.span(({ attributes }) => attributes['noetl.status'] === 'failed');
  expect(run.name).toBe('playbook test/test');
  for (const task of ['http start/asks', 'http start/gone', 'shell start/prints'])
    await collector.span(({ name, status }) => name === task && status === 2);
  for (const request of ['GET /api/executions/{id}', 'POST /api/execute'])
    await collector.span(
      ({ name, attributes }) => name === request && Number(attributes['http.response.status_code']) >= 400,
    );
  const texts = collector.spans.map(({ text }) => text);
  expect(arrived).toEqual([`/path/${SECRET}?q=${SECRET} ${SECRET} Bearer ${SECRET}`]);
  // What is looked for would be found: names of tasks, and what they ended with, are there.
  expect(texts.some((text) => text.includes('start/prints') && /EXIT|exit/i.test(text))).toBe(true);
  expect(texts.filter((text) => FORMS.some((form) => text.includes(form)))).toEqual([]);
});
