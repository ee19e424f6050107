/** The database of the projection, on a real Postgres: migrations, cursors, leases, and batches that repeat or break. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Pool } from 'pg';
import { Derivation, historyFile, PROFILES } from '../../src/history';
import {
  type Batch,
  Cursors,
  type Followed,
  Leases,
  postgresSink,
  type EventItem,
} from '../../src/projection';
import { openStorage } from '../../src/blobs';
import { parseRetention, sweep, type Swept } from '../../src/retention';
import { migrate, type Migration, migrations } from '../../src/store';
import { startTestPostgres, type TestPostgres } from '../support/postgres';
import { ROOT } from '../support/process';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startTestPostgres();
}, 60_000);
afterAll(async () => await postgres?.stop());

const pools: Pool[] = [];
afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.end();
});
function poolOf(url: string): Pool {
  const pool = new Pool({ connectionString: url });
  pool.on('error', () => undefined);
  pools.push(pool);
  return pool;
}
const all = migrations();
const last = all.at(-1)!.number;
const broken = (sql: string): Migration => ({ number: last + 1, name: 'next', sql });

const execution: Followed = { namespace: 'default', workflowId: 'noetl-7', runId: 'run', executionId: '7' };

/** The events of a golden history as batches of one execution. */
async function batchesOf(name: string, size: number): Promise<Batch[]> {
  const derivation = new Derivation();
  const project = PROFILES.noetl.project();
  const told: EventItem[] = [];
  for await (const page of historyFile(path.join(ROOT, 'test/histories/v1', `${name}.json`)))
    for (const event of await derivation.take(page)) told.push({ event, row: project(event)[0]! });
  const { plan, state, origin } = derivation;
  const of = { ...execution, executionId: told[0]!.event.execution_id };
  return Array.from({ length: Math.ceil(told.length / size) }, (_, n) => ({
    execution: of,
    plan,
    origin: origin!,
    variables: state.ctx,
    events: told.slice(n * size, (n + 1) * size),
  }));
}

describe('migrations', () => {
  test('are applied once, also by many processes that start at once', async () => {
    const url = await postgres.createDatabase('at_once');
    const applied = await Promise.all(Array.from({ length: 4 }, () => migrate(url)));
    expect(applied.flat().sort((a, b) => a - b)).toEqual(all.map((one) => one.number));
    expect(await migrate(url)).toEqual([]);
  });

  test('bring up a database of an earlier release, with all that is in it', async () => {
    const url = await postgres.createDatabase('earlier');
    const pool = poolOf(url);
    const [batch] = await batchesOf('fan_out_reduce', 10_000);
    for (const [before] of all.entries()) {
      await migrate(url, all.slice(0, before + 1));
      const { rows } = await pool.query<{ n: number }>(
        'SELECT count(*)::int AS n FROM noetl.schema_migration',
      );
      expect(rows[0]!.n).toBe(before + 1);
    }
    await postgresSink(pool).take(batch!, new Cursors(pool, 'postgres'));
    const next = broken(`ALTER TABLE noetl.event ADD COLUMN cost NUMERIC NOT NULL DEFAULT 1`);
    expect(await migrate(url, [...all, next])).toEqual([last + 1]);
    const { rows } = await pool.query<{ n: number; cost: number }>(
      'SELECT count(*)::int AS n, sum(cost)::int AS cost FROM noetl.event',
    );
    expect(rows[0]).toEqual({ n: batch!.events.length, cost: batch!.events.length });
  });

  test('leave nothing of one that fails half way; mended, it is applied', async () => {
    const url = await postgres.createDatabase('half_way');
    const half = 'CREATE TABLE noetl.half (a INT); SELECT 1/0;';
    await expect(migrate(url, [...all, broken(half)])).rejects.toThrow('division by zero');
    const { rows } = await poolOf(url).query(
      `SELECT to_regclass('noetl.half') AS half, to_regclass('noetl.event') IS NOT NULL AS event`,
    );
    expect(rows).toEqual([{ half: null, event: true }]);
    expect(await migrate(url, [...all, broken('CREATE TABLE noetl.half (a INT)')])).toEqual([last + 1]);
  });

  test('leave unqualified names of playbooks where they were, for a user of the name of the schema', async () => {
    const url = await postgres.createDatabase('names');
    expect(new URL(url).username).toBe('noetl');
    await poolOf(url).query('CREATE TABLE mine (a INT); INSERT INTO mine VALUES (1)');
    await migrate(url);
    const after = poolOf(url);
    await after.query('CREATE TABLE IF NOT EXISTS mine (a INT); CREATE TABLE event (a INT)');
    const { rows } = await after.query(
      `SELECT a, to_regclass('event')::oid = to_regclass('public.event')::oid AS own FROM mine`,
    );
    expect(rows).toEqual([{ a: 1, own: true }]);
  });

  test('are refused by a database that is not ours, newer, changed, or not there', async () => {
    const foreign = await postgres.createDatabase('foreign');
    await poolOf(foreign).query('CREATE SCHEMA noetl; CREATE TABLE noetl.event (execution_id BIGINT)');
    await expect(migrate(foreign)).rejects.toMatchObject({ code: 'SCHEMA_FOREIGN' });
    const newer = await postgres.createDatabase('newer');
    await migrate(newer, [...all, broken('SELECT 1')]);
    // A release that has only added to the schema leaves room for the one before it.
    expect(await migrate(newer)).toEqual([]);
    const contracted = await postgres.createDatabase('contracted');
    await migrate(contracted, [...all, broken('-- contracts: not used since 0.2.0\nSELECT 1')]);
    await expect(migrate(contracted)).rejects.toMatchObject({ code: 'SCHEMA_NEWER' });
    await expect(migrate(newer, [...all, broken('SELECT 2')])).rejects.toMatchObject({
      code: 'SCHEMA_CHANGED',
    });

    const missing = new URL(newer);
    missing.pathname = '/nowhere';
    await expect(migrate(missing.href)).rejects.toMatchObject({ code: 'DATABASE_NOT_FOUND' });
    const denied = new URL(newer);
    denied.password = 'wrong-secret';
    const refused = migrate(denied.href);
    await expect(refused).rejects.toMatchObject({ code: 'DATABASE_DENIED' });
    await expect(refused).rejects.not.toThrow('wrong-secret');
    await expect(migrate('postgres://u:p@127.0.0.1:1/x')).rejects.toMatchObject({
      code: 'DATABASE_UNREACHABLE',
    });
    const withTls = new URL(newer);
    withTls.searchParams.set('sslmode', 'require');
    await expect(migrate(withTls.href)).rejects.toMatchObject({
      code: 'DATABASE_TLS',
      message: expect.stringMatching(
        /^The database at 127\.0\.0\.1:\d+\/newer does not support TLS, which sslmode requires/,
      ),
    });
    await poolOf(newer).query(`CREATE ROLE reader LOGIN PASSWORD 'reader'`);
    const reader = new URL(await postgres.createDatabase('not_mine'));
    [reader.username, reader.password] = ['reader', 'reader'];
    await expect(migrate(reader.href)).rejects.toMatchObject({ code: 'DATABASE_PRIVILEGES' });
  });
});

