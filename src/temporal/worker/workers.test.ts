import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { CancelledFailure, WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import { bundleWorkflowCode, NativeConnection, Worker } from '@temporalio/worker';
import { toolKinds } from '../../../activities/registry';
import { startTestServer, type TestServer } from '../../../test/support/temporal';
import { call } from '../../../test/support/tool-call';
import { type oneTask } from '../../../test/support/workflows/one-task';
import { HEARTBEAT_TIMEOUT, startToClose } from '../../language/plan/kinds';
import { type JsonObject, type Outcome } from '../../language/plan';
import { taskQueue } from '../client/naming';
import { quietLogger } from './log';
import { installRuntime } from './runtime';
import { type RunningWorkers, startWorkers } from './workers';

let server: TestServer;
let connection: NativeConnection;
let workflows: Worker;
let workflowsDone: Promise<void>;
let running: RunningWorkers;
const QUEUE = 'test-one-task';

const start = (kinds?: string[]): Promise<RunningWorkers> =>
  startWorkers({ connection, namespace: server.namespace, kinds, workflows: false });

beforeAll(async () => {
  installRuntime();
  server = await startTestServer();
  connection = await NativeConnection.connect({ address: server.address });
  const workflowsPath = path.join(__dirname, '../../../test/support/workflows/one-task.ts');
  const workflowBundle = await bundleWorkflowCode({ workflowsPath, logger: quietLogger() });
  workflows = await Worker.create({
    connection,
    namespace: server.namespace,
    taskQueue: QUEUE,
    workflowBundle,
  });
  workflowsDone = workflows.run();
  running = await start();
});
afterAll(async () => {
  await running.stop({ graceMs: 0 });
  workflows.shutdown();
  await workflowsDone;
  await connection.close();
  await server.stop();
});

let count = 0;
async function begin(
  kind: string,
  config: JsonObject,
  input: JsonObject = {},
): Promise<WorkflowHandle<typeof oneTask>> {
  const task = call(kind, config, { input });
  return server.client.workflow.start<typeof oneTask>('oneTask', {
    workflowId: `one-task-${(count += 1)}`,
    taskQueue: QUEUE,
    args: [
      {
        call: task,
        queue: taskQueue(kind),
        heartbeatTimeout: HEARTBEAT_TIMEOUT,
        startToClose: startToClose(task),
      },
    ],
  });
}
const run = async (kind: string, config: JsonObject, input: JsonObject = {}): Promise<Outcome> =>
  (await begin(kind, config, input)).result();

test('every kind is served on its own queue', async () => {
  expect(running.taskQueues).toEqual([...toolKinds, 'local'].map((kind) => `noetl-${kind}`));
  const [py, sh, duck, web] = await Promise.all([
    run('python', { code: 'result = n + 1' }, { n: 1 }),
    run('shell', { cmd: 'echo hi' }),
    run('duckdb', { query: 'select 42 as n' }),
    run('http', { url: 'http://127.0.0.1:1/' }),
  ]);
  expect(py).toMatchObject({ result: 2 }); // as it is sent: what succeeded does not say so
  expect(sh).toMatchObject({ result: { stdout: 'hi\n' } });
  expect(duck).toMatchObject({ result: { rows: [{ n: 42 }] } });
  expect(web).toMatchObject({ status: 'error', error: { kind: 'connection', retryable: true } });
});

test('a failed tool is a failed activity, tried once, with the outcome as details', async () => {
  const handle = await begin('python', { code: 'print("x")\nraise ValueError("no")' });
  expect(await handle.result()).toMatchObject({
    status: 'error',
    error: { code: 'PY_ValueError' },
    py: { stdout: 'x\n' },
  });
  const { events } = await handle.fetchHistory();
  const failures = (events ?? []).filter((event) => event.activityTaskFailedEventAttributes);
  expect(failures).toHaveLength(1);
  expect(failures[0]!.activityTaskFailedEventAttributes!.failure).toMatchObject({
    message: 'ValueError: no (line 2 of the code)',
    applicationFailureInfo: { type: 'python.PY_ValueError', nonRetryable: true },
  });
  expect(failures[0]!.activityTaskFailedEventAttributes!.failure!.stackTrace ?? '').toBe('');
});

test('a tool timeout comes as an outcome, before Temporal reacts', async () => {
  const outcome = await run('shell', { cmd: 'sleep 60', timeout: 0.5 });
  expect(outcome).toMatchObject({ error: { kind: 'timeout', code: 'TIMEOUT' } });
});

test('cancelling the workflow stops the tool within seconds', async () => {
  const handle = await begin('python', { code: 'import time\ntime.sleep(60)' });
  await new Promise((resolve) => setTimeout(resolve, 700));
  const started = Date.now();
  await handle.cancel();
  const error = (await handle.result().catch((thrown: unknown) => thrown)) as WorkflowFailedError;
  expect(error).toBeInstanceOf(WorkflowFailedError);
  expect(error.cause).toBeInstanceOf(CancelledFailure);
  expect(Date.now() - started).toBeLessThan(20_000);
});

test('an unknown kind is refused by name', async () => {
  await expect(start(['nope'])).rejects.toThrow("there is no tool kind 'nope' (http, python");
});

test('stop drains what ends in time, and hands the rest to the next worker', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-handover-'));
  const short = await begin('shell', { cmd: `touch ${folder}/short; sleep 1; echo drained` });
  const long = await begin('shell', {
    cmd: `[ -e ${folder}/long ] && echo second || { touch ${folder}/long; sleep 60; }`,
  });
  while (fs.readdirSync(folder).length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
  const started = Date.now();
  expect(await running.stop({ graceMs: 4000 })).toEqual({ drained: true });
  expect(Date.now() - started).toBeLessThan(20_000);
  running = await start();
  expect(await short.result()).toMatchObject({ result: { stdout: 'drained\n' } });
  expect(await long.result()).toMatchObject({ result: { stdout: 'second\n' } });
  fs.rmSync(folder, { recursive: true });
});
