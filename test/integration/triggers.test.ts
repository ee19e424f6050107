/** Messages that start playbooks: real requests, a real queue table, and processes that are killed. */
import { createHmac } from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { AckPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { type WorkflowExecutionInfo } from '@temporalio/client';
import { Pool } from 'pg';
import { CodedError } from '../../src/language/errors';
import { type TriggerMemo } from '../../src/language/plan';
import { Metrics } from '../../src/server/facade';
import { type DeadLetterDocument, type SubscriptionDocument } from '../../src/server/facade/documents';
import { contractClient } from '../support/contract';
import { startFacade, type TestFacade } from '../support/facade';
import { startNats } from '../support/nats';
import { CLI, type Running, start } from '../support/process';
import { inProcess } from '../support/program';
import { isNightly, nightlyTest } from '../support/sampled';
import { setCredential, type Stack, startStack } from '../support/stack';
import { until } from '../support/until';

const SECRET = 'key-of-the-shop';
const LONG = 'x'.repeat(300);
const PLAYBOOK = `apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: take, path: shop/take, workload: {n: {type: integer}}}
workload: {n: 0}
workflow: [{step: start, tool: {kind: noop, args: {twice: "{{ workload.n * 2 }}"}}}]
`;
const subscription = (name: string, spec: string): string =>
  `apiVersion: noetl.io/v1\nkind: Subscription\nmetadata: {name: ${name}, path: sub/${name}}\nspec:\n${spec.trim().replace(/^/gm, '  ')}\n`;
const webhook = (name: string, ingress = '', rest = ''): string =>
  subscription(
    name,
    `source: webhook\nmode: push\ningress:\n  gateway_path: /ingress/${name}\n  verify: {type: github, secret: shop_key}\n${ingress.replace(/^/gm, '  ')}\ndispatch: {playbook: shop/take, workload: {n: "{{ message.body.n }}"}, key: "{{ message.body.id }}"}\n${rest}`,
  );

let stack: Stack;
let facade: TestFacade;
let pool: Pool;
let database: string;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-triggers-'));
const running: Running[] = [];
let env: Record<string, string>;
let api: ReturnType<typeof contractClient>;

beforeAll(async () => {
  stack = await startStack({ kinds: ['http'], postgres: true });
  database = await stack.postgres.createDatabase('triggers');
  facade = await startFacade(stack, {
    postgres: { ...stack.postgres, url: database },
    over: {
      metrics: new Metrics(),
      ingressSecret: (name) =>
        name === 'shop_key'
          ? Promise.resolve({ secret: SECRET })
          : Promise.reject(new CodedError('CREDENTIAL_NOT_FOUND', `no credential ${name}`)),
    },
  });
  api = contractClient(facade);
  pool = new Pool({ connectionString: database });
  pool.on('error', () => undefined);
  setCredential('pg_queue', JSON.stringify({ type: 'postgres', data: { dsn: database } }));
  env = {
    TEMPORAL_ADDRESS: stack.server.address,
    NOETL_DATA_DIR: folder,
    DATABASE_URL: database,
    NOETL_STORAGE: 'none',
    NOETL_CREDENTIAL_PG_QUEUE: process.env['NOETL_CREDENTIAL_PG_QUEUE']!,
  };
  await register(PLAYBOOK);
});

afterAll(async () => {
  for (const { child } of running) child.kill('SIGKILL');
  await Promise.all(running.map(({ finished }) => finished));
  await pool?.end();
  expect((facade?.reported ?? []).filter((one) => !String(one).includes('lost_key'))).toEqual([]);
  await facade?.stop();
  await stack?.stop();
  fs.rmSync(folder, { recursive: true, force: true });
});

/** Of the answers of several routes, what the tests look into. */
interface Told {
  readonly status?: string;
  readonly execution_id?: string;
  readonly warnings?: readonly string[];
  readonly ids?: readonly string[];
  readonly result?: unknown;
}

async function post(place: string, body?: unknown): Promise<{ status: number; body: Told }> {
  const response = await fetch(`${facade.url}${place}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body ?? {}),
  });
  return { status: response.status, body: (await response.json()) as Told };
}
async function register(content: string): Promise<void> {
  const { status, body } = await post('/api/catalog/register', { content });
  expect({ status, warnings: body.warnings }).toEqual({ status: 200, warnings: [] });
}
const at = (name: string, verb: string): string =>
  `/api/subscriptions/${encodeURIComponent(`sub/${name}`)}/${verb}`;
const activate = async (content: string, name: string): Promise<void> => {
  await register(content);
  expect((await post(at(name, 'activate'))).body).toMatchObject({ state: 'ACTIVE', path: `sub/${name}` });
};
const sign = (body: string | Buffer, secret = SECRET): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
const send = async (name: string, body: string, headers: Record<string, string> = {}) => {
  const response = await fetch(`${facade.url}/ingress/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-hub-signature-256': sign(body), ...headers },
    body,
  });
  return {
    status: response.status,
    retry: response.headers.get('retry-after'),
    body: (await response.json()) as Told,
  };
};
const asked = async <T>(place: string): Promise<T> => (await api('get', place)).body as unknown as T;
const statusOf = (name: string): Promise<SubscriptionDocument> =>
  asked(`/api/subscriptions/${encodeURIComponent(`sub/${name}`)}`);
