/** TLS as libpq means it, on a real server: by its words in a credential's fields, or in the query of its dsn. */
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { type JsonObject } from '../../../src/language/plan';
import { addressOf } from '../../../src/storage/postgres';
import { speakTls } from '../../../test/support/postgres-tls';
import { postgresTool, type PostgresTool } from '../../../test/support/postgres-tool';
import { context } from '../../../test/support/tool-call';

const TLS = path.resolve(__dirname, '../../../test/fixtures/tls');
const file = (name: string): string => path.join(TLS, name);
const pem = (name: string): string => fs.readFileSync(file(name), 'utf8');
let pg: PostgresTool;
let plain: PostgresTool;
/** The same server under an address that is not in its certificate. */
let elsewhere: net.Server;

beforeAll(async () => {
  [pg, plain] = await Promise.all([postgresTool(), postgresTool()]);
  await pg.admin('create database demanding');
  await speakTls(pg, 'demanding');
  elsewhere = net.createServer((client) => {
    const server = net.connect(Number(pg.data['db_port']), '127.0.0.1');
    client.pipe(server).pipe(client);
    for (const socket of [client, server]) socket.on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => elsewhere.listen(Number(pg.data['db_port']), '127.0.0.3', resolve));
});
afterAll(async () => {
  await Promise.all([pg?.stop(), plain?.stop()]);
  elsewhere?.close();
});

const COMMAND = 'select ssl, client_dn from pg_stat_ssl where pid = pg_backend_pid()';
const ask = (data: JsonObject): ReturnType<PostgresTool['send']> =>
  pg.send({ command: COMMAND }, {}, context({ pg_local: { type: 'postgres', data } }));

const WORDS: readonly [string, JsonObject, { ssl?: boolean; dn?: string; code?: string; says?: string }][] = [
  ['nothing said', {}, { ssl: true }],
  ['disable', { sslmode: 'disable' }, { ssl: false }],
  [
    'what every object has',
    { sslmode: 'constructor' },
    { code: 'CREDENTIAL_INVALID', says: 'is not one of' },
  ],
  ['prefer', { sslmode: 'prefer' }, { ssl: true }],
  [
    'prefer, with a certificate of ours',
    { sslmode: 'prefer', sslcert: file('client.pem'), sslkey: pem('client.key') },
    { ssl: true, dn: '/CN=client' },
  ],
  ['allow', { sslmode: 'allow' }, { ssl: true }],
  ['require: no authority asked', { sslmode: 'require' }, { ssl: true }],
  ['ssl: true', { ssl: true }, { ssl: true }],
  [
    'verify-full with its authority as a file',
    { sslmode: 'verify-full', sslrootcert: file('ca.pem') },
    { ssl: true },
  ],
  [
    'verify-full with its authority as text',
    { sslmode: 'verify-full', sslrootcert: pem('ca.pem') },
    { ssl: true },
  ],
  ['an authority alone', { sslrootcert: file('ca.pem') }, { ssl: true }],
  [
    'verify-ca of another name',
    { sslmode: 'verify-ca', sslrootcert: file('ca.pem'), db_host: '127.0.0.3' },
    { ssl: true },
  ],
  [
    'verify-full of another name',
    { sslmode: 'verify-full', sslrootcert: file('ca.pem'), db_host: '127.0.0.3' },
    { code: 'TLS_ERROR', says: 'the certificate is for another host name' },
  ],
  [
    'verify-full without an authority',
    { sslmode: 'verify-full' },
    { code: 'TLS_ERROR', says: "the server's certificate is not trusted; name its CA with sslrootcert" },
  ],
  ['verify-ca without an authority', { sslmode: 'verify-ca' }, { code: 'TLS_ERROR', says: 'name its CA' }],
  [
    'require with an authority of others',
    { sslmode: 'require', sslrootcert: pem('client.pem') },
    { code: 'TLS_ERROR', says: 'TLS failed' },
  ],
  [
    'a certificate of ours',
    { sslmode: 'require', sslcert: file('client.pem'), sslkey: pem('client.key') },
    { ssl: true, dn: '/CN=client' },
  ],
  [
    'a mode that there is not',
    { sslmode: 'on' },
    { code: 'CREDENTIAL_INVALID', says: "sslmode 'on' is not one of" },
  ],
  [
    'a file that is not there',
    { sslmode: 'require', sslrootcert: '/none/ca.pem' },
    {
      code: 'CREDENTIAL_INVALID',
      says: 'sslrootcert is neither PEM text nor a readable file (ENOENT)',
    },
  ],
];

test.each(WORDS)(
  '%s, in fields, in a dsn, and beside one alike',
  async (_, words, { ssl, dn, code, says }) => {
    const { db_host, ...tls } = words;
    const address = { ...pg.data, ...(db_host !== undefined && { db_host }) } as Record<string, string>;
    const dsn = new URL(`postgres://${address['db_user']}:${address['db_password']}@${address['db_host']}`);
    dsn.port = String(address['db_port']);
    dsn.pathname = address['db_name']!;
    const silent = dsn.href;
    for (const [word, value] of Object.entries(tls))
      dsn.searchParams.set(word === 'ssl' ? 'sslmode' : word, value === true ? 'require' : String(value));

    for (const data of [{ ...address, ...tls }, { dsn: dsn.href }, { dsn: silent, ...tls }]) {
      const outcome = await ask(data);
      if (code !== undefined) {
        expect(outcome.error).toMatchObject({
          code,
          retryable: false,
          message: expect.stringContaining(says!),
        });
        continue;
      }
      expect(outcome.error).toBeNull();
      expect(outcome.result).toMatchObject({ rows: [{ ssl, client_dn: dn ?? null }] });
    }
  },
);

test("fields count over the dsn's query", async () => {
  const { db_user, db_password, db_host, db_port, db_name } = pg.data as Record<string, string>;
  const dsn = `postgres://${db_user}:${db_password}@${db_host}:${db_port}/${db_name}?sslmode=verify-full`;
  const outcome = await ask({ dsn, sslrootcert: file('ca.pem') });
  expect(outcome.result).toMatchObject({ rows: [{ ssl: true }] });
});

test('two credentials that differ in what they verify share no connection', async () => {
  const address = { ...pg.data, db_host: '127.0.0.3', sslrootcert: file('ca.pem') };
  expect((await ask({ ...address, sslmode: 'verify-ca' })).error).toBeNull();
  expect((await ask({ ...address, sslmode: 'verify-full' })).error).toMatchObject({ code: 'TLS_ERROR' });
});

test('a server that demands TLS says so to whoever comes without, and is satisfied where nothing is said', async () => {
  const data = { ...pg.data, db_name: 'demanding' };
  const refused = await ask({ ...data, sslmode: 'disable' });
  expect(refused.error).toMatchObject({ kind: 'auth', code: 'SQLSTATE_28000', retryable: false });
  expect(refused.error!.message).toMatch(/no encryption|rejects/);
  expect((await ask({ ...data, sslmode: 'require' })).error).toBeNull();
  expect((await ask(data)).error).toBeNull();
});

test('a server without TLS is spoken to in the open where nothing is said', async () => {
  const all: JsonObject[] = [{}, { sslmode: 'prefer' }, { sslmode: 'allow' }];
  for (const words of all)
    expect((await ask({ ...plain.data, ...words })).result).toMatchObject({ rows: [{ ssl: false }] });
});

test('a server without TLS is left by whoever demands it', async () => {
  const outcome = await ask({ ...plain.data, sslmode: 'require' });
  expect(outcome.error).toMatchObject({
    kind: 'connection',
    code: 'TLS_ERROR',
    retryable: false,
    message: 'the server does not support TLS, which sslmode requires',
  });
});

test.each(['require', 'prefer'])('a running statement is cancelled over TLS too: %s', async (sslmode) => {
  const ctx = context({ pg_local: { type: 'postgres', data: { ...pg.data, sslmode } } });
  const outcome = await pg.send({ command: 'select pg_sleep(20)' }, { timeout: { total: 1 } }, ctx);
  expect(outcome.error).toMatchObject({ kind: 'timeout' });
  const left = await pg.admin(
    `select 1 from pg_stat_activity where query like 'select pg_sleep%' and state = 'active'`,
  );
  expect(left).toEqual([]);
});

test('the words of TLS are taken out of a URL, whose other words stay', () => {
  expect(addressOf('postgres://a:b%20c@h/d?application_name=x&sslmode=disable')).toEqual({
    connectionString: 'postgres://a:b%20c@h/d?application_name=x',
    ssl: false,
  });
  expect(addressOf('postgres://h/d?ssl=true&options=-c%20a%3Db')).toEqual({
    connectionString: 'postgres://h/d?options=-c+a%3Db',
    ssl: { rejectUnauthorized: true },
  });
  expect(addressOf('postgres://h/d?ssl=0')).toEqual({ connectionString: 'postgres://h/d', ssl: false });
  const preferred = { ssl: false, stream: expect.any(Function) as unknown };
  expect(addressOf('postgres://h/d')).toEqual({ connectionString: 'postgres://h/d', ...preferred });
  expect(addressOf('/var/run/postgresql db')).toEqual({
    connectionString: '/var/run/postgresql db',
    ...preferred,
  });
});

test('PGSSLMODE is what is meant where nothing is said', async () => {
  process.env['PGSSLMODE'] = 'disable';
  try {
    expect((await ask({ ...pg.data })).result).toMatchObject({ rows: [{ ssl: false }] });
    expect((await ask({ ...pg.data, sslmode: 'prefer' })).result).toMatchObject({ rows: [{ ssl: true }] });
  } finally {
    delete process.env['PGSSLMODE'];
  }
});
