/** Retention on a real Postgres: what expired vanishes from tables and stored values, and what goes with what. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { openStorage } from '../../src/storage/blobs';
import { parseRetention, sweep, type Swept } from '../../src/server/retention';
import { migrate } from '../../src/server/store';
import { usePools } from '../support/pools';
import { startTestPostgres, type TestPostgres } from '../support/postgres';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(async () => await postgres?.stop());

const poolOf = usePools();

const DAY = 86_400_000;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-retention-'));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

interface Row {
  readonly id: string;
  readonly days?: number;
  readonly path?: string;
  readonly parent?: string;
  readonly rerunOf?: string;
}

/** Executions that ended so many days ago, each with an event, a variable, a cursor, a notification and a value. */
async function history(name: string, rows: readonly Row[], where: 'folder' | 'postgres') {
  const url = await postgres.createDatabase(name);
  await migrate(url);
  const pool = poolOf(url);
  const location = where === 'folder' ? pathToFileURL(path.join(folder, name)).href : url;
  const storage = await openStorage(location);
  for (const { id, days, path: of = 'etl/a', parent = null, rerunOf = null } of rows) {
    const ended = days === undefined ? null : new Date(Date.now() - days * DAY);
    await pool.query(
      `INSERT INTO noetl.execution (execution_id, namespace, workflow_id, path, digest, status, end_time, parent_execution_id, rerun_of)
       VALUES ($1, 'default', $2, $3, '', $4, $5, $6, $7)`,
      [id, `noetl-${id}`, of, ended ? 'COMPLETED' : 'RUNNING', ended, parent, rerunOf],
    );
    await pool.query(
      `INSERT INTO noetl.canonical_event (execution_id, event_id, seq, event_type, source, entity_type, entity_id, node_name, status, created_at, context, meta)
       VALUES ($1, 'e', 1, 't', '', '', '', '', '', now(), '{}', '{}')`,
      [id],
    );
    await pool.query(
      `INSERT INTO noetl.event_row (execution_id, event_id, seq, event_type, node_name, status, created_at, context)
       VALUES ($1, 1, 1, 't', '', '', now(), '{}')`,
      [id],
    );
    await pool.query(
      `INSERT INTO noetl.transient (execution_id, var_name, var_type, var_value, created_at, accessed_at)
       VALUES ($1, 'v', 'computed', '1', now(), now())`,
      [id],
    );
    await pool.query(
      `INSERT INTO noetl.sink_cursor (sink, execution_id, workflow_id) VALUES ('postgres', $1, $2)`,
      [id, `noetl-${id}`],
    );
    await pool.query(
      `INSERT INTO noetl.staged_verdict (path, version, execution_id, namespace, workflow_id, run_id)
       VALUES ('p', 1, $1, 'default', 'w', 'r')`,
      [id],
    );
    for (const status of ['pending', 'delivered'])
      await pool.query(
        `INSERT INTO noetl.notification (id, cause, execution_id, path, target, message, status, occurred_at)
         VALUES ($1, 'failed', $2, 'p', '{}', '{}', $3, now())`,
        [`${id} ${status}`, id, status],
      );
    // One of its own, and one of a chunk of its loop, all old.
    for (const owner of [`noetl-${id}`, `noetl-${id}:loop`])
      await storage
        .results('default')!
        .put(owner, { metadata: {}, data: Buffer.from(owner) }, new AbortController().signal);
  }
  await age(url, where);
  const stored = async (): Promise<string[]> =>
    (await storage.stores[0]!.owners()).map((one) => one.workflowId).sort();
  const run = (retention: string, known: readonly string[], dryRun = false): Promise<Swept> =>
    sweep({
      pool,
      policy: parseRetention(retention),
      stores: storage.stores,
      dryRun,
      namespace: 'default',
      isKnown: ({ workflowId }) => Promise.resolve(known.includes(workflowId)),
    });
  const count = async (table: string): Promise<string[]> => {
    const { rows: found } = await pool.query<{ id: string }>(
      `SELECT execution_id::text AS id FROM noetl.${table} ORDER BY execution_id`,
    );
    return found.map((one) => one.id);
  };
  return { pool, storage, stored, run, count };
}

/** Values written a hundred days ago. */
async function age(url: string, where: 'folder' | 'postgres'): Promise<void> {
  if (where === 'postgres') {
    await poolOf(url).query(`UPDATE noetl_blobs SET stored_at = now() - interval '100 days'`);
    return;
  }
  const past = new Date(Date.now() - 100 * DAY);
  for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) fs.utimesSync(path.join(entry.parentPath, entry.name), past, past);
}

