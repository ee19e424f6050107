/** References of stored bodies, taken by tools that read files. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { openStorage, type Storage } from '../../../src/storage/blobs';
import { type Json, type JsonObject, type Outcome } from '../../../src/language/plan';
import { type Absent, present } from '../../../test/support/present';
import { context, run, type TestContext } from '../../../test/support/tool-call';
import { artifact } from '../../kinds/artifact/run';
import { container } from '../../kinds/container/run';
import { duckdb } from '../../kinds/duckdb/run';
import { python } from '../../kinds/python/run';
import { script } from '../../kinds/script/run';
import { shell } from '../../kinds/shell/run';
import { transfer } from '../../kinds/transfer/run';
import { whyNot } from '../sandbox';
import { storeBody } from './body';

const CSV = 'id,city\n1,Oslo\n2,"Łódź, PL"\n';
let folder: string;
let storage: Storage;
let reference: JsonObject;

beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-taken-'));
  storage = await openStorage(`file://${folder}/blobs`);
  const body = Readable.from([Buffer.from(CSV)]);
  const results = storage.results('default')!;
  reference = { ...(await storeBody(results, 'noetl-1', body, 'text/csv', new AbortController().signal)) };
});
afterAll(async () => {
  await Promise.all([python.close!(), storage.close()]);
  fs.rmSync(folder, { recursive: true, force: true });
});

const withStore = (): TestContext => ({ ...context(), results: storage.results('default')! });

describe('a reference is taken by', () => {
  test('python, as a file', async () => {
    const code = `
import csv, os
with open(files['cities.csv'], encoding='utf-8') as file:
    rows = list(csv.DictReader(file))
result = {'rows': rows, 'path': files['cities.csv'], 'mode': oct(os.stat(os.path.dirname(files['cities.csv'])).st_mode & 0o777)}
`;
    const outcome = await run(python, { code, files: { 'cities.csv': reference } }, {}, withStore());
    expect(outcome.error).toBeNull();
    const { rows, path: file, mode } = outcome.result as { rows: Json; path: string; mode: string };
    expect(rows).toEqual([
      { id: '1', city: 'Oslo' },
      { id: '2', city: 'Łódź, PL' },
    ]);
    expect(mode).toBe('0o700');
    expect(fs.existsSync(path.dirname(file))).toBe(false);
  });

  test('duckdb, as a file; a value that was put is one as well', async () => {
    const put = await run(artifact, { data: [{ id: 2, t: 4.5 }] }, {}, withStore());
    const command =
      "select city, t from read_csv(getvariable('cities')) join read_json(getvariable('readings.json')) using (id)";
    const files = { cities: reference, 'readings.json': put.result };
    const outcome = await run(duckdb, { command, files }, {}, withStore());
    expect(outcome.error).toBeNull();
    expect(outcome.result).toMatchObject({ rows: [{ city: 'Łódź, PL', t: 4.5 }] });
  });

  test.each([
    ['shell', shell, (command: string): JsonObject => ({ cmds: [command] })],
    ['script', script, (command: string): JsonObject => ({ code: command })],
  ])('%s, as a file in its folder', async (_, tool, configOf) => {
    const command = 'tail -n 1 "$NOETL_FILES/cities.csv"; echo "$NOETL_FILES"; stat -c %a "$NOETL_FILES"';
    const outcome = await run(
      tool,
      { ...configOf(command), files: { 'cities.csv': reference } },
      {},
      withStore(),
    );
    expect(outcome.error).toBeNull();
    const [line, where, mode] = (outcome.result as { stdout: string }).stdout.split('\n');
    expect([line, mode]).toEqual(['2,"Łódź, PL"', '700']);
    expect(fs.existsSync(where!)).toBe(false);
    const without = await run(tool, configOf('echo "${NOETL_FILES-none}"'), {}, withStore());
    expect(without.result).toMatchObject({ stdout: 'none\n' });
  });

  test.each(['standard', 'strict'] as const)(
    'every kind with a sandbox, in %s, and nothing else of the worker',
    async (sandbox) => {
      const options = { sandbox };
      const files = { 'cities.csv': reference };
      const query = `select city from read_csv(getvariable('cities.csv')) order by id`;
      const found = await run(duckdb, { command: query, files }, { options }, withStore());
      expect(found.result).toMatchObject({ rows: [{ city: 'Oslo' }, { city: 'Łódź, PL' }] });
      const why = await whyNot(sandbox);
      present<object | Absent>(why === undefined ? {} : { skipped: `no sandbox: ${why}`, extra: true });
      const code = `
import os
path = files['cities.csv']
def writable():
    try: open(path, 'a').close(); return True
    except OSError: return False
result = [path, 'Oslo' in open(path, encoding='utf-8').read(), os.listdir(os.path.dirname(path)), writable()]`;
      const read = await run(python, { code, files }, { options }, withStore());
      expect(read.result).toEqual(['/run/files/cities.csv', true, ['cities.csv'], false]);
      const cmd =
        'ls "$NOETL_FILES"; head -c 2 "$NOETL_FILES/cities.csv"; touch "$NOETL_FILES/x" 2>/dev/null || echo; pwd';
      for (const [tool, config] of [
        [shell, { cmd }],
        [script, { code: cmd }],
      ] as const) {
        const printed = await run(tool, { ...config, files }, { options }, withStore());
        expect(printed.result).toMatchObject({ stdout: 'cities.csv\nid\n/tmp\n' });
      }
    },
  );

  test('no Job of Kubernetes, which would have to fetch it itself', async () => {
    for (const [tool, config] of [
      [script, { code: 'ls', job: { image: 'alpine' } }],
      [container, { image: 'alpine', runtime: 'kubernetes' }],
    ] as const) {
      const { error } = await run(tool, { ...config, files: { x: reference } }, {}, withStore());
      expect(error).toMatchObject({
        kind: 'validation',
        message: expect.stringContaining('into containers of Docker only; give a Job a volume') as string,
      });
    }
  });

  test('a transfer, as a file that its query reads', async () => {
    const database = path.join(folder, 'target.duckdb');
    const sql = (command: string): Promise<Outcome> => run(duckdb, { database, command });
    await sql('create table cities (id int, city text)');
    const query = "select * from read_csv(getvariable('cities.csv'))";
    const transferred = (files: JsonObject): Promise<Outcome> => {
      const source = { kind: 'duckdb', query, files };
      const target = { kind: 'duckdb', database, table: 'cities' };
      return run(transfer, { source, target }, {}, withStore());
    };
    expect((await transferred({ 'cities.csv': reference })).result).toMatchObject({ rows_transferred: 2 });
    expect((await sql('select * from cities order by id')).result).toMatchObject({
      rows: [
        { id: 1, city: 'Oslo' },
        { id: 2, city: 'Łódź, PL' },
      ],
    });
    expect((await transferred({ 'cities.csv': '/etc/passwd' })).error).toMatchObject({
      code: 'INVALID_REFERENCE',
      side: 'source',
    });
  });

  test.each<[string, () => JsonObject, string, string]>([
    ['a name that leads elsewhere', () => ({ '../x': reference }), 'validation', 'INVALID_FILES'],
    ['no reference', () => ({ x: null }), 'validation', 'NO_REFERENCE'],
    ['a text', () => ({ x: '/etc/passwd' }), 'validation', 'INVALID_REFERENCE'],
    ['a part', () => ({ x: partOf(reference) }), 'validation', 'INVALID_REFERENCE'],
    ['one of another store', () => ({ x: { ...reference, store: 's3://x' } }), 'validation', 'OTHER_STORE'],
    ['one that is gone', () => ({ x: { ...reference, key: other(reference) } }), 'not_found', 'BLOB_MISSING'],
  ])('nobody: %s', async (_, files, kind, code) => {
    for (const [tool, config] of [
      [python, { code: 'result = 1' }],
      [duckdb, { command: 'select 1' }],
      [shell, { cmd: 'true' }],
      [script, { code: 'true' }],
    ] as const) {
      const { error } = await run(tool, { ...config, files: files() }, {}, withStore());
      expect(error).toMatchObject({ kind, code, retryable: false });
    }
  });
});

/** A reference to one of the parts of a body. */
function partOf(reference: JsonObject): JsonObject {
  const list = reference['key'] as string;
  const inFolder = fs.readdirSync(path.join(folder, 'blobs', path.dirname(list)));
  const [name] = inFolder.filter((one) => !list.endsWith(one));
  return { ...reference, key: list.replace(/[0-9a-f]{64}$/, name!), checksum: `sha256:${name}` };
}
const other = ({ key }: JsonObject): string => (key as string).replace(/[0-9a-f]{64}$/, '0'.repeat(64));
