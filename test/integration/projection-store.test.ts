/** The database of the projection, on a real Postgres: migrations, cursors, leases, and batches that repeat or break. */
import path from 'node:path';
import { type Pool } from 'pg';
import { type CanonicalEvent, Derivation, historyFile, noetlRows, PROFILES } from '../../src/history';
import {
  type EventBatch,
  Cursors,
  type Followed,
  ProjectionLeases,
  postgresSink,
  type EventItem,
} from '../../src/server/projection';
import { noetlColumns } from '../../src/server/projection/tables/noetl-row';
import { variableChanges } from '../../src/server/projection/tables/variables';
import { migrate, type Migration, migrations } from '../../src/server/store';
import { enveloped } from '../support/envelopes';
import { usePools } from '../support/pools';
import { startTestPostgres, type TestPostgres } from '../support/postgres';
import { ROOT } from '../support/process';
import { playbookOf, simulate } from '../support/simulator';
import { until } from '../support/until';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(async () => await postgres?.stop());

const poolOf = usePools();
const all = migrations();
const last = all.at(-1)!.number;
const broken = (sql: string): Migration => ({ number: last + 1, name: 'next', sql });

const execution: Followed = { namespace: 'default', workflowId: 'noetl-7', runId: 'run', executionId: '7' };

/** Events from the first of an execution. */
function itemsOf(events: readonly CanonicalEvent[]): EventItem[] {
  const rowsOf = noetlRows();
  return events.map((event) => ({ event, rows: rowsOf(event).map((row) => noetlColumns(row, 0)) }));
}

