/**
 * The grand canary (issue 10): stored credentials, used in every place and ending by real processes (server, facade with
 * tokens, a worker that fetches through it), then searched in everything that any of them kept or said.
 */
import fs from 'node:fs';
import http from 'node:http';
import { type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow';
import { Client, Connection } from '@temporalio/client';
import { openStorage } from '../../src/blobs';
import { recordedExecution } from '../../src/history';
import { freePort, workflowId } from '../../src/temporal';
import {
  canariesIn,
  type Content,
  contentsOfEvents,
  contentsOfFolder,
  contentsOfHistory,
} from '../support/canary';
import { CLI, noetl, type Running, start } from '../support/process';

const CANARY = 'canary/of+the store"é-8142';
/** For headers, which take ASCII only. */
const ASCII = CANARY.replace(/[^ -~]/g, '');
/** Also as Jinja's `urlencode` writes it. */
const CANARIES = [CANARY, ASCII, encodeURIComponent(CANARY).replaceAll('%2F', '/')];
const PLANTED = 'planted-where-a-leak-would-be';
const LIMIT_MS = 120_000;

const head = (name: string, keychain = '[{name: app, kind: credential, credential: blob}]'): string => `
apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: ${name}, path: canary/${name}}
executor: {spec: {pool: edge, policy: {limits: {max_payload_bytes: 1500}}}}
workload: {url: "", note: ${PLANTED}}
keychain: ${keychain}
workflow:
`;
const api = (where: string): string => `kind: http, url: "{{ workload.url }}/${where}"`;
const one = (name: string, tool: string): string => `${head(name)}- step: start\n  tool: ${tool}\n`;

/** By name: the playbook, and how its execution ends. */
const PLAYBOOKS: Readonly<Record<string, readonly [yaml: string, status: 'COMPLETED' | 'FAILED']>> = {
  places: [
    `${head('places')}
- step: start
  input: {passed: "{{ keychain.app.secret }}"}
  tool:
    - {name: bearer, ${api('p1')}, auth: bearer}
    - {name: basic, ${api('p2')}, auth: basic}
    - {name: keyed, ${api('p3')}, auth: keyed}
    - {name: asked, ${api('p4')}, auth: asked}
    - {name: header, ${api('p5')}, headers: {x-secret: "{{ keychain.app.secret | urlencode }}"}}
    - {name: query, ${api('p6')}, params: {k: "{{ keychain.app.secret }}", note: "{{ workload.note }}"}}
    - {name: address, kind: http, url: "{{ workload.url }}/p7?k={{ keychain.app.secret | urlencode }}"}
    - {name: body, ${api('p8')}, method: POST, json: {deep: ["{{ passed }}"]}}
    - {name: form, ${api('p9')}, method: POST, form: {k: "{{ keychain.app.secret }}"}}
    - name: code
      kind: python
      input: {token: "{{ keychain.app.secret }}", all: "{{ keychain.app }}"}
      code: |
        import base64, json, sys
        print(token, json.dumps(all)); print(token, file=sys.stderr)
        result = {'echo': token, 'b': base64.b64encode(('u:' + token).encode()).decode(), 'h': token.encode().hex()}
    - {name: environment, kind: shell, cmds: "printf '%s' \\"$TOKEN\\" | base64; echo \\"$TOKEN\\"", env: {TOKEN: "{{ keychain.app.secret }}"}}
    - {name: typed, kind: shell, cmds: "echo hello", input: {word: "{{ keychain.app.secret }}"}}
    - {name: duck, kind: duckdb, query: "select $1 as v, base64(encode($1)) as b", params: ["{{ keychain.app.secret }}"]}
    - {name: looked, kind: secrets, provider: credential, secret: blob, field: secret}
    - {name: handed, ${api('p15')}, headers: {x-secret: "{{ looked.value | urlencode }}"}}
    - {name: nested, kind: playbook, path: canary/child, input: {url: "{{ workload.url }}", secret: "{{ keychain.app.secret }}"}}
  next: {arcs: [{step: items}]}
- step: items
  loop: {in: [1, 2], iterator: n, spec: {mode: parallel}}
  tool: {${api('p17')}, params: {n: "{{ n }}", k: "{{ keychain.app.secret }}"}}
  next: {arcs: [{step: near}]}
- step: near
  loop: {in: [1], iterator: n, spec: {exec: local}}
  tool: {${api('p18')}, headers: {x-secret: "{{ keychain.app.secret | urlencode }}"}, auth: bearer}
  next: {arcs: [{step: pages}]}
- step: pages
  tool: {${api('p19')}, params: {page: 1}}
  retry: {max_attempts: 2, retry_when: "{{ response.more }}", next_call: {params: {page: 2, k: "{{ keychain.app.secret }}"}}}
  sink: {tool: {${api('p20')}, method: POST, json: {k: "{{ keychain.app.secret }}"}}}
`,
    'COMPLETED',
  ],
  http_fails: [
    one('http_fails', `{${api('fails')}, auth: bearer, params: {k: "{{ keychain.app.secret }}"}}`),
    'FAILED',
  ],
  http_retried: [
    `${head('http_retried')}- step: start
  tool:
    ${api('flaky').replaceAll(', url', '\n    url')}
    auth: basic
    headers: {x-secret: "{{ keychain.app.secret | urlencode }}"}
    spec: {policy: {rules: [{when: "{{ output.error.retryable }}", then: {do: retry, attempts: 3, delay: 0}}]}}
`,
    'COMPLETED',
  ],
  http_timeout: [one('http_timeout', `{${api('slow')}, auth: keyed, timeout: 6}`), 'FAILED'],
  python_raises: [
    one(
      'python_raises',
      `{kind: python, input: {t: "{{ keychain.app.secret }}"}, code: "raise ValueError('no good: ' + t + repr([t]))"}`,
    ),
    'FAILED',
  ],
  python_dies: [
    one(
      'python_dies',
      `{kind: python, input: {t: "{{ keychain.app.secret }}"}, code: "import os, sys; sys.stderr.write(t); sys.stderr.flush(); os._exit(7)"}`,
    ),
    'FAILED',
  ],
  shell_fails: [
    one(
      'shell_fails',
      `{kind: shell, cmds: 'echo "$T"; echo "$T" >&2; exit 3', env: {T: "{{ keychain.app.secret }}"}}`,
    ),
    'FAILED',
  ],
  shell_timeout: [
    one(
      'shell_timeout',
      `{kind: shell, cmds: 'echo "$T"; sleep 60', env: {T: "{{ keychain.app.secret }}"}, timeout: 2}`,
    ),
    'FAILED',
  ],
  duckdb_fails: [
    one(
      'duckdb_fails',
      `{kind: duckdb, query: "select cast($1 as integer)", params: ["{{ keychain.app.secret }}"]}`,
    ),
    'FAILED',
  ],
  postgres_refused: [one('postgres_refused', '{kind: postgres, auth: db, command: "select 1"}'), 'FAILED'],
  nats_refused: [
    one('nats_refused', '{kind: nats, auth: queue, operation: kv_get, bucket: b, key: k, timeout: 3}'),
    'FAILED',
  ],
  unresolved: [
    `${head('unresolved', '[{name: app, kind: credential, credential: nowhere}]')}- step: start\n  tool: {${api('never')}, auth: bearer}\n`,
    'FAILED',
  ],
};

const CHILD = `${head('child', '[]').replace('workload: {', 'workload: {secret: null, ')}- step: start
  tool: {${api('p16')}, method: POST, json: {token: "{{ workload.secret }}"}}
`;
/** Its worker is killed while the task runs: another takes it on. */
const CRASH = one(
  'crash',
  `{kind: shell, cmds: 'echo "$T"; touch "$F"; while [ ! -e "$F.go" ]; do sleep 0.1; done', env: {T: "{{ keychain.app.secret }}", F: "{{ workload.file }}"}}`,
).replace('workload: {', 'workload: {file: "", ');

let folder: string;
let data: string;
let api0: http.Server;
let url: string;
let facade: string;
let tokens: { worker: string; admin: string; read: string };
let dev: Running;
let serve: Running;
const workers: Running[] = [];
const heard: { path: string; headers: http.IncomingHttpHeaders; body: string }[] = [];
let address: string;

const env = (more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  NOETL_DATA_DIR: data,
  NOETL_STORAGE: pathToFileURL(path.join(data, 'blobs')).href,
  NOETL_LOG_LEVEL: 'debug',
  TEMPORAL_ADDRESS: address ?? '',
  ...more,
});

