/** Worker processes are killed while tasks wait in them and while tasks run in them; what begins, and how often. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { bundleWorkflowCode, NativeConnection, Worker } from '@temporalio/worker';
import { defaultPayloadConverter } from '@temporalio/common';
import { type WorkflowHandle } from '@temporalio/client';
import { processSlots } from '../../activities/framework/process/slots';
import { compile } from '../../src/dsl';
import { type JsonObject, MAX_BEGUN, MAX_FREE } from '../../src/plan';
import { startExecution } from '../../src/temporal';
import { installRuntime } from '../../src/worker';
import { quietLogger } from '../../src/worker/log';
import { CLI, type Running, start } from '../support/process';
import { playbookOf } from '../support/simulator';
import { startTestServer, type TestServer } from '../support/temporal';
import { call } from '../support/tool-call';
import { until } from '../support/until';
import { type oneTask } from '../support/workflows/one-task';

const QUEUE = 'test-worker-loss';
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-loss-'));
const file = (name: string): string => path.join(folder, name);
const linesOf = (name: string): string[] =>
  fs.existsSync(file(name)) ? fs.readFileSync(file(name), 'utf8').trim().split('\n') : [];

let server: TestServer;
let connection: NativeConnection;
let workflows: Worker;
let workflowsDone: Promise<void>;
let worker: Running | undefined;

/** A Python that starts when the gate opens, and gives up with its worker. */
function slowPython(): string {
  const program = file('slow-python');
  const text = `#!/bin/sh\nworker=$PPID\nwhile [ ! -e ${file('gate')} ]; do kill -0 $worker 2>/dev/null || exit 1; sleep 0.1; done\nexec python3 "$@"\n`;
  fs.writeFileSync(program, text, { mode: 0o755 });
  return program;
}

async function startWorker(...more: string[]): Promise<Running> {
  const args = [CLI, 'worker', '--kinds', 'python,shell', '--storage', 'none', ...more];
  const env = { TEMPORAL_ADDRESS: server.address, NOETL_PYTHON: slowPython(), NOETL_FACADE_URL: '' };
  const started = start(process.execPath, args, env);
  await started.says('serving noetl-');
  return started;
}

beforeAll(async () => {
  installRuntime();
  server = await startTestServer();
  connection = await NativeConnection.connect({ address: server.address });
  const workflowsPath = path.join(__dirname, '..', 'support', 'workflows', 'one-task.ts');
  const workflowBundle = await bundleWorkflowCode({ workflowsPath, logger: quietLogger() });
  const { namespace } = server;
  workflows = await Worker.create({ connection, namespace, taskQueue: QUEUE, workflowBundle });
  workflowsDone = workflows.run();
}, 60_000);
afterAll(async () => {
  worker?.child.kill('SIGTERM');
  await worker?.finished;
  workflows.shutdown();
  await workflowsDone;
  await connection.close();
  await server.stop({ checked: true });
  fs.rmSync(folder, { recursive: true, force: true });
}, 60_000);

function begin(kind: string, config: JsonObject, attempts?: number): Promise<WorkflowHandle<typeof oneTask>> {
  const args = [
    {
      call: call(kind, config),
      queue: `noetl-${kind}`,
      heartbeatTimeout: 3,
      startToClose: 120,
      ...(attempts && { attempts }),
    },
  ] as const;
  const workflowId = `loss-${Math.random()}`;
  return server.client.workflow.start<typeof oneTask>('oneTask', {
    workflowId,
    taskQueue: QUEUE,
    args: [...args],
  });
}

async function pending(
  handle: WorkflowHandle,
): Promise<{ attempt: number; isStarted: boolean; said: unknown }> {
  const { raw } = await handle.describe();
  const [one] = raw.pendingActivities ?? [];
  const [payload] = one?.heartbeatDetails?.payloads ?? [];
  const said = payload && defaultPayloadConverter.fromPayload(payload);
  // PENDING_ACTIVITY_STATE_STARTED
  return { attempt: one?.attempt ?? 0, isStarted: one?.state === 2, said };
}

test('losses while a task waits are free; the third while it runs is the last; at most once is at most once', async () => {
  const all = MAX_BEGUN + MAX_FREE;
  const record = (name: string): string => `echo x >> ${file(name)}`;
  const waits = await begin('python', { code: `open('${file('waited')}', 'a').write('x\\n')` }, all);
  const runs = await begin('shell', { cmd: `${record('ran')}; sleep 120` }, all);
  const once = await begin('shell', { cmd: `${record('once')}; sleep 120` }, 1);
  for (let loss = 1; loss <= MAX_BEGUN + 1; loss++) {
    worker = await startWorker();
    await until(async () => {
      const { attempt, said } = await pending(waits);
      // Of this execution: the heartbeat of the one before stays until the next one says something.
      const { standing, free = 0 } = (said ?? {}) as { standing?: string; free?: number };
      return attempt === loss && standing === 'waiting' && free === loss - 1;
    });
    if (loss <= MAX_BEGUN) await until(async () => linesOf('ran').length === loss);
    worker.child.kill('SIGKILL');
    await worker.finished;
  }
  expect(linesOf('waited')).toEqual([]);
  await expect(once.result()).rejects.toMatchObject({ cause: { cause: { name: 'TimeoutFailure' } } });
  fs.writeFileSync(file('gate'), '');
  worker = await startWorker('--workflows');
  expect(await waits.result()).toMatchObject({ status: 'ok' });
  expect(linesOf('waited')).toEqual(['x']);
  expect(await runs.result()).toMatchObject({ error: { kind: 'worker_lost', code: 'WORKER_LOST' } });
  expect(linesOf('ran')).toEqual(Array(MAX_BEGUN).fill('x'));
  expect(linesOf('once')).toEqual(['x']);
}, 120_000);

test('a run asks Temporal for as many executions, and for one of a task that is delivered at most once', async () => {
  const plan = compile(
    playbookOf(`
- step: start
  tool:
  - name: usual
    kind: shell
    cmds: ["true"]
  - name: once
    kind: shell
    spec: {delivery: at_most_once}
    cmds: ["true"]`),
  ).plan!;
  const { handle } = await startExecution(server.client, { plan });
  await handle.result();
  const { events } = await handle.fetchHistory();
  const scheduled = events!.flatMap(({ activityTaskScheduledEventAttributes: one }) => (one ? [one] : []));
  expect(scheduled.map(({ retryPolicy }) => retryPolicy!.maximumAttempts)).toEqual([MAX_BEGUN + MAX_FREE, 1]);
}, 60_000);

test('tasks beyond the slots of their kind stay in the queue, and keep no other kind from running', async () => {
  const wait = { cmd: `while [ ! -e ${file('all')} ]; do sleep 0.2; done` };
  const handles = await Promise.all(Array.from({ length: processSlots() + 2 }, () => begin('shell', wait)));
  const states = async (): Promise<boolean[]> =>
    Promise.all(handles.map(async (one) => (await pending(one)).isStarted));
  await until(async () => (await states()).filter(Boolean).length === processSlots());
  const other = await begin('python', { code: 'result = 7' });
  expect(await other.result()).toMatchObject({ result: 7 });
  expect((await states()).filter(Boolean)).toHaveLength(processSlots());
  fs.writeFileSync(file('all'), '');
  await Promise.all(handles.map((one) => one.result()));
}, 60_000);
