/** Every end with every other: a real Postgres, DuckDB files, Snowflake's driver against fakesnow, an HTTP server. */
import fs from 'node:fs';
import http from 'node:http';
import { type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { type JsonObject, type Outcome } from '../../../src/language/plan';
import { type Emulator, needEmulator } from '../../../test/support/python-servers';
import { type PostgresTool, postgresTool } from '../../../test/support/postgres-tool';
import { context, run, type TestContext } from '../../../test/support/tool-call';
import { duckdb } from '../duckdb/run';
import { snowflake } from '../snowflake/run';
import { type ToolContext } from '../../framework/tool/tool';
import { transfer as tool } from './run';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-transfer-'));
const database = path.join(folder, 'x.duckdb');
let pg: PostgresTool;
let warehouse: Emulator;
let api: http.Server;
let url: string;
/** What the address of the test was sent, and what it answers. */
let posted: { key: string; rows: JsonObject[] }[] = [];
let answer: { status: number; type: string; body: string } = {
  status: 200,
  type: 'application/json',
  body: '[]',
};

beforeAll(async () => {
  [pg, warehouse] = await Promise.all([postgresTool(), needEmulator('snowflake')]);
  api = http.createServer((request, response) => {
    let body = '';
    request.on('data', (piece: Buffer) => (body += piece.toString()));
    request.on('end', () => {
      if (request.method === 'POST') {
        posted.push({
          key: String(request.headers['idempotency-key']),
          rows: JSON.parse(body) as JsonObject[],
        });
      }
      response.writeHead(answer.status, { 'content-type': answer.type }).end(answer.body);
    });
  });
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(api.address() as AddressInfo).port}/rows`;
}, 400_000);
afterAll(async () => {
  await new Promise((resolve) => api?.close(resolve));
  await warehouse?.stop();
  await pg?.stop();
  fs.rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  posted = [];
});

const sf = (): JsonObject => ({
  account: 'fake',
  user: 'u',
  password: 'p',
  database: 'DB1',
  schema: 'S1',
  access_url: warehouse.url,
});
const ctx = (): TestContext =>
  context({ pg_local: { type: 'postgres', data: pg.data }, sf: { type: 'snowflake', data: sf() } });
const send = (config: JsonObject, given: ToolContext = ctx()): Promise<Outcome> =>
  run(tool, config, {}, given);
async function ok(config: JsonObject, given?: ToolContext): Promise<JsonObject> {
  const outcome = await send(config, given);
  expect(outcome.error).toBeNull();
  return outcome.result as JsonObject;
}

/** SQL past the transfer, on each store. */
const SQL: Record<string, (sql: string) => Promise<JsonObject[]>> = {
  postgres: async (sql) => (await pg.ok({ command: sql }))['rows'] as JsonObject[],
  duckdb: async (sql) =>
    ((await run(duckdb, { database, command: sql })).result as JsonObject)['rows'] as JsonObject[],
  snowflake: async (sql) =>
    ((await run(snowflake, { auth: 'sf', command: sql }, {}, ctx())).result as JsonObject)[
      'rows'
    ] as JsonObject[],
};
const CREATE: Record<string, (name: string) => string> = {
  postgres: (name) =>
    `drop table if exists ${name}; create table ${name} (id int primary key, name text, amount numeric(20,4), big bigint, doc jsonb)`,
  duckdb: (name) =>
    `drop table if exists ${name}; create table ${name} (id int primary key, name text, amount decimal(20,4), big bigint, doc json)`,
  snowflake: (name) =>
    `create or replace table ${name} (id int, name string, amount number(20,4), big number(38,0), doc variant)`,
};
const END: Record<string, JsonObject> = {
  postgres: { kind: 'postgres', auth: 'pg_local' },
  duckdb: { kind: 'duckdb', database },
  snowflake: { type: 'snowflake', auth: { source: 'credential', key: 'sf' } },
};
const ROWS: JsonObject[] = [
  { id: 1, name: "o'neil", amount: 7.5, big: '9007199254740993', doc: { a: [1, null] } },
  { id: 2, name: 'ü', amount: '1234567890123.4567', big: 5, doc: null },
  { id: 3, name: null, amount: null, big: null, doc: [1] },
];
const lower = (rows: JsonObject[]): JsonObject[] =>
  rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name.toLowerCase(), value])),
  );

async function sourceOf(end: string): Promise<JsonObject> {
  if (end === 'http') {
    answer = { status: 200, type: 'application/json', body: JSON.stringify({ page: { items: ROWS } }) };
    return { kind: 'http', url, data_path: 'page.items' };
  }
  await SQL[end]!(CREATE[end]!('src'));
  await ok({ source: { kind: 'http', url, data_path: 'page.items' }, target: { ...END[end], table: 'src' } });
  return { ...END[end]!, query: 'select * from src order by id;' };
}

const ENDS = ['postgres', 'duckdb', 'snowflake'];
const PAIRS = ['http', ...ENDS].flatMap((from) => ENDS.map((to): [string, string] => [from, to]));

test.each(PAIRS)('from %s to %s, every value as it is', async (from, to) => {
  answer = { status: 200, type: 'application/json', body: JSON.stringify({ page: { items: ROWS } }) };
  const source = await sourceOf(from);
  await SQL[to]!(CREATE[to]!('dst'));
  const result = await ok({ source, target: { ...END[to], table: 'dst' }, chunk_size: 2 });
  expect(result).toMatchObject({
    rows_transferred: 3,
    chunks_processed: 2,
    source: from,
    target: to,
    mode: 'append',
  });
  expect(lower(await SQL[to]!('select * from dst order by id'))).toEqual(ROWS);
});

test('to an address: a request a chunk, each with its own idempotency key', async () => {
  await SQL['duckdb']!(`${CREATE['duckdb']!('out')}; insert into out (id) select range from range(5)`);
  const source = { ...END['duckdb']!, query: 'select id from out order by id' };
  answer = { status: 201, type: 'application/json', body: '{}' };
  await ok({ source, target: { kind: 'http', url }, chunk_size: 2, mapping: { nested: 'id' } });
  expect(posted.map(({ rows }) => rows.map((row) => row['nested']))).toEqual([[0, 1], [2, 3], [4]]);
  expect(new Set(posted.map(({ key }) => key)).size).toBe(3);
});

test('from JSON lines, with columns mapped from nested fields', async () => {
  answer = { status: 200, type: 'application/x-ndjson', body: '{"id":1,"user":{"name":"a"}}\n{"id":2}\n' };
  await SQL['postgres']!(CREATE['postgres']!('lines'));
  await ok({
    source: { kind: 'http', url },
    target: { ...END['postgres'], table: 'lines', mapping: { id: 'id', name: 'user.name' } },
  });
  expect(await SQL['postgres']!('select id, name from lines order by id')).toEqual([
    { id: 1, name: 'a' },
    { id: 2, name: null },
  ]);
});

test('replace empties the target first, upsert meets rows by their key', async () => {
  await SQL['postgres']!(
    `${CREATE['postgres']!('modes')}; insert into modes (id, name) values (1, 'old'), (9, 'old')`,
  );
  answer = {
    status: 200,
    type: 'application/json',
    body: JSON.stringify([
      { id: 1, name: 'new' },
      { id: 2, name: 'new' },
    ]),
  };
  const target = { ...END['postgres'], table: 'modes' };
  await ok({ source: { kind: 'http', url }, target, mode: 'upsert', key: 'id' });
  const rows = (): Promise<JsonObject[]> => SQL['postgres']!('select id, name from modes order by id');
  expect(await rows()).toEqual([
    { id: 1, name: 'new' },
    { id: 2, name: 'new' },
    { id: 9, name: 'old' },
  ]);
  expect(await ok({ source: { kind: 'http', url }, target: { ...target, mode: 'replace' } })).toMatchObject({
    deleted: 3,
  });
  expect(await rows()).toEqual([
    { id: 1, name: 'new' },
    { id: 2, name: 'new' },
  ]);
});

test('a row that is refused in the middle of an append leaves nothing behind, and says how far it came', async () => {
  await SQL['duckdb']!('create or replace table bad as select range as id, 1 as n from range(10)');
  await SQL['postgres']!(
    'drop table if exists few; create table few (id int primary key check (id < 7), n int)',
  );
  const { error } = await send({
    source: { ...END['duckdb'], query: 'select * from bad order by id' },
    target: { ...END['postgres'], table: 'few' },
    chunk_size: 3,
  });
  expect(error).toMatchObject({
    kind: 'sql',
    code: 'SQLSTATE_23514',
    side: 'target',
    rows_read: 6,
    rows_committed: 0,
  });
  expect(await SQL['postgres']!('select * from few')).toEqual([]);
});

test('an upsert whose worker was lost goes on after the rows that were committed', async () => {
  await SQL['duckdb']!('create or replace table many as select range as id, 1 as n from range(10)');
  await SQL['postgres']!(
    'drop table if exists resumed; create table resumed (id int primary key check (id < 7), n int)',
  );
  const config = {
    source: { ...END['duckdb'], query: 'select * from many order by id' },
    target: { ...END['postgres'], table: 'resumed' },
    mode: 'upsert',
    chunk_size: 3,
  };
  const first = ctx();
  expect((await send(config, first)).error).toMatchObject({ rows_committed: 6 });
  const last = first.beats.at(-1)!;
  expect(last).toEqual({ rows: 6, chunks: 2, committed: 6 });
  await SQL['postgres']!('alter table resumed drop constraint resumed_id_check; update resumed set n = 2');
  const result = await ok(config, { ...ctx(), lastHeartbeat: last });
  expect(result).toMatchObject({ rows_transferred: 4, resumed_after: 6 });
  expect(await SQL['postgres']!('select n, count(*) as rows from resumed group by n order by n')).toEqual([
    { n: 1, rows: 4 },
    { n: 2, rows: 6 },
  ]);
});

test.each<[string, string]>([
  ['postgres', 'select generate_series(1, 4000000000) as id'],
  ['duckdb', 'select range as id from range(4000000000)'],
])(
  'a source larger than any memory is read as it is written, and a cancellation ends it: %s',
  async (end, query) => {
    await SQL['duckdb']!('create or replace table endless (id bigint)');
    const given = ctx();
    let chunks = 0;
    const stopping = {
      ...given,
      heartbeat: (): void => {
        chunks += 1;
        if (chunks === 3) given.controller.abort();
      },
    };
    const source = { ...END[end], query };
    const { error } = await send({ source, target: { ...END['duckdb'], table: 'endless' } }, stopping);
    expect(error).toMatchObject({ kind: 'cancelled', rows_committed: 0 });
    expect(chunks).toBe(3);
    expect(await SQL['duckdb']!('select count(*) as n from endless')).toEqual([{ n: 0 }]);
  },
);

describe('a query for each row', () => {
  const UPSERT: Record<string, string> = {
    // As early playbooks write it: a mark for each column, in their order.
    postgres:
      'insert into q (id, name, amount, big, doc) values (%s, %s, %s, %s, %s) on conflict (id) do update set name = excluded.name, ' +
      'amount = excluded.amount, big = excluded.big, doc = excluded.doc;',
    duckdb: 'insert or replace into q (id, name, amount, big, doc) values (?, ?, ?, ?, ?)',
    // fakesnow answers 500 to a MERGE with parameters: there it is rows that are new.
    snowflake: 'insert into q (id, name, amount, big, doc) select %s, %s, %s, %s, parse_json(%s)',
  };

  test.each(ENDS)('in %s, every value as it is', async (to) => {
    const source = await sourceOf('http');
    const old = to === 'snowflake' ? '' : "; insert into q (id, name) values (2, 'old')";
    await SQL[to]!(CREATE[to]!('q') + old);
    const target = { ...END[to], query: UPSERT[to]! };
    expect(await ok({ source, target, chunk_size: 2 })).toMatchObject({
      rows_transferred: 3,
      chunks_processed: 2,
      target_table: null,
      mode: 'append',
    });
    expect(lower(await SQL[to]!('select * from q order by id'))).toEqual(ROWS);
  });

  test.each(ENDS)('by the names of columns, in any case, in %s; a cast is no name', async (to) => {
    const source = await sourceOf('http');
    await SQL[to]!(CREATE[to]!('q'));
    // fakesnow reads no cast of a parameter.
    const name = to === 'snowflake' ? ':NAME' : ':NAME::varchar';
    const query = `insert into q (id, name, big) values (:id, upper(${name}) || ':id', :id)`;
    await ok({ source, target: { ...END[to], query } });
    expect(lower(await SQL[to]!('select id, name, big from q order by id limit 2'))).toEqual([
      { id: 1, name: "O'NEIL:id", big: 1 },
      { id: 2, name: 'Ü:id', big: 2 },
    ]);
  });

  test.each([
    [
      'postgres',
      'insert into q (id, name) select id, name from json_to_recordset(:rows) as r(id int, name text)',
    ],
    [
      'duckdb',
      "insert into q (id, name) select cast(r->>'id' as int), r->>'name' from (select unnest(cast(:rows as json[])) as r)",
    ],
    [
      'snowflake',
      'insert into q (id, name) select f.value:id::int, f.value:name::varchar from (select parse_json(:rows) as v) x, ' +
        'lateral flatten(input => x.v) f',
    ],
  ])('or one for each chunk, as JSON: %s', async (to, query) => {
    const source = await sourceOf('http');
    await SQL[to]!(CREATE[to]!('q'));
    await ok({ source, target: { ...END[to], query }, chunk_size: 2 });
    expect(lower(await SQL[to]!('select id, name from q order by id'))).toEqual(
      ROWS.map(({ id, name }) => ({ id: id!, name: name! })),
    );
  });

  test('lists and bytes become what the parameter is', async () => {
    const rows = [{ id: 1, tags: ['a', 'b'], doc: [1], raw: 'AAE=' }];
    answer = { status: 200, type: 'application/json', body: JSON.stringify(rows) };
    await SQL['postgres']!(
      'drop table if exists forms; create table forms (id int, tags text[], doc jsonb, raw bytea)',
    );
    const insert = 'insert into forms values (:id, :tags, :doc, :raw)';
    await ok({ source: { kind: 'http', url }, target: { ...END['postgres'], query: insert } });
    expect(await SQL['postgres']!('select * from forms')).toEqual(rows);
    await SQL['duckdb']!('create or replace table forms (id int, tags text[], doc json, raw blob)');
    await ok({ source: { kind: 'http', url }, target: { ...END['duckdb'], query: insert } });
    expect(await SQL['duckdb']!('select * from forms')).toEqual(rows);
  });

  test('is all or nothing, unless it is an upsert, which goes on where it was', async () => {
    await SQL['duckdb']!('create or replace table ten as select range as id from range(10)');
    await SQL['postgres']!('drop table if exists seven; create table seven (id int check (id < 7))');
    const config = {
      source: { ...END['duckdb'], query: 'select * from ten order by id' },
      target: { ...END['postgres'], query: 'insert into seven values (:id)' },
      chunk_size: 3,
    };
    expect((await send(config)).error).toMatchObject({
      code: 'SQLSTATE_23514',
      side: 'target',
      rows_read: 6,
      rows_committed: 0,
    });
    expect(await SQL['postgres']!('select * from seven')).toEqual([]);
    const first = ctx();
    expect((await send({ ...config, mode: 'upsert' }, first)).error).toMatchObject({ rows_committed: 6 });
    await SQL['postgres']!('alter table seven drop constraint seven_id_check');
    const again = { ...ctx(), lastHeartbeat: first.beats.at(-1)! };
    expect(await ok({ ...config, mode: 'upsert' }, again)).toMatchObject({ resumed_after: 6 });
    expect(await SQL['postgres']!('select count(*) as n from seven')).toEqual([{ n: 10 }]);
  });

  test.each<[JsonObject, string, string]>([
    [{ query: 'select 1' }, 'INVALID_TARGET', 'uses no value of the row'],
    [{ query: 'delete from q where id = :id; select :id' }, 'INVALID_TARGET', 'must be one statement, not 2'],
    [{ query: ' -- none' }, 'INVALID_TARGET', 'must be one statement, not 0'],
    [{ query: ['a'] }, 'INVALID_TARGET', '`query` of the target must be a string'],
    [{ query: 'select :id', table: 'q' }, 'INVALID_TARGET', 'has both a `table` and a `query`'],
    [{ query: 'select :id', mode: 'replace' }, 'INVALID_TARGET', 'only mode append or upsert'],
    [{ query: 'select :id', key: 'id' }, 'INVALID_TARGET', 'takes no key'],
    [
      { query: 'select :ip' },
      'INVALID_MAPPING',
      'refers to :ip, which the first row does not have (id, name',
    ],
    [{ query: 'select $7' }, 'INVALID_MAPPING', 'refers to column 7 of 5 (id, name'],
    [{ query: 'select %s' }, 'INVALID_MAPPING', 'has 1 placeholders for 5 columns'],
  ])('that cannot be: %j', async (fields, code, message) => {
    const source = await sourceOf('http');
    const { error } = await send({ source, target: { ...END['postgres'], ...fields } });
    expect(error).toMatchObject({ kind: 'validation', code });
    expect(error!.message).toContain(message);
  });
});
