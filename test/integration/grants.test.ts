/**
 * Workers of code have no credentials of their own: their token opens what a running task names, by the grant that came
 * with its call, and nothing else.
 */
import { type WorkflowHandle } from '@temporalio/client';
import { chain, facadeProvider } from '../../activities/framework/credentials';
import { Keychain, MemoryCache } from '../../activities/framework/keychain';
import { byToken } from '../../src/server/facade';
import { Credentials, type TokenLimits, Tokens } from '../../src/server/store';
import { executionIdOf } from '../../src/language/plan';
import { type RunningWorkers, startWorkers } from '../../src/temporal/worker';
import { ring } from '../support/credentials-facade';
import { startFacade, type TestFacade } from '../support/facade';
import { type Stack, startStack } from '../support/stack';
import { until } from '../support/until';

const KEYS = ring(`one:${Buffer.alloc(32, 7).toString('base64')}`);
const CODE = ['python', 'shell', 'local'];
let stack: Stack;
let facade: TestFacade;
let tokens: Tokens;
let store: Credentials;
const running: RunningWorkers[] = [];

beforeAll(async () => {
  stack = await startStack({ kinds: [], postgres: true, grants: KEYS });
  facade = await startFacade(stack, {
    postgres: stack.postgres,
    over: { keys: KEYS, authenticate: (...given) => byToken(tokens, fail).authenticate(...given) },
  });
  tokens = new Tokens(facade.services.database);
  store = new Credentials(facade.services.database, KEYS);
  for (const name of ['mine', 'yours', 'bound'])
    await store.put({ name, type: 'custom', data: { k: `value of ${name}` } }, WRITER);
  await store.put({ name: 'bound', type: 'custom', data: { k: 'bound' }, paths: ['team/*'] }, WRITER);
  const whole = await token('whole', {});
  running.push(await work(['secrets', 'postgres'], whole));
  running.push(await work(CODE, await token('code', { granted: true, kinds: CODE, pools: ['default'] })));
});
afterAll(async () => {
  for (const one of running) await one.stop({ graceMs: 2000 });
  await facade?.stop();
  await stack?.stop();
});

const WRITER = { principal: 'test' };
const fail = (error: unknown): void => {
  throw error;
};

async function token(name: string, limits: TokenLimits): Promise<string> {
  return (await tokens.create({ name, scopes: ['worker'], limits }))[0];
}

/** A process of workers, which keeps nothing that another one asked for. */
function work(kinds: readonly string[], bearer: string, pool?: string): Promise<RunningWorkers> {
  const { native, server, storage } = stack;
  return startWorkers({
    connection: native,
    namespace: server.namespace,
    dataConverter: storage.dataConverter,
    kinds,
    workflows: false,
    credentials: chain([facadeProvider({ url: facade.url, token: bearer })]),
    keychain: new Keychain(new MemoryCache()),
    ...(pool !== undefined && { pool }),
  });
}

const playbook = (tool: string, { path = 'grants/one', names = 'mine', spec = '' } = {}): string => `
apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: one, path: ${path} }
keychain: [{ name: app, kind: credential, credential: ${names} }]
workflow:
  - step: start
${spec}
    tool: ${tool}
`;
const LENGTH = `{ kind: python, input: { v: "{{ keychain.app.k }}" }, code: "result = len(v)" }`;
const SLEEPING = `{ kind: shell, cmds: "sleep 60", env: { V: "{{ keychain.app.k }}" } }`;

/** What a request with this token, for this execution and with this grant, is answered. */
async function open(
  name: string,
  { bearer, grant, id }: { bearer: string; grant?: string | undefined; id?: string | undefined },
): Promise<string> {
  const url = `${facade.url}/api/credentials/${name}?include_data=true${id ? `&execution_id=${id}` : ''}`;
  const headers = { authorization: `Bearer ${bearer}`, ...(grant && { 'x-noetl-grant': grant }) };
  const body = (await (await fetch(url, { headers })).json()) as { code?: string; data?: { k: string } };
  return body.code ?? body.data!.k;
}