function startWorker(): Running {
  const args = [CLI, 'worker', '--kinds', 'all', '--pool', 'edge'];
  const worker = start(
    process.execPath,
    args,
    env({ NOETL_FACADE_URL: facade, NOETL_TOKEN: tokens.worker }),
    folder,
  );
  workers.push(worker);
  return worker;
}

async function ask(
  method: string,
  route: string,
  body?: unknown,
  token = tokens.admin,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(`${facade}${route}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  said.push({ where: `REST ${method} ${route.replace(/\d{9,}/, 'ID')}`, text });
  return {
    status: response.status,
    body: (text.startsWith('{') ? JSON.parse(text) : { text }) as Record<string, unknown>,
  };
}
/** Every answer of the facade, but those that were to hold the secret. */
const said: Content[] = [];

async function until<T>(what: string, look: () => Promise<T | undefined> | T | undefined): Promise<T> {
  for (
    const deadline = Date.now() + LIMIT_MS;
    Date.now() < deadline;
    await new Promise((r) => setTimeout(r, 100))
  ) {
    const found = await look();
    if (found !== undefined) return found;
  }
  throw new Error(
    `${what} did not come about\n${[dev, serve, ...workers].map((one) => one?.output().slice(-2000)).join('\n---\n')}`,
  );
}

beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-canary-'));
  fs.chmodSync(folder, 0o755); // as root, Postgres runs under its own user
  data = path.join(folder, 'data');
  let flaky = 0;
  api0 = http.createServer((request, response) => {
    let body = '';
    request.on('data', (piece: Buffer) => (body += piece.toString()));
    request.on('end', () => {
      heard.push({ path: request.url!, headers: request.headers, body });
      if (request.url!.startsWith('/slow')) return;
      const fails = request.url!.startsWith('/fails') || (request.url!.startsWith('/flaky') && ++flaky < 3);
      response.writeHead(fails ? 500 : 200, {
        'content-type': 'application/json',
        'x-echo': encodeURIComponent(body),
      });
      // What it is told it tells: a leak if nobody minds.
      response.end(
        JSON.stringify({
          path: request.url,
          headers: request.headers,
          body,
          more: request.url!.includes('page=1'),
        }),
      );
    });
  });
  await new Promise<void>((resolve) => api0.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(api0.address() as AddressInfo).port}`;
  dev = start(process.execPath, [CLI, 'dev', '--port', '0'], env({ TEMPORAL_ADDRESS: '' }), folder);
  await dev.says('Ctrl-C stops everything', LIMIT_MS);
  address = /Temporal\s+(127\.0\.0\.1:\d+)/.exec(dev.output())![1]!;
  const token = async (name: string, scopes: string): Promise<string> =>
    (
      JSON.parse((await noetl(['tokens', 'create', name, '--scopes', scopes, '--json'], env())).stdout) as {
        token: string;
      }
    ).token;
  const [worker, admin, read] = await Promise.all([
    token('w', 'worker'),
    token('a', 'admin'),
    token('r', 'run'),
  ]);
  tokens = { worker, admin, read };
  const port = await freePort();
  facade = `http://127.0.0.1:${port}`;
  serve = start(process.execPath, [CLI, 'serve', '--port', String(port)], env(), folder);
  await until('the facade', () =>
    fetch(`${facade}/api/health/ready`).then(
      (answer) => answer.ok || undefined,
      () => undefined,
    ),
  );
  await startWorker().says('serving', LIMIT_MS);
  const stored: Record<string, [string, object]> = {
    bearer: ['bearer', { token: ASCII }],
    basic: ['basic', { username: 'user', password: CANARY }],
    keyed: ['api_key', { header: 'x-key', value: ASCII }],
    asked: ['api_key', { in: 'query', name: 'k', value: CANARY }],
    blob: ['custom', { secret: CANARY, note: 'none' }],
    db: [
      'postgres',
      { db_host: '127.0.0.1', db_port: new URL(url).port, db_user: 'u', db_password: CANARY, db_name: 'd' },
    ],
    queue: ['nats', { nats_url: '127.0.0.1:1', nats_user: 'u', nats_password: CANARY }],
  };
  for (const [name, [type, values]] of Object.entries(stored))
    expect(
      await ask('POST', '/api/credentials', { name, type, data: values, description: PLANTED }),
    ).toMatchObject({ status: 200 });
  for (const content of [CHILD, CRASH, ...Object.values(PLAYBOOKS).map(([yaml]) => yaml)])
    expect(await ask('POST', '/api/catalog/register', { content, resource_type: 'Playbook' })).toMatchObject({
      status: 200,
    });
}, 240_000);

