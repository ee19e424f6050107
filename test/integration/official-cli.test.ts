/**
 * The official NoETL CLI (PyPI, 5.3.2), unchanged, against our facade: what it prints and how it exits, also where
 * the official servers let it down.
 */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { configuredKeyRing } from '../../src/storage/keyring';
import { Tokens } from '../../src/server/store';
import { startFacade, type TestFacade } from '../support/facade';
import { startNats, type TestNats } from '../support/nats';
import { present } from '../support/present';
import { type Finished, start } from '../support/process';
import { pythonVenv } from '../support/python-venv';
import { type Stack, startStack } from '../support/stack';
import { until } from '../support/until';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-official-'));
let stack: Stack;
let facade: TestFacade;
let program: string;

beforeAll(async () => {
  program = path.join(present(await pythonVenv(['noetl==5.3.2'])).bin, 'noetl');
  stack = await startStack({ kinds: ['shell'] });
  const keys = configuredKeyRing({ NOETL_SECRETS_KEY: `k:${randomBytes(32).toString('base64')}` });
  facade = await startFacade(stack, { over: { keys } });
  for (const [name, text] of Object.entries(FILES)) {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), text);
  }
  // Its contexts are in the home folder.
  await cli([
    'context',
    'add',
    'ours',
    `--server-url=${facade.url}`,
    '--runtime=distributed',
    '--set-current',
  ]);
}, 400_000);
afterAll(async () => {
  await facade?.stop();
  await stack?.stop();
  fs.rmSync(folder, { recursive: true, force: true });
  expect(facade?.reported ?? []).toEqual([]);
});

const playbook = (name: string, steps: string): string =>
  `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: ${name}, path: t/${name}}\nworkload: {who: world}\n` +
  `workflow:\n${steps}`;
const FILES = {
  'good/hello.yaml': playbook(
    'hello',
    '- step: start\n  tool: {kind: noop, input: {said: "hi {{ workload.who }}"}}\n  next: {arcs: [{step: end}]}\n' +
      '- step: end\n  tool: {kind: noop, input: {said: "{{ start.said }}"}}\n',
  ),
  'good/fails.yaml': playbook(
    'fails',
    '- step: start\n  tool: {kind: shell, cmds: ["echo broken >&2; exit 3"]}\n',
  ),
  'good/waits.yaml': playbook('waits', '- step: start\n  tool: {kind: wait, for: 3600}\n'),
  'good/tool.yaml': 'apiVersion: noetl.io/v2\nkind: Tool\nmetadata: {name: hammer, path: t/hammer}\n',
  'agent.yaml': playbook(
    'helper',
    '- step: start\n  tool: {kind: noop, input: {said: "helped {{ workload.who }}"}}\n',
  ).replace('kind: Playbook', 'kind: Agent'),
  'mcp.yaml':
    'apiVersion: noetl.io/v2\nkind: Mcp\nmetadata: {name: shop, path: t/shop}\nspec: {url: "http://127.0.0.1:1/mcp"}\n',
  'bad.yaml': playbook('bad', '- step: start\n  tool: {kind: nop}\n- step: start\n  tool: {kind: noop}\n'),
  'credential.json':
    '{"name": "api_test", "type": "bearer", "data": {"token": "hidden-word"}, "tags": ["t"]}',
};

function cli(args: readonly string[], token = ''): Promise<Finished> {
  const env = { HOME: folder, XDG_CONFIG_HOME: folder, NOETL_SESSION_TOKEN: token, NOETL_USE_GATEWAY: '' };
  return start(program, args, { ...env, PWD: folder }, folder).finished;
}

