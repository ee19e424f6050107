/** What a statement does to DuckDB's process, the worker and the other tasks survive; against the built child. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type JsonObject, type Outcome } from '../../../../src/language/plan';
import { HeldQuery, letGoAll } from '../../../../test/support/held-query';
import { someOf } from '../../../../test/support/sampled';
import { context, run } from '../../../../test/support/tool-call';
import { until } from '../../../../test/support/until';
import { transfer } from '../../transfer/run';
import { duckdb } from '../run';
import { ENTRY } from './process';

/** DuckDB throws where nobody catches: std::terminate. */
const ABORT = "CALL enable_logging(storage='file', storage_path='/proc/nope')";
const ENDLESS = 'select count(*) from range(10000000000) a, range(1000000) b where a.range % 7 = b.range % 5';
const HUNG_MS = 60_000;

const SPILLS =
  "set memory_limit = '128MB'; create table t as select range as n, repeat('x', 100) || range as s from range(2000000)";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-process-'));
beforeAll(() => void (process.env['NOETL_TOKEN'] = 'a token of the worker'));
afterAll(() => {
  delete process.env['NOETL_TOKEN'];
  fs.rmSync(folder, { recursive: true, force: true });
});

const ask = (command: string | string[], config: JsonObject = {}, more = {}): Promise<Outcome> =>
  run(duckdb, { command, ...config }, more);
const rows = ({ result, error }: Outcome): unknown =>
  error ? error.message : (result as JsonObject)['rows'];
/** Processes of this worker that run DuckDB, in a sandbox or without one. */
const processes = (isSandboxed = false): number[] =>
  execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(process.pid)])
    .toString()
    .split('\n')
    .filter((line) => line.includes(ENTRY) && line.includes('bwrap') === isSandboxed)
    .map((line) => Number.parseInt(line, 10));
/** Files in a temporary folder of DuckDB that the process has open. */
const spilled = (): string[] => {
  const fds = `/proc/${processes()[0]}/fd`;
  const links = fs.readdirSync(fds).flatMap((fd) => {
    try {
      return [fs.readlinkSync(path.join(fds, fd))];
    } catch {
      return [];
    }
  });
  return links.filter((link) => link.includes('/noetl-duckdb-'));
};
let files = 0;
const newFile = (): string => path.join(folder, `${++files}.duckdb`);

const hold = (): HeldQuery => new HeldQuery(folder);
afterEach(async () => {
  letGoAll();
  await duckdb.close!();
  // They are killed, and gone a little later: the next test counts and kills its own.
  await until(async () => processes().length === 0);
});

test.each(['none', 'standard', 'strict'])(
  'a statement that ends its process does so to nobody else, in %s',
  async (sandbox) => {
    const options = { options: { sandbox } };
    // The error comes first; the process ends when it closes the database.
    const failed = await ask(`${ABORT}; select 42`, {}, options);
    expect(failed.error).toMatchObject({
      kind: 'sql',
      code: expect.stringMatching(/^DUCKDB_(IO|PERMISSION)$/) as string,
      retryable: false,
    });
    expect(rows(await ask('select 42 as n', {}, options))).toEqual([{ n: 42 }]);
  },
);

const WRITTEN = [
  ['standard', 'standard'],
  ['strict', 'strict'],
  ['none', undefined],
] as const;
test.each(someOf(WRITTEN, 3))(
  'a failed task of %s says where it ran, unless it did not',
  async (sandbox, written) => {
    const options = { options: { sandbox } };
    const failures = [
      await ask('select no_such', {}, options),
      await ask(`${ABORT}; select 42`, {}, options),
      await ask(ENDLESS, {}, { ...options, timeout: { total: 3 } }),
    ];
    expect(failures.map(({ error }) => error!.code)).toEqual([
      'DUCKDB_BINDER',
      expect.stringMatching(/^DUCKDB_(IO|PERMISSION)$/),
      'TIMEOUT',
    ]);
    expect(failures.slice(0, 2).map(({ meta }) => meta['sandbox'])).toEqual([written, written]);
    // A machine may be too busy to begin within three seconds.
    expect([written, undefined]).toContain(failures[2]!.meta['sandbox']);
    const refused = await ask(
      'select 1',
      sandbox === 'none' ? { memory_mb: 1 } : { database: newFile() },
      options,
    );
    expect([refused.error?.kind, refused.meta['sandbox']]).toEqual(['validation', undefined]);
  },
);

