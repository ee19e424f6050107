/**
 * Kestra's published scenario: executions of two tasks are started through REST, at a rate that rises until the
 * mean time from an execution's due time to its end exceeds one second. Facade, worker, Postgres and Temporal are
 * processes of this machine. Needs a build; starts all it needs; TEMPORAL_ADDRESS for a server other than a dev
 * server.
 *
 * `npm run bench -- rate`; NOETL_BENCH_SECONDS: duration of each rate (10).
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { openStorage } from '../src/storage/blobs';
import { ensureEmbeddedPostgres } from '../src/server/store';
import { workflowId } from '../src/language/plan';
import { freePort, startDevServer } from '../src/temporal/client';
import { command, post, ready } from './processes';

/** Executions per second, in sequence. */
const RATES = [5, 10, 15, 20, 25, 30, 40, 50, 60, 80, 100, 130, 160, 200];
const MOST_MEAN_MS = 1000;
const PLAYBOOK = `apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: rate, path: bench/rate}
workflow:
- step: start
  tool: {kind: python, code: "result = 1"}
  next: {arcs: [{step: second}]}
- step: second
  tool: {kind: python, code: "result = 2"}
`;

export interface Rate {
  readonly per_second: number;
  readonly mean_ms: number;
  readonly p95_ms: number;
}

export async function benchRate(say: (line: string) => void = console.log): Promise<Rate[]> {
  const seconds = Number(process.env['NOETL_BENCH_SECONDS'] ?? 10);
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-bench-'));
  fs.chmodSync(dataDir, 0o755); // as root, Postgres runs as its own user
  const given = process.env['TEMPORAL_ADDRESS'];
  const server = given ? undefined : await startDevServer({ dataDir, namespace: 'default', inMemory: true });
  const address = given ?? server!.address;
  const postgres = await ensureEmbeddedPostgres(dataDir, {});
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = {
    TEMPORAL_ADDRESS: address,
    DATABASE_URL: postgres.url,
    NOETL_STORAGE: 'none',
    NOETL_LOG_LEVEL: 'warn',
  };
  const facade = command(['serve', '--no-auth', '--rate-limit', '0', '--port', String(port)], env);
  const worker = command(['worker', '--workflows', '--kinds', 'python'], env);
  const { dataConverter } = await openStorage('none');
  const client = new Client({ connection: await Connection.connect({ address }), dataConverter });
  try {
    await ready(url);
    await post(url, '/api/catalog/register', { content: PLAYBOOK });
    await hold(url, client, 2, 3);
    say('  executions a second   mean ms   p95 ms');
    const rates: Rate[] = [];
    for (const rate of RATES) {
      const times = (await hold(url, client, rate, seconds)).sort((a, b) => a - b);
      const mean_ms = Math.round(times.reduce((sum, ms) => sum + ms, 0) / times.length);
      const p95_ms = Math.round(times[Math.floor(times.length * 0.95)]!);
      rates.push({ per_second: rate, mean_ms, p95_ms });
      say(`  ${String(rate).padStart(19)}   ${String(mean_ms).padStart(7)}   ${String(p95_ms).padStart(6)}`);
      if (mean_ms > MOST_MEAN_MS) break;
    }
    return rates;
  } finally {
    facade.kill();
    worker.kill();
    await client.connection.close();
    await postgres.stop();
    await server?.stop();
    fs.rmSync(dataDir, { recursive: true, force: true });
  }
}

/**
 * Starts executions at the rate, whether or not earlier ones have ended. Returns the milliseconds from due time to
 * end of each.
 */
async function hold(url: string, client: Client, rate: number, seconds: number): Promise<number[]> {
  const begin = performance.now();
  const all: Promise<number>[] = [];
  for (let n = 0; n < rate * seconds; n += 1) {
    const due = begin + (n * 1000) / rate;
    await sleep(Math.max(0, due - performance.now()));
    all.push(run(url, client, due));
  }
  return await Promise.all(all);
}

async function run(url: string, client: Client, due: number): Promise<number> {
  const { execution_id } = await post(url, '/api/execute', { path: 'bench/rate' });
  await client.workflow.getHandle(workflowId(String(execution_id))).result();
  return performance.now() - due;
}
