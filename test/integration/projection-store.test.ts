/** The database of the projection, on a real Postgres: migrations, cursors, leases, and batches that repeat or break. */
import path from 'node:path';
import { type Pool } from 'pg';
import { Derivation, historyFile, PROFILES } from '../../src/history';
import {
  type EventBatch,
  Cursors,
  type Followed,
  ProjectionLeases,
  postgresSink,
  type EventItem,
} from '../../src/server/projection';
import { variableChanges } from '../../src/server/projection/tables/variables';
import { migrate, type Migration, migrations } from '../../src/server/store';
import { usePools } from '../support/pools';
import { startTestPostgres, type TestPostgres } from '../support/postgres';
import { ROOT } from '../support/process';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startTestPostgres();
}, 60_000);
afterAll(async () => await postgres?.stop());

const poolOf = usePools();
const all = migrations();
const last = all.at(-1)!.number;
const broken = (sql: string): Migration => ({ number: last + 1, name: 'next', sql });

const execution: Followed = { namespace: 'default', workflowId: 'noetl-7', runId: 'run', executionId: '7' };

/** The events of a golden history as batches of one execution. */
async function batchesOf(name: string, size: number): Promise<EventBatch[]> {
  const derivation = new Derivation();
  const project = PROFILES.noetl.project();
  const told: EventItem[] = [];
  for await (const page of historyFile(path.join(ROOT, 'test/histories/v1', `${name}.json`)))
    for (const event of await derivation.take(page)) told.push({ event, row: project(event)[0]! });
  const { plan, state, origin } = derivation;
  const of = { ...execution, executionId: told[0]!.event.execution_id };
  return Array.from({ length: Math.ceil(told.length / size) }, (_, n) => {
    const events = told.slice(n * size, (n + 1) * size);
    const variables = variableChanges({ events, variables: state.ctx, plan });
    return { execution: of, plan, origin: origin!, variables, events };
  });
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
    const [one, two] = [new ProjectionLeases(postgres.url), new ProjectionLeases(postgres.url)];
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
