/**
 * Templates that take longer than they are charged for: the host's clock fails the workflow task, the worker lives; while
 * it fails, it is named with what to do; what no worker can ever continue, ends. A clock that runs a thousand times as fast stands in for such a template.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { bundleWorkflowCode } from '@temporalio/worker';
import { unpackPayloads } from '../../src/history';
import { inlineBytesOf, workflowArguments } from '../../src/storage/payloads';
import { workflowTypeOf } from '../../src/language/plan';
import { HopelessExecutions, tryAlone } from '../../src/offline/replay';
import { newExecutionId, pagesOfRun, troubleOf, workflowId } from '../../src/temporal/client';
import { startFacade, type TestFacade } from '../support/facade';
import { noetl } from '../support/process';
import { planOf, playbookOf } from '../support/simulator';
import { startTestServer, type TestServer } from '../support/temporal';
import { until } from '../support/until';

const ROOT = path.resolve(__dirname, '../..');
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-slow-'));
const bundle = path.join(folder, 'hurried.js');
let server: TestServer;
let facade: TestFacade;
let worker: ChildProcess;

beforeAll(async () => {
  const quiet = (): void => undefined;
  const logger = { log: quiet, trace: quiet, debug: quiet, info: quiet, warn: quiet, error: quiet };
  const { code } = await bundleWorkflowCode({
    workflowsPath: path.join(ROOT, 'workflows/index.ts'),
    workflowInterceptorModules: [
      path.join(ROOT, 'test/support/workflows/hurried-clock.ts'),
      path.join(ROOT, 'workflows/watch.ts'),
    ],
    payloadConverterPath: path.join(ROOT, 'src/storage/payloads/converter.ts'),
    failureConverterPath: path.join(ROOT, 'src/storage/payloads/failure-converter.ts'),
    logger,
  });
  fs.writeFileSync(bundle, code);
  server = await startTestServer();
  facade = await startFacade(server);
  worker = spawn(
    process.execPath,
    [path.join(ROOT, 'test/support/troubled-worker.cjs'), server.address, bundle, 'ours'],
    { stdio: 'ignore' },
  );
}, 180_000);
afterAll(async () => {
  worker?.kill('SIGKILL');
  await facade?.stop();
  await server?.stop({ checked: true });
  fs.rmSync(folder, { recursive: true, force: true });
});

const LONG = '{% for a in range(200) %}{% for b in range(200) %}{{ a }}{% endfor %}{% endfor %}';
const slow = playbookOf(`
- step: start
  tool: {kind: wait, for: 1ms}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop, input: {x: "${LONG}"}}`).replace('path: test/test', 'path: test/slow');

async function start(yaml: string): Promise<string> {
  const id = newExecutionId();
  const plan = planOf(yaml);
  await server.client.workflow.start(workflowTypeOf(plan.metadata.path), {
    workflowId: workflowId(id),
    taskQueue: 'noetl-workflows',
    args: workflowArguments({ plan, payload: {} }, inlineBytesOf(plan)),
  });
  return id;
}

test('fails its workflow task and nothing else, is named, and ends when it fails alone, too', async () => {
  const id = await start(slow);
  const handle = server.client.workflow.getHandle(workflowId(id));
  const trouble = await until(() => troubleOf(server.client, workflowId(id)), 60_000);
  expect(trouble).toMatchObject({
    code: 'WORKFLOW_TASK_TOO_EXPENSIVE',
    message: expect.stringMatching(
      /^its workflow task has failed \d+ times: templates take too long: \d+ ms so far/,
    ) as string,
    hint: expect.stringContaining('cancel EXECUTION --force') as string,
  });
  // The worker is the same one, and works on others.
  const honest = await start(playbookOf(`- step: start\n  tool: {kind: noop, input: {x: "${LONG} done"}}`));
  expect(await server.client.workflow.getHandle(workflowId(honest)).result()).toMatchObject({
    result: { x: expect.stringMatching(/done$/) as string },
  });
  expect(worker.exitCode).toBeNull();
  expect(worker.signalCode).toBeNull();

  const told = await fetch(`${facade.url}/api/executions/${id}/workflow-task`);
  expect(await told.json()).toMatchObject({ workflow_task: { code: 'WORKFLOW_TASK_TOO_EXPENSIVE' } });
  const untroubled = await fetch(`${facade.url}/api/executions/${honest}/workflow-task`);
  expect(await untroubled.json()).toEqual({ workflow_task: null });
  for (const command of ['status', 'explain']) {
    const { code, stdout } = await noetl([command, id, '--server', facade.url]);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /WORKFLOW_TASK_TOO_EXPENSIVE its workflow task has failed \d+ times: templates take too long/,
    );
    expect(stdout).toContain('--force');
  }

  const quiet = (): void => undefined;
  const hopeless = new HopelessExecutions({
    client: server.client,
    log: { info: quiet, warn: quiet },
    async judge({ workflowId: name, runId }) {
      const events = [];
      for await (const page of pagesOfRun(server.client, name, runId))
        events.push(...(await unpackPayloads(page, server.client.options.loadedDataConverter)));
      return await tryAlone(name, events, { bundle });
    },
  });
  const ended = await until(async () => {
    const some = await hopeless.round();
    return some.length > 0 && some;
  }, 180_000);
  expect(ended).toEqual([workflowId(id)]);
  await expect(handle.result()).rejects.toMatchObject({
    cause: { message: expect.stringMatching(/^CANNOT_CONTINUE: .* templates take too long/) as string },
  });
  expect(await (await fetch(`${facade.url}/api/executions/${id}/workflow-task`)).json()).toEqual({
    workflow_task: null,
  });
  expect(worker.exitCode).toBeNull();
}, 400_000);
