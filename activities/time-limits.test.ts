/**
 * Kind × what never answers: each task ends at its time limit, and when it is cancelled, whatever it waits for; soon
 * enough for Temporal's own limit (start-to-close) never to be what ends it.
 */
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { openStorage, type Storage } from '../src/storage/blobs';
import { type JsonObject, type Outcome } from '../src/language/plan';
import { context, run, type TestContext } from '../test/support/tool-call';
import { postgresTool, type PostgresTool } from '../test/support/postgres-tool';
import { closeTools, registry } from './registry';

interface On {
  /** A port that takes connections and says nothing. */
  readonly port: number;
  readonly url: string;
  /** Of a server that answers. */
  readonly data: string;
  readonly pg: PostgresTool;
}
type Row = readonly [what: string, kind: string, config: (on: On) => JsonObject];

const ENDLESS =
  'select count(*) as n from range(1000000) a, range(1000000) b where hash(a.range + b.range) = 1';
const duckdb = { kind: 'duckdb', table: 't' };
const one = { kind: 'duckdb', query: 'select 1 as id' };
const silentPg = ({ pg, port }: On): JsonObject => ({ type: 'postgres', ...pg.data, db_port: port });
const silentSf = ({ url }: On): JsonObject => ({
  account: 'fake',
  user: 'u',
  password: 'p',
  database: 'DB1',
  schema: 'S1',
  access_url: url,
});

const ROWS: readonly Row[] = [
  ['a server', 'http', ({ url }) => ({ url })],
  ['a proxy', 'http', ({ url }) => ({ url: 'http://example.invalid/', proxy: url })],
  ['a loop', 'python', () => ({ code: 'while True: pass' })],
  ['a script’s server', 'python', ({ url }) => ({ script: { uri: `${url}/a.py` } })],
  ['a program', 'shell', () => ({ cmds: 'sleep 60' })],
  ['a program deaf to SIGTERM', 'shell', () => ({ cmds: "trap '' TERM; sleep 60; sleep 60" })],
  [
    'a script’s bucket, GCS',
    'python',
    ({ url }) => ({ script: { uri: 'gs://b/a.py', source: { auth: { endpoint: url } } } }),
  ],
  [
    'a script’s bucket, S3',
    'duckdb',
    ({ url }) => ({
      script: {
        uri: 's3://b/a.sql',
        source: { auth: { endpoint: url, access_key_id: 'a', secret_access_key: 's' } },
      },
    }),
  ],
  ['a program', 'script', () => ({ code: 'sleep 60' })],
  ['a script’s server', 'script', ({ url }) => ({ script: { uri: `${url}/a.sh` } })],
  ['a server', 'postgres', (on) => ({ query: 'select 1', auth: silentPg(on) })],
  [
    'a statement',
    'postgres',
    ({ pg }) => ({ query: 'select pg_sleep(60)', auth: { type: 'postgres', ...pg.data } }),
  ],
  ['a query', 'duckdb', () => ({ query: ENDLESS })],
  ['a server', 'snowflake', (on) => ({ query: 'select 1', auth: silentSf(on) })],
  ['a download', 'gcs', ({ url }) => ({ source: 'gs://bucket/x', auth: { endpoint: url } })],
  ['an upload', 'gcs', ({ url }) => ({ destination: 'gs://bucket/x', data: 'x', auth: { endpoint: url } })],
  ['a list', 'gcs', ({ url }) => ({ action: 'list', source: 'gs://bucket/', auth: { endpoint: url } })],
  [
    'a server',
    'nats',
    ({ port }) => ({ operation: 'kv_get', bucket: 'b', key: 'k', auth: { nats_url: `127.0.0.1:${port}` } }),
  ],
  ['Docker', 'container', () => ({ image: 'x' })],
  ['Docker', 'script', () => ({ code: 'echo', container: 'x' })],
  [
    'a cluster',
    'container',
    ({ url }) => ({ image: 'x', runtime: 'kubernetes', auth: { type: 'kubernetes', server: url } }),
  ],
  ['a source, http', 'transfer', ({ url }) => ({ source: { kind: 'http', url }, target: duckdb })],
  ['a target, http', 'transfer', ({ url }) => ({ source: one, target: { kind: 'http', url } })],
  [
    'a source, Postgres',
    'transfer',
    (on) => ({ source: { kind: 'postgres', query: 'select 1', auth: silentPg(on) }, target: duckdb }),
  ],
  [
    'a target, Postgres',
    'transfer',
    (on) => ({ source: one, target: { kind: 'postgres', table: 't', auth: silentPg(on) } }),
  ],
  ['a source, DuckDB', 'transfer', () => ({ source: { kind: 'duckdb', query: ENDLESS }, target: duckdb })],
  [
    'a source, Snowflake',
    'transfer',
    (on) => ({ source: { kind: 'snowflake', query: 'select 1', auth: silentSf(on) }, target: duckdb }),
  ],
  [
    'a target, Snowflake',
    'transfer',
    (on) => ({ source: one, target: { kind: 'snowflake', table: 't', auth: silentSf(on) } }),
  ],
  ['Vault', 'secrets', () => ({ provider: 'vault', secret: 'a', auth: 'vault' })],
  ['the store', 'artifact', () => ({ action: 'put', data: 'x' })],
  ['the store', 'http', ({ data }) => ({ url: data, save_to: { store: 'results' } })],
];

