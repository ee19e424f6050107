/** Snowflake's own driver against fakesnow, which speaks its protocol over a DuckDB (test/support/fake_snowflake.py). */
import { type Json, type JsonObject, type Outcome, type TaskCall } from '../../../src/language/plan';
import { type Emulator, needEmulator } from '../../../test/support/python-servers';
import { context, run, type TestContext } from '../../../test/support/tool-call';
import { snowflake as tool } from './run';
import { variant } from './values';

let server: Emulator;
beforeAll(async () => {
  server = await needEmulator('snowflake');
}, 400_000);
afterAll(() => server?.stop());

const warehouse = (more: JsonObject = {}): TestContext =>
  context({
    sf: {
      type: 'snowflake',
      data: {
        sf_account: 'fake',
        sf_user: 'u',
        sf_password: 'right',
        sf_database: 'DB1',
        sf_schema: 'S1',
        sf_warehouse: 'W',
        access_url: server.url,
        ...more,
      },
    },
  });
const send = (config: JsonObject, more: Partial<TaskCall> = {}, ctx = warehouse()): Promise<Outcome> =>
  run(tool, { auth: 'sf', ...config }, more, ctx);
async function ok(config: JsonObject): Promise<JsonObject> {
  const outcome = await send(config);
  expect(outcome.error).toBeNull();
  return outcome.result as JsonObject;
}

test('several statements share a session: the last one is the result, each is command_n', async () => {
  const result = await ok({
    command: `create or replace table t (n int, s text); begin; insert into t values (1, 'a;b'), (2, null); commit;
      select n, s from t order by n`,
  });
  expect(result).toMatchObject({
    rows: [
      { N: 1, S: 'a;b' },
      { N: 2, S: null },
    ],
    row_count: 2,
    columns: ['N', 'S'],
    command_2: { status: 'success', row_count: 2, rows: [], columns: [] },
  });
});

test('values come as JSON data', async () => {
  const { rows } = await ok({
    query: `select 1 as small, 9007199254740993 as big, 1.50::number(10,2) as dec, 'nan'::float as nan, 0.5::float as half,
      '2024-01-02'::date as day, '2024-01-02 03:04:05.123456'::timestamp_ntz as ntz, true as yes, null as nothing,
      parse_json('{"a": [1, "x", null], "id": 9007199254740993}') as doc, to_binary('00FF0A', 'HEX') as bytes, 'ü' as txt`,
  });
  expect((rows as JsonObject[])[0]).toMatchObject({
    SMALL: 1,
    BIG: '9007199254740993',
    DEC: 1.5,
    NAN: null,
    HALF: 0.5,
    DAY: '2024-01-02',
    NTZ: '2024-01-02T03:04:05.123456',
    YES: true,
    NOTHING: null,
    DOC: { a: [1, 'x', null], id: '9007199254740993' },
    BYTES: 'AP8K',
    TXT: 'ü',
  });
});

test('a VARIANT is data, whatever it holds, and is never run', () => {
  expect(variant('{"id": 9007199254740993}')).toEqual({ id: '9007199254740993' });
  expect(variant('[1, undefined, NaN, -Infinity, "NaN \\" undefined"]')).toEqual([
    1,
    null,
    null,
    null,
    'NaN " undefined',
  ]);
  expect(variant('process.exit(1)')).toBe('process.exit(1)');
  expect(variant(null)).toBeNull();
});

test.each<[string, JsonObject]>([
  ['a list for ?', { query: 'select ? as a, ? as b', params: [7, 'x'] }],
  ['a list for :1', { query: 'select :1 as a, :2 as b', params: [7, 'x'] }],
  ['a mapping for :name', { query: "select :n as a, :s as b, ':n' as c", params: { n: 7, s: 'x' } }],
])('binds %s', async (_, config) => {
  expect(await ok(config)).toMatchObject({ rows: [{ A: 7, B: 'x' }] });
});

const TYPED = `create or replace table typed (id int, big number(38,0), amount number(20,4), ratio float, ntz timestamp_ntz,
  tz timestamp_tz, day date, yes boolean, doc variant, list array, note varchar, bytes binary)`;

