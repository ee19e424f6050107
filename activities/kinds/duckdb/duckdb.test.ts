import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { context, run } from '../../../test/support/tool-call';
import { type Json, type JsonObject } from '../../../src/language/plan';
import { ToolError } from '../../framework/tool/outcome';
import { type ToolContext } from '../../framework/tool/tool';
import { duckdb as tool } from './run';

let folder: string;
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-duckdb-'));
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

interface Result extends JsonObject {
  rows: JsonObject[];
  row_count: number;
  columns: string[];
}
const ok = async (config: JsonObject): Promise<Result> => {
  const outcome = await run(tool, config);
  expect(outcome.error).toBeNull();
  return outcome.result as Result;
};

test('several statements: the last one is the result, each is command_n', async () => {
  const result = await ok({
    command:
      "create table t (n int, s text); insert into t values (1, 'a;b'), (2, 'b'); select * from t order by n",
  });
  expect(result).toMatchObject({
    row_count: 2,
    columns: ['n', 's'],
    command_1: { status: 'success', row_count: 2, rows: [] },
  });
  expect(result.rows).toEqual([
    { n: 1, s: 'a;b' },
    { n: 2, s: 'b' },
  ]);
  const listed = await ok({ commands: ['create table t (n int)', 'select count(*) as n from t'] });
  expect(listed).toMatchObject({ rows: [{ n: 0 }], command_0: { row_count: 0 } });
});

test('values come as JSON data', async () => {
  const { rows } = await ok({
    query: `select 1::bigint as small, 9007199254740993::bigint as big, 170141183460469231731687303715884105727::hugeint as huge, 1.50::decimal(10,2) as dec,
      0.1::double as float, 'nan'::double as nan, date '2024-01-02' as day, timestamp '2024-01-02 03:04:05.678' as ts, timestamptz '2024-01-02 03:04:05+00' as tz,
      time '03:04:05' as clock, [1, null, 3] as list, {'a': 1, 'b': [2]} as struct, map {'k': 1} as map, '{"a": [1]}'::json as doc, 'hi'::blob as bytes,
      uuid '00000000-0000-0000-0000-000000000001' as id, true as yes, null as nothing, interval 1 day as span, 'x'::enum('x', 'y') as e`,
  });
  expect(rows[0]).toMatchObject({
    small: 1,
    big: '9007199254740993',
    huge: '170141183460469231731687303715884105727',
    dec: 1.5,
    float: 0.1,
    nan: null,
    day: '2024-01-02',
    ts: '2024-01-02T03:04:05.678',
    clock: '03:04:05',
    list: [1, null, 3],
    struct: { a: 1, b: [2] },
    map: { k: 1 },
    doc: { a: [1] },
    bytes: 'aGk=',
    id: '00000000-0000-0000-0000-000000000001',
    yes: true,
    nothing: null,
    span: '1 day',
    e: 'x',
  });
  expect(rows[0]!['tz']).toMatch(/^2024-01-0\dT\d\d:04:05[+-]\d\d:\d\d$/);
});

test('params are bound: lists, mappings, nested data', async () => {
  expect((await ok({ query: 'select ? as a, ? as b', params: [1, "x'; drop"] })).rows).toEqual([
    { a: 1, b: "x'; drop" },
  ]);
  const params = { n: 1.5, none: null, list: [1, 2], doc: { a: 1 }, big: 2 ** 40 };
  const { rows } = await ok({
    query: 'select $n as n, $none as none, $list as list, $doc::json as doc, $big as big',
    params,
  });
  expect(rows).toEqual([{ n: 1.5, none: null, list: [1, 2], doc: { a: 1 }, big: 2 ** 40 }]);
  expect((await run(tool, { query: 'select $x', params: {} })).error!.message).toBe(
    'duckdb: the command uses $x, which is not in params',
  );
});

test.each<[string, Json, string]>([
  [
    'select * from range(3) t(n) where n in ($ids)',
    { ids: [1, 2] },
    '`IN ($ids)` compares with the whole list as one value; write `= ANY($ids)`',
  ],
  [
    'select * from range(3) t(n) where n NOT  IN( $ids )',
    { ids: [1] },
    '`NOT IN ($ids)` compares with the whole list as one value; write `<> ALL($ids)`',
  ],
  ["select '$id', 1; select * from range(0) t(n) where n in (?)", [[1]], '`IN (?)` compares'],
  ['select * from range(0) t(n) where n in ($1)', [[1]], '`IN ($1)` compares'],
])('a list is no list of SQL: %s', async (command, params, message) => {
  const { error } = await run(tool, { command, params });
  expect(error).toMatchObject({
    code: 'INVALID_PARAMS',
    message: expect.stringContaining(message) as string,
  });
});

