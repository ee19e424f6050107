/** Large results through the command line: a crash at the worst moment, a history file read elsewhere, clearing up. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { compile } from '../../src/language/dsl';
import { newExecutionId, WORKFLOW_TASK_QUEUE, WORKFLOW_TYPE, workflowId } from '../../src/temporal/client';
import { openStorage } from '../../src/storage/blobs';
import { CLI, noetl, ROOT, start } from '../support/process';
import { inProcess } from '../support/program';
import { startTestServer } from '../support/temporal';
import { Client } from '@temporalio/client';

const data = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-large-'));
afterAll(() => fs.rmSync(data, { recursive: true, force: true }));

const playbook = path.join(data, 'large.yaml');
fs.writeFileSync(
  playbook,
  `apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: large, path: test/large}
workflow:
- step: start
  tool: {kind: python, code: "result = {'body': 'x' * 3000000}"}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: python, input: {body: "{{ start.body }}"}, code: "result = len(body)"}
`,
);
const env = { TEMPORAL_ADDRESS: '', NOETL_STORAGE: '', NOETL_DATA_DIR: path.join(data, 'data') };

test('a worker that dies between storing a result and telling Temporal loses nothing', async () => {
  const server = await startTestServer();
  const folder = path.join(data, 'shared');
  const marker = path.join(data, 'crashed');
  const hook = path.join(ROOT, 'test/support/crash-after-blob.cjs');
  const storage = `file://${folder}`;
  const args = [CLI, 'worker', '--kinds', 'python', '--workflows', '--storage', storage];
  const workerEnv = { TEMPORAL_ADDRESS: server.address };
  const store = await openStorage(storage);
  const client = new Client({ connection: server.connection, dataConverter: store.dataConverter });
  const { plan } = compile(fs.readFileSync(playbook, 'utf8'));
  const first = start(process.execPath, args, {
    ...workerEnv,
    NODE_OPTIONS: `--require ${hook}`,
    CRASH_MARKER: marker,
  });
  await first.says('serving');
  const handle = await client.workflow.start(WORKFLOW_TYPE, {
    workflowId: workflowId(newExecutionId()),
    taskQueue: WORKFLOW_TASK_QUEUE,
    args: [plan],
  });
  expect((await first.finished).signal).toBe('SIGKILL');
  expect(fs.existsSync(fs.readFileSync(marker, 'utf8'))).toBe(true);
  const second = start(process.execPath, args, workerEnv);
  expect(await handle.result()).toMatchObject({ result: 3_000_000 });
  second.child.kill('SIGTERM');
  await second.finished;
  await server.stop();
}, 180_000);

test('run, a history file with and without its values, and clearing up', async () => {
  const file = path.join(data, 'history.json');
  const ran = await noetl(['run', playbook, '--json', '--history', file], env);
  expect(JSON.parse(ran.stdout)).toMatchObject({ status: 'completed', result: 3_000_000, error: null });
  expect(fs.statSync(file).size).toBeLessThan(40_000);

  const blobs = path.join(data, 'data', 'blobs');
  const there = await inProcess(['events', file, '--format', 'ndjson', '--storage', `file://${blobs}`], env);
  expect(there.code).toBe(0);
  expect(there.stdout).toMatch(/"event_type":"playbook.processed"/);
  expect(there.stdout.length).toBeLessThan(100_000);
  const elsewhere = await inProcess(['events', file, '--storage', `file://${data}/empty`], env);
  expect(elsewhere.code).toBe(2);
  expect(elsewhere.stderr).toMatch(/a value of 30\d+ bytes is stored outside this history .*BLOB_MISSING/);
  const replayed = await inProcess(['replay', file], env);
  expect(replayed).toMatchObject({ code: 0 });

  const known = await inProcess(['storage', 'gc', '--older-than', '0s', '--json'], env);
  expect(JSON.parse(known.stdout)).toMatchObject({ deleted: { count: 0 }, kept: { workflows: 1 } });
  const forgotten = path.join(data, 'data2');
  fs.cpSync(blobs, path.join(forgotten, 'blobs'), { recursive: true });
  const refused = await inProcess(['storage', 'gc', '--older-than', '0s', '--data', forgotten], env);
  expect(refused).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Temporal has none of the 1 workflows') as string,
  });
  const forced = await inProcess(
    ['storage', 'gc', '--older-than', '0s', '--data', forgotten, '--force', '--json'],
    env,
  );
  expect(JSON.parse(forced.stdout)).toMatchObject({ deleted: { workflows: 1 }, kept: { count: 0 } });
}, 180_000);
