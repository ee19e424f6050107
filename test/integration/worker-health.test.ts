/** What orchestrators and Prometheus ask a worker process. */
import { NativeConnection } from '@temporalio/worker';
import { type Health, serveHealth } from '../../src/cli/runtime/worker-health';
import { installMeasuredRuntime, type RunningWorkers, startWorkers, workerLog } from '../../src/worker';
import { startTestServer, type TestServer } from '../support/temporal';

let server: TestServer;
let connection: NativeConnection;
let workers: RunningWorkers;
let health: Health;

beforeAll(async () => {
  const metrics = await installMeasuredRuntime(workerLog());
  server = await startTestServer();
  connection = await NativeConnection.connect({ address: server.address });
  const { namespace } = server;
  workers = await startWorkers({ connection, namespace, kinds: ['shell'], workflows: true });
  health = await serveHealth({ host: '127.0.0.1', port: 0, workers, metrics });
}, 120_000);
afterAll(async () => {
  health?.close();
  await workers?.stop({ graceMs: 0 });
  await connection?.close();
  await server?.stop({ checked: true });
}, 60_000);

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

test('the metrics of the Temporal SDK are in it', async () => {
  const metrics = await ask('/metrics');
  expect(metrics.headers.get('content-type')).toContain('text/plain');
  const text = await metrics.text();
  expect(text).toMatch(/^temporal_worker_task_slots_available\{.*task_queue="noetl-shell".*\} \d+/m);
});