test('what looks like it, and is right, runs', async () => {
  const command =
    'select count(*) as n from range(5) t(n) where n = any($ids) and n in ($one, $two) and n <> all($others) -- in ($ids)';
  const { error, result } = await run(tool, {
    command,
    params: { ids: [1, 2, 3], one: 1, two: 2, others: [2] },
  });
  expect([error, (result as JsonObject)['rows']]).toEqual([null, [{ n: 1 }]]);
});

test('memory is fresh for each task; a file is shared by tasks at once and free for others afterwards', async () => {
  await ok({ command: 'create table t (n int)' });
  await ok({ command: 'create table t (n int)' });
  const database = path.join(folder, 'shared.duckdb');
  await ok({ database, command: 'create table t (n int)' });
  await Promise.all(
    Array.from({ length: 8 }, (_, n) => ok({ database, command: `insert into t values (${n})` })),
  );
  expect((await ok({ database, query: 'select count(*) as n from t' })).rows).toEqual([{ n: 8 }]);
  const script = `const {DuckDBInstance} = require('@duckdb/node-api'); DuckDBInstance.create(${JSON.stringify(database)}).then(() => process.exit(0), () => process.exit(9))`;
  expect(spawnSync(process.execPath, ['-e', script], { cwd: path.join(__dirname, '../../..') }).status).toBe(
    0,
  );
});

test('a file that is being closed is opened again by the task that comes then', async () => {
  const database = path.join(folder, 'again.duckdb');
  await ok({ database, command: 'CREATE TABLE t (n int)' });
  const insert = (): Promise<unknown> => ok({ database, command: 'INSERT INTO t VALUES (1)' });
  const began = performance.now();
  await insert();
  const whole = performance.now() - began;
  // The second one begins at any moment of the first, its closing among them.
  for (let part = 0; part < 30; part++) {
    const first = insert();
    await new Promise((go) => setTimeout(go, (whole * 1.5 * part) / 30));
    await Promise.all([first, insert()]);
  }
  expect((await ok({ database, query: 'SELECT count(*) AS n FROM t' })).rows).toEqual([{ n: 61 }]);
});

test('a task that waits for its turn at a file waits before it begins; one on its worker may not begin', async () => {
  const database = path.join(folder, 'turns.duckdb');
  await ok({ database, command: 'create table t (n int)' });
  let waits = 0;
  const patient: ToolContext = { ...context(), waitFor: (turn) => ((waits += 1), turn) };
  const handedBack: ToolContext = {
    ...context(),
    waitFor: async (turn, giveBack) => {
      giveBack!(await turn);
      throw new ToolError({ kind: 'worker_lost', code: 'NOT_BEGUN', message: 'handed back' });
    },
  };
  const alone = { database, memory_mb: 64 };
  const insert = { ...alone, command: 'insert into t values (1)' };
  expect(await run(tool, insert, {}, handedBack)).toMatchObject({ error: { code: 'NOT_BEGUN' } });
  expect(await run(tool, insert, {}, patient)).toMatchObject({ status: 'ok' });
  expect(waits).toBe(1);
  expect((await ok({ ...alone, query: 'select count(*) as n from t' })).rows).toEqual([{ n: 1 }]);
});

test('errors are of kind sql and name the command', async () => {
  expect((await run(tool, { command: 'select 1; select * from no_such' })).error).toMatchObject({
    kind: 'sql',
    code: 'DUCKDB_CATALOG',
    message: expect.stringContaining('command_1: Catalog Error') as string,
  });
  expect((await run(tool, { command: 'selec 1' })).error).toMatchObject({
    kind: 'sql',
    code: 'DUCKDB_PARSER',
  });
  expect((await run(tool, { command: ' ' })).error).toMatchObject({
    kind: 'validation',
    message: 'no sql command provided',
  });
  expect(
    (await run(tool, { command: 'select 1', database: path.join(folder, 'no', 'such', 'x.db') })).error,
  ).toMatchObject({ kind: 'sql', code: 'DUCKDB_IO' });
});

test('timeout and cancellation interrupt the query', async () => {
  const endless =
    'select count(*) from range(10000000000) a, range(1000000) b where a.range % 7 = b.range % 5';
  const started = Date.now();
  expect((await run(tool, { query: endless }, { timeout: { total: 0.4 } })).error).toMatchObject({
    kind: 'timeout',
  });
  const ctx = context();
  setTimeout(() => ctx.controller.abort(), 200);
  expect((await run(tool, { query: endless }, {}, ctx)).error).toMatchObject({ kind: 'cancelled' });
  expect(Date.now() - started).toBeLessThan(20_000);
});

test('rows far above any result are refused', async () => {
  const outcome = await run(tool, { query: "select repeat('x', 100000) as x from range(2000)" });
  expect(outcome.error).toMatchObject({ kind: 'validation', code: 'RESULT_TOO_LARGE' });
});
