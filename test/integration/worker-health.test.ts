/** What orchestrators and Prometheus ask a worker process. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { NativeConnection } from '@temporalio/worker';
import { type Health, readinessOf, serveHealth } from '../../src/cli/runtime/health';
import {
  installMeasuredRuntime,
  type RunningWorkers,
  startWorkers,
  workerLog,
} from '../../src/temporal/worker';
import { Meters, TaskMetrics } from '../../src/telemetry/metrics';
import { compile } from '../../src/language/dsl';
import { startExecution } from '../../src/temporal/client';
import { playbookOf } from '../support/simulator';
import { CLI, start } from '../support/process';
import { startTestServer, type TestServer } from '../support/temporal';
import { until } from '../support/until';

let server: TestServer;
let connection: NativeConnection;
let workers: RunningWorkers;
let health: Health;

beforeAll(async () => {
  const sdkMetrics = await installMeasuredRuntime(workerLog());
  const meters = new Meters();
  const metrics = async (): Promise<string> => `${await meters.text()}\n${await sdkMetrics()}`;
  server = await startTestServer();
  connection = await NativeConnection.connect({ address: server.address });
  const { namespace } = server;
  workers = await startWorkers({
    connection,
    namespace,
    kinds: ['shell'],
    workflows: true,
    metrics: new TaskMetrics(meters),
  });
  const ready = readinessOf(workers, connection, namespace);
  health = (await serveHealth({ healthHost: '127.0.0.1', healthPort: 0 }, { ready, metrics }))!;
});
afterAll(async () => {
  health?.close();
  await workers?.stop({ graceMs: 0 });
  await connection?.close();
  await server?.stop({ checked: true });
});

const ask = (path: string): Promise<Response> => fetch(`http://127.0.0.1:${health.port}${path}`);

test('it lives, it is ready with what it serves, and not any more when it drains', async () => {
  expect((await ask('/health/live')).status).toBe(200);
  const ready = await ask('/health/ready');
  expect(ready.status).toBe(200);
  expect(await ready.json()).toEqual({
    status: 'ok',
    queues: [
      { task_queue: 'noetl-workflows', state: 'RUNNING', tasks: 0 },
      { task_queue: 'noetl-shell', state: 'RUNNING', tasks: 0 },
    ],
  });
  expect((await ask('/elsewhere')).status).toBe(404);
  health.draining();
  expect((await ask('/health/ready')).status).toBe(503);
  expect((await ask('/health/live')).status).toBe(200);
});

/** Of docs/monitoring.md: names of metrics, by the process that has them. */
function documented(process: RegExp): string[] {
  const page = fs.readFileSync(path.resolve(__dirname, '../../docs/monitoring.md'), 'utf8');
  const rows = [...page.matchAll(/^\| (`[^|]+) \| ([^|]+) \|/gm)].filter(([, , of]) => process.test(of!));
  return rows.flatMap(([, names]) => [...names!.matchAll(/`(\w+)/g)].map(([, name]) => name!));
}

test('every metric of a worker that the documentation names is in a scrape', async () => {
  // Nothing fails or is tried again here: src/telemetry/metrics/meters.test.ts counts these.
  const elsewhere = ['noetl_task_failures_total', 'noetl_task_retries_total'];
  const names = documented(/^(workflow )?workers?$/).filter((name) => !elsewhere.includes(name));
  expect(names.length).toBeGreaterThanOrEqual(10);
  const plan = compile(playbookOf(`\n- step: start\n  tool: {kind: shell, cmds: ["true"]}`)).plan!;
  const { handle } = await startExecution(server.client, { plan });
  await handle.result();
  // The counter of failures is there from the first on.
  const nobody = connection.workflowService.describeNamespace({ namespace: 'nobody' });
  await expect(nobody).rejects.toThrow();
  await until(async () => {
    const scraped = await (await ask('/metrics')).text();
    const missing = names.filter(
      (name) => !new RegExp(`^${name}(_(bucket|sum|count|total))?[{ ]`, 'm').test(scraped),
    );
    if (missing.length > 0)
      throw new Error(
        `not in the scrape: ${missing.join(', ')}\n${[...new Set(scraped.match(/^temporal_\w+/gm))].join(' ')}`,
      );
    return true;
  }, 20_000);
});

test('the metrics of the Temporal SDK are in it', async () => {
  const metrics = await ask('/metrics');
  expect(metrics.headers.get('content-type')).toContain('text/plain');
  const text = await metrics.text();
  expect(text).toMatch(/^temporal_worker_task_slots_available\{.*task_queue="noetl-shell".*\} \d+/m);
});

test('`dev` beside an external server says what it leaves to `project`', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-dev-'));
  const dev = start(process.execPath, [CLI, 'dev', '--data', folder, '--port', '0'], {
    TEMPORAL_ADDRESS: server.address,
  });
  try {
    await dev.says('projection and notifications are off on an external server', 60_000);
  } finally {
    dev.child.kill('SIGTERM');
    await dev.finished;
    fs.rmSync(folder, { recursive: true, force: true });
  }
});
