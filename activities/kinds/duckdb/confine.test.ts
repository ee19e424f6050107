import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type JsonObject, type Outcome } from '../../../src/language/plan';
import { context, run } from '../../../test/support/tool-call';
import { duckdb } from './run';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-confined-'));
const key = path.join(folder, 'key.csv');
beforeAll(() => fs.writeFileSync(key, 'a\ncanary\n'));
afterAll(() => fs.rmSync(folder, { recursive: true }));

const sql = (command: string | string[], sandbox: string, config: JsonObject = {}): Promise<Outcome> =>
  run(
    duckdb,
    { command, ...config },
    { options: { sandbox } },
    context({ pg: { type: 'postgres', data: {} } }),
  );

test.each([
  ['a file', () => `select * from read_csv('${key}')`],
  ['a file, as text', () => `select content from read_text('${key}')`],
  ['a folder', () => `select * from glob('${folder}/*')`],
  ['a database', () => `attach '${folder}/other.db' as other`],
  ['a written file', () => `copy (select 1) to '${folder}/out.csv'`],
])('%s is there without a sandbox, and refused in one', async (_what, command) => {
  expect((await sql(command(), 'none')).error).toBeNull();
  for (const level of ['standard', 'strict']) {
    expect((await sql(command(), level)).error).toMatchObject({ kind: 'sql', code: 'DUCKDB_PERMISSION' });
  }
});

test('it stays confined: no setting is changed', async () => {
  for (const setting of [
    'enable_external_access = true',
    `allowed_directories = ['/']`,
    `temp_directory = '/'`,
  ]) {
    const outcome = await sql([`set ${setting}`, `select * from read_csv('${key}')`], 'standard');
    expect(outcome.error).toMatchObject({ code: 'DUCKDB_INVALID_INPUT' });
  }
});

test('a database in memory works, with a limit of memory; a file or a login is refused before anything runs', async () => {
  const rows = await sql(['create table t as select 7 as n', 'select n from t'], 'strict', { memory_mb: 64 });
  expect(rows.result).toMatchObject({ rows: [{ n: 7 }] });
  const file = path.join(folder, 'mine.db');
  const refused = await sql('select 1', 'standard', { database: file });
  expect(refused.error).toMatchObject({ kind: 'validation', code: 'SANDBOX_FILE' });
  expect(refused.error!.message).toContain(file);
  expect(fs.existsSync(file)).toBe(false);
});