describe('batches', () => {
  const counts = async (pool: Pool): Promise<unknown> =>
    (
      await pool.query(
        `SELECT (SELECT count(*)::int FROM noetl.event) AS events, (SELECT count(*)::int FROM noetl.execution) AS executions,
           (SELECT count(*)::int FROM noetl.sink_cursor WHERE seq > 0) AS cursors`,
      )
    ).rows[0];

  test('that come again, or to two consumers at once, are taken once', async () => {
    const url = await postgres.createDatabase('again');
    await migrate(url);
    const pool = poolOf(url);
    const batches = await batchesOf('streaming_pagination', 25);
    expect(batches.length).toBeGreaterThan(3);
    const sink = postgresSink(pool);
    const cursors = new Cursors(pool, sink.name);
    for (const batch of batches) await Promise.all([sink.take(batch, cursors), sink.take(batch, cursors)]);
    for (const batch of batches) await sink.take(batch, cursors);
    const total = batches.flatMap((batch) => batch.events).length;
    expect(await counts(pool)).toEqual({ events: total, executions: 1, cursors: 1 });
    const { rows } = await pool.query(
      'SELECT max(seq) AS last, count(DISTINCT seq)::int AS n FROM noetl.event',
    );
    expect(rows).toEqual([{ last: total, n: total }]);
  });

  test('are taken whole or not at all: a connection that dies at any statement leaves nothing', async () => {
    const url = await postgres.createDatabase('whole');
    await migrate(url);
    const pool = poolOf(url);
    const [batch] = await batchesOf('fan_out_reduce', 10_000);
    let taken = false;
    for (let statements = 1; !taken && statements < 30; statements++) {
      const breaking = {
        connect: async () => {
          const client = await pool.connect();
          let left = statements;
          const { pid } = (await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]!;
          return {
            query: async (text: string, values?: unknown[]) => {
              if (left-- === 0) await pool.query('SELECT pg_terminate_backend($1)', [pid]);
              return await client.query(text, values);
            },
            on: client.on.bind(client),
            off: client.off.bind(client),
            release: (error?: Error) => client.release(error),
          };
        },
      } as unknown as Pool;
      try {
        await postgresSink(breaking).take(batch!, new Cursors(pool, 'postgres'));
        taken = true;
      } catch {
        expect(await counts(pool)).toEqual({ events: 0, executions: 0, cursors: 0 });
      }
    }
    expect(await counts(pool)).toEqual({ events: batch!.events.length, executions: 1, cursors: 1 });
  });

  test('larger than one statement takes are split, within one transaction', async () => {
    const url = await postgres.createDatabase('large');
    await migrate(url);
    const pool = poolOf(url);
    const [batch] = await batchesOf('hello_world', 10_000);
    const payload = { result: { text: 'x'.repeat(1_500_000) } };
    const events = batch!.events.slice(0, 4).map(({ event, row }) => ({ event: { ...event, payload }, row }));
    await postgresSink(pool).take({ ...batch!, events }, new Cursors(pool, 'postgres'));
    const { rows } = await pool.query(
      `SELECT count(*)::int AS n, min(length(result->>'text')) AS shortest FROM noetl.event`,
    );
    expect(rows).toEqual([{ n: events.length, shortest: 1_500_000 }]);
  });
});

