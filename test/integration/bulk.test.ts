/** Operations on many executions: what they select, that each is handled once, whatever is killed meanwhile. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BulkStanding, type BulkWorker, readBulk, startBulkWorker } from '../../src/server/bulk';
import { bulkWorkflowId } from '../../src/language/plan';
import { eachVisible, executionQuery } from '../../src/temporal/client';
import { startFacade, type TestFacade } from '../support/facade';
import { CLI, start } from '../support/process';
import { inProcess } from '../support/program';
import { type Stack, startStack } from '../support/stack';
import { until } from '../support/until';

/** Failed executions to rerun. */
const SIZE = Number(process.env['NOETL_BULK_SIZE'] ?? 8);

let stack: Stack;
let facade: TestFacade;
let worker: BulkWorker;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-bulk-'));
const storage = pathToFileURL(path.join(folder, 'stored')).href;
const [ledger, broken] = [path.join(folder, 'ledger'), path.join(folder, 'broken')];

beforeAll(async () => {
  // Operations continue as new too.
  stack = await startStack({
    kinds: ['shell'],
    storage,
    config: ['limit.historyCount.suggestContinueAsNew=20'],
  });
  facade = await startFacade(stack);
});
afterAll(async () => {
  await worker?.stop();
  await facade?.stop();
  await stack?.stop();
  fs.rmSync(folder, { recursive: true, force: true });
  expect(facade.reported).toEqual([]);
});

const playbook = (name: string, cmd: string, more = ''): string => `
apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: ${name}, path: bulk/${name} }
workload: { n: 0 }
workflow:
  - step: start
    tool: { kind: noop }
    next: { arcs: [{ step: load }] }
  - step: load
    tool: { kind: shell, cmds: ["${cmd}"] }
${more}`;
const load = playbook('load', `[ ! -e ${broken} ] || exit 7; echo {{ workload.n }} >> ${ledger}`);