/** The grant of the only task that has one, as history keeps it. */
async function grantIn(handle: WorkflowHandle): Promise<string> {
  const { events } = await handle.fetchHistory();
  const inputs = (events ?? []).flatMap(
    (event) => event.activityTaskScheduledEventAttributes?.input?.payloads ?? [],
  );
  const [grant] = inputs.flatMap(({ metadata }) => metadata?.['noetl-grant'] ?? []).slice(-1);
  const text = Buffer.from(grant!).toString();
  expect(JSON.stringify(inputs.map(({ metadata }) => Object.keys(metadata!)))).not.toContain('request');
  expect(Buffer.from(text, 'base64url').toString('latin1')).not.toContain('mine');
  return text;
}

test.each([
  ['a task', LENGTH, {}],
  ['a task on lease', LENGTH, { spec: '    spec: { exec: local }' }],
  [
    'a task on lease in a loop',
    LENGTH,
    { spec: '    loop: { in: [1, 2], iterator: one, spec: { exec: local } }' },
  ],
  [
    'a task that outlives its run',
    `{ kind: shell, timeout: 90000, cmds: 'printf %s "$V" | wc -c', env: { V: "{{ keychain.app.k }}" } }`,
    {},
  ],
])('%s gets what it names', async (_, tool, more) => {
  const { status, failure, state } = await stack.run(stack.compile(playbook(tool, more)));
  expect({ status, failure }).toEqual({ status: 'completed', failure: undefined });
  expect(JSON.stringify(state)).not.toContain('value of mine');
});

test('a credential is tested by a worker of its kind, which connects, or says why not', async () => {
  const { hostname: host, port, username: user, password, pathname } = new URL(stack.postgres!.url);
  const data = { host, port: Number(port), user, password, database: pathname.slice(1) };
  await store.put({ name: 'db', type: 'postgres', data, paths: ['team/*'] }, WRITER);
  await store.put({ name: 'gone', type: 'postgres', data: { ...data, database: 'no_such' } }, WRITER);
  await store.put({ name: 'key', type: 'bearer', data: { token: 'value of key' } }, WRITER);
  const [bearer] = await tokens.create({ name: 'operator', scopes: ['admin', 'read'], limits: {} });
  const ask = async (path: string, body?: object): Promise<Record<string, unknown>> => {
    const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' };
    const sent = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers };
    return (await (await fetch(`${facade.url}${path}`, sent)).json()) as Record<string, unknown>;
  };
  const works = await ask('/api/credentials/db/test', {});
  expect(works).toMatchObject({ ok: true, code: null });
  expect(await ask(`/api/executions/${String(works['execution_id'])}/summary`)).toMatchObject({
    path: 'team/credential-test',
    run_name: 'test of db',
    labels: { test: 'credential' },
  });
  const fails = await ask('/api/credentials/gone/test', {});
  expect(fails).toMatchObject({ ok: false, message: expect.stringContaining('no_such') as string });
  expect(await ask('/api/credentials/key/test', {})).toMatchObject({ code: 'VALIDATION', at: 'body.url' });
  expect(await ask('/api/credentials/mine/test', {})).toMatchObject({ code: 'CREDENTIAL_UNTESTABLE' });
  expect(await ask('/api/credentials/nothing/test', {})).toMatchObject({
    code: expect.any(String) as string,
  });
});

