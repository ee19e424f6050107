import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { run } from '../../../test/support/tool-call';
import { type JsonObject, type Outcome } from '../../../src/language/plan';
import { duckdb as tool } from './run';

let folder: string;
let database: string;
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-duckdb-'));
  database = path.join(folder, 'store.duckdb');
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

const send = (config: JsonObject): Promise<Outcome> => run(tool, { database, ...config });
const write = async (config: JsonObject): Promise<JsonObject> => {
  const outcome = await send(config);
  expect(outcome.error).toBeNull();
  return outcome.result as JsonObject;
};
const rows = async (query: string): Promise<JsonObject[]> => (await write({ query }))['rows'] as JsonObject[];

test('inserts a mapping and a list of mappings, each column in its own type', async () => {
  await write({
    command: `create schema app; create table app.typed (id int primary key, big bigint, amount decimal(20,4), ratio double, ts timestamp, day date, yes boolean,
      doc json, list int[], texts varchar[], part struct(a int, b varchar), tags map(varchar, int), note varchar, bytes blob, id2 uuid, mood enum('x', 'y'), fixed int[2], n int default 7)`,
  });
  const data = {
    id: '1',
    big: '9007199254740993',
    amount: '1234567890123456.7891',
    ratio: '0.5',
    ts: '2026-11-21T08:52:02.369',
    day: '2026-11-21',
    yes: 'true',
    doc: { a: [1, null, "it's"] },
    list: [1, null, 2],
    texts: ['a,b', '"q"'],
    part: { b: 'x', a: 1 },
    tags: { k: 1 },
    note: { any: ['data'] },
    bytes: 'AP8K',
    id2: '00000000-0000-0000-0000-000000000001',
    mood: 'y',
    fixed: [1, 2],
  };
  expect(await write({ table: 'App.Typed', data })).toMatchObject({ rows: [], row_count: 1, mode: 'insert' });
  expect(await rows('select * from app.typed')).toEqual([
    { ...data, id: 1, ratio: 0.5, yes: true, note: '{"any":["data"]}', n: 7 },
  ]);
  await write({
    table: 'app.typed',
    data: [
      { id: 2, doc: null },
      { id: 3, doc: '{"x": 1}' },
      { ID: 4, doc: 'x' },
    ],
  });
  expect(await rows('select id, doc, doc is null as none from app.typed where id > 1 order by id')).toEqual([
    { id: 2, doc: null, none: true },
    { id: 3, doc: { x: 1 }, none: false },
    { id: 4, doc: 'x', none: false },
  ]);
});

test('upserts by the primary key or by named columns; the last row of a key wins', async () => {
  await write({
    command: 'create table u (id int primary key, region text, code text, n int, unique (region, code))',
  });
  const data = [
    { id: 1, n: 2 },
    { id: 2, n: 5 },
    { id: 1, n: 3 },
  ];
  expect(await write({ table: 'u', mode: 'upsert', data })).toMatchObject({ row_count: 3 });
  await write({ table: 'u', mode: 'upsert', key: 'id', data: { id: 2, n: 6 } });
  expect(await rows('select id, n from u order by id')).toEqual([
    { id: 1, n: 3 },
    { id: 2, n: 6 },
  ]);
  expect(await write({ table: 'u', mode: 'upsert', key: ['id'], data: { id: 1 } })).toMatchObject({
    row_count: 0,
  });
});

test('replaces all rows, or none when one of them is refused', async () => {
  await write({ command: 'create table r (id int primary key, n int not null)' });
  await write({ table: 'r', data: [{ id: 1, n: 1 }] });
  const refused = await send({
    table: 'r',
    mode: 'replace',
    data: [
      { id: 3, n: 3 },
      { id: 4, n: null },
    ],
  });
  expect(refused.error).toMatchObject({ kind: 'sql', code: 'DUCKDB_CONSTRAINT' });
  expect(await rows('select * from r')).toEqual([{ id: 1, n: 1 }]);
  expect(await write({ table: 'r', mode: 'replace', data: [{ id: 1, n: 9 }] })).toMatchObject({
    row_count: 1,
    deleted: 1,
  });
  expect(await rows('select * from r')).toEqual([{ id: 1, n: 9 }]);
});

test('20,000 rows in one transaction', async () => {
  await write({ command: 'create table many (id int primary key, doc json)' });
  const data = Array.from({ length: 20_000 }, (_, id) => ({ id, doc: { id } }));
  expect((await write({ table: 'many', data }))['row_count']).toBe(20_000);
  const broken = [...data.map((row) => ({ ...row, id: row.id + 20_000 })), { id: 1, doc: null }];
  expect((await send({ table: 'many', data: broken })).error).toMatchObject({ code: 'DUCKDB_CONSTRAINT' });
  expect(await rows('select count(*) as n from many')).toEqual([{ n: 20_000 }]);
});

test('a table that nothing is like has to be created before, in a file', async () => {
  const into = (more: JsonObject): Promise<Outcome> =>
    run(tool, { table: 'app.quite_another', data: { a: 1 }, ...more });
  const created = 'duckdb: there is no table app.quite_another; create it before the task that writes to it';
  expect((await into({ database })).error).toMatchObject({ code: 'DUCKDB_CATALOG', message: created });
  const { error } = await into({});
  expect(error).toMatchObject({
    code: 'DUCKDB_CATALOG',
    message: expect.stringMatching(
      /no table app\.quite_another; a database in memory is empty for every task/,
    ) as string,
  });
});

test.each<[string, JsonObject, string, RegExp]>([
  [
    'an unknown table',
    { table: 'itms', data: { a: 1 } },
    'DUCKDB_CATALOG',
    /^duckdb: there is no table itms; did you mean items\?$/,
  ],
  ['an unknown column', { table: 'items', data: { nam: 1 } }, 'NO_SUCH_COLUMN', /did you mean `name`\?/],
  [
    'no key',
    { table: 'items', mode: 'upsert', data: { name: 'a' } },
    'NO_KEY',
    /name the columns with `key`/,
  ],
  [
    'a key without an index',
    { table: 'items', mode: 'upsert', key: 'name', data: { name: 'a' } },
    'NO_UNIQUE_KEY',
    /an upsert by \(name\) needs a primary key/,
  ],
  ['a wrong value', { table: 'items', data: { id: 'x' } }, 'DUCKDB_CONVERSION', /'x'/],
])('refuses %s', async (_, config, code, message) => {
  await write({ command: 'create table if not exists items (id int, name text)' });
  expect((await send(config)).error).toMatchObject({
    code,
    message: expect.stringMatching(message) as string,
    retryable: false,
  });
});
