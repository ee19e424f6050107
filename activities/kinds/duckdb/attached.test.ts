/** What DuckDB opens with credentials: a real Postgres, buckets (moto), by the extensions themselves. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { type Json, type JsonObject, type Outcome } from '../../../src/language/plan';
import { duckdbExtensions } from '../../../test/support/duckdb-extensions';
import { HeldQuery } from '../../../test/support/held-query';
import { speakTls } from '../../../test/support/postgres-tls';
import { postgresTool, type PostgresTool } from '../../../test/support/postgres-tool';
import { type Emulator, needEmulator } from '../../../test/support/python-servers';
import { context, run, type TestContext } from '../../../test/support/tool-call';
import { duckdb } from './run';
import { transfer } from '../transfer/run';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-attached-'));
const file = path.join(folder, 'shared.duckdb');
const PASSWORD = "it's a secret-4711";
let pg: PostgresTool;
let s3: Emulator;

beforeAll(async () => {
  [pg, s3] = await Promise.all([postgresTool(), needEmulator('s3')]);
  process.env['NOETL_DUCKDB_EXTENSIONS'] = await duckdbExtensions();
  await pg.admin(`create role reader superuser login password '${PASSWORD.replaceAll("'", "''")}';
    create table city (id int primary key, name text); insert into city select n, 'city ' || n from generate_series(1, 5000) n`);
  const amazon = new S3Client({
    endpoint: s3.url,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId: 'a', secretAccessKey: 'bucket-secret-1' },
  });
  await amazon.send(new CreateBucketCommand({ Bucket: 'lake' }));
  amazon.destroy();
}, 400_000);
afterAll(async () => {
  delete process.env['NOETL_DUCKDB_EXTENSIONS'];
  await Promise.all([pg?.stop(), s3?.stop()]);
  fs.rmSync(folder, { recursive: true, force: true });
});

function credentials(): TestContext {
  const { db_host, db_port, db_name } = pg.data as Record<string, string | number>;
  const dsn = `postgres://reader:${encodeURIComponent(PASSWORD)}@${db_host}:${db_port}/${db_name}`;
  return context({
    pg_local: { type: 'postgres', data: { ...pg.data, db_user: 'reader', db_password: PASSWORD } },
    by_dsn: { type: 'postgres', data: { dsn } },
    wrong: { type: 'postgres', data: { ...pg.data, db_user: 'reader', db_password: 'wrong-password-1' } },
    lake: {
      type: 's3_hmac',
      data: { key_id: 'a', secret: 'bucket-secret-1', endpoint: s3.url, region: 'us-east-1' },
    },
    nats: { type: 'nats', data: { nats_url: 'x' } },
  });
}

const ask = (config: JsonObject, ctx = credentials()): Promise<Outcome> => run(duckdb, config, {}, ctx);
const attach = (secret: string): string => `attach '' as w (type postgres, secret ${secret})`;
const COUNT = 'select count(*) as n from w.public.city';

test.each<[string, Json, string]>([
  ['a name', 'pg_local', 'pg_local'],
  ['a mapping', { type: 'postgres', credential: 'pg_local' }, 'pg_local'],
  ['an alias', { db: 'pg_local' }, 'db'],
  ['an alias with a mapping', { db: { type: 'postgres', credential: 'pg_local' } }, 'db'],
  ['as early playbooks say it', { db: { source: 'credential', key: 'pg_local' } }, 'db'],
  ['an alias in need of quotes', { 'my db': 'pg_local' }, '"my db"'],
  ['a dsn', { db: 'by_dsn' }, 'db'],
  ['several', { db: 'pg_local', other: 'by_dsn' }, 'other'],
])('Postgres is attached with %s', async (_, auth, secret) => {
  expect(await ask({ auth, commands: [attach(secret), COUNT] })).toMatchObject({
    status: 'ok',
    result: { rows: [{ n: 5000 }] },
  });
});

test.each(['a file', 'Postgres'])('tasks share the tables of a lake whose catalog is %s', async (kind) => {
  const { db_host, db_port, db_name, db_user, db_password } = pg.data as Record<string, string>;
  const dsn = `postgres:host=${db_host} port=${db_port} dbname=${db_name} user=${db_user} password=${db_password}`;
  const files = fs.mkdtempSync(path.join(folder, 'lake-'));
  const lake = {
    catalog_connection: kind === 'a file' ? `ducklake:${files}/catalog.ducklake` : dsn,
    catalog_name: 'my lake',
    data_path: `${files}/data/`,
  };
  const wrote = await ask({ ...lake, command: 'create table seen as select 7 as n from range(3)' });
  expect(wrote).toMatchObject({ status: 'ok' });
  expect(await ask({ ...lake, command: 'select sum(n)::int as n from seen' })).toMatchObject({
    result: { rows: [{ n: 21 }] },
  });
});

test('`credentials` is the same; without `auto_secrets` there are none', async () => {
  const fields = { credentials: { db: { key: 'pg_local' } }, commands: [attach('db'), COUNT] };
  expect((await ask(fields)).result).toMatchObject({ rows: [{ n: 5000 }] });
  const { error } = await ask({ ...fields, auto_secrets: false });
  expect(error!.message).toMatch(/secret.*"?db"?/i);
});

test('rows go both ways, and a table of Postgres is written without SQL', async () => {
  await pg.admin('create table kept (id int primary key, name text)');
  const auth = { db: 'pg_local' };
  const wrote = await ask({
    auth,
    commands: [attach('db'), `insert into w.public.kept select * from w.public.city where id <= 10`],
  });
  expect(wrote).toMatchObject({ status: 'ok', result: { row_count: 10 } });
  const moved = await run(
    transfer,
    {
      source: { kind: 'duckdb', auth, query: `select * from postgres_query('w', 'select 1 as a')` },
      target: { kind: 'duckdb', table: 't' },
    },
    {},
    credentials(),
  );
  // Nothing is attached where nobody attached it; the secret is there all the same.
  expect(moved.error).toMatchObject({ side: 'source', code: 'DUCKDB_BINDER' });
});

describe('TLS', () => {
  const CA = path.resolve(__dirname, '../../../test/fixtures/tls/ca.pem');
  const SSL = `select ssl from postgres_query('w', 'select ssl from pg_stat_ssl where pid = pg_backend_pid()')`;
  beforeAll(() => speakTls(pg));

  const outcomeWith = (words: JsonObject): Promise<Outcome> => {
    const data = { ...pg.data, ...words };
    return run(
      duckdb,
      { auth: 'tls', commands: [attach('tls'), SSL] },
      {},
      context({ tls: { type: 'postgres', data } }),
    );
  };

  test.each<[JsonObject, boolean]>([
    [{ sslmode: 'disable' }, false],
    [{ sslmode: 'require' }, true],
    [{ ssl: true }, true],
    [{ sslmode: 'no-verify' }, true],
    [{ sslmode: 'verify-full', sslrootcert: CA }, true],
  ])("the credential's %j is obeyed", async (words, ssl) => {
    expect(await outcomeWith(words)).toMatchObject({ status: 'ok', result: { rows: [{ ssl }] } });
  });

  test.each<[string, JsonObject, RegExp]>([
    ['verify-full without an authority', { sslmode: 'verify-full' }, /certificate verify failed/],
    ['verify-ca without one', { sslmode: 'verify-ca' }, /certificate verify failed/],
    [
      'an authority that is not there',
      { sslmode: 'require', sslrootcert: '/none.pem' },
      /sslrootcert is neither PEM text nor a readable file/,
    ],
    [
      'an authority as text',
      { sslmode: 'require', sslrootcert: fs.readFileSync(CA, 'utf8') },
      /credential 'tls': duckdb reads certificates from files only; sslrootcert is PEM text/,
    ],
  ])('%s is refused', async (_, words, says) => {
    const { error } = await outcomeWith(words);
    expect(error!.message).toMatch(says);
  });
});

test('parquet in a bucket is written and read', async () => {
  const place = "'s3://lake/out/cities.parquet'";
  expect(
    await ask({
      auth: { lake: 'lake', db: 'pg_local' },
      commands: [
        attach('db'),
        `copy (select * from w.public.city) to ${place} (format parquet)`,
        `select count(*) as n, max(name) as last from ${place}`,
      ],
    }),
  ).toMatchObject({ status: 'ok', result: { rows: [{ n: 5000, last: 'city 999' }] } });
});

test('a wrong password and a kind of credential that cannot be are told, without the password', async () => {
  const wrong = await ask({ auth: { db: 'wrong' }, commands: [attach('db')] });
  expect(wrong.error).toMatchObject({ kind: 'sql', code: 'DUCKDB_IO' });
  expect(wrong.error!.message).toMatch(/password authentication failed/);
  expect(JSON.stringify(wrong)).not.toContain('wrong-password-1');
  expect((await ask({ auth: 'nats', query: 'select 1' })).error).toMatchObject({
    kind: 'auth',
    code: 'CREDENTIAL_UNSUITABLE',
  });
  expect((await ask({ auth: { db: 'lost' }, query: 'select 1' })).error).toMatchObject({
    code: 'CREDENTIAL_NOT_FOUND',
  });
});

test('a secret is told by no query, kept in no file, and gone with its task', async () => {
  const shown = await ask({
    database: file,
    auth: { db: 'pg_local' },
    commands: ['create or replace table seen as from duckdb_secrets()', 'from duckdb_secrets()'],
  });
  expect(shown).toMatchObject({ status: 'ok', result: { rows: [{ name: 'db', type: 'postgres' }] } });
  expect(JSON.stringify(shown)).not.toContain('secret-4711');
  expect(fs.readFileSync(file).includes('secret-4711')).toBe(false);
  expect((await ask({ database: file, query: 'from duckdb_secrets()' })).result).toMatchObject({ rows: [] });
  const kept = await ask({ query: "create persistent secret p (type http, bearer_token 'x')" });
  expect(kept.error!.message).toMatch(/persistent storage/);
});

test('tasks that use one file at the same time do not see the secrets of each other', async () => {
  const WAIT = 'select count(*) from range(3000000) a where hash(a.range) % 7 = 1';
  const secrets = 'select count(*) as n from duckdb_secrets()';
  const outcomes = await Promise.all(
    [undefined, { db: 'pg_local' }, undefined, { db: 'by_dsn' }, { db: 'pg_local' }, undefined].map((auth) =>
      ask({ database: file, ...(auth && { auth }), commands: [WAIT, secrets] }),
    ),
  );
  expect(
    outcomes.map(({ result, error }) => error?.message ?? (result as { rows: [{ n: number }] }).rows[0].n),
  ).toEqual([0, 1, 0, 1, 1, 0]);
});

test('who waits for a file that another has alone ends at his time limit', async () => {
  const ctx = credentials();
  const held = new HeldQuery(folder);
  const long = ask({ database: file, auth: { db: 'pg_local' }, query: held.sql }, ctx);
  await held.isTaken();
  const waiting = await ask({ database: file, timeout: 0.5, query: 'select 1' });
  expect(waiting.error).toMatchObject({ kind: 'timeout' });
  ctx.controller.abort();
  expect((await long).error).toMatchObject({ kind: 'cancelled' });
  held.letGo();
  expect((await ask({ database: file, query: 'select 1 as n' })).status).toBe('ok');
});

test('memory is limited by the task and by the worker', async () => {
  const limit = "select current_setting('memory_limit') as m";
  const large = 'create table t as select range as a, hash(range) as b from range(20000000)';
  expect((await ask({ memory_mb: 64, query: limit })).result).toMatchObject({ rows: [{ m: '61.0 MiB' }] });
  expect((await ask({ memory_mb: 64, commands: ["set temp_directory = ''", large] })).error).toMatchObject({
    kind: 'sql',
    code: 'DUCKDB_OUT_OF_MEMORY',
  });
  expect((await ask({ memory_mb: 1, query: limit })).error).toMatchObject({ kind: 'validation' });
  process.env['NOETL_DUCKDB_MEMORY_MB'] = '128';
  expect((await ask({ query: limit })).result).toMatchObject({ rows: [{ m: '122.0 MiB' }] });
  delete process.env['NOETL_DUCKDB_MEMORY_MB'];
});

test('rows as lists', async () => {
  expect((await ask({ as_objects: false, query: "select 1 as a, 'x' as b" })).result).toMatchObject({
    rows: [[1, 'x']],
    columns: ['a', 'b'],
  });
});

test('an extension that is not to be had says how to have it', async () => {
  const before = process.env['NOETL_DUCKDB_EXTENSIONS'];
  process.env['NOETL_DUCKDB_EXTENSIONS'] = path.join(folder, 'none');
  const settings = "set custom_extension_repository = 'http://127.0.0.1:1'";
  const { error } = await ask({ auth: 'pg_local', commands: [settings, 'select 1'] });
  process.env['NOETL_DUCKDB_EXTENSIONS'] = before;
  // Where DuckDB's server can be reached, it is had.
  if (error) {
    expect(error).toMatchObject({ kind: 'connection', code: 'EXTENSION_MISSING', retryable: true });
    expect(error.message).toMatch(/postgres_scanner is not available .*NOETL_DUCKDB_EXTENSIONS/);
  }
});