describe('cursors', () => {
  test('say which runs are taken: by the run, or by an execution that ended later', async () => {
    const url = await postgres.createDatabase('cursors');
    await migrate(url);
    const cursors = new Cursors(poolOf(url), 'x');
    await cursors.advance(execution, { event: { event_id: '7/0/3/1', seq: 2 }, endedAt: 1000 });
    await cursors.advance(
      { ...execution, executionId: '8', runId: 'open' },
      { event: { event_id: '8/0/3/1', seq: 2 } },
    );
    const taken = await cursors.taken([
      { workflowId: 'other', runId: 'run', closedAt: 5000 },
      { workflowId: 'noetl-7', runId: 'earlier', closedAt: 900 },
      { workflowId: 'noetl-7', runId: 'later', closedAt: 1001 },
      { workflowId: 'noetl-8', runId: 'open', closedAt: 10 },
      { workflowId: 'other', runId: 'unknown', closedAt: 10 },
    ]);
    expect([...taken].sort()).toEqual(['earlier', 'run']);
    const others = new Cursors(poolOf(url), 'other');
    expect((await others.taken([{ workflowId: 'other', runId: 'run', closedAt: 1 }])).size).toBe(0);
  });

  test('keep their place when the end is booked, and when a failure is', async () => {
    const url = await postgres.createDatabase('place');
    await migrate(url);
    const cursors = new Cursors(poolOf(url), 'x');
    expect(await cursors.read('7')).toEqual({ eventId: undefined, seq: 0 });
    await cursors.advance(execution, { event: { event_id: '7/0/3/1', seq: 2 } });
    await cursors.fail(execution, 'away');
    await cursors.advance(execution, { endedAt: 1000 });
    expect(await cursors.read('7')).toEqual({ eventId: '7/0/3/1', seq: 2 });
  });
});

describe('leases', () => {
  test('are of one holder at a time, and free when it gives them back, or its connection dies', async () => {
    const pool = poolOf(postgres.url);
    const [one, two] = [new Leases(postgres.url), new Leases(postgres.url)];
    const never = (): void => {
      throw new Error('lost');
    };
    const release = await one.take('a', never);
    expect(release).toBeDefined();
    expect(await one.take('a', never)).toBeUndefined();
    expect(await two.take('a', never)).toBeUndefined();
    await release!();
    let sayLost = (): void => undefined;
    const lost = new Promise<void>((resolve) => (sayLost = resolve));
    expect(await two.take('a', sayLost)).toBeDefined();
    expect(await one.take('a', never)).toBeUndefined();
    await pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND pid <> pg_backend_pid()`,
    );
    await lost;
    expect(await eventually(async () => (await one.take('a', () => undefined)) !== undefined)).toBe(true);
    await Promise.all([one.close(), two.close()]);
  });
});

/** What another connection does is seen a moment later. */
async function eventually(ask: () => Promise<boolean>): Promise<boolean> {
  for (const deadline = Date.now() + 20_000; Date.now() < deadline;) {
    const isSo = await ask().catch(() => false);
    if (isSo) return true;
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  return false;
}

describe('retention', () => {
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
        `INSERT INTO noetl.event (execution_id, event_id, seq, event_type, source, entity_type, entity_id, node_id, node_name, status, created_at, context, meta)
         VALUES ($1, 'e', 1, 't', '', '', '', '', '', '', now(), '{}', '{}')`,
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
        `INSERT INTO noetl.shadow (path, version, execution_id, namespace, workflow_id, run_id)
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
      // Temporal still has it.
      { id: '6', days: 40 },
    ];
    const { stored, run, count, pool, storage } = await history(`retention_${where}`, rows, where);
    const retention = '30d,etl/hourly/*=7d,audits/*=keep';
    const planned = await run(retention, ['noetl-6', 'noetl-3'], true);
    expect(planned).toMatchObject({ executions: 2, left: 1, values: { workflows: 4, count: 4 }, notes: [] });
    expect(await count('execution')).toEqual(['1', '2', '3', '4', '5', '6']);
    expect(await stored()).toHaveLength(12);

    const swept = await run(retention, ['noetl-6', 'noetl-3']);
    expect(swept).toMatchObject({
      executions: 2,
      events: 2,
      notifications: 2,
      left: 1,
      values: { count: 4 },
    });
    const kept = ['2', '3', '5', '6'];
    for (const table of ['execution', 'event', 'transient', 'shadow', 'sink_cursor'])
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
});