const memoOf = ({ memo }: WorkflowExecutionInfo): TriggerMemo | undefined =>
  memo?.['noetl_trigger'] as TriggerMemo | undefined;
/** Those that Temporal lists: each a moment after it has begun. */
const executionsOf = async (name: string): Promise<WorkflowExecutionInfo[]> => {
  const all: WorkflowExecutionInfo[] = [];
  for await (const one of stack.client.workflow.list({ query: `NoetlPlaybook = 'shop/take'` }))
    if (memoOf(one)?.path === `sub/${name}`) all.push(one);
  return all;
};

/** At least so many, when Temporal lists them. */
const listedOf = (name: string, atLeast: number): Promise<WorkflowExecutionInfo[]> =>
  until(async () => {
    const all = await executionsOf(name);
    return all.length >= atLeast && all;
  });

test('a webhook: one execution for a key, which says where it comes from', async () => {
  await activate(webhook('hook'), 'hook');
  const first = await send('hook', '{"id":"a","n":4}');
  expect(first).toMatchObject({ status: 202, body: { status: 'accepted' } });
  const again = await send('hook', '{"id":"a","n":4, "more": 1}');
  expect(again.body).toEqual({ status: 'duplicate', execution_id: first.body.execution_id });
  const run = await until(async () => {
    const one = await asked<Told>(`/api/executions/${first.body.execution_id}`);
    return one.status === 'COMPLETED' && one;
  });
  expect(run).toMatchObject({
    path: 'shop/take',
    trigger: { path: 'sub/hook', source: 'webhook', key: 'a' },
  });
  const seen = await until(async () => {
    const one = await statusOf('hook');
    return one.duplicates === 1 && one;
  });
  expect(seen).toMatchObject({
    received: 2,
    started: 1,
    state: 'ACTIVE',
    address: '/ingress/hook',
    dead_letters: 0,
  });
});

