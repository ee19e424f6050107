/** `credentials …` as a person types it, on a real database; what they store is echoed by nothing. */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { canariesIn } from '../support/canary';
import { startTestPostgres, type TestPostgres } from '../support/postgres';
import { inProcess, type Printed } from '../support/program';

const CANARY = 'canary/of+the "command line"-311';
const [OLD, NEW] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')];
let postgres: TestPostgres;
let folder: string;
const said: string[] = [];

beforeAll(async () => {
  postgres = await startTestPostgres();
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-credentials-cli-'));
});
afterAll(async () => {
  await postgres?.stop();
  fs.rmSync(folder, { recursive: true, force: true });
});

async function credentials(args: readonly string[], keys = `old:${OLD}`): Promise<Printed> {
  const env = { DATABASE_URL: postgres.url, NOETL_SECRETS_KEY: keys, NOETL_DATA_DIR: folder };
  const done = await inProcess(['credentials', ...args], env);
  said.push(done.stdout, done.stderr);
  return done;
}
const file = (name: string, content: string): string => {
  const where = path.join(folder, name);
  fs.writeFileSync(where, content);
  return where;
};

test('a credential is stored, listed, shown, on record, encrypted anew and removed', async () => {
  const data = { db_host: 'h', db_user: 'u', db_password: CANARY, db_name: 'd' };
  const values = file('reports.json', JSON.stringify(data));
  const add = await credentials([
    'add',
    'pg_reports',
    '--type',
    'postgres',
    '--values',
    `@${values}`,
    '--description',
    'of reports',
    '--paths',
    'team/*, jobs/x',
  ]);
  expect(add).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('stored "pg_reports" (postgres) under the key old'),
  });
  const official = file('api.json', JSON.stringify({ name: 'api', type: 'bearer', data: { token: CANARY } }));
  expect((await credentials(['add', '-f', official, '--json'])).stdout).toContain('"name": "api"');

  const listed = await credentials(['list', '--type', 'PostgreSQL']);
  expect(listed.stdout).toMatch(
    /name +type +key +updated +playbooks +description\npg_reports +postgres +old +\d{4}-.* +team\/\*,jobs\/x +of reports/,
  );
  expect(listed.stdout).not.toContain('api');
  const all = JSON.parse((await credentials(['list', '--json'])).stdout) as { credentials: object[] };
  expect(all.credentials).toMatchObject([{ name: 'api' }, { name: 'pg_reports', description: 'of reports' }]);

  const without = await credentials(['get', 'pg_reports']);
  expect(Object.keys(JSON.parse(without.stdout) as object)).not.toContain('data');
  // Nothing so far has it; the one who asks for it gets it, on record.
  expect(canariesIn([{ where: 'all', text: said.join('\n') }], [CANARY])).toEqual([]);
  const { stdout } = await credentials(['get', 'pg_reports', '--show']);
  expect((JSON.parse(stdout) as { data: object }).data).toEqual(data);
  said.splice(said.indexOf(stdout), 1);

  const { audit } = JSON.parse((await credentials(['audit', 'pg_reports', '--json'])).stdout) as {
    audit: object[];
  };
  expect(audit).toMatchObject([
    { action: 'read', principal: expect.stringMatching(/\(command line\)$/), credential_name: 'pg_reports' },
    { action: 'write' },
  ]);
  expect((await credentials(['audit', 'pg_reports'])).stdout).toMatch(/when +what +credential +who/);

  const rotated = await credentials(['rotate', '--json'], `new:${NEW},old:${OLD}`);
  expect(JSON.parse(rotated.stdout)).toMatchObject({ kid: 'new', credentials: 2, failed: [], left: 0 });
  const stale = await credentials(['get', 'pg_reports', '--show']);
  expect(stale).toMatchObject({ code: expect.not.stringMatching(/^0$/), stdout: '' });
  expect(stale.stderr).toContain("encrypted with the key 'new', which is not here (here: old) [KEY_UNKNOWN]");
  expect(stale.stderr).toContain('→ Add the key');

  expect((await credentials(['remove', 'pg_reports'])).stdout).toContain('removed "pg_reports"');
  expect((await credentials(['audit', 'pg_reports'])).stdout).toContain('delete');
  expect(canariesIn([{ where: 'all', text: said.join('\n') }], [CANARY])).toEqual([]);
}, 180_000);

const MISTAKES: readonly (readonly [args: readonly string[], message: RegExp])[] = [
  [['add', 'x'], /nothing to store: use --file FILE, or a name with --type TYPE --values @FILE/],
  [['add', 'x', '-f', '/nowhere.json'], /\/nowhere\.json cannot be read \(ENOENT\)/],
  [['add', 'x', '--type', 'custom', '--values', `{${CANARY}`], /--values: it is not valid JSON/],
  [
    ['add', 'x', '--type', 'postgres', '--values', JSON.stringify({ db_password: CANARY })],
    /type postgres needs data\.db_host/,
  ],
  [['get', 'nobody'], /no credential is called nobody \(noetl-temporal credentials list\)/],
  [['audit', '--execution', 'x'], /--execution x: an execution id is a decimal number/],
];

test('a mistake is told, and nothing of what was given', async () => {
  const told = await Promise.all(MISTAKES.map(([args]) => credentials(args)));
  for (const [index, { code, stdout, stderr }] of told.entries()) {
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(MISTAKES[index]![1]);
    expect(canariesIn([{ where: 'said', text: stderr }], [CANARY])).toEqual([]);
  }
}, 180_000);

test('without a key it says how to make one', async () => {
  const { code, stderr } = await credentials(['list'], '');
  expect(code).toBeGreaterThan(0);
  expect(stderr).toMatch(
    /no key to encrypt secrets is configured \[KEY_MISSING\]\n +→ Set NOETL_SECRETS_KEY/,
  );
});
