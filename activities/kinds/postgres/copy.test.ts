import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { gunzipSync, gzipSync } from 'node:zlib';
import { postgresTool, type PostgresTool } from '../../../test/support/postgres-tool';
import { openStorage, type Storage } from '../../../src/storage/blobs';
import { type JsonObject, type Outcome } from '../../../src/language/plan';
import { onSmallDisk } from '../../../test/support/small-disk';
import { type TestContext } from '../../../test/support/tool-call';
import { storeBody, type StoredBody } from '../../framework/results/body';

let pg: PostgresTool;
let folder: string;
beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-copy-'));
  pg = await postgresTool();
  await pg.ok({ command: 'create table items (id int primary key, name text, doc jsonb)' });
});
afterAll(async () => {
  await pg.stop();
  fs.rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => pg.ok({ command: 'truncate items' }));

const file = (name: string, content?: string | Buffer): string => {
  const full = path.join(folder, name);
  if (content !== undefined) fs.writeFileSync(full, content);
  return full;
};
beforeAll(() => file('plain', ''));
const count = async (): Promise<unknown> => (await pg.admin('select count(*)::int as n from items'))[0]!['n'];

test('copies a file in and out, with its header, its own columns, packed or not', async () => {
  const csv = 'id,name\n1,"a,""b"\n2,\n3,é\n';
  expect(
    await pg.ok({ copy: { from: file('in.csv', csv), table: 'items', columns: ['id', 'name'] } }),
  ).toMatchObject({
    row_count: 3,
    bytes: Buffer.byteLength(csv),
  });
  const out = file('out.csv.gz');
  const query = 'select id, name from items order by id;';
  expect(await pg.ok({ copy: { to: out, query } })).toMatchObject({ row_count: 3, file: out });
  expect(gunzipSync(fs.readFileSync(out)).toString()).toBe(csv);
  const semicolons = { format: 'csv', header: false, delimiter: ';', null: 'NULL' };
  await pg.ok({
    copy: {
      from: file('x.csv.gz', gzipSync('9;NULL\n')),
      table: 'public.items',
      columns: ['id', 'name'],
      ...semicolons,
    },
  });
  expect(await pg.admin('select id, name from items where id = 9')).toEqual([{ id: 9, name: null }]);
});

test('a million rows pass in bounded memory, in either direction', async () => {
  const big = file('big.bin');
  const before = process.memoryUsage().rss;
  const written = await pg.ok({
    copy: {
      to: big,
      query: "select n as id, repeat('x', 60) as name from generate_series(1, 1000000) n",
      format: 'binary',
    },
  });
  expect(written).toMatchObject({ row_count: 1_000_000, bytes: fs.statSync(big).size });
  await pg.ok({ copy: { from: big, table: 'items', columns: ['id', 'name'], format: 'binary' } });
  expect(await count()).toBe(1_000_000);
  expect((process.memoryUsage().rss - before) / 2 ** 20).toBeLessThan(150);
});

test('a refused row is named, leaves nothing behind, and the connection is fine', async () => {
  const outcome = await pg.send({
    copy: { from: file('bad.csv', 'id,name,doc\n1,a,{}\nx,b,{}\n'), table: 'items' },
  });
  expect(outcome.error).toMatchObject({ kind: 'sql', code: 'SQLSTATE_22P02', retryable: false });
  expect(outcome.error!.message).toContain('COPY items, line 3, column id: "x"');
  const long = `id,name,doc\n1,a,{}\nx,b,{}\n${'2,c,{}\n'.repeat(500_000)}`;
  expect((await pg.send({ copy: { from: file('long.csv', long), table: 'items' } })).error!.code).toBe(
    'SQLSTATE_22P02',
  );
  expect(await count()).toBe(0);
});

test('a file appears when it is whole', async () => {
  const out = file('half.csv');
  const outcome = await pg.send({
    copy: { to: out, query: 'select 1 / (5 - n) from generate_series(1, 10) n' },
  });
  expect(outcome.error).toMatchObject({ code: 'SQLSTATE_22012' });
  expect(fs.readdirSync(folder).filter((name) => name.startsWith('half'))).toEqual([]);
});

test('a cancellation ends the copy on the server', async () => {
  const context = pg.context();
  const running = pg.send(
    { copy: { to: file('slow.csv'), query: 'select pg_sleep(0.01) from generate_series(1, 100000)' } },
    {},
    context,
  );
  const copying =
    "select 1 from pg_stat_activity where state = 'active' and query like 'copy (select pg_sleep%'";
  for (let tries = 0; tries < 100 && (await pg.admin(copying)).length === 0; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  context.controller.abort();
  expect((await running).error).toMatchObject({ kind: 'cancelled' });
  expect(await pg.admin(copying)).toEqual([]);
  expect(fs.readdirSync(folder).filter((name) => name.startsWith('slow'))).toEqual([]);
});

test.each<[string, () => JsonObject, string, RegExp]>([
  [
    'a missing file',
    () => ({ from: file('none.csv'), table: 'items' }),
    'FILE_NOT_FOUND',
    /none\.csv cannot be read \(ENOENT\)/,
  ],
  [
    'a broken archive',
    () => ({ from: file('b.csv.gz', 'no gzip'), table: 'items' }),
    'FILE_UNREADABLE',
    /incorrect header|Z_DATA/,
  ],
  [
    'a folder that is none',
    () => ({ to: file('plain/x.csv'), table: 'items' }),
    'FILE_UNWRITABLE',
    /EEXIST|ENOTDIR/,
  ],
  ['no direction', () => ({ table: 'items' }), 'INVALID_COPY', /one of `from` and `to`/],
  [
    'a query to copy into',
    () => ({ from: file('a.csv', ''), query: 'select 1' }),
    'INVALID_COPY',
    /not a `query`/,
  ],
  [
    'an unknown format',
    () => ({ to: file('a.csv'), table: 'items', format: 'xml' }),
    'INVALID_COPY',
    /csv, text, binary/,
  ],
  ['an unknown field', () => ({ to: file('a.csv'), tabel: 'items' }), 'INVALID_COPY', /no field `tabel`/],
  [
    'an unknown table',
    () => ({ to: file('a.csv'), table: 'none' }),
    'SQLSTATE_42P01',
    /"none" does not exist/,
  ],
])('refuses %s', async (_, copy, code, message) => {
  expect((await pg.send({ copy: copy() })).error).toMatchObject({
    code,
    message: expect.stringMatching(message) as string,
  });
  expect((await pg.send({ query: 'select 1' })).error).toBeNull();
});

describe('the store of large results', () => {
  let storage: Storage;
  beforeAll(async () => {
    storage = await openStorage(`file://${folder}/blobs`);
  });
  afterAll(() => storage.close());

  const copied = (copy: JsonObject): Promise<Outcome> =>
    pg.send({ copy }, {}, { ...pg.context(), results: storage.results('default')! } as TestContext);

  test('takes a query, and gives its rows back by the reference', async () => {
    const query = "select n as id, 'row ' || n as name from generate_series(1, 200000) n";
    const out = await copied({ to: { store: 'results' }, query });
    expect(out.error).toBeNull();
    const { ref, row_count, bytes } = out.result as { ref: JsonObject; row_count: number; bytes: number };
    expect({ row_count, size: ref['size'], type: ref['content_type'] }).toEqual({
      row_count: 200_000,
      size: bytes,
      type: 'text/csv; charset=utf-8',
    });
    const back = await copied({ from: JSON.stringify(ref), table: 'items', columns: ['id', 'name'] });
    expect(back).toMatchObject({ error: null, result: { rows: [], row_count: 200_000, bytes } });
    expect(await count()).toBe(200_000);
  });

  test('gives what is packed unpacked, and what is gone, or no reference, as an error', async () => {
    const results = storage.results('default')!;
    const store = (body: Buffer, type: string): Promise<StoredBody> =>
      storeBody(results, 'noetl-1', Readable.from([body]), type, new AbortController().signal);
    const table = { table: 'items', columns: ['id', 'name'] };
    const packed = { ...(await store(gzipSync('id,name\n7,x\n'), 'application/gzip')) };
    expect((await copied({ from: packed, ...table })).error).toBeNull();
    const broken = { ...(await store(Buffer.from('no archive'), 'application/gzip')) };
    expect((await copied({ from: broken, ...table })).error).toMatchObject({
      kind: 'validation',
      code: 'FILE_UNREADABLE',
    });
    const gone = { ...packed, key: packed.key.replace(/[0-9a-f]{64}$/, '0'.repeat(64)) };
    expect((await copied({ from: gone, ...table })).error).toMatchObject({
      kind: 'not_found',
      code: 'BLOB_MISSING',
    });
    expect((await copied({ from: [], ...table })).error).toMatchObject({ code: 'INVALID_COPY' });
    expect(await count()).toBe(1);
  });

  test('keeps nothing of rows that the server refuses in the middle', async () => {
    const before = fs.readdirSync(folder, { recursive: true }).length;
    const query =
      "select n as id, 100 / (300000 - n) as x, repeat('x', 60) from generate_series(1, 300000) n";
    const { error } = await copied({ to: { store: 'results' }, query });
    expect(error).toMatchObject({ kind: 'sql', code: 'SQLSTATE_22012' });
    expect(fs.readdirSync(folder, { recursive: true })).toHaveLength(before);
  });
});

test('a full disk leaves no file', async () => {
  await onSmallDisk(2, async (disk) => {
    const query = "select n as id, repeat('x', 60) as name from generate_series(1, 200000) n";
    const { error } = await pg.send({ copy: { to: path.join(disk, 'out.csv'), query } });
    expect(error).toMatchObject({ kind: 'exception', code: 'FILE_UNWRITABLE', retryable: true });
    expect(fs.readdirSync(disk)).toEqual([]);
  });
});
