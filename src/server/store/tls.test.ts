/** DATABASE_URL with libpq's words for TLS, on a real server. */
import path from 'node:path';
import { speakTls } from '../../../test/support/postgres-tls';
import { postgresTool, type PostgresTool } from '../../../test/support/postgres-tool';
import { openDatabase } from './database';
import { ensureEmbeddedPostgres } from './embedded-postgres';

const CA = path.resolve(__dirname, '../../../test/fixtures/tls/ca.pem');
let pg: PostgresTool;
beforeAll(async () => {
  pg = await postgresTool();
  await pg.admin('create database store');
  await speakTls(pg);
});
afterAll(() => pg?.stop());

function urlWith(words: Readonly<Record<string, string>>): string {
  const { db_user, db_password, db_host, db_port } = pg.data as Record<string, string>;
  const query = new URLSearchParams(words).toString();
  return `postgres://${db_user}:${db_password}@${db_host}:${db_port}/store?${query}`;
}

test('the store is opened over TLS, and the credential that stands for it goes there by the same words', async () => {
  const words = { sslmode: 'verify-full', sslrootcert: CA };
  const { url, data } = await ensureEmbeddedPostgres('/none', { DATABASE_URL: urlWith(words) });
  expect(data).toMatchObject(words);
  const database = await openDatabase(url);
  try {
    await database.ping();
    const encrypted = await pg.admin(
      `select distinct ssl from pg_stat_ssl join pg_stat_activity using (pid) where datname = 'store'`,
    );
    expect(encrypted).toEqual([{ ssl: true }]);
  } finally {
    await database.close();
  }
});

test('an authority that nobody named is told with the word that names it', async () => {
  await expect(openDatabase(urlWith({ sslmode: 'verify-full' }))).rejects.toMatchObject({
    code: 'DATABASE_TLS',
    message: expect.stringMatching(
      /^The certificate of the database at 127.0.0.1:\d+\/store is not trusted: /,
    ),
    hint: ['Set its authority in the URL: sslrootcert=FILE (--database, DATABASE_URL).'],
  });
});

test.each([
  [
    { sslmode: 'yes' },
    "The database URL is invalid: sslmode 'yes' is not one of disable, allow, prefer, require",
  ],
  [{ sslmode: 'require', sslrootcert: '/none.pem' }, 'sslrootcert is neither PEM text nor a readable file'],
])('%j is refused before anybody connects', async (words, says) => {
  await expect(ensureEmbeddedPostgres('/none', { DATABASE_URL: urlWith(words) })).rejects.toMatchObject({
    code: 'DATABASE_URL_INVALID',
    message: expect.stringContaining(says),
  });
});
