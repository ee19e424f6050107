import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { ensureEmbeddedPostgres, forPlaybooks, migrate, type Postgres } from '../../src/server/store';
import { startTestPostgres } from '../support/postgres';
import { until } from '../support/until';

const folders: string[] = [];
function newFolder(mode = 0o755): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-pg-'));
  fs.chmodSync(folder, mode);
  folders.push(folder);
  return folder;
}
afterAll(() => {
  for (const folder of folders) fs.rmSync(folder, { recursive: true, force: true });
});

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(text)).rows as Record<string, unknown>[];
  } finally {
    await client.end();
  }
}

/** Writes one row after the other, in a transaction each, until the server is gone. */
function writeRows(url: string): { acknowledged(): number; ended: Promise<void> } {
  let acknowledged = 0;
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  const write = async (): Promise<never> => {
    await client.connect();
    for (;;) {
      await client.query('INSERT INTO t VALUES ($1)', [-acknowledged]);
      acknowledged += 1;
    }
  };
  return { acknowledged: () => acknowledged, ended: write().catch(() => undefined) };
}

/** What playbooks get as pg_local. */
async function playbooksHaveNoPower(postgres: Postgres, dataDir: string): Promise<void> {
  await migrate(postgres.url);
  const [one, { url }] = await Promise.all([
    forPlaybooks(postgres, dataDir),
    forPlaybooks(postgres, dataDir),
  ]);
  expect(one.url).toBe(url);
  const denied = /permission denied|must be superuser/;
  for (const text of [
    "COPY t FROM PROGRAM 'id'",
    "SELECT pg_read_file('/etc/passwd')",
    'CREATE ROLE other SUPERUSER',
    'SELECT * FROM noetl.credential',
    'DELETE FROM noetl.event',
    'CREATE TABLE noetl.mine (x int)',
  ])
    await expect(query(url, text)).rejects.toThrow(denied);
  await query(url, 'CREATE TABLE IF NOT EXISTS mine (x int); CREATE SCHEMA own; CREATE TABLE own.t (x int)');
  expect(await query(url, 'SELECT (SELECT count(*)::int FROM noetl.event) AS n FROM mine')).toEqual([]);
}

/** docker/databases.sql, as psql reads it, under names that this server does not have yet. */
async function composeKeepsRolesApart({ url }: Postgres): Promise<void> {
  const sql = fs
    .readFileSync(path.join(__dirname, '../../docker/databases.sql'), 'utf8')
    .replace(/^(\\|--).*$/gm, '')
    .replace(/:'(\w+)'/g, "'password'")
    .replace(/\b(temporal_visibility|temporal|noetl|results|playbooks)\b/g, 'compose_$1');
  for (const statement of sql.split(';').filter((text) => text.trim() !== '')) await query(url, statement);
  const as = (role: string, database: string): string =>
    Object.assign(new URL(url), {
      username: `compose_${role}`,
      password: 'password',
      pathname: `compose_${database}`,
    }).href;
  for (const [role, own] of [
    ['temporal', 'temporal'],
    ['temporal', 'temporal_visibility'],
    ['noetl', 'noetl'],
    ['results', 'results'],
    ['playbooks', 'playbooks'],
  ] as const) {
    await query(as(role, own), 'CREATE SCHEMA s; CREATE TABLE t (x int)');
    for (const other of ['temporal', 'noetl', 'results', 'playbooks'])
      if (other !== role)
        await expect(query(as(role, other), 'SELECT 1')).rejects.toThrow('permission denied');
    await expect(query(as(role, own), "COPY t FROM PROGRAM 'id'")).rejects.toThrow('permission denied');
  }
}