test('inserts rows without SQL, each column in its own type', async () => {
  await ok({ command: TYPED });
  const row = {
    id: '1',
    big: '9007199254740993',
    amount: '1234567890.7891',
    ratio: 0.5,
    ntz: '2026-11-21T08:52:02.369',
    tz: '2026-11-21T08:52:02.369+02:00',
    day: '2026-11-21',
    yes: 'true',
    doc: { a: [1, null, "it's"] },
    list: [1, 2],
    note: { any: ['data'] },
    bytes: 'AP8K',
  };
  expect(await ok({ table: 'typed', data: [row, { id: 2 }] })).toMatchObject({
    rows: [],
    row_count: 2,
    mode: 'insert',
  });
  const { rows } = await ok({ query: 'select * from typed order by id' });
  expect((rows as JsonObject[])[0]).toMatchObject({
    ID: 1,
    BIG: '9007199254740993',
    AMOUNT: 1234567890.7891,
    RATIO: 0.5,
    NTZ: '2026-11-21T08:52:02.369',
    DAY: '2026-11-21',
    YES: true,
    DOC: row.doc,
    NOTE: '{"any":["data"]}',
    BYTES: 'AP8K',
  });
  expect(Date.parse((rows as JsonObject[])[0]!['TZ'] as string)).toBe(Date.parse(row.tz));
  expect((rows as JsonObject[])[1]).toMatchObject({ ID: 2, DOC: null, TZ: null, NOTE: null });
});

test('upserts by named columns, replaces all rows', async () => {
  await ok({ command: 'create or replace table u (id int, n int)' });
  // A key that comes twice takes two MERGE in one transaction, which the stand-in cannot do.
  const data = [
    { id: 1, n: 2 },
    { id: 2, n: 5 },
  ];
  await ok({ table: 'u', mode: 'upsert', key: 'id', data });
  await ok({ table: 'u', mode: 'upsert', key: ['ID'], data: { id: 1, n: 3 } });
  expect(await ok({ query: 'select * from u order by id' })).toMatchObject({
    rows: [
      { ID: 1, N: 3 },
      { ID: 2, N: 5 },
    ],
  });
  expect(await ok({ table: 'u', mode: 'replace', data: { id: 9, n: 9 } })).toMatchObject({
    row_count: 1,
    deleted: 2,
  });
  expect(await ok({ query: 'select * from u' })).toMatchObject({ rows: [{ ID: 9, N: 9 }] });
});

test.each<[string, string, JsonObject | Json[]]>([
  [':name', 'select :id as id, :n as n', { id: 1, n: 7 }],
  ['?', 'select ? as id, ? as n', [1, 7]],
])('a MERGE of the author’s binds its parameters: %s', async (_, source, params) => {
  await ok({ command: 'create or replace table m (id int, n int); insert into m values (1, 1)' });
  const merge = `merge into m t using (${source}) s on t.id = s.id
    when matched then update set n = s.n when not matched then insert (id, n) values (s.id, s.n)`;
  expect(await ok({ command: merge, params })).toMatchObject({ row_count: 1 });
  expect(await ok({ query: 'select * from m' })).toMatchObject({ rows: [{ ID: 1, N: 7 }] });
});

test('rows that are refused leave the table as it was', async () => {
  await ok({ command: 'create or replace table r (id int not null); insert into r values (1)' });
  const { error } = await send({ table: 'r', mode: 'replace', data: [{ id: 2 }, { id: 'x' }] });
  expect(error).toMatchObject({ kind: 'sql', retryable: false });
  expect(await ok({ query: 'select * from r' })).toMatchObject({ rows: [{ ID: 1 }] });
});

test('a query that is cancelled, or takes too long, ends at once', async () => {
  const ctx = warehouse();
  const cancelling = send({ query: 'select 1 /* slow */' }, {}, ctx);
  setTimeout(() => ctx.controller.abort(), 300);
  expect((await cancelling).error).toMatchObject({ kind: 'cancelled' });
  const late = await send({ query: 'select 1 /* slow */', timeout: 1 });
  expect(late.error).toMatchObject({ kind: 'timeout', code: 'TIMEOUT', retryable: true });
  expect(late.meta.duration_ms).toBeLessThan(15_000);
});

test('a server in trouble is asked three times, and then it is the turn of the playbook', async () => {
  const asked = async (): Promise<number> =>
    (await (await fetch(`${server.url}/test/asked500`)).json()) as number;
  const { error } = await send({ command: '/* 500 */ select 1' });
  expect(error).toMatchObject({ kind: 'server_error', code: 'HTTP_500', retryable: true });
  expect(await asked()).toBe(3);
});