test.each(['folder', 'postgres'] as const)('what expired vanishes from tables and %s', async (where) => {
  const rows: Row[] = [
    { id: '1', days: 40 },
    { id: '2', days: 20 },
    { id: '3' },
    // Their own times: shorter, and none.
    { id: '4', days: 8, path: 'etl/hourly/x' },
    { id: '5', days: 99, path: 'audits/x' },
    { id: '7', days: 0.3, path: 'rehearsed/old' },
    { id: '8', days: 0.1, path: 'rehearsed/young' },
    // Temporal still has it.
    { id: '6', days: 40 },
  ];
  const { stored, run, count, pool, storage } = await history(`retention_${where}`, rows, where);
  const retention = '30d,etl/hourly/*=7d,audits/*=keep,rehearsed/*=6h';
  const planned = await run(retention, ['noetl-6', 'noetl-3'], true);
  expect(planned).toMatchObject({ executions: 3, left: 1, values: { workflows: 6, count: 6 }, notes: [] });
  expect(await count('execution')).toEqual(['1', '2', '3', '4', '5', '6', '7', '8']);
  expect(await stored()).toHaveLength(16);

  const swept = await run(retention, ['noetl-6', 'noetl-3']);
  expect(swept).toMatchObject({
    executions: 3,
    events: 3,
    notifications: 3,
    left: 1,
    values: { count: 6 },
  });
  const kept = ['2', '3', '5', '6', '8'];
  for (const table of ['execution', 'event', 'transient', 'staged_verdict', 'sink_cursor'])
    expect(await count(table)).toEqual(kept);
  expect(await stored()).toEqual(kept.flatMap((id) => [`noetl-${id}`, `noetl-${id}:loop`]).sort());
  const { rows: told } = await pool.query(
    `SELECT id FROM noetl.notification WHERE execution_id IN (1, 4) ORDER BY id`,
  );
  expect(told).toEqual([{ id: '1 pending' }, { id: '4 pending' }]);
  expect(await run(retention, ['noetl-6', 'noetl-3'])).toMatchObject({
    executions: 0,
    values: { count: 0 },
  });
  await storage.close();
});

test('a family goes together: callers with what they called, originals with their reruns', async () => {
  const rows: Row[] = [
    // Its caller is open.
    { id: '1' },
    { id: '2', days: 40, parent: '1' },
    // What it called and did not wait for is not expired.
    { id: '3', days: 40 },
    { id: '4', days: 5, parent: '3' },
    // A rerun of it is open.
    { id: '5', days: 40 },
    { id: '6', rerunOf: '5' },
    // All over.
    { id: '7', days: 50 },
    { id: '8', days: 45, parent: '7' },
    { id: '9', days: 40, rerunOf: '8' },
    // Temporal has one of them.
    { id: '10', days: 50 },
    { id: '11', days: 50, parent: '10' },
  ];
  const { stored, run, count, storage } = await history('retention_family', rows, 'folder');
  expect(await run('30d', ['noetl-11'])).toMatchObject({ executions: 3, left: 2 });
  const kept = ['1', '2', '3', '4', '5', '6', '10', '11'];
  expect(await count('execution')).toEqual(kept);
  expect(await stored()).toEqual(kept.flatMap((id) => [`noetl-${id}`, `noetl-${id}:loop`]).sort());
  await storage.close();
});

test('more than a page, and rows that stay do not hold up those behind them', async () => {
  const { pool, run, count, storage } = await history('retention_pages', [], 'folder');
  await pool.query(
    `INSERT INTO noetl.execution (execution_id, namespace, workflow_id, path, digest, end_time)
     SELECT n, 'default', 'noetl-' || n, 'etl/a', '', now() - interval '40 days' FROM generate_series(1, 1203) n`,
  );
  const known = Array.from({ length: 600 }, (_, n) => `noetl-${n + 1}`);
  expect(await run('30d', known)).toMatchObject({ executions: 603, left: 600 });
  expect(await count('execution')).toHaveLength(600);
  await storage.close();
});

test('values are not deleted on the word of a server that knows nothing', async () => {
  const { stored, run, storage } = await history('retention_stranger', [{ id: '1', days: 40 }], 'folder');
  const { executions, values, notes } = await run('30d', []);
  expect([executions, values.count]).toEqual([1, 0]);
  expect(notes).toEqual([expect.stringContaining('Temporal has none of the 2 workflows')]);
  expect(await stored()).toHaveLength(2);
  await storage.close();
});