const ask = async (
  method: string,
  place: string,
  body?: object,
): Promise<[number, Record<string, never>]> => {
  const response = await fetch(`${facade.url}${place}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return [response.status, (await response.json()) as Record<string, never>];
};
const reads = (id: string, is: (standing: BulkStanding) => boolean): Promise<BulkStanding> =>
  until(async () => {
    const standing = await readBulk(stack.client, id);
    return is(standing) && standing;
  }, 60_000);
const ended = (id: string): Promise<BulkStanding> => reads(id, ({ status }) => status !== 'running');
const counts = (query: string, expected: number): Promise<true> =>
  until(
    async () => (await stack.client.workflow.count(query)).count === expected,
    SIZE * 1000 + 30_000,
  ) as Promise<true>;
const cli = () => ({
  TEMPORAL_ADDRESS: stack.server.address,
  NOETL_STORAGE: storage,
  NOETL_DATA_DIR: path.join(folder, 'data'),
});

test('failed executions are rerun, killed half-way and resumed: each exactly once', async () => {
  fs.writeFileSync(broken, '');
  const plan = stack.compile(load);
  for (let n = 0; n < SIZE; n++) await stack.start(plan, { n });
  await stack.start(stack.compile(playbook('other', 'exit 3')));
  const failed = executionQuery({ path: 'bulk/*', status: ['FAILED'] });
  await counts(failed, SIZE + 1);
  fs.rmSync(broken);

  const [status, chosen] = await ask('POST', '/api/bulk', {
    verb: 'rerun',
    where: 'path=bulk/* since=1h',
    dry_run: true,
  });
  expect([status, chosen]).toMatchObject([
    200,
    {
      total: SIZE + 1,
      causes: [
        { path: 'bulk/load', code: 'EXIT_7', step: 'load', count: SIZE },
        { path: 'bulk/other', code: 'EXIT_3', step: 'load', count: 1, example: { message: /exit/ } },
      ].map(({ example: _, ...cause }) => cause),
    },
  ]);

  const where = 'path=bulk/* code=EXIT_7 since=1h';
  const first = start(
    process.execPath,
    [CLI, ...['rerun', '--where', where, '--from-failure', '--yes', '--rate', `${Math.min(SIZE / 8, 50)}/s`]],
    cli(),
  );
  await first.says(/bulk operation (\d+)/);
  const id = /bulk operation (\d+)/.exec(first.output())![1]!;
  await reads(id, ({ counts }) => counts.done >= SIZE / 8);
  first.child.kill('SIGKILL');
  await first.finished;
  const killed = await readBulk(stack.client, id);
  expect(killed).toMatchObject({ status: 'running', verb: 'rerun', total: SIZE, where });
  expect(killed.counts.left).toBeGreaterThan(0);

  const resumed = await inProcess(['bulk', 'resume', id, '--json'], cli());
  expect(resumed).toMatchObject({ code: 0 });
  const standing = JSON.parse(resumed.stdout) as BulkStanding;
  expect(standing).toMatchObject({ status: 'completed', counts: { done: SIZE, failed: 0, left: 0 } });

  const continued = `WorkflowType = 'noetl:bulk' AND ExecutionStatus = 'ContinuedAsNew'`;
  await until(async () => (await stack.client.workflow.count(continued)).count > 0);
  const completed = executionQuery({ path: 'bulk/load', status: ['COMPLETED'] });
  await counts(completed, SIZE);
  const lines = fs.readFileSync(ledger, 'utf8').trim().split('\n').map(Number);
  expect(lines.sort((a, b) => a - b)).toEqual(Array.from({ length: SIZE }, (_, n) => n));

  const reruns = new Map<string, unknown>();
  for await (const info of eachVisible(stack.client, completed))
    reruns.set(info.workflowId, info.memo?.['noetl_rerun']);
  for (const { execution_id, rerun } of standing.outcomes)
    expect(reruns.get(`noetl-${rerun}`)).toEqual({ execution_id, step_run_id: 'load#1', bulk_id: id });
  const [{ execution_id, rerun } = { execution_id: '', rerun: '' }] = standing.outcomes;
  const [, seen] = await ask('GET', `/api/executions/${rerun}`);
  expect(seen['rerun_of']).toMatchObject({ execution_id, bulk_id: id });
}, 600_000);

test('over REST: a revision that mends them, a request that is repeated, verbs that find nothing to do', async () => {
  worker = await startBulkWorker({
    connection: stack.native,
    client: stack.client,
    dataConverter: stack.storage.dataConverter,
  });
  const request = {
    verb: 'rerun',
    where: 'path=bulk/other',
    from_step: 'load',
    playbook: playbook('other', 'true'),
    id: '287146398761160704',
  };
  for (const _ of [1, 2]) expect(await ask('POST', '/api/bulk', request)).toMatchObject([202, { total: 1 }]);
  expect(await ended(request.id)).toMatchObject({ status: 'completed', counts: { done: 1 } });
  const mended = executionQuery({ path: 'bulk/other', status: ['COMPLETED'] });
  await counts(mended, 1);

  const [, { bulk_id: over }] = await ask('POST', '/api/bulk', {
    verb: 'cancel',
    where: 'path=bulk/other status=failed,completed',
    reason: 'too late',
  });
  expect(await ended(over!)).toMatchObject({
    counts: { done: 0, skipped: 2, failed: 0 },
    outcomes: [{ code: 'EXECUTION_OVER' }, { code: 'EXECUTION_OVER' }],
  });

  const [, { bulk_id: replayed }] = await ask('POST', '/api/bulk', {
    verb: 'replay',
    where: 'path=bulk/other',
  });
  expect(await ended(replayed!)).toMatchObject({ counts: { done: 2, failed: 0 } });
  // Temporal lists a workflow a moment after it has begun.
  const listed = await until(async () => {
    const [, all] = await ask('GET', '/api/bulk');
    return all['length'] === 4 && (all as unknown as { verb: string }[]);
  });
  expect(listed.map(({ verb }) => verb)).toEqual(['replay', 'cancel', 'rerun', 'rerun']);
});

test('a cancelled operation leaves the rest, and resumes with it', async () => {
  const waiting = stack.compile(
    playbook('waiting', 'true').replace(
      'tool: { kind: noop }',
      'tool: { kind: wait, event: go, timeout: 1h }',
    ),
  );
  for (let n = 0; n < 6; n++) await stack.start(waiting);
  await counts(executionQuery({ path: 'bulk/waiting', status: ['RUNNING'] }), 6);
  const [, { bulk_id: id }] = await ask('POST', '/api/bulk', {
    verb: 'cancel',
    where: 'path=bulk/waiting',
    rate: 1,
  });
  await reads(id!, ({ counts }) => counts.done >= 1);
  expect((await ask('POST', `/api/bulk/${id}/cancel`))[0]).toBe(202);
  const stopped = await ended(id!);
  expect(stopped.status).toBe('cancelled');
  expect(stopped.counts.left).toBeGreaterThan(0);
  expect((await ask('POST', `/api/bulk/${id}/resume`))[0]).toBe(202);
  expect(await ended(id!)).toMatchObject({ status: 'completed', counts: { done: 6, left: 0 } });
  expect(await ask('POST', `/api/bulk/${id}/resume`)).toMatchObject([409, { code: 'BULK_OVER' }]);
  expect((await stack.client.workflow.getHandle(bulkWorkflowId(id!)).describe()).status.name).toBe(
    'COMPLETED',
  );
});

test.each([
  ['POST', '/api/bulk', { verb: 'rerun', where: 'stats=failed' }, 422, 'WHERE_INVALID'],
  ['POST', '/api/bulk', { verb: 'rerun', where: ' ' }, 422, 'WHERE_INVALID'],
  ['POST', '/api/bulk', { verb: 'cancel', where: 'path=a', from_step: 'b' }, 422, 'BULK_OPTION'],
  ['POST', '/api/bulk', { verb: 'rerun', where: 'path=a', playbook: 'nonsense' }, 422, 'PLAYBOOK_INVALID'],
  ['GET', '/api/bulk/1', undefined, 404, 'BULK_NOT_FOUND'],
])('%s %s %j is refused: %d %s', async (method, place, body, status, code) => {
  expect(await ask(method, place, body)).toMatchObject([status, { code }]);
});