test('forged, replayed, oversized, compressed and cut requests start nothing', async () => {
  await activate(webhook('strict', 'max_bytes: 1000'), 'strict');
  const body = '{"id":"b","n":1}';
  expect(await send('strict', body, { 'x-hub-signature-256': sign(body, 'other') })).toMatchObject({
    status: 401,
    body: { status: 'rejected', reason: 'bad_signature', code: 'INGRESS_REJECTED' },
  });
  expect(await send('strict', body, { 'x-hub-signature-256': '' })).toMatchObject({ status: 401 });
  expect(await send('nowhere', body)).toMatchObject({ status: 404, body: { reason: 'unknown_listener' } });
  expect(await send('strict', JSON.stringify({ id: 'x'.repeat(2000) }))).toMatchObject({ status: 413 });
  expect(await send('strict', body, { 'content-encoding': 'gzip' })).toMatchObject({ status: 415 });
  // What is not signed is no JSON either: the signature is what is refused.
  expect(await send('strict', '{"id"', { 'x-hub-signature-256': 'sha256=00' })).toMatchObject({
    status: 401,
  });
  await cut('strict', body);
  expect(await executionsOf('strict')).toEqual([]);
  const first = await send('strict', body, { 'x-github-delivery': '1' });
  expect(first.status).toBe(202);
  // A replay with the headers that nobody signed changed.
  const replayed = await send('strict', body, { 'x-github-delivery': '2', 'x-message-id': '3' });
  expect(replayed.body).toEqual({ status: 'duplicate', execution_id: first.body.execution_id });
});

/** A request whose body ends before it should. */
async function cut(name: string, body: string): Promise<void> {
  const { port } = new URL(facade.url);
  const socket = net.connect(Number(port), '127.0.0.1');
  socket.write(
    `POST /ingress/${name} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: ${body.length + 10}\r\nx-hub-signature-256: ${sign(body)}\r\n\r\n${body}`,
  );
  await new Promise((resolve) => setTimeout(resolve, 200));
  socket.destroy();
}

test('replays of one signature at the same time are one execution, whatever their ids', async () => {
  await activate(webhook('race').replace(/, key: .*"}/, '}'), 'race');
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      send('race', '{"n":1}', { 'x-github-delivery': `d${index}`, constructor: 'x' }),
    ),
  );
  expect(new Set(answers.map(({ status, body }) => `${status} ${body.execution_id}`)).size).toBe(1);
  expect(await listedOf('race', 1)).toHaveLength(1);
});

