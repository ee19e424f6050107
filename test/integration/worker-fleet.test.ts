/** Worker processes are killed while tasks wait in them and while tasks run in them; what begins, and how often. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { bundleWorkflowCode, NativeConnection, Worker } from '@temporalio/worker';
import { defaultPayloadConverter } from '@temporalio/common';
import { type WorkflowHandle } from '@temporalio/client';
import { processSlots } from '../../activities/framework/process/slots';
import { compile } from '../../src/language/dsl';
import { type JsonObject, MAX_BEGUN, MAX_FREE } from '../../src/language/plan';
import { startExecution } from '../../src/temporal/client';
import { installRuntime } from '../../src/temporal/worker';
import { quietLogger } from '../../src/temporal/worker/log';
import { startTarget } from '../chaos/target';
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
  return serving(['--kinds', 'python,shell', ...more], { NOETL_PYTHON: slowPython() });
}

/** One that runs what comes. */
function startWholeWorker(): Promise<Running> {
  fs.writeFileSync(file('gate'), '');
  return startWorker('--workflows');
}

async function serving(given: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<Running> {
  const args = [CLI, 'worker', ...given, '--storage', 'none'];
  const env = { TEMPORAL_ADDRESS: server.address, NOETL_FACADE_URL: '', ...more };
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
});
afterAll(async () => {
  worker?.child.kill('SIGTERM');
  await worker?.finished;
  workflows.shutdown();
  await workflowsDone;
  await connection.close();
  await server.stop({ checked: true });
  fs.rmSync(folder, { recursive: true, force: true });
});

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

test('losses while a task waits are free; the fifth while it runs is the last; at most once is at most once', async () => {
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
  worker = await startWholeWorker();
  expect(await waits.result()).toMatchObject({ result: null });
  expect(linesOf('waited')).toEqual(['x']);
  expect(await runs.result()).toMatchObject({ error: { kind: 'worker_lost', code: 'WORKER_LOST' } });
  expect(linesOf('ran')).toEqual(Array(MAX_BEGUN).fill('x'));
  expect(linesOf('once')).toEqual(['x']);
});

test('a run asks Temporal for as many executions, and for one of a task that is delivered at most once', async () => {
  worker ??= await startWholeWorker();
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
});

test('tasks beyond the slots of their kind stay in the queue, and keep no other kind from running', async () => {
  worker ??= await startWholeWorker();
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
});

/** Calls that take up to 0.6 s, from http tasks, from Python, and from an activity that runs many of them. */
const CALLING = playbookOf(`
- step: start
  next: {spec: {mode: inclusive}, arcs: [{step: remote}, {step: local}, {step: code}]}
- step: remote
  loop: {in: [0, 1, 2, 3], iterator: n, spec: {mode: parallel, max_in_flight: 2}}
  tool: {kind: http, method: POST, url: "{{ workload.url }}", json: {key: "{{ workload.label }}/remote/{{ iter.n }}"}}
  next: {arcs: [{step: after}]}
- step: local
  loop: {in: [0, 1, 2, 3], iterator: n, spec: {mode: sequential, policy: {exec: local}}}
  tool: {kind: http, method: POST, url: "{{ workload.url }}", json: {key: "{{ workload.label }}/local/{{ iter.n }}"}}
  next: {arcs: [{step: after}]}
- step: code
  tool:
    kind: python
    input: {url: "{{ workload.url }}", key: "{{ workload.label }}/code/0"}
    code: |
      import json, urllib.request
      urllib.request.urlopen(urllib.request.Request(url, json.dumps({"key": key}).encode())).read()
  next: {arcs: [{step: after}]}
- step: after
  tool: {kind: http, method: POST, url: "{{ workload.url }}", json: {key: "{{ workload.label }}/after/0"}}
`);
const KEYS = [...[0, 1, 2, 3].flatMap((n) => [`remote/${n}`, `local/${n}`]), 'code/0', 'after/0'];

/** `ROLLING_EXECUTIONS=200` for figures. */
const EXECUTIONS = Number(process.env['ROLLING_EXECUTIONS'] ?? 12);

