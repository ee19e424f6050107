import { postgresTool, type PostgresTool } from '../../../test/support/postgres-tool';
import { run, type TestContext } from '../../../test/support/tool-call';
import { until } from '../../../test/support/until';
import { type JsonObject, type Outcome } from '../../../src/language/plan';
import { ToolError } from '../../framework/tool/outcome';
import { postgres as tool } from './run';

let pg: PostgresTool;
let data: JsonObject;

beforeAll(async () => {
  pg = await postgresTool();
  data = pg.data;
});
afterAll(() => pg.stop());

const ctx = (): TestContext => pg.context();
const send: PostgresTool['send'] = (config, more, c) => pg.send(config, more, c);
const admin = (sql: string): Promise<JsonObject[]> => pg.admin(sql);
interface Result extends JsonObject {
  rows: JsonObject[];
  row_count: number;
  columns: string[];
}
const ok = async (command: string, config: JsonObject = {}, more = {}): Promise<Result> => {
  const outcome = await send({ command, ...config }, more);
  expect(outcome.error).toBeNull();
  return outcome.result as Result;
};
const first = async (command: string, config: JsonObject = {}): Promise<JsonObject> =>
  (await ok(command, config)).rows[0]!;

describe('results', () => {
  test('are those of the last statement, and of each as command_n', async () => {
    const result = await ok(`
      CREATE TABLE items (id int primary key, name text); -- a; comment
      INSERT INTO items VALUES (1, 'a;b'), (2, 'it''s');
      SELECT id, name FROM items ORDER BY id;`);
    const rows = [
      { id: 1, name: 'a;b' },
      { id: 2, name: "it's" },
    ];
    expect(result).toMatchObject({
      rows,
      row_count: 2,
      columns: ['id', 'name'],
      command_1: { status: 'success', row_count: 2, rows: [] },
    });
    expect(result['command_2']).toEqual({ status: 'success', rows, row_count: 2, columns: ['id', 'name'] });
  });

  test('SQL comes from a field of any name, or from elsewhere', async () => {
    const configs: JsonObject[] = [
      { statement: 'select 1 as n' },
      { script: { source: { type: 'inline', code: 'select 1 as n' } } },
    ];
    for (const config of configs) {
      expect((await send(config)).result).toMatchObject({ rows: [{ n: 1 }] });
    }
  });

  test('an outcome that is ok carries pg, null-filled', async () => {
    expect((await send({ query: 'select 1' })).pg).toMatchObject({ code: null, sqlstate: null });
  });

  test('types come as JSON data', async () => {
    const row = await first(`select
      9007199254740991::int8 as safe, 9007199254740993::int8 as big, 1.50::numeric(10,2) as dec, 12345678901234567890.5::numeric as huge,
      (10::numeric / 3) as third, avg(x) as mean, 0.1::float8 as float, 'NaN'::float8 as nan,
      '2026-11-21 08:52:02.369356+00'::timestamptz as tz, '2026-11-21 08:52:02'::timestamp as ts, '2026-11-21'::date as day, '08:52'::time as clock,
      '{"a": [1]}'::jsonb as doc, '\\x6869'::bytea as bytes, array[1, null, 3]::int8[] as numbers, array['a,b', '"c"'] as texts,
      array['2026-01-01 00:00:00+00'::timestamptz] as times, true as yes, null as nothing, interval '1 day 2 hours' as span,
      '00000000-0000-0000-0000-000000000001'::uuid as id, 'infinity'::timestamptz as never
      from (values (20), (21), (24)) as t(x)`);
    expect(row).toEqual({
      safe: 9007199254740991,
      big: '9007199254740993',
      dec: 1.5,
      huge: '12345678901234567890.5',
      third: 3.3333333333333335,
      mean: 21.666666666666668,
      float: 0.1,
      nan: null,
      tz: '2026-11-21T08:52:02.369356+00:00',
      ts: '2026-11-21T08:52:02',
      day: '2026-11-21',
      clock: '08:52:00',
      doc: { a: [1] },
      bytes: 'aGk=',
      numbers: [1, null, 3],
      texts: ['a,b', '"c"'],
      times: ['2026-01-01T00:00:00+00:00'],
      yes: true,
      nothing: null,
      span: '1 day 02:00:00',
      id: '00000000-0000-0000-0000-000000000001',
      never: 'infinity',
    });
  });

  test('columns of one name are kept apart, as in DuckDB', async () => {
    const outcome = await send({ query: 'select 1 as id, 2 as id, 3, 4 as "id:1"' });
    expect(outcome.result).toMatchObject({
      columns: ['id', 'id:2', '?column?', 'id:1'],
      rows: [{ id: 1, 'id:2': 2, '?column?': 3, 'id:1': 4 }],
    });
  });

  test('digits of JSON are kept, or noted', async () => {
    const outcome = await send({
      query: `select '{"id": 7615917337495251231, "n": 0.12345678901234567890}'::jsonb as doc`,
    });
    expect(outcome.result).toMatchObject({
      rows: [{ doc: { id: '7615917337495251231', n: 0.12345678901234568 } }],
    });
    expect(outcome.meta['digits_lost']).toBe('0.12345678901234567890');
  });

  test('a column of a table keeps a decimal that a number cannot hold', async () => {
    const row = await first(
      'create table money (amount numeric); insert into money values (1.234567890123456789); select amount, amount * 3 as thrice from money',
    );
    expect(row).toEqual({ amount: '1.234567890123456789', thrice: Number('3.703703670370370367') });
  });

  test('rows far above any result are refused before they fill the memory', async () => {
    const outcome = await send({ query: "select repeat('x', 1000000) as x from generate_series(1, 200)" });
    expect(outcome.error).toMatchObject({ kind: 'validation', code: 'RESULT_TOO_LARGE' });
    expect((await first('select 1 as one')).one).toBe(1);
  });
});

