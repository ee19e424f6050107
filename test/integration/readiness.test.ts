/** Readiness of every process, while the servers that it needs are killed and come back. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { obtainTemporalCli } from '../../src/temporal/client';
import { serverArguments } from '../../src/temporal/server/dev-server';
import { freePort } from '../../src/temporal/server/ports';
import { CLI, type Running, start } from '../support/process';
import { startTestPostgres, type TestPostgres } from '../support/postgres';
import { until } from '../support/until';

/** Hung, rather than slow: a look takes two seconds at most. */
const LIMIT_MS = 60_000;

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-ready-'));
const running: Running[] = [];
const urls: Record<string, string> = {};
let ports: { grpc: number; ui: number };
let temporal: Running;
let postgres: TestPostgres;

const startTemporal = async (): Promise<Running> => {
  const { path: program } = await obtainTemporalCli();
  const database = path.join(folder, 'temporal.db');
  return start(program, serverArguments({ ...ports, namespace: 'default', database }));
};

beforeAll(async () => {
  ports = { grpc: await freePort(), ui: await freePort() };
  [temporal, postgres] = await Promise.all([startTemporal(), startTestPostgres()]);
  const env = {
    TEMPORAL_ADDRESS: `127.0.0.1:${ports.grpc}`,
    DATABASE_URL: postgres.url,
    NOETL_STORAGE: 'none',
    NOETL_DATA_DIR: path.join(folder, 'data'),
  };
  const begin = async (name: string, page: string, args: readonly string[]): Promise<void> => {
    const port = await freePort();
    const option = name === 'facade' ? '--port' : '--health-port';
    running.push(start(process.execPath, [CLI, ...args, option, String(port)], env));
    urls[name] = `http://127.0.0.1:${port}${page}`;
    await until(async () => (await fetch(urls[name]!)).ok, LIMIT_MS);
  };
  await Promise.all([
    begin('facade', '/api/health/ready', ['serve', '--no-auth']),
    begin('worker', '/health/ready', ['worker', '--workflows', '--kinds', 'shell']),
    begin('projection', '/health/ready', ['project']),
  ]);
});
afterAll(async () => {
  for (const { child } of running) child.kill('SIGKILL');
  await Promise.all(running.map(({ finished }) => finished));
  await postgres?.stop();
  temporal?.child.kill('SIGKILL');
  fs.rmSync(folder, { recursive: true, force: true });
});

async function statuses(): Promise<Record<string, number>> {
  const all = Object.entries(urls).map(async ([name, url]) => [name, (await fetch(url)).status] as const);
  return Object.fromEntries(await Promise.all(all));
}

const become = (wanted: Record<string, number>): Promise<boolean> =>
  until(async () => {
    const now = await statuses();
    if (Object.entries(wanted).every(([name, status]) => now[name] === status)) return true;
    throw new Error(JSON.stringify(now));
  }, LIMIT_MS);

test('none is ready while Temporal is dead, and all are when it is back', async () => {
  await become({ facade: 200, worker: 200, projection: 200 });
  temporal.child.kill('SIGKILL');
  await temporal.finished;
  await become({ facade: 503, worker: 503, projection: 503 });
  expect(await (await fetch(urls['facade']!)).json()).toMatchObject({ code: 'TEMPORAL_UNREACHABLE' });
  expect(await (await fetch(urls['worker']!)).json()).toMatchObject({ status: 'away' });
  // They live: an orchestrator that restarted them would mend nothing.
  for (const url of Object.values(urls)) expect((await fetch(url.replace('ready', 'live'))).status).toBe(200);
  temporal = await startTemporal();
  await become({ facade: 200, worker: 200, projection: 200 });
}, 240_000);

test('the facade and the projection are not ready while the database is dead; workers do not need it', async () => {
  await postgres.stop();
  await become({ facade: 503, worker: 200, projection: 503 });
  expect(await (await fetch(urls['facade']!)).json()).toMatchObject({ code: 'DATABASE_UNREACHABLE' });
});