test('a rolling restart under load fails nothing, and repeats nothing if workers may drain', async () => {
  const plan = compile(CALLING.replace('workflow:', 'workload: {url: null, label: null}\nworkflow:')).plan!;
  const target = await startTarget();
  const fleet: Running[] = [];
  const one = (): Promise<Running> => serving(['--workflows', '--kinds', 'http,python,local']);
  try {
    worker?.child.kill('SIGTERM');
    await worker?.finished;
    worker = undefined;
    fleet.push(...(await Promise.all([one(), one()])));
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      let submitting = true;
      const runs: Promise<unknown>[] = [];
      const labels: string[] = [];
      const submitted = (async () => {
        while (submitting && labels.length < EXECUTIONS) {
          const label = `${signal}${labels.length}`;
          labels.push(label);
          const payload = { url: `${target.url}/calls`, label };
          const { handle } = await startExecution(server.client, { plan, payload });
          runs.push(handle.result());
          await new Promise((resolve) => setTimeout(resolve, 250));
        }
      })();
      for (let place = 0; place < fleet.length; place++) {
        const leaving = fleet[place]!;
        leaving.child.kill(signal);
        const [{ code }, coming] = await Promise.all([leaving.finished, one()]);
        expect(code).toBe(signal === 'SIGTERM' ? 0 : null);
        fleet[place] = coming;
      }
      submitting = false;
      await submitted;
      // None fails: the result of each is there.
      await Promise.all(runs);
      const counts = labels.flatMap((label) =>
        KEYS.map((key) => target.calls.get(`${label}/${key}`)?.length),
      );
      expect(labels.length).toBeGreaterThan(5);
      if (signal === 'SIGTERM') expect(counts.filter((count) => count !== 1)).toEqual([]);
      else expect(counts.filter((count) => count === undefined || count > 1 + fleet.length)).toEqual([]);
      process.stdout.write(
        `rolling restart with ${signal}: ${labels.length} executions, ${counts.length} calls, ${counts.filter((count) => count! > 1).length} repeated\n`,
      );
    }
  } finally {
    for (const { child, finished } of fleet) {
      child.kill('SIGTERM');
      await finished;
    }
    await target.close();
  }
}, 180_000);

test('an execution stays on the build that began it if that is pinned, and else moves to the current one', async () => {
  const plan = compile(
    playbookOf(`
- step: start
  tool: {kind: wait, event: go, timeout: 600}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop, input: {done: true}}`),
  ).plan!;
  const builds: Running[] = [];
  const build = async (buildId: string, behavior: string): Promise<void> => {
    builds.push(await serving(['--workflows', '--build-id', buildId, '--versioning', behavior]));
    // The server learns of a build by its first poll.
    await until(() =>
      server.connection.workflowService.setWorkerDeploymentCurrentVersion({
        namespace: server.namespace,
        deploymentName: 'noetl',
        buildId,
      }),
    );
  };
  const buildsOf = async (handle: WorkflowHandle): Promise<string[]> => {
    const { events } = await handle.fetchHistory();
    return events!.flatMap(({ workflowTaskCompletedEventAttributes: one }) =>
      one ? [one.deploymentVersion?.buildId ?? ''] : [],
    );
  };
  const end = async (handle: WorkflowHandle): Promise<void> => {
    await handle.signal('event', { name: 'go' });
    await handle.result();
  };
  // What is current is known to all of the server a moment later.
  const begunOn = (buildId: string): Promise<WorkflowHandle> =>
    until(async () => {
      const { handle } = await startExecution(server.client, { plan });
      const [first] = await until(async () => {
        const builds = await buildsOf(handle);
        return builds.length > 0 && builds;
      });
      if (first === buildId) return handle;
      await end(handle);
      return undefined;
    });
  try {
    await build('one', 'pinned');
    const pinned = await begunOn('one');
    await build('two', 'auto-upgrade');
    const moving = await begunOn('two');
    await build('three', 'auto-upgrade');
    await until(async () => {
      for (const handle of [pinned, moving]) await handle.signal('event', { name: 'nudge' });
      return (await buildsOf(moving)).at(-1) === 'three';
    });
    await end(moving);
    await end(pinned);
    expect((await buildsOf(pinned)).length).toBeGreaterThan(2);
    expect(new Set(await buildsOf(pinned))).toEqual(new Set(['one']));
    expect(builds[0]!.output()).toContain('set-current-version --deployment-name noetl --build-id one');
  } finally {
    for (const { child, finished } of builds) {
      child.kill('SIGTERM');
      await finished;
    }
  }
});