test('a header that is split is not what was signed', async () => {
  await activate(
    webhook('split')
      .replace('type: github', 'type: standard')
      .replace(/, key: .*"}/, '}'),
    'split',
  );
  const [body, time] = ['{"n":1}', String(Math.floor(Date.now() / 1000))];
  const signature = createHmac('sha256', SECRET).update(`a, b.${time}.${body}`).digest('base64');
  const statusWith = async (id: string | string[]): Promise<number | undefined> =>
    await new Promise((resolve, reject) =>
      http
        .request(`${facade.url}/ingress/split`, {
          method: 'POST',
          headers: { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': `v1,${signature}` },
        })
        .on('response', (response) => resolve(response.resume().statusCode))
        .on('error', reject)
        .end(body),
    );
  // Node joins both to what was signed; the second alone would be the id of a new message.
  expect([await statusWith('a, b'), await statusWith(['a', 'b'])]).toEqual([202, 401]);
}, 30_000);

test.each([
  ['halves of characters', ['{"id":"\\ud800","n":1}', '{"id":"\\ud801","n":1}']],
  ['NUL', ['{"id":"k\\u0000","n":1}', '{"id":"k","n":1}']],
  ['beginnings of 300 characters', [`{"id":"${LONG}1","n":1}`, `{"id":"${LONG}2","n":1}`]],
])(
  'keys that differ in %s are different messages',
  async (what, bodies) => {
    const name = `keys${what.length}`;
    await activate(webhook(name), name);
    for (const body of bodies) expect((await send(name, body)).body).toMatchObject({ status: 'accepted' });
    for (const body of bodies) expect((await send(name, body)).body).toMatchObject({ status: 'duplicate' });
  },
  30_000,
);

test('ids of senders that differ at the end are different messages', async () => {
  await activate(webhook('ids').replace(/, key: .*"}/, '}'), 'ids');
  for (const end of ['1', '2'])
    expect((await send('ids', `{"n":${end}}`, { 'x-github-delivery': `${LONG}${end}` })).body).toMatchObject({
      status: 'accepted',
    });
}, 30_000);

test('a credential that is missing is told to the operator, not to the sender', async () => {
  await activate(webhook('lost').replace('shop_key', 'lost_key'), 'lost');
  const refused = await send('lost', '{}');
  expect(refused).toMatchObject({ status: 403, body: { status: 'rejected', reason: 'misconfigured' } });
  expect(JSON.stringify(refused)).not.toContain('lost_key');
  expect(facade.reported.map(String).join()).toContain('lost_key');
});

test('a request is answered alike by the HTTP server itself and by Express, which serves those of pages', async () => {
  await activate(webhook('alike', 'max_bytes: 1000'), 'alike');
  await register(webhook('asleep'));
  const body = '{"id":"e","n":1}';
  expect((await send('alike', body)).status).toBe(202);
  const { port } = new URL(facade.url);
  const answerTo = async (name: string, text: string, signature: string, origin: object) => {
    const response = await fetch(`${facade.url}/ingress/${name}`, {
      method: 'POST',
      headers: { 'x-hub-signature-256': signature, 'x-request-id': 'same', ...origin },
      body: text,
    });
    const headers = Object.fromEntries(response.headers);
    // Whether a refused body had arrived already is another matter.
    for (const name of ['date', 'vary', 'connection', 'keep-alive']) delete headers[name];
    // Those that a browser reads.
    const security =
      /^(content-security|cross-origin|origin-agent|referrer|x-(dns|download|frame|permitted|xss))/;
    for (const name of Object.keys(headers).filter((one) => security.test(one))) delete headers[name];
    return { status: response.status, headers, body: await response.json() };
  };
  for (const [name, text, signature, status] of [
    ['alike', body, sign(body), 202],
    ['alike/', body, sign(body), 202],
    ['alike', body, 'x', 401],
    ['alike', 'x'.repeat(2000), 'x', 413],
    ['nowhere', body, sign(body), 404],
    ['x'.repeat(400), body, sign(body), 422],
    ['asleep', body, sign(body), 503],
  ] as const) {
    const direct = await answerTo(name, text, signature, {});
    expect(direct).toEqual(await answerTo(name, text, signature, { origin: `http://127.0.0.1:${port}` }));
    expect(direct).toMatchObject({ status, headers: { 'x-content-type-options': 'nosniff' } });
  }
});

test('requests that arrive slowly take nobody’s place', async () => {
  await activate(webhook('slow'), 'slow');
  const { port } = new URL(facade.url);
  const sockets = Array.from({ length: 70 }, () => net.connect(Number(port), '127.0.0.1'));
  for (const socket of sockets)
    socket
      .on('error', () => undefined)
      .write('POST /ingress/slow HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\n{');
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(await send('slow', '{"id":"s","n":1}')).toMatchObject({ status: 202 });
  for (const socket of sockets) socket.destroy();
});

test('a subscription that is not active takes nothing, and says when to come again', async () => {
  await register(webhook('gate'));
  const body = '{"id":"g","n":1}';
  expect(await send('gate', body)).toMatchObject({
    status: 503,
    retry: '60',
    body: { code: 'SUBSCRIPTION_INACTIVE' },
  });
  expect(await send('gate', body, { 'x-hub-signature-256': 'x' })).toMatchObject({ status: 401 });
  await post(at('gate', 'activate'));
  expect((await send('gate', body)).status).toBe(202);
  expect((await post(at('gate', 'pause'))).body).toMatchObject({
    state: 'PAUSED',
    last_event_type: 'subscription.paused',
  });
  expect((await send('gate', '{"id":"h","n":1}')).status).toBe(503);
  expect((await post(at('gate', 'drain'))).body).toMatchObject({ state: 'DRAINING' });
  expect(await post(at('gate', 'activate'))).toMatchObject({ status: 400, body: { code: 'TRIGGER_STATE' } });
  expect((await post(at('gate', 'deactivate'))).body).toMatchObject({ state: 'DEACTIVATED' });
  expect((await send('gate', body)).status).toBe(404);
  expect((await post('/api/subscriptions/register', { path: 'sub/gate' })).body).toMatchObject({
    state: 'REGISTERED',
  });
  expect(await post('/api/subscriptions/register', { path: 'shop/take' })).toMatchObject({ status: 400 });
  expect(await post('/api/subscriptions/register', { path: 'sub/none' })).toMatchObject({ status: 404 });
});

test('what a playbook refuses is a dead letter, and starts when it is mended', async () => {
  await activate(webhook('dead'), 'dead');
  const refused = await send('dead', '{"id":"d1","n":"many"}');
  expect(refused).toMatchObject({ status: 202, body: { status: 'dead_lettered', code: 'WORKLOAD_INVALID' } });
  expect((await send('dead', '{"n":1}')).body).toMatchObject({ status: 'dead_lettered' });
  const { dead_letters: letters } = await asked<{ dead_letters: DeadLetterDocument[] }>(at('dead', 'dead'));
  expect(letters.map((one) => one.code)).toEqual([expect.stringMatching(/^NT/), 'WORKLOAD_INVALID']);
  expect((await post(at('dead', 'dead/replay'), { all: true })).body).toEqual({
    started: 0,
    duplicates: 0,
    filtered: 0,
    failed: 2,
  });
  const mended = webhook('dead').replace('{{ message.body.n }}', '{{ message.body.n | int(7) }}');
  await register(mended);
  expect((await post(at('dead', 'dead/replay'), { ids: [letters[1]!.dead_id] })).body).toMatchObject({
    started: 1,
    failed: 0,
  });
  expect((await post(at('dead', 'dead/drop'), { all: true })).body.ids).toEqual([letters[0]!.dead_id]);
  expect(await statusOf('dead')).toMatchObject({ dead_letters: 0 });
});

test('a dry test says what would start, or why it cannot', async () => {
  await register(webhook('dry'));
  const tried = (await post(at('dry', 'test'), { body: { id: 'x', n: 3 } })).body;
  expect(tried).toMatchObject({
    outcome: 'started',
    playbook: 'shop/take',
    key: 'x',
    workload: { n: 3 },
    refused: null,
  });
  expect((await post(at('dry', 'test'), { body: '{"id":"x","n":"no"}' })).body).toMatchObject({
    outcome: 'dead',
    refused: { code: 'WORKLOAD_INVALID' },
  });
  expect(await executionsOf('dry')).toEqual([]);
  const shown = await inProcess([
    'trigger',
    'test',
    'sub/dry',
    '--body',
    '{"id":"y","n":9}',
    '--server',
    facade.url,
  ]);
  expect(JSON.parse(shown.stdout)).toMatchObject({ outcome: 'started', workload: { n: 9 } });
});

test('a signed message that is dead is one dead letter, whatever its id says, and starts once', async () => {
  const keyless = webhook('twice').replace(/, key: .*"}/, '}');
  await activate(keyless, 'twice');
  const body = '{"n":"many"}';
  const attempt = (id: string) => send('twice', body, { 'x-github-delivery': id });
  for (const id of ['a', 'b']) expect((await attempt(id)).body).toMatchObject({ status: 'dead_lettered' });
  expect(await statusOf('twice')).toMatchObject({ dead_letters: 1 });
  await post(at('twice', 'dead/replay'), { all: true });
  expect(await statusOf('twice')).toMatchObject({ dead_letters: 1 });
  await register(keyless.replace('{{ message.body.n }}', '{{ message.body.n | int(7) }}'));
  expect((await post(at('twice', 'dead/replay'), { all: true })).body).toMatchObject({ started: 1 });
  expect((await attempt('c')).body).toMatchObject({ status: 'duplicate' });
  expect(await listedOf('twice', 1)).toHaveLength(1);
});

test('a dead letter starts, though its key was somebody else’s before its window', async () => {
  const windowed = webhook('window', '', 'dedup: {window_secs: 60}').replace(
    '{{ message.body.id }}',
    'the same',
  );
  await activate(windowed, 'window');
  expect((await send('window', '{"n":1}')).body).toMatchObject({ status: 'accepted' });
  await pool.query(
    `UPDATE noetl.submission SET created_at = now() - interval '1 hour' WHERE key = 'the same'`,
  );
  expect((await send('window', '{"n":"many"}')).body).toMatchObject({ status: 'dead_lettered' });
  await register(windowed.replace('{{ message.body.n }}', '{{ message.body.n | int(7) }}'));
  expect((await post(at('window', 'dead/replay'), { all: true })).body).toMatchObject({ started: 1 });
}, 30_000);

test('Slack is told the word that it asks for, if it has signed; metrics tell of what is dead', async () => {
  await register(webhook('slack').replace('type: github', 'type: slack'));
  const body = '{"type":"url_verification","challenge":"word"}';
  const time = String(Math.floor(Date.now() / 1000));
  const signed = (secret: string) => ({
    'x-slack-request-timestamp': time,
    'x-slack-signature': `v0=${createHmac('sha256', secret).update(`v0:${time}:${body}`).digest('hex')}`,
  });
  expect(await send('slack', body, signed(SECRET))).toMatchObject({
    status: 200,
    body: { challenge: 'word' },
  });
  expect(await send('slack', body, signed('other'))).toMatchObject({ status: 401 });
  const metrics = await (await fetch(`${facade.url}/metrics`)).text();
  expect(metrics).toMatch(/^noetl_trigger_dead_letters\{subscription="sub\/slack",source="webhook"\} 0$/m);
  expect(metrics).toMatch(/^noetl_http_request_duration_seconds_count\{.*"\/ingress\/.*status="401"\} /m);
});

test('respond: result answers with the end', async () => {
  await activate(webhook('ends', 'respond: result'), 'ends');
  const answer = await send('ends', '{"id":"e","n":21}');
  expect(answer).toMatchObject({ status: 200, body: { status: 'completed' } });
  expect(JSON.stringify(answer.body.result)).toContain('42');
  expect(await send('ends', '{"id":"e2","n":"x"}')).toMatchObject({
    status: 422,
    body: { code: 'WORKLOAD_INVALID' },
  });
});

const QUEUE = `source: postgres
auth: pg_queue
table: jobs
channel: jobs
runtime: {workers: 2, batch: 10}
dispatch: {playbook: shop/take, workload: {n: "{{ message.body.n }}"}}`;

function triggers(): Running {
  const one = start(process.execPath, [CLI, 'triggers'], env);
  running.push(one);
  return one;
}

nightlyTest(
  'a stream of NATS, whose processes and whose server are killed: one execution for each message, and none is lost',
  async () => {
    const nats = await startNats();
    const connection = await connect({ servers: nats.url, maxReconnectAttempts: -1, reconnectTimeWait: 50 });
    try {
      const manager = await jetstreamManager(connection);
      await manager.streams.add({ name: 'ORDERS', subjects: ['orders.>'] });
      const consumer = { durable_name: 'taker', ack_policy: AckPolicy.Explicit, ack_wait: 2_000_000_000 };
      await manager.consumers.add('ORDERS', consumer);
      const js = jetstream(connection);
      for (let n = 0; n < 60; n += 1) await js.publish('orders.eu', JSON.stringify({ n }));
      await activate(
        subscription(
          'nats',
          `source: nats\nmode: pull\nurl: ${nats.url}\nstream: ORDERS\nconsumer: taker\nruntime: {batch: 5, timeout_ms: 500}\ndispatch: {playbook: shop/take, workload: {n: "{{ message.body.n }}"}}`,
        ),
        'nats',
      );
      const begin = (): Running => {
        const one = start(process.execPath, [CLI, 'triggers'], env);
        running.push(one);
        return one;
      };
      const count = async (): Promise<number> => (await executionsOf('nats')).length;
      const first = begin();
      await until(async () => (await count()) >= 5);
      first.child.kill('SIGKILL');
      const second = begin();
      await until(async () => (await count()) >= 20);
      await nats.kill();
      await nats.startAgain();
      const info = async () => await manager.consumers.info('ORDERS', 'taker');
      await until(async () => (await info()).ack_floor.stream_seq === 60, 60_000);
      const sequences = (await listedOf('nats', 60)).map((one) => memoOf(one)!.message_id.split('@')[0]);
      expect(sequences).toHaveLength(60);
      expect(new Set(sequences).size).toBe(60);
      second.child.kill('SIGTERM');
      await second.finished;
    } finally {
      await connection.close();
      await nats.stop();
    }
  },
  150_000,
);

test('a queue table, whose processes are killed: one execution for each row, and none is lost', async () => {
  const rows = isNightly ? 300 : 90;
  await pool.query('CREATE TABLE jobs (id bigserial PRIMARY KEY, n int)');
  await activate(subscription('queue', QUEUE), 'queue');
  await pool.query('INSERT INTO jobs (n) SELECT i FROM generate_series(1, $1::int) i', [rows]);
  const left = async (): Promise<number> =>
    Number((await pool.query<{ count: string }>('SELECT count(*) FROM jobs')).rows[0]!.count);
  const [first, second] = [triggers(), triggers()];
  await until(async () => (await left()) < (rows * 5) / 6, 60_000);
  first.child.kill('SIGKILL');
  await until(async () => (await left()) < rows / 2, 60_000);
  second.child.kill('SIGKILL');
  await Promise.all([first.finished, second.finished]);
  const third = triggers();
  await until(async () => (await left()) === 0, 60_000);
  const runs = await listedOf('queue', rows);
  expect(new Set(runs.map((one) => memoOf(one)!.key)).size).toBe(rows);
  expect(runs).toHaveLength(rows);
  third.child.kill('SIGTERM');
  expect((await third.finished).code).toBe(0);
});

test('a row that cannot be kept as it is does not hold up the others', async () => {
  await pool.query('CREATE TABLE odd (id text, n text, headers text)');
  await activate(
    subscription('odd', QUEUE.replace('jobs', 'odd').replace('channel: jobs', 'columns: {headers: headers}')),
    'odd',
  );
  // Longer than an index holds, and no JSON.
  await pool.query(
    `INSERT INTO odd SELECT string_agg(md5(i::text), ''), 'no number', 'no json' FROM generate_series(1, 400) i`,
  );
  // And half of a character, which a table holds only in JSON that is not parsed.
  await pool.query(
    `INSERT INTO odd VALUES ('', 'no number', '{"A": "\\ud800"}'), ('z', 'no number', '{"A": 1}')`,
  );
  const one = triggers();
  await until(async () => (await pool.query('SELECT FROM odd')).rows.length === 0, 30_000);
  expect(await statusOf('odd')).toMatchObject({ dead_letters: 3 });
  one.child.kill('SIGTERM');
  await one.finished;
});

nightlyTest('rows with the same id are different messages; what is done by ids needs ids', async () => {
  await pool.query('CREATE TABLE twins (id int, n int)');
  await pool.query('INSERT INTO twins VALUES (1, 1), (1, 2)');
  const twins = QUEUE.replace('jobs', 'twins')
    .replace('channel: jobs', 'runtime: {batch: 1}')
    .replace('runtime: {workers: 2, batch: 10}\n', '');
  await activate(subscription('twins', twins), 'twins');
  await activate(
    subscription('marked', `${twins}\ndone: "UPDATE twins SET n = 0 WHERE id = ANY($1)"`),
    'marked',
  );
  const one = triggers();
  await until(async () => (await pool.query('SELECT FROM twins')).rows.length === 0, 30_000);
  expect(await listedOf('twins', 2)).toHaveLength(2);
  const { trouble } = await until(async () => {
    const marked = await statusOf('marked');
    return marked.trouble !== null && marked;
  });
  expect(trouble).toContain('twins.id is not unique');
  one.child.kill('SIGTERM');
  await one.finished;
});

const ENDS = `source: playbook
playbook: shop/t*
dispatch: {playbook: shop/after, workload: {run: "{{ message.body.execution_id }}", twice: "{{ message.body.result.twice }}"}}`;

test('the end of a playbook starts another, with its result; a chain does not come back to itself', async () => {
  await register(
    PLAYBOOK.replace(
      'name: take, path: shop/take, workload: {n: {type: integer}}',
      'name: after, path: shop/tafter',
    )
      .replace('workload: {n: 0}', 'workload: {run: null, twice: null}')
      .replace(
        '{twice: "{{ workload.n * 2 }}"}',
        '{run: "{{ workload.run }}", twice: "{{ workload.twice }}"}',
      ),
  );
  // Its own ends fit as well.
  await activate(subscription('ends-of', ENDS.replace('shop/after', 'shop/tafter')), 'ends-of');
  running.push(start(process.execPath, [CLI, 'project'], env));
  triggers();
  const { body } = await post('/api/execute', { path: 'shop/take', workload: { n: 5 } });
  const follower = await until(async () => {
    const all: WorkflowExecutionInfo[] = [];
    for await (const one of stack.client.workflow.list({ query: `NoetlPlaybook = 'shop/tafter'` }))
      all.push(one);
    return all.find((one) => memoOf(one)?.path === 'sub/ends-of' && one.status.name === 'COMPLETED');
  }, 60_000);
  expect(JSON.stringify(await stack.client.workflow.getHandle(follower.workflowId).result())).toContain('10');
  // Executions of other tests end too; each is followed once, and no follower is.
  await until(async () => (await statusOf('ends-of')).lag === 0);
  const { rows } = await pool.query<{ path: string }>(
    `SELECT DISTINCT path FROM noetl.notification WHERE target ? 'trigger'`,
  );
  expect(rows).toEqual([{ path: 'shop/take' }]);
  expect(body.execution_id).toMatch(/^\d+$/);
  for (const one of running.splice(-2)) one.child.kill('SIGKILL');
});

test('while Temporal is away a webhook is to come again, and the key that it claimed is not lost', async () => {
  const away = { ...facade.services, client: deafClient(stack) };
  const other = await startFacade(
    { client: away.client },
    {
      postgres: { ...stack.postgres, url: database },
      over: { ingressSecret: facade.services.ingressSecret },
    },
  );
  try {
    const body = '{"id":"away","n":1}';
    const headers = { 'content-type': 'application/json', 'x-hub-signature-256': sign(body) };
    const refused = await fetch(`${other.url}/ingress/hook`, { method: 'POST', headers, body });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
  } finally {
    await other.stop();
  }
  // The key that was claimed is not lost: the same message starts now.
  expect((await send('hook', '{"id":"away","n":1}')).body).toMatchObject({ status: 'accepted' });
});

/** A client whose starts fail as when the server is away. */
function deafClient({ client }: Stack): Stack['client'] {
  const start = (): Promise<never> =>
    Promise.reject(
      Object.assign(new Error('14 UNAVAILABLE: no connection'), { code: 14, details: '', metadata: {} }),
    );
  return new Proxy(client, {
    get: (target, name) =>
      name === 'workflow'
        ? new Proxy(target.workflow, {
            get: (inner, key) => (key === 'start' ? start : Reflect.get(inner, key)),
          })
        : Reflect.get(target, name),
  });
}
