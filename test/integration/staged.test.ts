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
});
afterAll(async () => {
  projection?.child.kill('SIGTERM');
  await projection?.finished;
  threads?.close();
  await facade?.stop();
  await database?.close();
  await stack?.stop();
  fs.rmSync(folder, { recursive: true, force: true });
});

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
    // Also what ran the staged version itself is pending until that is seen.
    return found.verification.executions >= executions && found.pending === 0 ? found : undefined;
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
});

test('what ends while nothing is projected, or while it is judged, is judged by the next process', async () => {
  projection.child.kill('SIGKILL');
  await projection.finished;
  await run({ path: 'shop/sorts', workload: { n: 9 } });
  // As if the process had died while it judged one, and the time for which it had claimed it is over.
  await sql`UPDATE noetl.staged_verdict SET verdict = NULL, next_at = now() WHERE verdict = 'same'`.execute(
    database.query,
  );
  projection = project();
  expect(await staged(3)).toMatchObject({ verification: { counts: { same: 2, decision: 1 } } });
});

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
});

test('the overview says what is wrong and who waits, from the tables; what is done is in the audit', async () => {
  const head = (path: string): string =>
    `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: x, path: ${path}, description: Of ${path}, owner: ada}\n`;
  await register(
    `${head('seen/fails')}workflow: [{step: start, tool: {kind: noop, input: {x: "{{ 1 // workload.zero }}"}}, next: {arcs: [{step: never}]}}, {step: never, tool: {kind: noop}}]\nworkload: {zero: 0}\n`,
  );
  await register(`${head('seen/waits')}workflow: [{step: start, tool: {kind: wait, event: go}}]\n`);
  await register(
    `${head('seen/unserved')}workflow: [{step: start, tool: {kind: postgres, auth: pg, query: "SELECT * FROM t"}}]\n`,
  );
  const start = async (asked: string): Promise<string> =>
    (await ask<{ execution_id: string }>('/api/execute', { path: asked })).execution_id;
  const [failed, waiting, unserved] = await Promise.all(
    ['seen/fails', 'seen/waits', 'seen/unserved'].map(start),
  );
  await ask('/api/schedules', { name: 'seen', path: 'seen/waits', intervals: [{ every_s: 7200 }] });
  const wanted = [
    {
      kind: 'failed',
      wrong: true,
      count: 1,
      title: expect.stringContaining('seen/fails'),
      link: `/runs/${failed}`,
    },
    {
      kind: 'queue',
      wrong: true,
      title: 'no worker serves noetl-postgres',
      command: expect.stringContaining('--kinds postgres'),
    },
    {
      kind: 'waiting',
      wrong: false,
      title: 'seen/waits waits for go at start',
      command: `noetl-temporal event ${waiting} go`,
    },
  ];
  const seen = await until(async () => {
    const one = await ask<{ problems: { kind: string }[] }>('/api/overview?hours=2');
    const kinds = new Set(one.problems.map(({ kind }) => kind));
    return ['failed', 'queue', 'waiting'].every((kind) => kinds.has(kind)) && one;
  }, 60_000);
  expect(seen).toMatchObject({ ok: false, unknown: [], runs: { source: 'projection', complete: true } });
  expect(seen.problems).toEqual(
    expect.arrayContaining(wanted.map((one) => expect.objectContaining(one) as object)),
  );
  expect(seen).toMatchObject({
    starts: expect.arrayContaining([
      expect.objectContaining({ path: 'seen/fails', execution_id: failed, status: 'FAILED' }),
      expect.objectContaining({ path: 'seen/waits', execution_id: null, schedule: 'seen' }),
    ]) as object[],
  });
  const printed = await inProcess(['now', '--hours', '2', '--server', facade.url]);
  expect(printed).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('no worker serves noetl-postgres') as string,
  });

  expect(await ask('/api/catalog/seen/fails/overview')).toMatchObject({
    ...{ description: 'Of seen/fails', owner: 'ada', runs: { failed: 1, success_rate: 0 } },
    steps: [
      { step: 'start', runs: 1, failed: 1 },
      { step: 'never', runs: 0 },
    ],
  });
  expect(await ask('/api/catalog/seen/waits/overview')).toMatchObject({
    schedules: [{ name: 'seen', paused: false }],
  });
  const { playbooks } = await ask<{ playbooks: object[] }>('/api/catalog/activity');
  expect(playbooks).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        path: 'seen/fails',
        last: expect.objectContaining({ execution_id: failed, status: 'FAILED' }),
        next: null,
      }),
      expect.objectContaining({ path: 'seen/waits', next: expect.objectContaining({ schedule: 'seen' }) }),
    ]),
  );
  const { tasks } = await ask<{ tasks: object[] }>('/api/lineage');
  expect(tasks).toEqual([
    expect.objectContaining({
      path: 'seen/unserved',
      step: 'start',
      reads: [{ namespace: 'noetl://credentials/pg', name: 'public.t' }],
    }),
  ]);

  for (const id of [waiting, unserved])
    await ask(`/api/executions/${id}/cancel`, { reason: 'said to nobody' });
  await fetch(`${facade.url}/api/schedules/seen`, { method: 'DELETE' });
  const { acts } = await ask<{ acts: object[] }>(`/api/audit?about=${waiting}`);
  expect(acts).toMatchObject([
    { request: 'POST /api/executions/{id}/cancel', principal: 'local', about: [waiting], code: null },
    { request: 'POST /api/execute', about: expect.arrayContaining(['seen/waits']) as string[] },
  ]);
  const audit = await inProcess(['list', 'audit', '--about', 'seen', '--server', facade.url]);
  expect(audit.stdout).toMatch(
    /DELETE \/api\/schedules\/\{name\} +seen +done\n.*POST \/api\/schedules +seen/,
  );
  expect(JSON.stringify(await ask('/api/audit'))).not.toContain('said to nobody');
});