describe('params', () => {
  test('a list answers $n, in each statement what it uses', async () => {
    const result = await ok(
      "create temp table p (a int, b text); insert into p values ($1, $2); select a, b, $3::text as c, '$1' as d from p",
      {
        params: [7, "x'); drop table p; --", null],
      },
    );
    expect(result.rows).toEqual([{ a: 7, b: "x'); drop table p; --", c: null, d: '$1' }]);
  });

  test('a mapping answers :name and %(name)s, never casts, slices, quotes or comments', async () => {
    const query = `select :n::int + %(n)s::int as sum, ':n' as quoted, (array[1,2,3])[1:2] as slice, :doc::jsonb as doc, :list::text[] as list /* :n */ -- :n`;
    expect(await first(query, { params: { n: 2, doc: { k: [1] }, list: ['a', 'b,c'] } })).toEqual({
      sum: 4,
      quoted: ':n',
      slice: [1, 2],
      doc: { k: [1] },
      list: ['a', 'b,c'],
    });
  });

  test('too few values are named', async () => {
    expect((await send({ query: 'select 1 where 1 = :nope', params: { one: 1 } })).error!.message).toContain(
      'hint: :nope is not in `params`',
    );
    expect(await first("select '100%%' as a, 10 %% %(n)s as b", { params: { n: 3 } })).toEqual({
      a: '100%',
      b: 1,
    });
    expect((await send({ query: 'select $2', params: [1] })).error!.message).toBe(
      'postgres: the command uses $2, and params has 1 values',
    );
  });
});

describe('transactions', () => {
  test('all statements of a task succeed or none', async () => {
    await ok('create table tx (n int)');
    const outcome = await send({ command: 'insert into tx values (1); insert into tx values (1 / 0)' });
    expect(outcome.error).toMatchObject({ kind: 'sql', code: 'SQLSTATE_22012' });
    expect((await first('select count(*) as n from tx')).n).toBe(0);
  });

  test('without a transaction the first stays; statements that forbid one run without', async () => {
    await send({ command: 'insert into tx values (1); insert into tx values (1 / 0)', transaction: false });
    expect((await first('select count(*) as n from tx')).n).toBe(1);
    await ok('insert into tx values (2); vacuum tx');
    await ok('begin; insert into tx values (3); rollback');
    await ok('create index concurrently tx_n on tx (n); select 1');
    expect((await first('select count(*) as n from tx')).n).toBe(2);
  });

  test('a transaction left open and session settings do not reach the next task', async () => {
    await ok("begin; insert into tx values (4); set search_path = 'nowhere'");
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await first("select count(*) as n, current_setting('search_path') as path from tx")).toEqual({
      n: 2,
      path: '"$user", public',
    });
  });
});