afterAll(async () => {
  for (const one of [...workers, serve, dev]) one?.child.kill('SIGTERM');
  await Promise.all([...workers, serve, dev].map((one) => one?.finished));
  api0?.closeAllConnections();
  api0?.close();
  fs.rmSync(folder, { recursive: true, force: true });
}, 120_000);

test('used in every place and ending, a stored secret arrives, and is in nothing that is kept or said', async () => {
  const execute = async (name: string, workload: object = {}): Promise<string> =>
    (await ask('POST', '/api/execute', { path: `canary/${name}`, workload: { url, ...workload } })).body[
      'execution_id'
    ] as string;
  const file = path.join(folder, 'running');
  const crash = await execute('crash', { file });
  await until('the task that is to lose its worker', () => fs.existsSync(file) || undefined);
  workers[0]!.child.kill('SIGKILL');
  const names = Object.keys(PLAYBOOKS);
  const ids = Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await execute(name)] as const)),
  );
  fs.writeFileSync(`${file}.go`, '');
  await startWorker().says('serving', LIMIT_MS);
  const ended = async (id: string): Promise<string> =>
    until(`the end of ${id}`, async () => {
      const { body } = await ask('GET', `/api/executions/${id}/status`);
      return body['completed'] ? (body['failed'] ? 'FAILED' : 'COMPLETED') : undefined;
    });
  const ends: Record<string, string> = {};
  for (const name of names) ends[name] = await ended(ids[name]!);
  expect(ends).toEqual(Object.fromEntries(names.map((name) => [name, PLAYBOOKS[name]![1]])));
  expect(await ended(crash)).toBe('COMPLETED');

  // It arrived: at every address, as itself or in the form of the place.
  const forms = canariesIn(
    heard.map(({ path: where, headers, body }) => ({
      where: where.split(/[/?]/)[1]!,
      text: `${where} ${JSON.stringify(headers)} ${body}`,
    })),
    CANARIES,
  );
  const arrived = new Set(forms.map(({ where }) => where));
  expect([...arrived]).toEqual(
    expect.arrayContaining([
      'p4',
      'p5',
      'p6',
      'p7',
      'p8',
      'p9',
      'p15',
      'p16',
      'p17',
      'p18',
      'p19',
      'p20',
      'p1',
      'p2',
      'p3',
      'fails',
      'flaky',
      'slow',
    ]),
  );

  // What is kept and said of it all.
  const kept: Content[] = [];
  const connection = await Connection.connect({ address });
  const storage = await openStorage(pathToFileURL(path.join(data, 'blobs')).href);
  const client = new Client({ connection, dataConverter: storage.dataConverter });
  try {
    const converter = loadDataConverter(storage.dataConverter);
    for (const id of [crash, ...Object.values(ids)]) {
      const history = await client.workflow.getHandle(workflowId(id)).fetchHistory();
      const { events, state } = await recordedExecution([history], { converter, bodies: true });
      kept.push(...contentsOfHistory(JSON.parse(historyToJSON(history)) as object, 'history'));
      kept.push(...contentsOfEvents(events), { where: 'state', text: JSON.stringify(state) });
      for (const route of ['', '/events', '/state', '/graph'])
        await ask('GET', `/api/executions/${id}${route}`);
    }
  } finally {
    await storage.close();
    await connection.close();
  }
  for (const route of [
    '/api/executions',
    '/api/credentials',
    '/api/credentials/blob',
    '/api/credentials/blob/audit',
    '/api/auth_cache',
    '/metrics',
    `/api/nothing/${PLANTED}`,
  ])
    await ask('GET', route);
  const { body: audit } = await ask('GET', '/api/credentials/blob/audit?limit=1000');
  const readers = audit['items'] as { action: string; principal: string; execution_id: string }[];
  // Of the pool's worker by its token; what checks a keychain before the first step runs in `dev`, beside the store.
  const principals = readers.filter((one) => one.action === 'read').map((one) => one.principal);
  expect(principals).toContain('w');
  expect(principals.filter((name) => name !== 'w' && !name.endsWith('(command line)'))).toEqual([]);
  expect(readers.map((one) => one.execution_id)).toEqual(expect.arrayContaining([ids['places'], crash]));
  // A token without the scope gets nothing.
  expect(await ask('GET', '/api/credentials/blob?include_data=true', undefined, tokens.read)).toMatchObject({
    status: 403,
  });
  kept.push(...said);
  kept.push(...[dev, serve, ...workers].map((one, index) => ({ where: `log ${index}`, text: one.output() })));
  kept.push(
    ...contentsOfFolder(data).map(({ where, text }) => ({
      where: `file ${where.split('/').slice(0, 2).join('/')}`,
      text,
    })),
  );

  // The search finds what was planted in each of these places …
  const planted = new Set(canariesIn(kept, [PLANTED]).map(({ where }) => where.split('.')[0]!));
  const searched = [
    /^history$/,
    ...['canonical', 'formal', 'extended', 'noetl'].map((name) => new RegExp(`^events, profile ${name}$`)),
    /^state$/,
    /^REST .*executions/,
    /^REST .*credentials$/,
    /^log 1$/,
    /^file blobs/,
    /^file postgres/,
    /^file temporal/,
  ];
  const places = [...planted];
  expect({ places, missing: searched.filter((place) => !places.some((one) => place.test(one))) }).toEqual({
    places,
    missing: [],
  });
  expect(kept.find(({ where }) => where === 'log 2')!.text).toContain('noetl-edge-http');
  expect(kept.some(({ text }) => text.includes('[redacted]'))).toBe(true);
  // … and the secret in none of them.
  expect(canariesIn(kept, CANARIES)).toEqual([]);
}, 300_000);