/** The events of a golden history as batches of one execution. */
async function batchesOf(name: string, size: number): Promise<EventBatch[]> {
  const derivation = new Derivation();
  const events: CanonicalEvent[] = [];
  for await (const page of historyFile(path.join(ROOT, 'test/histories/v1', `${name}.json`)))
    events.push(...(await derivation.take(page)));
  const told = itemsOf(events);
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
    const next = broken(`ALTER TABLE noetl.canonical_event ADD COLUMN cost NUMERIC NOT NULL DEFAULT 1`);
    expect(await migrate(url, [...all, next])).toEqual([last + 1]);
    const { rows } = await pool.query<{ n: number; cost: number }>(
      'SELECT count(*)::int AS n, sum(cost)::int AS cost FROM noetl.canonical_event',
    );
    expect(rows[0]).toEqual({ n: batch!.events.length, cost: batch!.events.length });
  });

  test('keep what an execution is found by: its name, its labels and what started it', async () => {
    const url = await postgres.createDatabase('found_by');
    await migrate(url);
    const pool = poolOf(url);
    const [{ plan, origin, events, ...batch }] = (await batchesOf('fan_out_reduce', 10_000)) as [EventBatch];
    const named = events.map(({ event, rows }) => ({
      rows,
      event:
        event.event_type === 'playbook.started'
          ? { ...event, payload: { ...event.payload, run_name: 'load acme' } }
          : event,
    }));
    await postgresSink(pool).take(
      {
        ...batch,
        events: named,
        plan: { ...plan, metadata: { ...plan.metadata, labels: { team: 'sales', tier: '1' } } },
        origin: { ...origin, labels: { tier: '2' }, memo: { noetl_schedule: { schedule: 'nightly' } } },
      },
      new Cursors(pool, 'postgres'),
    );
    const { rows } = await pool.query('SELECT run_name, labels, origin, skipped FROM noetl.execution');
    expect(rows).toEqual([
      {
        run_name: 'load acme',
        labels: { team: 'sales', tier: '2' },
        origin: { noetl_schedule: { schedule: 'nightly' } },
        skipped: false,
      },
    ]);
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
        `SELECT (SELECT count(*)::int FROM noetl.canonical_event) AS events, (SELECT count(*)::int FROM noetl.execution) AS executions,
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
      'SELECT max(seq) AS last, count(DISTINCT seq)::int AS n FROM noetl.canonical_event',
    );
    expect(rows).toEqual([{ last: total, n: total }]);
  });

  /** The table as SQL has it, in the words of the profile. */
  const told = async (pool: Pool): Promise<Record<string, unknown>[]> => {
    const { rows } = await pool.query<Record<string, unknown>>('SELECT * FROM noetl.event ORDER BY event_id');
    return rows.map(({ created_at, event_id, parent_event_id, ...row }) => {
      const timestamp = (created_at as Date).toISOString();
      const parent = parent_event_id === null ? null : String(parent_event_id as number);
      const ids = { event_id: String(event_id as number), parent_event_id: parent };
      return { ...row, ...ids, created_at: timestamp, timestamp };
    });
  };
  const cancelled = enveloped([
    ...simulate(playbookOf(`\n- step: start\n  tool: {kind: http, url: http://x}`), {
      inject: { 1: [{ type: 'cancelRequested', reason: 'enough' }] },
    }).events,
  ]);

  test.each([
    ...['error_path_failed', 'fan_out_reduce', 'sub_playbook_parent', 'keychain_unresolved', 'limits'],
    ...['collect_pages', 'a cancelled one'],
  ])('are rows of noetl.event as the profile has them: %s', async (name) => {
    const url = await postgres.createDatabase(`rows_of_${name.replaceAll(' ', '_')}`);
    await migrate(url);
    const pool = poolOf(url);
    const [like] = await batchesOf(name === 'a cancelled one' ? 'hello_world' : name, 10_000);
    const events = name === 'a cancelled one' ? cancelled : like!.events.map(({ event }) => event);
    const batch = { ...like!, events: itemsOf(events) };
    const id = events[0]!.execution_id;
    const execution = { ...like!.execution, executionId: id, workflowId: `noetl-${id}` };
    await postgresSink(pool).take({ ...batch, execution }, new Cursors(pool, 'postgres'));
    const rows = JSON.parse(JSON.stringify(events.flatMap(PROFILES.noetl.project()))) as object[];
    expect(await told(pool)).toEqual(rows);
    expect(rows.length).toBeGreaterThan(2);
  });

  test('after a reset noetl.event has the rows of what goes on, and those of before without what was left', async () => {
    const url = await postgres.createDatabase('rows_after_reset');
    await migrate(url);
    const pool = poolOf(url);
    const [whole] = await batchesOf('fetch_transform_store', 10_000);
    const sink = postgresSink(pool);
    const cursors = new Cursors(pool, 'postgres');
    await sink.take(whole!, cursors);
    const before = whole!.events.slice(0, 20).map(({ event }) => event);
    const anew = whole!.events.slice(19).map(({ event }, n) => ({
      ...event,
      ...(n === 0 && { event_type: 'playbook.reset' as const, payload: {} }),
      event_id: `${event.execution_id}/0~1f0c9a2b/9/${n}`,
    }));
    const all = [...before.slice(0, 19), ...anew];
    await sink.take({ ...whole!, events: itemsOf(all).slice(19) }, cursors);
    expect(await told(pool)).toEqual(JSON.parse(JSON.stringify(all.flatMap(PROFILES.noetl.project()))));
  });

  test('whose beginning Temporal has forgotten go on with the numbers that the table has', async () => {
    const url = await postgres.createDatabase('rows_forgotten');
    await migrate(url);
    const pool = poolOf(url);
    const [whole] = await batchesOf('fan_out_reduce', 10_000);
    const sink = postgresSink(pool);
    const cursors = new Cursors(pool, 'postgres');
    const shift = whole!.events.findIndex(({ event }) => event.event_type === 'step.done') + 1;
    await sink.take({ ...whole!, events: whole!.events.slice(0, shift) }, cursors);
    const rowsOf = noetlRows();
    const rest = whole!.events.slice(shift).map(({ event }) => {
      const rows = rowsOf({ ...event, seq: event.seq - shift });
      return { event, rows: rows.map((row) => noetlColumns(row, shift)) };
    });
    await sink.take({ ...whole!, events: rest }, cursors);
    const rows = await told(pool);
    expect(rows.map((row) => row['event_id'])).toEqual(rows.map((_, n) => String(n + 1)));
    const done = rows.filter(
      ({ event_type, result }) => event_type === 'call.done' && 'context' in (result as object),
    );
    expect(done.length).toBeGreaterThan(1);
    expect(rows.at(-1)).toMatchObject({ event_type: 'playbook.completed' });
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
    const events = batch!.events
      .slice(0, 4)
      .map(({ event, rows }) => ({ event: { ...event, payload }, rows }));
    await postgresSink(pool).take({ ...batch!, events }, new Cursors(pool, 'postgres'));
    const { rows } = await pool.query(
      `SELECT count(*)::int AS n, min(length(result->>'text')) AS shortest FROM noetl.canonical_event`,
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
    // What another connection does is seen a moment later.
    await until(() => one.take('a', () => undefined));
    await Promise.all([one.close(), two.close()]);
  });
});