/** Loading them takes jest seconds of processor time, which are no part of a task. */
const PACKAGES = [
  '@aws-sdk/client-s3',
  '@duckdb/node-api',
  '@google-cloud/storage',
  '@kubernetes/client-node',
  '@nats-io/kv',
  'dockerode',
  'snowflake-sdk',
];

const LIMIT_S = 1;
/** Of Temporal's grace of 20 s: room for a busy machine, and for what has to be stopped in two steps. */
const SOON_MS = 15_000;

const sockets = new Set<net.Socket>();
const mute = net.createServer((socket) => {
  sockets.add(socket);
  socket.on('error', () => undefined).resume();
});
const answering = http.createServer((_, response) => response.end('{"a": 1}'));
let on: On;
const contextOf = (): TestContext => context({ vault: { data: { address: on.url, token: 't' } } });
let storage: Storage;
const before = process.env['DOCKER_HOST'];
const aws = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' };

beforeAll(async () => {
  for (const name of PACKAGES) await import(name);
  await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
  const { port } = mute.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  process.env['DOCKER_HOST'] = `tcp://127.0.0.1:${port}`;
  Object.assign(process.env, aws);
  storage = await openStorage(`s3://b/x?region=us-east-1&endpoint=${url}&path_style=true`);
  await new Promise<void>((resolve) => answering.listen(0, '127.0.0.1', resolve));
  const data = `http://127.0.0.1:${(answering.address() as AddressInfo).port}`;
  on = { port, url, data, pg: await postgresTool() };
});

afterAll(async () => {
  for (const name of Object.keys(aws)) delete process.env[name];
  if (before === undefined) delete process.env['DOCKER_HOST'];
  else process.env['DOCKER_HOST'] = before;
  await closeTools([]);
  sockets.forEach((socket) => socket.destroy());
  mute.close();
  answering.close();
  await Promise.all([storage.close(), on.pg.stop()]);
});

interface Timed {
  readonly outcome: Outcome;
  readonly ms: number;
}

async function timed(kind: string, config: JsonObject, ctx: TestContext): Promise<Timed> {
  const started = performance.now();
  const withStore = { ...ctx, results: storage.results('default')! };
  const outcome = await run(registry.get(kind)!, config, {}, withStore);
  return { outcome, ms: performance.now() - started };
}

describe.each(ROWS)('%s that never answers: %s', (_, kind, config) => {
  test.concurrent('its time limit', async () => {
    const { outcome, ms } = await timed(kind, { ...config(on), timeout: LIMIT_S }, contextOf());
    expect(outcome.error).toMatchObject({ kind: 'timeout', code: 'TIMEOUT', retryable: true });
    expect(outcome.error!.message).not.toContain('did not stop');
    expect(ms).toBeLessThan(LIMIT_S * 1000 + SOON_MS);
  });

  test.concurrent('its cancellation', async () => {
    const ctx = contextOf();
    setTimeout(() => ctx.controller.abort(), 500);
    const { outcome, ms } = await timed(kind, config(on), ctx);
    expect(outcome.error).toMatchObject({ kind: 'cancelled', code: 'CANCELLED', retryable: false });
    expect(outcome.error!.message).not.toContain('did not stop');
    expect(ms).toBeLessThan(500 + SOON_MS);
  });
});
