/** Staged versions, end to end: a facade, `project` as a process that is killed, and executions that end meanwhile. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { CatalogPlaybooks } from '../../src/cli/runtime/playbooks/catalog-playbooks';
import { Library, Threads } from '../../src/server/facade';
import { Catalog, type Database, openDatabase } from '../../src/server/store';
import { startFacade, type TestFacade } from '../support/facade';
import { CLI, type Running, start } from '../support/process';
import { inProcess } from '../support/program';
import { type Stack, startStack } from '../support/stack';
import { until } from '../support/until';

let stack: Stack;
let facade: TestFacade;
let database: Database;
let threads: Threads;
let projection: Running;
let library: CatalogPlaybooks;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-staged-'));

const sorts = (limit: number): string => `apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: sorts, path: shop/sorts}
workload: {n: 1}
workflow:
- step: start
  tool: {kind: noop, input: {n: "{{ workload.n }}"}}
  next: {arcs: [{step: big, when: "{{ workload.n > ${limit} }}"}, {step: small}]}
- step: big
  tool: {kind: noop, input: {size: big}}
- step: small
  tool: {kind: noop, input: {size: small}}
`;
const CALLS = `apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: calls, path: shop/calls}
workflow:
- step: start
  tool: {kind: playbook, path: shop/sorts, input: {n: 6}}
`;

interface Staged {
  readonly version: number;
  readonly pending: number;
  readonly objection: string | null;
  readonly verification: {
    executions: number;
    counts: Record<string, number>;
    groups: { cause: string; example: { execution_id: string; finding: { now_at: object } } }[];
  };
}

beforeAll(async () => {
  stack = await startStack({
    kinds: [],
    postgres: true,
    playbooks: { resolve: (asked) => library.resolve(asked) },
  });
  database = await openDatabase(stack.postgres.url);
  threads = new Threads({});
  library = new CatalogPlaybooks(new Library(new Catalog(database.query), threads));
  facade = await startFacade(stack, { postgres: stack.postgres });
  projection = project();
}, 120_000);
afterAll(async () => {
  projection?.child.kill('SIGTERM');
  await projection?.finished;
  threads?.close();
  await facade?.stop();
  await database?.close();
  await stack?.stop();
  fs.rmSync(folder, { recursive: true, force: true });
}, 120_000);

function project(): Running {
  return start(process.execPath, [CLI, 'project'], {
    TEMPORAL_ADDRESS: stack.server.address,
    DATABASE_URL: stack.postgres.url,
    NOETL_STORAGE: 'none',
    NOETL_DATA_DIR: folder,
  });
}

async function ask<T>(route: string, body?: object): Promise<T> {
  const response = await fetch(`${facade.url}${route}`, {
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
    headers: { 'content-type': 'application/json' },
  });
  return (await response.json()) as T;
}

/** Runs to its end. @returns its id and result */
async function run(asked: object): Promise<{ id: string; result: unknown }> {
  const { execution_id: id } = await ask<{ execution_id: string }>('/api/execute', asked);
  const result = await stack.client.workflow.getHandle(`noetl-${id}`).result();
  return { id, result: (result as { result: unknown }).result };
}

async function staged(executions: number): Promise<Staged> {
  return await until(async () => {
    const { staged: found } = await ask<{ staged: Staged }>('/api/catalog/shop/sorts/staged');
    return found.verification.executions >= executions ? found : undefined;
  }, 120_000);
}

const register = (content: string, more: object = {}) =>
  ask<{ version: number; staged: boolean }>('/api/catalog/register', { content, ...more });
const promote = (...args: string[]) => inProcess(['promote', 'shop/sorts', ...args, '--server', facade.url]);

test('a staged version is run by nobody who does not name it, until it is promoted', async () => {
  await register(sorts(5));
  await register(CALLS);
  const file = path.join(folder, 'new.yaml');
  fs.writeFileSync(file, sorts(7));
  const registered = await inProcess(['register', file, '--staged', '--server', facade.url]);
  expect(registered.stdout).toContain('shop/sorts version 2 (staged)');
  expect(await ask('/api/catalog/shop/sorts/versions')).toMatchObject({
    entries: [
      { version: 2, latest: false, staged: true },
      { version: 1, latest: true, staged: false },
    ],
  });
  expect(await promote()).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('no execution has been judged yet'),
  });

  const [named, called] = await Promise.all([
    run({ path: 'shop/sorts', version: 2, workload: { n: 6 } }),
    run({ path: 'shop/calls' }),
  ]);
  expect(named.result).toEqual({ size: 'small' });
  expect(called.result).toEqual({ size: 'big' });
  await run({ path: 'shop/sorts', workload: { n: 3 } });

  // The one that ran the staged version itself proves nothing.
  const found = await staged(2);
  expect(found).toMatchObject({
    version: 2,
    objection: '1 of 2 executions would have differed',
    verification: {
      counts: { same: 1, decision: 1 },
      groups: [{ cause: 'after step start: to small instead of big' }],
    },
  });
  expect(found.verification.groups[0]!.example.finding.now_at).toMatchObject({
    file: 'catalog://shop/sorts@2',
  });
}, 120_000);

test('what ends while nothing is projected, or while it is judged, is judged by the next process', async () => {
  projection.child.kill('SIGKILL');
  await projection.finished;
  await run({ path: 'shop/sorts', workload: { n: 9 } });
  // As if the process had died while it judged one, and the time for which it had claimed it is over.
  await sql`UPDATE noetl.staged_verdict SET verdict = NULL, next_at = now() WHERE verdict = 'same'`.execute(
    database.query,
  );
  projection = project();
  expect(await staged(3)).toMatchObject({ pending: 0, verification: { counts: { same: 2, decision: 1 } } });
}, 120_000);

test('promote shows the verdict, and refuses what is different until it is told', async () => {
  const refused = await promote();
  expect(refused).toMatchObject({ code: 1, stderr: '' });
  expect(refused.stdout).toContain('1 × different decision: after step start: to small instead of big');
  expect(refused.stdout).toContain('1 remains the latest (--yes promotes it anyway)');
  const answer = await ask('/api/catalog/promote', { path: 'shop/sorts' });
  expect(answer).toMatchObject({ code: 'STAGED_DIFFERS', staged: { version: 2 } });
  expect((await run({ path: 'shop/calls' })).result).toEqual({ size: 'big' });

  const promoted = await promote('--yes', '--json');
  expect(promoted.code).toBe(0);
  expect(JSON.parse(promoted.stdout)).toMatchObject({ promoted: true, version: 2, latest: 1 });
  expect((await run({ path: 'shop/calls' })).result).toEqual({ size: 'small' });
  expect(await promote()).toMatchObject({ code: 2, stderr: expect.stringContaining('is staged') });
}, 120_000);
