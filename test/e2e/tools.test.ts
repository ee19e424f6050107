/** The example of each tool kind (`playbooks/tools`), run as a user runs it. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { FakeCluster } from '../support/fake-cluster';
import { FakeEngine } from '../support/fake-engine';
import { KIND_TESTS, type ToolExample } from '../support/kind-tests';
import { ROOT, type Running, start } from '../support/process';
import { inProcess } from '../support/program';
import { type Emulator, needEmulator } from '../support/python-servers';
import { startTestPostgres, type TestPostgres } from '../support/postgres';
import { isNightly } from '../support/sampled';
import { startTestServer, type TestServer } from '../support/temporal';

let server: TestServer;
let postgres: TestPostgres;
let api: Running;
let engine: FakeEngine;
let cluster: FakeCluster;
let gcs: Emulator | undefined;
let snowflake: Emulator | undefined;
let nats: Emulator | undefined;
let folder: string;

beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-tools-'));
  [server, postgres, engine, cluster] = await Promise.all([
    startTestServer(),
    startTestPostgres(),
    FakeEngine.start(),
    FakeCluster.start(),
  ]);
  cluster.stdout = '{"hello":"O\'Neil"}';
  // A real one runs it in test/integration/container.test.ts, where there is one.
  engine.ends = { stdout: '{"hello":"O\'Neil"}', code: 0 };
  api = start(process.execPath, [path.join(ROOT, 'playbooks/api/server.mjs'), '--port', '0']);
  await api.says(/127\.0\.0\.1:\d+/);
  if (!isNightly) return;
  [gcs, snowflake, nats] = await Promise.all([
    needEmulator('gcs'),
    needEmulator('snowflake'),
    needEmulator('nats'),
  ]);
  const bucket = {
    method: 'POST',
    body: '{"name":"noetl-example"}',
    headers: { 'content-type': 'application/json' },
  };
  await fetch(`${gcs.url}/storage/v1/b?project=p`, bucket);
}, 400_000);
afterAll(async () => {
  api?.child.kill('SIGTERM');
  await engine?.stop();
  await cluster?.stop();
  await server?.stop({ query: true });
  await postgres?.stop();
  await gcs?.stop();
  await snowflake?.stop();
  await nats?.stop();
  fs.rmSync(folder, { recursive: true, force: true });
});

/** What each example answers, and what it has to be told: of the tools (test/kinds), and of kinds without a worker. */
const EXPECTED: Readonly<Record<string, ToolExample>> = {
  ...Object.assign({}, ...Object.values(KIND_TESTS).map(({ examples }) => examples)),
  event_log: { result: { note: 'all of them' } },
  iterator: {
    result: {
      orders: [
        { order: 'A1', total: 96 },
        { order: 'A2', total: 15 },
      ],
    },
  },
  workbook: { result: { messages: ['Hello, World!', 'Bonjour, World!'] } },
};

/** For each commit those whose kinds no other example has: the kinds themselves have tests beside them. */
const TESTED = isNightly
  ? Object.keys(EXPECTED)
  : ['agent', 'artifact', 'container', 'duckdb', 'event_log', 'iterator', 'secrets', 'workbook'];

/** Credentials of the stand-ins, under the names that the examples use. */
const credentials = (): Record<string, string> => ({
  NOETL_CREDENTIAL_PG_LOCAL: postgres.url,
  NOETL_CREDENTIAL_ANTHROPIC: JSON.stringify({ type: 'api_key', data: { value: 'k' } }),
  NOETL_CREDENTIAL_GCS_LOCAL: JSON.stringify({ type: 'gcs', data: { endpoint: gcs?.url, project: 'p' } }),
  NOETL_CREDENTIAL_NATS_LOCAL: JSON.stringify({ type: 'nats', data: { nats_url: nats?.url } }),
  NOETL_CREDENTIAL_CLUSTER_LOCAL: JSON.stringify({
    type: 'kubernetes',
    data: { server: cluster.url, token: 't' },
  }),
  NOETL_CREDENTIAL_SF_LOCAL: JSON.stringify({
    type: 'snowflake',
    data: {
      account: 'fake',
      user: 'u',
      password: 'p',
      database: 'DB1',
      schema: 'S1',
      access_url: snowflake?.url,
    },
  }),
});

test('every example of a tool is expected here', () => {
  // A rehearsal has two dots in its name.
  const examples = fs
    .readdirSync(path.join(ROOT, 'playbooks/tools'))
    .filter((name) => /^[^.]+\.yaml$/.test(name));
  const files = examples.map((name) => path.parse(name).name);
  expect(files.sort()).toEqual(Object.keys(EXPECTED).sort());
});

test.each(TESTED)('%s', async (kind) => {
  const { set, result } = EXPECTED[kind]!;
  const env = {
    TEMPORAL_ADDRESS: server.address,
    NOETL_SECRET_API_KEY: 'swordfish-4711',
    DOCKER_HOST: `unix://${engine.socketPath}`,
    ...credentials(),
  };
  const args = [
    'run',
    `playbooks/tools/${kind}.yaml`,
    '--json',
    ...(set?.({ api: /http:\/\/\S+/.exec(api.output())![0], folder }) ?? []).flatMap((one) => ['--set', one]),
  ];
  const { code, stdout } = await inProcess(args, env);
  expect(code).toBe(0);
  const document = JSON.parse(stdout) as { result: Record<string, unknown> };
  expect(JSON.parse(stdout)).toMatchObject({ status: 'completed' });
  // A pipeline answers with its last task.
  expect(document.result).toMatchObject(result);
});