describe('the embedded Postgres', () => {
  test('keeps its rows and its password over a stop and a start', async () => {
    const dataDir = newFolder();
    const first = await ensureEmbeddedPostgres(dataDir, {});
    await query(first.url, "CREATE TABLE t (x text); INSERT INTO t VALUES ('Grüße')");
    await first.stop();
    await expect(query(first.url, 'SELECT 1')).rejects.toThrow();
    const second = await ensureEmbeddedPostgres(dataDir, {});
    expect(await query(second.url, 'SELECT upper(x) AS x FROM t')).toEqual([{ x: 'GRÜßE' }]);
    expect(second.data.db_password).toBe(first.data.db_password);
    expect(fs.statSync(path.join(dataDir, 'postgres', 'password')).mode & 0o777).toBe(0o600);
    await playbooksHaveNoPower(second, dataDir);
    await composeKeepsRolesApart(second);
    await second.stop();
  });

  test('is shared by those who want it at once, and ends with the last of them', async () => {
    const dataDir = newFolder();
    const held = await Promise.all([1, 2, 3].map(() => ensureEmbeddedPostgres(dataDir, {})));
    expect(new Set(held.map((one) => one.url)).size).toBe(1);
    await held[0]!.stop();
    await held[1]!.stop();
    expect(await query(held[2]!.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await held[2]!.stop();
    await expect(query(held[2]!.url, 'SELECT 1')).rejects.toThrow();
  });

  test('comes back with its committed rows after its processes were killed', async () => {
    const dataDir = newFolder();
    const first = await ensureEmbeddedPostgres(dataDir, {});
    await query(first.url, 'CREATE TABLE t (x int); INSERT INTO t VALUES (7)');
    const state = JSON.parse(
      fs.readFileSync(path.join(dataDir, 'postgres', 'postgres.state.json'), 'utf8'),
    ) as {
      keeperPid: number;
      serverPid: number;
    };
    const writer = writeRows(first.url);
    await until(() => Promise.resolve(writer.acknowledged() >= 20));
    process.kill(state.keeperPid, 'SIGKILL');
    process.kill(state.serverPid, 'SIGKILL');
    await sleep(20);
    const second = await ensureEmbeddedPostgres(dataDir, {});
    await writer.ended;
    const [kept] = await query(second.url, 'SELECT count(*)::int AS n FROM t WHERE x <= 0');
    // One more may be committed that nobody was told of.
    expect(kept!['n'] as number).toBeGreaterThanOrEqual(writer.acknowledged());
    expect(await query(second.url, 'SELECT x FROM t WHERE x > 0')).toEqual([{ x: 7 }]);
    await second.stop();
  });

  test('works in a folder that only its owner may enter', async () => {
    const dataDir = newFolder(0o700);
    const postgres = await ensureEmbeddedPostgres(dataDir, {});
    expect(await query(postgres.url, 'SELECT current_database() AS name')).toEqual([{ name: 'noetl' }]);
    await postgres.stop();
    const digest = createHash('sha256').update(path.join(dataDir, 'postgres')).digest('hex').slice(0, 16);
    fs.rmSync(`/var/lib/noetl-temporal/data-${digest}`, { recursive: true, force: true });
  });

  test('gives every test its own server and databases', async () => {
    const postgres = await startTestPostgres();
    const url = await postgres.createDatabase('other');
    expect(await query(url, 'SELECT current_database() AS name')).toEqual([{ name: 'other' }]);
    await postgres.stop();
  });
});

test('DATABASE_URL wins, and is not ours to stop', async () => {
  const named = await ensureEmbeddedPostgres('/nowhere', { DATABASE_URL: 'postgres://u:p%40ss@db:6543/app' });
  expect(named).toMatchObject({
    embedded: false,
    data: { db_host: 'db', db_port: 6543, db_user: 'u', db_password: 'p@ss', db_name: 'app' },
  });
  await named.stop();
  await expect(ensureEmbeddedPostgres('/nowhere', { DATABASE_URL: 'mysql://u:geheim@h/d' })).rejects.toThrow(
    'The database URL is not a postgres:// URL.',
  );
});
