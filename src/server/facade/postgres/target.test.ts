/** Where an operator's query goes, and how: a credential that asks for TLS has it here as in tasks. */
import fs from 'node:fs';
import path from 'node:path';
import { type JsonObject } from '../../../language/plan';
import { speakTls } from '../../../../test/support/postgres-tls';
import { postgresTool, type PostgresTool } from '../../../../test/support/postgres-tool';
import { executeQuery } from './execute';
import { checkedUrl, urlOfCredential, withDatabase } from './target';

const CA = path.resolve(__dirname, '../../../../test/fixtures/tls/ca.pem');
const SQL = 'select ssl from pg_stat_ssl where pid = pg_backend_pid()';
let pg: PostgresTool;
beforeAll(async () => {
  pg = await postgresTool();
  await speakTls(pg);
});
afterAll(() => pg?.stop());

const ask = (words: JsonObject): Promise<unknown> =>
  executeQuery(urlOfCredential('c', { ...pg.data, ...words }), { sql: SQL }).then(({ values }) => values);

test.each<[JsonObject, boolean]>([
  [{}, true],
  [{ sslmode: 'disable' }, false],
  [{ sslmode: 'require' }, true],
  [{ ssl: true }, true],
  [{ sslmode: 'verify-full', sslrootcert: CA }, true],
  [{ sslmode: 'verify-full', sslrootcert: fs.readFileSync(CA, 'utf8') }, true],
])('%#: TLS as the fields say', async (words, ssl) => {
  expect(await ask(words)).toEqual([[ssl]]);
});

test('an authority that nobody named is an answer', async () => {
  await expect(ask({ sslmode: 'verify-full' })).rejects.toMatchObject({
    code: 'QUERY_FAILED',
    details: { code: expect.stringMatching(/SIGNATURE|SELF_SIGNED|UNABLE/) as string },
  });
});

test('fields count over the words of the dsn; another database keeps them', () => {
  const url = urlOfCredential('c', { dsn: 'postgres://u:p@h/d?sslmode=require', sslmode: 'disable' });
  expect(withDatabase(url, 'e')).toBe('postgres://u:p@h/e?sslmode=disable');
  expect(urlOfCredential('c', { db_host: 'h', db_password: 'a/b' })).toBe(
    'postgres://postgres:a%2Fb@h:5432/postgres',
  );
});

test.each([
  ['http://h/d', 'a connection string begins with postgres://'],
  ['postgres://h/d?sslmode=on', "sslmode 'on' is not one of"],
  ['postgres://h/d?sslmode=require&sslrootcert=/none', 'sslrootcert is neither PEM text nor a readable file'],
])('%s is refused', (url, says) => {
  expect(() => checkedUrl(url)).toThrow(expect.objectContaining({ status: 422, code: 'CONNECTION_STRING' }));
  expect(() => checkedUrl(url)).toThrow(says);
});