describe('failures', () => {
  test('name the command and what the server said', async () => {
    const outcome = await send({ command: 'select 1; select * from no_such_table' });
    expect(outcome.error).toMatchObject({ kind: 'sql', code: 'SQLSTATE_42P01', retryable: false });
    expect(outcome.error!.message).toBe(
      'command_1: relation "no_such_table" does not exist (at character 15) [SQLSTATE 42P01]',
    );
    expect(outcome.pg).toMatchObject({ code: '42P01', sqlstate: '42P01', command: 1 });
    const duplicate = await send({
      command: 'create table u (id int unique); insert into u values (1); insert into u values (1)',
    });
    expect(duplicate.error!.message).toContain('detail: Key (id)=(1) already exists.');
    expect(duplicate.pg).toMatchObject({ sqlstate: '23505', constraint: 'u_id_key', table: 'u' });
  });

  test('no sql, no credential, an unsuitable one', async () => {
    for (const command of ['', '  -- nothing\n;;', []]) {
      expect((await send({ command })).error).toMatchObject({
        kind: 'validation',
        message: 'no sql command provided',
      });
    }
    expect((await run(tool, { query: 'select 1' })).error).toMatchObject({ code: 'NO_CREDENTIAL' });
    expect((await send({ auth: 'pg_none', query: 'select 1' })).error).toMatchObject({
      kind: 'auth',
      code: 'CREDENTIAL_NOT_FOUND',
    });
    expect((await send({ auth: { type: 'bearer', token: 'x' }, query: 'select 1' })).error).toMatchObject({
      code: 'CREDENTIAL_UNSUITABLE',
    });
  });

  test('a wrong password is auth, an unreachable server is connection; neither shows the password', async () => {
    const wrong = await send({
      auth: { type: 'postgres', ...data, db_password: 'wrong-password' },
      query: 'select 1',
    });
    expect(wrong.error).toMatchObject({ kind: 'auth', code: 'SQLSTATE_28P01', retryable: false });
    expect(JSON.stringify(wrong)).not.toContain('wrong-password');
    const none = await send({
      auth: { type: 'postgres', dsn: 'postgres://u:canary-2@127.0.0.1:1/x' },
      query: 'select 1',
    });
    expect(none.error).toMatchObject({ kind: 'connection', code: 'ECONNREFUSED', retryable: true });
    expect(JSON.stringify(none)).not.toContain('canary-2');
  });

  test('a deadlock is retryable with its SQLSTATE', async () => {
    await ok('create table d (id int primary key, n int); insert into d values (1, 0), (2, 0)');
    const lock = (a: number, b: number): Promise<Outcome> =>
      send({
        command: `update d set n = 1 where id = ${a}; select pg_sleep(0.3); update d set n = 1 where id = ${b}`,
      });
    const outcomes = await Promise.all([lock(1, 2), lock(2, 1)]);
    const victim = outcomes.find((one) => one.status === 'error')!;
    expect(victim.error).toMatchObject({ kind: 'sql', code: 'SQLSTATE_40P01', retryable: true });
    expect(victim.pg).toMatchObject({ sqlstate: '40P01' });
  });

  test('a connection the server ends is retryable', async () => {
    const running = send({ query: 'select pg_sleep(30)' });
    await waitForSleep();
    await admin(
      "select pg_terminate_backend(pid) from pg_stat_activity where query like 'select pg_sleep(30)%'",
    );
    expect((await running).error).toMatchObject({ kind: 'connection', retryable: true });
    expect((await first('select 1 as one')).one).toBe(1);
  });

  test('timeout and cancellation end the query on the server', async () => {
    const late = await send({ query: 'select pg_sleep(31)' }, { timeout: { total: 0.4 } });
    expect(late.error).toMatchObject({ kind: 'timeout', code: 'TIMEOUT' });
    const c = ctx();
    const running = send({ query: 'select pg_sleep(32)' }, {}, c);
    await waitForSleep();
    c.controller.abort();
    expect((await running).error).toMatchObject({ kind: 'cancelled' });
    expect(
      await admin(
        "select 1 from pg_stat_activity where state = 'active' and query like 'select pg_sleep(3%'",
      ),
    ).toHaveLength(0);
  });

  test('a statement above its own limit is a timeout that may be retried', async () => {
    const outcome = await send({ query: 'select pg_sleep(5)', statement_timeout: 0.1 });
    expect(outcome).toMatchObject({
      error: { kind: 'timeout', code: 'SQLSTATE_57014', retryable: true },
      pg: { sqlstate: '57014' },
    });
  });

  test('500 failing tasks leave no connection, transaction or lock behind', async () => {
    await ok('create table leak (n int)');
    const broken = [
      'select 1/0',
      'insert into leak values (1); select no_such()',
      'begin; lock leak; select x',
    ];
    const outcomes = await Promise.all(
      Array.from({ length: 500 }, (_, n) => send({ command: broken[n % 3]!, pool: { max: 5 } })),
    );
    expect(new Set(outcomes.map((one) => one.error?.code))).toEqual(
      new Set(['SQLSTATE_22012', 'SQLSTATE_42883', 'SQLSTATE_42703']),
    );
    const left = await send({ query: 'select 1 as one', pool: { max: 5 } });
    expect(left.error).toBeNull();
    // What was cut off may take the server a moment to clear away.
    await until(async () => {
      const [seen] = await admin(`select count(*) filter (where state = 'idle') <= 5 + 16 as few,
        bool_and(state = 'idle') as idle from pg_stat_activity where application_name = 'noetl-temporal'`);
      return seen!['few'] && seen!['idle'];
    });
    expect(await admin("select count(*)::int as n from pg_locks where relation = 'leak'::regclass")).toEqual([
      { n: 0 },
    ]);
  });

  test('who waits for a connection waits as long as his task may, not as a connection may', async () => {
    const config = { query: 'select pg_sleep(1.2)', pool: { max: 1 } };
    const outcomes = await Promise.all([1, 2, 3].map(() => send(config, { timeout: { connect: 1 } })));
    expect(outcomes.map((one) => one.error)).toEqual([null, null, null]);
    expect((await send({ query: 'select 1', pool: { max: 'many' } })).error).toMatchObject({
      kind: 'validation',
    });
  });

  test('a task waits for its connection before it begins; one that may not begin here leaves it to the others', async () => {
    let waits = 0;
    const handedBack: TestContext = {
      ...ctx(),
      waitFor: async (connection, giveBack) => {
        waits += 1;
        giveBack!(await connection);
        throw new ToolError({ kind: 'worker_lost', code: 'NOT_BEGUN', message: 'handed back' });
      },
    };
    const config = { query: 'select 1', pool: { max: 1 } };
    for (const _ of [1, 2]) {
      expect((await send(config, {}, handedBack)).error).toMatchObject({ code: 'NOT_BEGUN' });
    }
    expect(waits).toBe(2);
    expect((await send(config)).error).toBeNull();
  });

  test('another database of the credential', async () => {
    expect((await ok('select current_database() as name', { database: 'postgres' })).rows).toEqual([
      { name: 'postgres' },
    ]);
  });

  test('more tasks than connections wait for one', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 60 }, () => send({ query: 'select pg_sleep(0.02)' })),
    );
    expect(outcomes.every((one) => one.status === 'ok')).toBe(true);
  });
});

async function waitForSleep(): Promise<void> {
  const query = "select 1 from pg_stat_activity where state = 'active' and query like 'select pg_sleep(3%'";
  await until(async () => (await admin(query)).length > 0);
}