test('a grant opens what its task names, for a token of its kind and pool, while the task runs', async () => {
  const handle = await stack.start(stack.compile(playbook(SLEEPING)));
  const id = executionIdOf(handle.workflowId)!;
  const bearer = await token('same', { granted: true, kinds: ['shell'], pools: ['default'] });
  const grant = await until(async () => {
    const { raw } = await handle.describe();
    const isRunning = raw.pendingActivities?.some(
      ({ activityType, state }) => activityType?.name === 'shell' && state === 2,
    );
    return isRunning ? await grantIn(handle) : undefined;
  });
  expect(await open('mine', { bearer, grant, id })).toBe('value of mine');
  expect(await open('mine', { bearer, id })).toBe('GRANT_MISSING');
  expect(await open('yours', { bearer, grant, id })).toBe('GRANT_REFUSED');
  expect(await open('mine', { bearer, grant, id: '7' })).toBe('GRANT_REFUSED');
  expect(await open('mine', { bearer, grant: `${grant.slice(0, -2)}AA`, id })).toBe('GRANT_REFUSED');
  for (const [name, limits] of [
    ['other kind', { granted: true, kinds: ['python'] }],
    ['other pool', { pools: ['eu'] }],
  ] as const)
    expect([name, await open('mine', { bearer: await token(name, limits), grant, id })]).toEqual([
      name,
      'GRANT_REFUSED',
    ]);
  const [reader] = await tokens.create({ name: 'reader', scopes: ['read'] });
  expect(await open('mine', { bearer: reader, grant, id })).toBe('SCOPE_MISSING');
  await handle.cancel();
  await handle.result().catch(() => undefined);
  expect(await open('mine', { bearer, grant, id })).toBe('GRANT_REFUSED');
});

test('a task cannot open what it does not name, whichever pool its author chooses', async () => {
  running.push(await work(['python'], await token('eu', { granted: true, pools: ['default'] }), 'eu'));
  const inPool = LENGTH.replace('kind: python', 'kind: python, spec: { pool: eu }');
  const { status, failure } = await stack.run(stack.compile(playbook(inPool)));
  expect({ status, code: failure?.error?.['code'] }).toEqual({ status: 'failed', code: 'FACADE_DENIED' });
  expect(JSON.stringify(failure)).toContain('the task is of pool eu');
});

test('code may use credentials of any type that it names', async () => {
  const login = { db_host: 'h', db_user: 'u', db_password: 'p', db_name: 'd' };
  await store.put({ name: 'pg', type: 'postgres', data: login }, WRITER);
  const tool = LENGTH.replace('app.k', 'app.db_host');
  expect(await stack.run(stack.compile(playbook(tool, { names: 'pg' })))).toMatchObject({
    status: 'completed',
  });
});

test('a credential that is bound to playbooks is opened for their executions only', async () => {
  const within = await stack.run(stack.compile(playbook(LENGTH, { path: 'team/a', names: 'bound' })));
  expect(within.status).toBe('completed');
  const outside = await stack.run(stack.compile(playbook(LENGTH, { path: 'steam/a', names: 'bound' })));
  expect(outside.status).toBe('failed');
  expect(JSON.stringify(outside.failure)).toContain("'bound' is limited to playbooks called team/*");
  const [whole, teams] = [await token('all', {}), await token('teams', { paths: ['team/*'] })];
  const ids = [within, outside].map(({ handle }) => executionIdOf(handle.workflowId)!);
  for (const [bearer, name, answers] of [
    [whole, 'bound', ['bound', 'CREDENTIAL_REFUSED', 'CREDENTIAL_REFUSED']],
    [teams, 'mine', ['value of mine', 'CREDENTIAL_REFUSED', 'CREDENTIAL_REFUSED']],
  ] as const)
    expect(await Promise.all([...ids, undefined].map((id) => open(name, { bearer, id })))).toEqual(answers);
  // A new password opens it to nobody else.
  await store.put({ name: 'bound', type: 'custom', data: { k: 'new' } }, WRITER);
  expect(await open('bound', { bearer: whole, id: ids[1] })).toBe('CREDENTIAL_REFUSED');
  await store.put({ name: 'bound', type: 'custom', data: { k: 'new' }, paths: [] }, WRITER);
  expect(await open('bound', { bearer: whole, id: ids[1] })).toBe('new');
});
