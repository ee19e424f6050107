/** Executions that no worker can continue: they end, with a reason; those that can be cured wait. */
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { bundleWorkflowCode } from '@temporalio/worker';
import { unpackPayloads } from '../../src/history';
import { HopelessExecutions, tryAlone, type TrialVerdict } from '../../src/offline/replay';
import {
  closeEvent,
  newExecutionId,
  pagesOfRun,
  stuckWorkflow,
  type StuckWorkflow,
  terminateFamily,
  workflowId,
} from '../../src/temporal/client';
import { startTestServer, type TestServer } from '../support/temporal';
import { until } from '../support/until';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-hopeless-'));
const bundle = path.join(folder, 'troubled.js');
const said: { message: string; why?: string; execution_id?: string }[] = [];
const log = {
  info: (fields: object, message: string) => void said.push({ message, ...fields }),
  warn: (fields: object, message: string) => void said.push({ message, ...fields }),
};
let server: TestServer;
let worker: ChildProcess;

beforeAll(async () => {
  server = await startTestServer();
  const workflowsPath = path.resolve(__dirname, '../support/workflows/troubled.ts');
  const quiet = () => undefined;
  const logger = { log: quiet, trace: quiet, debug: quiet, info: quiet, warn: quiet, error: quiet };
  fs.writeFileSync(bundle, (await bundleWorkflowCode({ workflowsPath, logger })).code);
  startWorker();
});
afterAll(async () => {
  stopping = true;
  worker?.kill('SIGKILL');
  await server?.stop({ checked: true });
  fs.rmSync(folder, { recursive: true, force: true });
});

let stopping = false;
/** Started again whenever it dies, as an orchestrator does. */
function startWorker(): void {
  worker = spawn(
    process.execPath,
    [path.resolve(__dirname, '../support/troubled-worker.cjs'), server.address, bundle],
    {
      stdio: 'ignore',
    },
  );
  worker.once('exit', () => stopping || startWorker());
}

async function start(type: string, ...args: unknown[]): Promise<string> {
  const id = newExecutionId();
  await server.client.workflow.start(type, {
    workflowId: workflowId(id),
    taskQueue: 'noetl-workflows',
    workflowTaskTimeout: '1s',
    args,
  });
  return id;
}

const stuckOnes = (ids: readonly string[], from = 5) =>
  until(async () => {
    const all = await Promise.all(
      ids.map((id) => stuckWorkflow(server.client, workflowId(id), undefined, from)),
    );
    return all.every((one) => one !== undefined) && all;
  }, 150_000);

const statusOf = async (id: string): Promise<string> =>
  (await server.client.workflow.getHandle(workflowId(id)).describe()).status.name;

/** With the code that the worker has. */
async function judge({ workflowId: name, runId }: StuckWorkflow): Promise<TrialVerdict> {
  const events = [];
  for await (const page of pagesOfRun(server.client, name, runId))
    events.push(...(await unpackPayloads(page, server.client.options.loadedDataConverter)));
  return await tryAlone(name, events, { bundle });
}

test('what cannot heal ends, with its code; what waits for a cure, and what was only beside it, does not', async () => {
  const recursive = await start('recursive');
  const failing = await start('failing');
  // One that blocks the worker would leave nothing of how the others fail.
  await stuckOnes([recursive, failing], 2);
  const child = newExecutionId();
  const parent = await start('parent', ['patient', workflowId(child)]);
  await until(async () => (await statusOf(child)) === 'RUNNING');
  const ids = [recursive, failing, parent];
  const stuck = await stuckOnes(ids);
  expect(stuck[1]).toMatchObject({
    executionId: failing,
    failure: { cause: 'WORKFLOW_WORKER_UNHANDLED_FAILURE', message: expect.stringContaining('k2') as string },
  });
  const hopeless = new HopelessExecutions({ client: server.client, log, judge });
  const ended = await until(async () => {
    const some = await hopeless.round();
    return some.length > 0 && some;
  });
  expect(ended.sort()).toEqual([recursive, parent].map(workflowId).sort());
  expect(await statusOf(failing)).toBe('RUNNING');
  expect(said).toContainEqual(
    expect.objectContaining({ execution_id: failing, why: expect.stringContaining('k2') }),
  );
  for (const id of [recursive, parent]) {
    const description = await server.client.workflow.getHandle(workflowId(id)).describe();
    const end = await closeEvent(server.client, description);
    expect(end?.workflowExecutionTerminatedEventAttributes?.reason).toMatch(
      /^CANNOT_CONTINUE: no worker can continue it, its workflow task failed \d+ times: /,
    );
  }
  // Its child was asked to end, before it; a worker that nobody blocks any more lets it.
  await until(async () => (await statusOf(child)) !== 'RUNNING');
  // One that can be cured is not tried in every round.
  said.length = 0;
  expect(await hopeless.round()).toEqual([]);
  expect(said).toEqual([]);
  await server.client.workflow.getHandle(workflowId(failing)).terminate();
}, 400_000);

test('one that succeeds alone was held up by another, and goes on', async () => {
  const failing = await start('failing');
  await stuckOnes([failing]);
  const said: { message: string; execution_id?: string }[] = [];
  const note = (fields: object, message: string) => void said.push({ message, ...fields });
  const succeeds = () => Promise.resolve({ kind: 'succeeds' } as const);
  const log = { info: note, warn: note };
  expect(await new HopelessExecutions({ client: server.client, log, judge: succeeds }).round()).toEqual([]);
  const message = expect.stringContaining('succeeds alone') as string;
  expect(said).toContainEqual(expect.objectContaining({ execution_id: failing, message }));
  expect(await statusOf(failing)).toBe('RUNNING');
  await server.client.workflow.getHandle(workflowId(failing)).terminate();
}, 200_000);

test('by hand, all of a family end: those that can are asked first, the farthest ends first', async () => {
  const [child, deaf] = [newExecutionId(), newExecutionId()];
  const parent = await start('parent', ['patient', workflowId(child)], ['failing', workflowId(deaf)]);
  await stuckOnes([parent, deaf], 2);
  const given = { workflowId: workflowId(parent) };
  const options = { reason: 'CANCELLED_BY_FORCE: enough', cascade: true, patienceMs: 3000 };
  const ended = await terminateFamily(server.client, given, options);
  expect(ended[0]).toBe(parent);
  expect([...ended].sort()).toEqual([parent, child, deaf].sort());
  const times = await Promise.all(
    [deaf, parent].map(async (id) => {
      const { status, closeTime } = await server.client.workflow.getHandle(workflowId(id)).describe();
      expect(status.name).toBe('TERMINATED');
      return closeTime!.getTime();
    }),
  );
  expect(times[0]).toBeLessThanOrEqual(times[1]!);
  expect(await statusOf(child)).not.toBe('RUNNING');
  await expect(terminateFamily(server.client, given, options)).rejects.toMatchObject({
    code: 'EXECUTION_OVER',
  });
}, 200_000);