test('8 tasks share one file in one process; where it is killed, those that were in it may try again', async () => {
  const database = newFile();
  await ask('create table t (n int)', { database });
  const all = Array.from({ length: 8 }, (_, n) => ({ n, held: hold() }));
  const inserted = (): Promise<Outcome[]> =>
    Promise.all(
      all.map(({ n, held }) =>
        run(
          duckdb,
          { database, command: `${held.sql}; insert into t values (${n})` },
          { task: `t${n}`, step: `t${n}` },
        ),
      ),
    );
  const first = inserted();
  await Promise.all(all.map(({ held }) => held.isTaken()));
  expect(processes()).toHaveLength(1);
  process.kill(processes()[0]!, 'SIGKILL');
  for (const { error } of await first)
    expect(error).toMatchObject({ code: 'DUCKDB_LOST', kind: 'connection', retryable: true });
  for (const { held } of all) held.letGo();
  for (const outcome of await inserted()) expect(outcome.error).toBeNull();
  expect(rows(await ask('select count(*) as n, count(distinct n) as d from t', { database }))).toEqual([
    { n: 8, d: 8 },
  ]);
});

test('where nobody knows which of two ended it, both may try again, each alone: then one is to blame', async () => {
  const database = newFile();
  const of = (task: string, { sql }: HeldQuery): Promise<Outcome> =>
    run(duckdb, { database, command: sql }, { task, step: task });
  const [a, b] = [hold(), hold()];
  const both = Promise.all([of('a', a), of('b', b)]);
  await Promise.all([a.isTaken(), b.isTaken()]);
  for (const one of processes()) process.kill(one, 'SIGKILL');
  for (const { error } of await both)
    expect(error).toMatchObject({ code: 'DUCKDB_LOST', kind: 'connection', retryable: true });
  const guilty = hold();
  const again = [
    of('a', guilty),
    run(duckdb, { database, command: 'select 1' }, { task: 'b', step: 'b' }),
  ] as const;
  await guilty.isTaken();
  for (const one of processes()) process.kill(one, 'SIGKILL');
  const { error } = await again[0];
  expect(error).toMatchObject({ code: 'DUCKDB_CRASHED', signal: 'SIGKILL' });
  expect(error!.message).toContain('out of memory, or killed from outside');
  expect((await again[1]).error).toBeNull();
});

test('a process that does not heed an interrupt is ended with its task, one that does goes on', async () => {
  const held = hold();
  const deaf = context();
  const ended = run(duckdb, { command: held.sql }, {}, deaf);
  await held.isTaken();
  deaf.controller.abort();
  expect((await ended).error).toMatchObject({ kind: 'cancelled' });
  await until(async () => processes().length === 0, HUNG_MS);
  const begins = hold();
  const ctx = context();
  const cancelled = run(duckdb, { command: `${begins.sql}; ${ENDLESS}` }, {}, ctx);
  await begins.isTaken();
  begins.letGo();
  ctx.controller.abort();
  expect((await cancelled).error).toMatchObject({ kind: 'cancelled' });
  expect(processes()).toHaveLength(1);
});

test('its environment has nothing of the worker, its temporary folder is private and gone with the task', async () => {
  const held = hold();
  const running = ask(`${SPILLS}; ${held.sql}; select count(*) as n from t`);
  await held.isTaken();
  expect(spilled()).not.toEqual([]);
  const own = path.dirname(spilled()[0]!);
  expect(fs.statSync(own).mode & 0o777).toBe(0o700);
  const environment = fs.readFileSync(`/proc/${processes()[0]}/environ`, 'utf8');
  expect(environment).toContain('PATH=');
  expect(environment).not.toMatch(/NOETL|DATABASE|AWS|TOKEN/);
  held.letGo();
  expect(rows(await running)).toEqual([{ n: 2_000_000 }]);
  expect(fs.existsSync(own)).toBe(false);
  const again = hold();
  const killed = ask(`${SPILLS}; ${again.sql}`);
  await again.isTaken();
  const other = path.dirname(spilled()[0]!);
  process.kill(processes()[0]!, 'SIGKILL');
  expect((await killed).error).toMatchObject({ code: 'DUCKDB_CRASHED' });
  expect(fs.existsSync(other)).toBe(false);
});