/** Runs it in the folder of the files; fails on another exit code. */
async function official(code: number, ...args: string[]): Promise<{ out: string; err: string }> {
  const { stdout, stderr, ...ended } = await cli(args);
  expect({ args, code: ended.code, stderr: ended.code === code ? '' : stderr }).toEqual({
    args,
    code,
    stderr: '',
  });
  // Colours.
  return { out: stdout.replaceAll(/\x1b\[\d*m/g, ''), err: stderr };
}
const json = async (...args: string[]): Promise<Record<string, unknown>> =>
  JSON.parse((await official(0, ...args)).out) as Record<string, unknown>;

/** Starts one, and waits until the CLI itself says that it is over. */
async function run(...args: string[]): Promise<{ id: string; status: Record<string, unknown> }> {
  const { out } = await official(0, 'run', ...args);
  const id = /"execution_id": "(\d+)"/.exec(out)![1]!;
  expect(out).toContain(`noetl status "${id}"`);
  return { id, status: await over(id) };
}
async function over(id: string): Promise<Record<string, unknown>> {
  for (;;) {
    const status = await json('status', id, '--json');
    if (status['completed'] === true) return status;
  }
}

function there(title: string, body: () => Promise<void>): void {
  test(title, body);
}

there('registers playbooks, one and a folder of them', async () => {
  const one = await official(0, 'catalog', 'register', 'good/hello.yaml');
  expect(one.out).toMatch(/^Playbook registered successfully: \{.*"path":"t\/hello".*"version":1[,}]/);
  expect((await official(0, 'register', 'playbook', '--file', 'good/hello.yaml')).out).toContain(
    '"version":1',
  );
  const all = await official(0, 'register', 'playbook', '--directory', 'good');
  expect(all.out).toContain('Registration complete: 3 succeeded, 0 failed');
});

there('says what is wrong with a playbook, all of it, and exits 1', async () => {
  const { err } = await official(1, 'catalog', 'register', 'bad.yaml');
  expect(err).toContain('422');
  expect(err).toMatch(
    /7:16 there is no tool of kind `nop` \(did you mean `noop`\?\) \[NT2050\]; 8:9 .*\[NT\d{4}\]/,
  );
});

there('loads whole folders, which neither official server can', async () => {
  const { out } = await official(1, 'catalog', 'load', 'good', 'bad.yaml');
  expect(out).toMatch(/FAIL bad\.yaml: 't\/bad' is not a valid playbook: 7:16 /);
  expect(out).toContain('ok   good/hello.yaml -> t/hello v1');
  expect(out).toContain('ok   good/tool.yaml -> t/hammer v1');
  expect(out).toContain('registered 4, failed 1, skipped 0');
  expect((await official(0, 'catalog', 'load', 'good')).out).toContain('registered 4, failed 0');
});

there('registers and runs an agent, and registers an MCP server', async () => {
  expect((await official(0, 'catalog', 'register', 'agent.yaml')).out).toContain('"kind":"agent"');
  const { status } = await run('t/helper', '--set', 'who=Ada');
  expect(status).toMatchObject({ status: 'COMPLETED', failed: false });
  expect((await official(0, 'catalog', 'register', 'mcp.yaml')).out).toContain('"kind":"mcp"');
  for (const [kind, path] of [
    ['Agent', 't/helper'],
    ['Mcp', 't/shop'],
  ] as const)
    expect(await json('list', kind, '--json')).toMatchObject({
      entries: [{ path, kind: kind.toLowerCase() }],
    });
});

there('lists and gets, whatever the case of the kind', async () => {
  const paths = async (kind: string): Promise<string[]> =>
    ((await json('list', kind, '--json'))['entries'] as { path: string }[]).map((entry) => entry.path).sort();
  expect(await paths('Playbook')).toEqual(['t/fails', 't/hello', 't/waits']);
  expect(await paths('tool')).toEqual(['t/hammer']);
  const { out } = await official(0, 'catalog', 'list', 'Playbook');
  expect(out).toMatch(/^Catalog \(Playbook\):\n\{/);
  expect(await json('catalog', 'get', 't/hello')).toMatchObject({
    version: 1,
    content: FILES['good/hello.yaml'],
  });
  // It prints the error and exits 0.
  expect((await official(0, 'catalog', 'get', 't/none')).err).toContain('Catalog entry not found: t/none');
});

there('keeps credentials where they belong', async () => {
  const { out } = await official(0, 'register', 'credential', '--file', 'credential.json');
  expect(out).toContain('Credential registered successfully');
  expect(out).not.toContain('hidden-word');
  // It asks for the data, which needs a token of scope worker, in any facade.
  const without = await cli(['get', 'credential', 'api_test']);
  expect(without.stderr).toContain('TOKEN_NEEDED');
  expect(without.stdout + without.stderr).not.toContain('hidden-word');
  const [token] = await new Tokens(facade.services.database).create({ name: 'mine', scopes: ['worker'] });
  const { stdout } = await cli(['get', 'credential', 'api_test'], token);
  expect(JSON.parse(stdout)).toMatchObject({ type: 'bearer', data: { token: 'hidden-word' } });
  // It takes any file for a playbook here.
  expect((await official(1, 'catalog', 'register', 'credential.json')).err).toContain(
    'noetl register credential --file',
  );
});

there('runs by path, version, catalog reference and file, and tells how it went', async () => {
  for (const reference of ['t/hello', 'catalog://t/hello@1', 'good/hello.yaml'])
    expect((await run(reference, '-r', 'distributed', '--set', 'workload.who=Ada')).status).toMatchObject({
      failed: false,
      completed_steps: ['start', 'end'],
    });
  expect((await official(0, 'exec', 't/hello', '-r', 'distributed')).out).toContain('"execution_id"');
  const { id } = await run('t/hello', '--payload', '{"who": "Bob"}');
  const { out } = await official(0, 'status', id);
  expect(out).toContain(`Execution: ${id}\nStatus:    COMPLETED\nSteps:     2 completed\n`);
  expect(out).toContain('Completed steps:\n  - start\n  - end\n');
  const result = (await stack.client.workflow.getHandle(`noetl-${id}`).result()) as { result: unknown };
  expect(result.result).toEqual({ said: 'hi Bob' });
});

there('a failed execution reads FAILED, with the reason', async () => {
  const { id } = await run('t/fails');
  const { out } = await official(0, 'status', id);
  expect(out).toContain('Status:    FAILED');
  expect(out).toMatch(/Error: +start\/start_task: .* ended with exit code 3: broken\n/);
});

there('what is not there is an error of one line, and exit code 1', async () => {
  const { err } = await official(1, 'run', 't/none', '-r', 'distributed');
  expect(err).toContain('Failed to execute playbook: 404 Not Found');
  expect(err).toContain('Executable catalog entry not found: t/none');
  expect((await official(0, 'status', '1')).err).toContain('Execution not found: 1');
});

there('runs an execution again, which neither official server can', async () => {
  const { id } = await run('t/hello', '--set', 'who=Eve');
  const { out } = await official(0, 'execute', 'rerun', id);
  const again = /"execution_id": "(\d+)"/.exec(out)![1]!;
  expect(again).not.toBe(id);
  expect(await over(again)).toMatchObject({ completed_steps: ['start', 'end'], failed: false });
});

there('cancels with a reason; what is over is a warning', async () => {
  const { execution_id } = await json('execute', 'playbook', 't/waits', '--json');
  const id = String(execution_id);
  const running = await official(0, 'status', id);
  expect(running.out).toContain('Status:    RUNNING');
  expect((await official(0, 'cancel', id, '--reason', 'enough', '--cascade')).out).toMatch(
    /Status: +CANCELLED\nCancelled: 1 execution\(s\)\n(.*\n)*Reason: +enough/,
  );
  expect(await over(id)).toMatchObject({ status: 'CANCELLED', completed: true, failed: true });
  // It knows no third word, and would say COMPLETED.
  const told = (await official(0, 'status', id)).out;
  expect(told).toContain('Status:    FAILED');
  expect(told).toContain('enough');
  const { out, err } = await official(0, 'cancel', id);
  expect(out + err).toMatch(/Warning:.*nothing to cancel/);
});

there('cleans up nothing that is young', async () => {
  const dry = await official(0, 'cleanup', '--dry-run', '--older-than-minutes', '60');
  expect(dry.out).toContain('[DRY RUN] Would cancel 0 stuck executions older than 60 minutes');
  expect((await official(0, 'cleanup')).out).toContain('Cancelled 0 stuck executions');
});

there('asks the database: a table, which stays empty with either official server, and JSON', async () => {
  const sql = "SELECT path, version FROM noetl.catalog WHERE path = 't/hello'";
  const table = await official(0, 'query', sql, '--format', 'table');
  expect(table.out).toMatch(/│ path +│ version │\n[├─┼┤]+\n│ t\/hello +│ 1 +│\n[└─┴┘]+\n\(1 rows\)/);
  const { out } = await official(0, 'query', sql, '--format', 'json');
  expect(JSON.parse(out)).toMatchObject({ result: [['t/hello', 1]] });
  expect((await official(1, 'query', 'SELECT nothing')).err).toContain('nothing');
  // Of its own help; without a value.
  const kept = await official(0, 'query', 'SELECT * FROM noetl.keychain LIMIT 5', '--format', 'json');
  expect(JSON.parse(kept.out)).toMatchObject({
    columns: expect.arrayContaining(['keychain_name']) as string[],
  });
  expect(kept.out).not.toContain('data_encrypted');
});

there('keeps contexts, and makes one from what we say as a gateway', async () => {
  const { out } = await official(0, 'context', 'init', 'gate', '--from-gateway', facade.url, '--yes');
  expect(out).toContain('gate');
  expect((await official(0, 'context', 'list')).out).toContain(facade.url);
  await official(0, 'context', 'use', 'gate');
  expect((await official(0, 'context', 'current')).out).toContain('gate');
  await official(0, 'context', 'set-runtime', 'distributed');
  await official(0, 'context', 'update', 'gate', `--server-url=${facade.url}`);
  expect(((await json('list', 'Tool', '--json'))['entries'] as unknown[]).length).toBe(1);
  await official(0, 'context', 'use', 'ours');
  await official(0, 'context', 'delete', 'gate');
});

there('goes through the gateway’s paths with the token of a session', async () => {
  const gate = (...args: string[]) => json('--gateway', '--session-token', 'any', ...args);
  expect(await gate('list', 'Tool', '--json')).toMatchObject({ entries: [{ path: 't/hammer' }] });
  const { out } = await official(
    0,
    '--gateway',
    '--session-token',
    'any',
    'run',
    't/hello',
    '-r',
    'distributed',
  );
  const id = /"execution_id": "(\d+)"/.exec(out)![1]!;
  await over(id);
  expect(await gate('status', id, '--json')).toMatchObject({ completed: true, failed: false });
});

there('logs in with a token, and out', async () => {
  const { out } = await official(0, 'auth', 'login', '--auth0-token', 'noetl_x');
  expect(out).toMatch(/local|logged in|session/i);
  expect((await official(0, 'auth', 'logout')).out).toMatch(/ours|logged out|removed|cleared/i);
});

there('initializes and validates the database', async () => {
  await official(0, 'db', 'init');
  expect((await official(0, 'db', 'validate')).out).toContain('valid');
});

there('says what to use for queries of a store that is not here', async () => {
  for (const [args, use] of [
    [['executions'], 'GET /api/executions'],
    [['execution', '1'], 'GET /api/executions/{id}'],
    [['events', '1'], '/events'],
    [['tier', 'kv'], 'noetl.event'],
  ] as const) {
    const { stdout, stderr } = await cli(['ehdb', 'query', ...args]);
    expect(stdout + stderr).toContain(use);
  }
});

describe('subscribe', () => {
  let nats: TestNats;
  beforeAll(async () => void (nats = await startNats()));
  afterAll(() => nats?.stop());

  there('starts an execution for each message of a real NATS', async () => {
    await fill(nats.url, 'ORDERS', ['order-1', 'order-2', 'order-1']);
    fs.writeFileSync(
      path.join(folder, 'orders.yaml'),
      'apiVersion: noetl.io/v1\nkind: Subscription\nmetadata: {name: orders, path: subs/orders}\nspec:\n' +
        `  source: nats\n  url: ${nats.url}\n  stream: ORDERS\n  consumer: reader\n` +
        '  headers: {directives: [{header: x-key, controls: idempotency_key}]}\n' +
        '  dispatch: {playbook: t/order, execution_pool: default}\n',
    );
    fs.writeFileSync(
      path.join(folder, 'order.yaml'),
      playbook(
        'order',
        '- step: start\n  tool: {kind: noop, input: {key: "{{ workload.idempotency_key }}", n: "{{ workload.n }}"}}\n',
      ),
    );
    await official(0, 'catalog', 'register', 'order.yaml');
    const told = await official(
      0,
      'subscribe',
      'orders.yaml',
      '--dispatch',
      'server',
      '--server-url',
      facade.url,
      '--once',
    );
    const started = async (): Promise<string[]> => {
      const found: string[] = [];
      for await (const { workflowId } of stack.client.workflow.list({ query: `NoetlPlaybook = 't/order'` }))
        found.push(workflowId);
      return found;
    };
    const ids = await until(async () => {
      const found = await started();
      return found.length >= 3 && found;
    });
    const results = await Promise.all(
      ids.map(
        async (id) => ((await stack.client.workflow.getHandle(id).result()) as { result: unknown }).result,
      ),
    );
    expect({ told: told.err, results: results.map((one) => JSON.stringify(one)).sort() }).toMatchObject({
      results: [0, 1, 2].map((n) => JSON.stringify({ key: ['order-1', 'order-2', 'order-1'][n], n })).sort(),
    });
  });
});

/** Messages with a header `x-key`, for a consumer `reader`. */
async function fill(url: string, stream: string, keys: readonly string[]): Promise<void> {
  const [{ connect, headers }, { jetstream, jetstreamManager }] = (await Promise.all(
    ['@nats-io/transport-node', '@nats-io/jetstream'].map((name) => import(name)),
  )) as [NatsTransport, NatsStreams];
  const connection = await connect({ servers: url });
  const manager = await jetstreamManager(connection);
  await manager.streams.add({ name: stream, subjects: ['orders.>'] });
  await manager.consumers.add(stream, { durable_name: 'reader', ack_policy: 'explicit' });
  for (const [n, key] of keys.entries()) {
    const head = headers();
    head.set('x-key', key);
    await jetstream(connection).publish('orders.new', JSON.stringify({ n }), { headers: head });
  }
  await connection.close();
}

interface NatsTransport {
  connect(options: object): Promise<{ close(): Promise<void> }>;
  headers(): { set(name: string, value: string): void };
}
interface NatsStreams {
  jetstream(connection: unknown): {
    publish(subject: string, body: string, options: object): Promise<unknown>;
  };
  jetstreamManager(
    connection: unknown,
  ): Promise<Record<'streams' | 'consumers', { add(...args: unknown[]): Promise<unknown> }>>;
}
