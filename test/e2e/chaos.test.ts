/**
 * The pagination playbook while its worker is killed by SIGKILL, half of the time exactly between the commit of an
 * INSERT and the completion of its activity: no row lost, none doubled, and more attempts than rows.
 *
 * CHAOS_KILLS (default 4; 20 by hand) and CHAOS_SEED choose how often and when.
 */
import { WorkflowClient } from '@temporalio/client';
import pg from 'pg';
import { nextRandom, seedFrom } from '../../src/engine/state/random';
import { compile } from '../../src/dsl';
import { recordedExecution } from '../../src/history';
import { newExecutionId, WORKFLOW_TASK_QUEUE, WORKFLOW_TYPE, workflowId } from '../../src/temporal';
import fs from 'node:fs';
import path from 'node:path';
import { startPgProxy, type PgProxy } from '../support/pg-proxy';
import { startTestPostgres } from '../support/postgres';
import { CLI, ROOT, type Running, start } from '../support/process';
import { startTestServer } from '../support/temporal';

const KILLS = Number(process.env['CHAOS_KILLS'] ?? 4);
const SEED = process.env['CHAOS_SEED'] ?? 'noetl';
const PAGE_SIZE = 1;
const PAGES = Math.ceil(35 / PAGE_SIZE);
const ENDPOINTS = ['assessments', 'users', 'flaky'];

test(
  `no page is lost or stored twice when the worker is killed ${KILLS} times`,
  async () => {
    const seed = seedFrom(SEED);
    const server = await startTestServer();
    const postgres = await startTestPostgres();
    const database = new URL(await postgres.createDatabase('chaos'));
    const proxy = await startPgProxy({ host: database.hostname, port: Number(database.port) });
    const proxied = new URL(database);
    proxied.port = String(proxy.port);
    const api = start(process.execPath, [path.join(ROOT, 'playbooks/api/server.mjs'), '--port', '0']);
    await api.says(/127\.0\.0\.1:(\d+)/);
    const apiUrl = /http:\/\/127\.0\.0\.1:\d+/.exec(api.output())![0];
    const env = {
      TEMPORAL_ADDRESS: server.address,
      NOETL_CREDENTIAL_PG_LOCAL: proxied.href,
      NOETL_STORAGE: 'none',
    };
    const startWorker = (): Running =>
      start(process.execPath, [CLI, 'worker', '--kinds', 'http,postgres', '--workflows'], env);
    let worker = startWorker();
    try {
      const yaml = fs.readFileSync(path.join(ROOT, 'playbooks/streaming_pagination.yaml'), 'utf8');
      const { plan } = compile(yaml);
      const endpoints = [...ENDPOINTS, 'missing'].map((name) => ({
        name,
        path: `/api/v1/${name}`,
        page_size: PAGE_SIZE,
      }));
      const executionId = newExecutionId();
      const client = new WorkflowClient({ connection: server.connection });
      const handle = await client.start(WORKFLOW_TYPE, {
        workflowId: workflowId(executionId),
        taskQueue: WORKFLOW_TASK_QUEUE,
        args: [{ api_url: apiUrl, endpoints }, plan],
      });
      let over = false;
      const result = handle.result().finally(() => (over = true));
      result.catch(() => undefined);
      const kills = { atCommit: 0, anywhere: 0 };
      for (let kill = 0; kill < KILLS && !over; kill++) {
        const before = proxy.commits;
        if (kill % 2 === 0) {
          await killAtCommit(
            proxy,
            before + 1 + Math.floor(nextRandom(seed) * 3),
            () => worker,
            () => over,
          );
          if (over) break;
          kills.atCommit++;
        } else {
          while (proxy.commits < before + 1 && !over) await pause(1);
          await pause(nextRandom(seed) * 60);
          if (over) break;
          worker.child.kill('SIGKILL');
          kills.anywhere++;
        }
        await worker.finished;
        worker = startWorker();
      }
      const ended = (await result) as {
        result: { pages: number; items: number; missing: number; failed_endpoints: number };
      };
      expect(ended.result).toMatchObject({
        pages: PAGES * ENDPOINTS.length,
        items: 35 * ENDPOINTS.length,
        missing: 1,
        failed_endpoints: 0,
      });

      const db = new pg.Client(database.href);
      await db.connect();
      const { rows } = await db.query(
        'SELECT endpoint, array_agg(page ORDER BY page) AS pages FROM example_pages GROUP BY endpoint ORDER BY endpoint',
      );
      await db.end();
      const all = Array.from({ length: PAGES }, (_, i) => i + 1);
      expect(rows).toEqual([...ENDPOINTS].sort().map((endpoint) => ({ endpoint, pages: all })));

      const history = await handle.fetchHistory();
      const { events } = await recordedExecution([history]);
      const stores = events.flatMap(({ task_run_id, meta }) =>
        task_run_id?.includes('.store_200~') && meta.tries !== undefined ? [meta.tries] : [],
      );
      const attempts = stores.reduce((sum, tries) => sum + tries, 0);
      expect(stores).toHaveLength(PAGES * ENDPOINTS.length);
      expect(kills.atCommit + kills.anywhere).toBe(KILLS);
      expect(attempts).toBeGreaterThan(stores.length);
      process.stderr.write(
        `chaos: ${JSON.stringify(kills)} kills, ${stores.length} rows, ${attempts} attempts at storing them\n`,
      );
    } finally {
      worker.child.kill('SIGKILL');
      api.child.kill('SIGTERM');
      await proxy.close();
      await server.stop();
      await postgres.stop();
    }
  },
  60_000 + KILLS * 45_000,
);

/** Kills the worker while the answer to that commit is on its way: Postgres has the row, Temporal knows nothing. */
async function killAtCommit(
  proxy: PgProxy,
  commit: number,
  worker: () => Running,
  over: () => boolean,
): Promise<void> {
  const killed = new Promise<void>((resolve) => {
    proxy.onCommit = (number) => {
      if (number < commit) return undefined;
      proxy.onCommit = undefined;
      worker().child.kill('SIGKILL');
      resolve();
      return worker().finished.then(() => undefined);
    };
  });
  const ended = (async () => {
    while (!over()) await pause(20);
  })();
  await Promise.race([killed, ended]);
  proxy.onCommit = undefined;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