test('what a sandboxed task writes where it may is gone for the next one, and limited', async () => {
  process.env['NOETL_SANDBOX_TMP_MB'] = '16';
  const options = { options: { sandbox: 'strict' } };
  const [setting] = rows(
    await ask("select value as v from duckdb_settings() where name = 'allowed_directories'", {}, options),
  ) as { v: string }[];
  const own = /[^[,\s]+duckdb\/?/.exec(setting!.v)![0].replace(/\/?$/, '/');
  const left = await ask(
    [`create table t as select 'left' as x`, `export database '${own}'`, 'select 1'],
    {},
    options,
  );
  expect(left.error).toBeNull();
  expect(rows(await ask(`select * from glob('${own}*')`, {}, options))).toEqual([]);
  const full = await ask(
    `copy (select repeat('x', 1000) from range(100000)) to '${own}fill.csv'`,
    {},
    options,
  );
  expect(full.error).toMatchObject({ code: 'DUCKDB_IO' });
  delete process.env['NOETL_SANDBOX_TMP_MB'];
  expect(left.meta['sandbox']).toBe('strict');
});

test('a task in a sandbox has a process that waited for it, for itself', async () => {
  const options = { options: { sandbox: 'strict' } };
  const ready = async (): Promise<number[]> => {
    await until(async () => processes(true).length === 2);
    return processes(true);
  };
  await ask('select 1', {}, options);
  const before = await ready();
  expect(rows(await ask('select 42 as n', {}, options))).toEqual([{ n: 42 }]);
  await until(async () => !before.every((pid) => processes(true).includes(pid)));
  const after = await ready();
  expect(before.filter((pid) => after.includes(pid))).toHaveLength(1);
  // It may begin with nothing that was done before: no table, no variable, no file.
  await ask("create table t as select 1; set variable v = 'x'", {}, options);
  expect((await ask('select * from t', {}, options)).error).toMatchObject({ code: 'DUCKDB_CATALOG' });
  expect(rows(await ask("select getvariable('v') as v", {}, options))).toEqual([{ v: null }]);
});

test('memory of a sandbox is limited by NOETL_SANDBOX_MEMORY_MB, memory_mb can only be lower', async () => {
  process.env['NOETL_SANDBOX_MEMORY_MB'] = '256';
  await duckdb.close!();
  const options = { options: { sandbox: 'strict' } };
  expect(rows(await ask("select current_setting('memory_limit') as m", {}, options))).toEqual([
    { m: '244.1 MiB' },
  ]);
  const { error } = await ask('select list(range) from range(100000000)', {}, options);
  expect(error).toMatchObject({ code: 'DUCKDB_OUT_OF_MEMORY' });
  expect((await ask('select 1', { memory_mb: 512 }, options)).error!.message).toContain(
    'must be at most 256',
  );
  delete process.env['NOETL_SANDBOX_MEMORY_MB'];
});

test('paths in SQL are relative to the folder of the worker', async () => {
  expect(rows(await ask("select name from read_json('package.json')"))).toEqual([{ name: 'noetl-temporal' }]);
});

test('a transfer from a file to itself runs in one process', async () => {
  const database = newFile();
  await ask('create table a as select range as id from range(5000); create table b (id int)', { database });
  const outcome = await run(transfer, {
    source: { kind: 'duckdb', database, query: 'select * from a' },
    target: { kind: 'duckdb', database, table: 'b' },
  });
  expect(outcome.result).toMatchObject({ rows_transferred: 5000 });
  expect(processes()).toHaveLength(1);
});
