/**
 * Kind × fault: what each tool says of what can go wrong. The tables were written from the documentation of the kinds and
 * DESIGN.md section 3 before they were run; a cell that differs is a mistake of the tool, or of its documentation.
 */
import fs from 'node:fs';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { openStorage, type Storage } from '../src/blobs';
import { type ErrorKind, type JsonObject } from '../src/plan';
import { type Emulator, needEmulator } from '../test/support/python-servers';
import { type PostgresTool, postgresTool } from '../test/support/postgres-tool';
import { context, run } from '../test/support/tool-call';
import { closeTools, registry } from './registry';

/** `kind`, the fault, fields (or a function of what was started), and what the outcome has to say. */
type Cell = readonly [
  fault: string,
  config: JsonObject | (() => JsonObject),
  kind: ErrorKind,
  code: string,
  retryable: boolean,
];

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-faults-'));
const file = (name: string): string => path.join(folder, name);
let pg: PostgresTool;
let warehouse: Emulator;
let bus: Emulator;
let storage: Storage;
let web: http.Server;
let rude: net.Server;
let origin: string;
let rudePort: number;
const sockets = new Set<net.Socket>();

/** `/status/503`, `/reset`, `/half`, `/slow`, `/stall`, `/loop`, `/gzip`, `/big`. */
function serve(request: http.IncomingMessage, response: http.ServerResponse): void {
  const [, what = '', value = ''] = new URL(request.url!, 'http://x').pathname.split('/');
  if (what === 'status') response.writeHead(Number(value)).end('{}');
  else if (what === 'reset') request.socket.destroy();
  else if (what === 'half')
    response.writeHead(200, { 'content-length': '1000' }).write('x', () => request.socket.destroy());
  else if (what === 'stall') response.writeHead(200, { 'content-length': '1000' }).write('x');
  else if (what === 'loop') response.writeHead(302, { location: request.url! }).end();
  else if (what === 'gzip') response.writeHead(200, { 'content-encoding': 'gzip' }).end('not gzip at all');
  else if (what === 'big') response.writeHead(200).end('x'.repeat(5000));
  else if (what === 'html') response.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
  else if (what === 'json')
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"rows": [1, 2]}');
  // `/slow` never answers.
}

beforeAll(async () => {
  web = http.createServer(serve);
  // Takes a connection and says what no protocol says.
  rude = net.createServer((socket) => socket.on('error', () => undefined).end('\u0000\u0001garbage\r\n\r\n'));
  for (const server of [web, rude]) {
    server.on('connection', (socket: net.Socket) => sockets.add(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  }
  origin = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
  rudePort = (rude.address() as AddressInfo).port;
  storage = await openStorage(`file://${file('blobs')}`);
  [pg, warehouse, bus] = await Promise.all([postgresTool(), needEmulator('snowflake'), needEmulator('nats')]);
  await pg.admin(`create table t (id int primary key, n int not null check (n > 0), doc jsonb, u uuid);
    insert into t values (1, 1); create table child (id int references t (id)); create role nobody login password 'nobody-pass'`);
  fs.writeFileSync(
    file('not-a.duckdb'),
    'this is not a database at all, and long enough to be read as one'.repeat(100),
  );
  fs.writeFileSync(file('plain'), 'a file');
}, 400_000);
afterAll(async () => {
  sockets.forEach((socket) => socket.destroy());
  await Promise.all([closeTools([]), warehouse?.stop(), bus?.stop(), storage?.close()]);
  web?.close();
  rude?.close();
  await pg?.stop();
  fs.rmSync(folder, { recursive: true, force: true });
});

const at =
  (where: string): (() => JsonObject) =>
  () => ({ url: `${origin}/${where}` });
const pgAt =
  (more: JsonObject): (() => JsonObject) =>
  () => ({ query: 'select 1', auth: { type: 'postgres', ...pg.data, ...more } });
const sql = (command: string): JsonObject => ({ command });
const py = (code: string): JsonObject => ({ code });
const sh = (cmds: string): JsonObject => ({ cmds });
const sf = (more: JsonObject): JsonObject => ({
  account: 'fake',
  user: 'u',
  password: 'p',
  database: 'DB1',
  schema: 'S1',
  access_url: warehouse.url,
  ...more,
});
const sfAt =
  (more: JsonObject): (() => JsonObject) =>
  () => ({ query: 'select 1', auth: sf(more) });
const sfSql =
  (query: string): (() => JsonObject) =>
  () => ({ query, auth: sf({}) });
const gcsAt =
  (endpoint: () => string, more: JsonObject = {}): (() => JsonObject) =>
  () => ({
    source: 'gs://bucket/name',
    auth: { endpoint: endpoint() },
    ...more,
  });
const gcsStatus = (status: number): (() => JsonObject) => gcsAt(() => `${origin}/status/${status}`);
const busAt =
  (operation: string, more: JsonObject = {}): (() => JsonObject) =>
  () => ({
    operation,
    auth: { nats_url: bus.url },
    ...more,
  });
const moved =
  (source: JsonObject | (() => JsonObject), target: JsonObject | (() => JsonObject) = {}) =>
  (): JsonObject => ({
    source: typeof source === 'function' ? source() : source,
    target: typeof target === 'function' ? target() : { kind: 'duckdb', table: 't', ...target },
  });
const reference = (more: JsonObject): JsonObject => ({
  ref: {
    store: 'file',
    key: `v0/ns/default/wi/noetl-1/d/sha256/${'0'.repeat(64)}`,
    checksum: `sha256:${'0'.repeat(64)}`,
    ...more,
  },
});

const STATUSES: readonly (readonly [number, ErrorKind, boolean])[] = [
  [400, 'client_error', false],
  [401, 'auth', false],
  [403, 'auth', false],
  [404, 'not_found', false],
  [408, 'timeout', true],
  [409, 'client_error', false],
  [410, 'client_error', false],
  [413, 'client_error', false],
  [422, 'client_error', false],
  [429, 'rate_limit', true],
  [500, 'server_error', true],
  [502, 'server_error', true],
  [503, 'server_error', true],
  [504, 'server_error', true],
];

const CELLS: Readonly<Record<string, readonly Cell[]>> = {
  http: [
    ...STATUSES.map(([status, kind, retryable]): Cell => [
      `answer ${status}`,
      at(`status/${status}`),
      kind,
      `HTTP_${status}`,
      retryable,
    ]),
    ['no url', {}, 'validation', 'INVALID_URL', false],
    ['a url that is none', { url: 'not a url' }, 'validation', 'INVALID_URL', false],
    ['another protocol', { url: 'ftp://127.0.0.1/x' }, 'validation', 'INVALID_URL', false],
    ['connection refused', { url: 'http://127.0.0.1:1/' }, 'connection', 'CONNECTION_REFUSED', true],
    ['an unknown host', { url: 'http://no-such-host.invalid/' }, 'connection', 'DNS_NOT_FOUND', true],
    ['metadata address', { url: 'http://169.254.169.254/' }, 'validation', 'ADDRESS_DENIED', false],
    ['reset before the answer', at('reset'), 'connection', 'CONNECTION_LOST', true],
    ['reset mid-body', at('half'), 'connection', 'CONNECTION_LOST', true],
    ['no answer', () => ({ url: `${origin}/slow`, timeout: 0.3 }), 'timeout', 'TIMEOUT', true],
    ['a stalled body', () => ({ url: `${origin}/stall`, timeout: 0.3 }), 'timeout', 'TIMEOUT', true],
    ['redirects without end', at('loop'), 'client_error', 'TOO_MANY_REDIRECTS', false],
    ['a body that is not gzip', at('gzip'), 'server_error', 'BAD_ENCODING', true],
    [
      'too large',
      () => ({ url: `${origin}/big`, max_response_bytes: 100 }),
      'validation',
      'RESPONSE_TOO_LARGE',
      false,
    ],
    [
      'a file that cannot be written',
      () => ({ url: `${origin}/big`, save_to: `${file('plain')}/x` }),
      'exception',
      'FILE_UNWRITABLE',
      false,
    ],
    ['a bad header', () => ({ url: origin, headers: { 'a b': 'c' } }), 'validation', 'INVALID_HEADER', false],
    ['an unknown credential', () => ({ url: origin, auth: 'nobody' }), 'auth', 'CREDENTIAL_NOT_FOUND', false],
    [
      'TLS to a plain server',
      () => ({ url: origin.replace('http', 'https') }),
      'connection',
      'TLS_ERROR',
      false,
    ],
    [
      'a body file that is missing',
      () => ({ url: origin, method: 'POST', body_file: file('none') }),
      'not_found',
      'FILE_NOT_FOUND',
      false,
    ],
  ],
  python: [
    ['an exception', py("raise ValueError('x')"), 'exception', 'PY_ValueError', false],
    ['an own exception', py('class Mine(Exception): pass\nraise Mine()'), 'exception', 'PY_Mine', false],
    ['a missing key', py("{}['a']"), 'exception', 'PY_KeyError', false],
    ['a division by zero', py('1/0'), 'exception', 'PY_ZeroDivisionError', false],
    ['an undefined name', py('result = nope'), 'exception', 'PY_NameError', false],
    ['a missing module', py('import no_such_module_at_all'), 'exception', 'PY_ModuleNotFoundError', false],
    ['a missing file', py("open('/no/such/file')"), 'exception', 'PY_FileNotFoundError', false],
    ['a recursion without end', py('def f(): f()\nf()'), 'exception', 'PY_RecursionError', false],
    ['an assertion', py('assert False'), 'exception', 'PY_AssertionError', false],
    ['a syntax error', py('def ('), 'validation', 'PY_SyntaxError', false],
    ['a result that is no data', py('result = object()'), 'validation', 'RESULT_NOT_JSON', false],
    ['sys.exit(3)', py('import sys; sys.exit(3)'), 'exception', 'PY_SystemExit', false],
    ['os._exit(7)', py('import os; os._exit(7)'), 'exception', 'PY_EXIT_7', false],
    [
      'killed',
      py('import os, signal; os.kill(os.getpid(), signal.SIGKILL)'),
      'exception',
      'PY_SIGKILL',
      false,
    ],
    [
      'a segmentation fault',
      py('import os, signal; os.kill(os.getpid(), signal.SIGSEGV)'),
      'exception',
      'PY_SIGSEGV',
      false,
    ],
    [
      'out of memory',
      { code: "result = len('x' * 10**10)", memory_mb: 128 },
      'exception',
      'PY_MemoryError',
      false,
    ],
    ['too slow', { code: 'while True: pass', timeout: 0.5 }, 'timeout', 'TIMEOUT', true],
    [
      'a script that is missing',
      { script: { uri: '/no/such.py', source: { type: 'file' } } },
      'not_found',
      'SCRIPT_NOT_FOUND',
      false,
    ],
    [
      'a script of an unknown source',
      { script: { uri: 'x', source: { type: 'carrier pigeon' } } },
      'validation',
      'SCRIPT_SOURCE',
      false,
    ],
    [
      'a script behind a refused connection',
      { script: { uri: 'http://127.0.0.1:1/x.py', source: { type: 'http' } } },
      'connection',
      'CONNECTION_REFUSED',
      true,
    ],
  ],
  postgres: [
    ['no sql', { auth: 'pg_local', command: '' }, 'validation', 'EMPTY_SQL', false],
    ['no credential', () => ({ auth: '', ...sql('select 1') }), 'validation', 'NO_CREDENTIAL', false],
    ['connection refused', pgAt({ db_port: 1 }), 'connection', 'ECONNREFUSED', true],
    ['an unknown host', pgAt({ db_host: 'no-such-host.invalid' }), 'connection', 'ENOTFOUND', true],
    [
      'a wrong password',
      pgAt({ db_user: 'nobody', db_password: 'wrong-password' }),
      'auth',
      'SQLSTATE_28P01',
      false,
    ],
    ['an unknown database', pgAt({ db_name: 'no_such_database' }), 'sql', 'SQLSTATE_3D000', false],
    [
      'a credential without a host',
      { auth: { type: 'postgres', db_user: 'x' }, ...sql('select 1') },
      'auth',
      'CREDENTIAL_INVALID',
      false,
    ],
    [
      'a credential of another type',
      { auth: { type: 'bearer', token: 'x' }, ...sql('select 1') },
      'auth',
      'CREDENTIAL_UNSUITABLE',
      false,
    ],
    ['a syntax error', sql('selec 1'), 'sql', 'SQLSTATE_42601', false],
    ['a missing table', sql('select * from nope'), 'sql', 'SQLSTATE_42P01', false],
    ['a missing column', sql('select nope from t'), 'sql', 'SQLSTATE_42703', false],
    ['a missing function', sql('select nope()'), 'sql', 'SQLSTATE_42883', false],
    ['a division by zero', sql('select 1/0'), 'sql', 'SQLSTATE_22012', false],
    ['a number out of range', sql('select 2147483647::int + 1'), 'sql', 'SQLSTATE_22003', false],
    ['a text that is no number', sql("select 'x'::int"), 'sql', 'SQLSTATE_22P02', false],
    ['a unique violation', sql('insert into t values (1, 1)'), 'sql', 'SQLSTATE_23505', false],
    ['a null', sql('insert into t values (2, null)'), 'sql', 'SQLSTATE_23502', false],
    ['a check', sql('insert into t values (2, 0)'), 'sql', 'SQLSTATE_23514', false],
    ['a foreign key', sql('insert into child values (99)'), 'sql', 'SQLSTATE_23503', false],
    [
      'no permission',
      () => ({
        ...sql('select * from t'),
        auth: { type: 'postgres', ...pg.data, db_user: 'nobody', db_password: 'nobody-pass' },
      }),
      'sql',
      'SQLSTATE_42501',
      false,
    ],
    [
      'a statement timeout',
      { ...sql('select pg_sleep(9)'), statement_timeout: 0.2 },
      'timeout',
      'SQLSTATE_57014',
      true,
    ],
    ['too slow', { ...sql('select pg_sleep(9)'), timeout: 0.5 }, 'timeout', 'TIMEOUT', true],
    [
      'its backend is killed',
      sql('select pg_terminate_backend(pg_backend_pid())'),
      'connection',
      'SQLSTATE_57P01',
      true,
    ],
    [
      'a lock that is not available',
      sql("begin; set local lock_timeout = '1ms'; do $$ begin raise lock_not_available; end $$"),
      'sql',
      'SQLSTATE_55P03',
      true,
    ],
    [
      'a serialisation failure',
      sql('do $$ begin raise serialization_failure; end $$'),
      'sql',
      'SQLSTATE_40001',
      true,
    ],
    ['a deadlock', sql('do $$ begin raise deadlock_detected; end $$'), 'sql', 'SQLSTATE_40P01', true],
    ['a full disk', sql('do $$ begin raise disk_full; end $$'), 'sql', 'SQLSTATE_53100', true],
    [
      'too many connections',
      sql('do $$ begin raise too_many_connections; end $$'),
      'sql',
      'SQLSTATE_53300',
      true,
    ],
    [
      'an exception of a procedure',
      sql("do $$ begin raise exception 'mine'; end $$"),
      'sql',
      'SQLSTATE_P0001',
      false,
    ],
    [
      'a parameter that is missing',
      { ...sql('select $2'), params: [1] },
      'validation',
      'INVALID_INPUT',
      false,
    ],
    ['table: missing', { table: 'nope', data: { a: 1 } }, 'sql', 'SQLSTATE_42P01', false],
    [
      'table: a column that is missing',
      { table: 't', data: { nope: 1 } },
      'validation',
      'NO_SUCH_COLUMN',
      false,
    ],
    ['table: no data', { table: 't' }, 'validation', 'NO_DATA', false],
    ['table: data that is no row', { table: 't', data: [1] }, 'validation', 'INVALID_DATA', false],
    [
      'table: a mode that is none',
      { table: 't', data: { id: 1 }, mode: 'merge' },
      'validation',
      'INVALID_MODE',
      false,
    ],
    [
      'table: a key without an index',
      { table: 't', data: { n: 1 }, mode: 'upsert', key: 'n' },
      'validation',
      'NO_UNIQUE_KEY',
      false,
    ],
    [
      'table: a row without its key',
      { table: 't', data: { n: 1 }, mode: 'upsert' },
      'validation',
      'MISSING_KEY',
      false,
    ],
    [
      'table: a value of another type',
      { table: 't', data: { id: 'x', n: 1 } },
      'sql',
      'SQLSTATE_22P02',
      false,
    ],
    [
      'copy: a missing file',
      () => ({ copy: { from: file('none.csv'), table: 't' } }),
      'not_found',
      'FILE_NOT_FOUND',
      false,
    ],
    [
      'copy: a folder that is missing',
      () => ({ copy: { to: file('no/x.csv'), table: 't' } }),
      'exception',
      'FILE_UNWRITABLE',
      false,
    ],
  ],
  duckdb: [
    ['no sql', sql(' '), 'validation', 'EMPTY_SQL', false],
    ['a syntax error', sql('selec 1'), 'sql', 'DUCKDB_PARSER', false],
    ['a missing table', sql('select * from nope'), 'sql', 'DUCKDB_CATALOG', false],
    ['a missing column', sql('select nope from range(1)'), 'sql', 'DUCKDB_BINDER', false],
    ['a text that is no number', sql("select 'x'::int"), 'sql', 'DUCKDB_CONVERSION', false],
    ['a number out of range', sql('select 200::tinyint'), 'sql', 'DUCKDB_CONVERSION', false],
    [
      'a constraint',
      sql('create table c (id int primary key); insert into c values (1); insert into c values (1)'),
      'sql',
      'DUCKDB_CONSTRAINT',
      false,
    ],
    ['a missing file', sql("select * from read_csv('/no/such.csv')"), 'sql', 'DUCKDB_IO', false],
    [
      'a file that is no database',
      () => ({ ...sql('select 1'), database: file('not-a.duckdb') }),
      'sql',
      'DUCKDB_IO',
      false,
    ],
    [
      'a folder that is missing',
      () => ({ ...sql('select 1'), database: file('no/such/x.duckdb') }),
      'sql',
      'DUCKDB_IO',
      false,
    ],
    [
      'out of memory',
      sql("set memory_limit = '20MB'; set temp_directory = ''; select list(range) from range(20000000)"),
      'sql',
      'DUCKDB_OUT_OF_MEMORY',
      false,
    ],
    [
      'too slow',
      { ...sql('select count(*) from range(100000000000) a, range(1000) b'), timeout: 0.5 },
      'timeout',
      'TIMEOUT',
      true,
    ],
    [
      'a parameter that is missing',
      { ...sql('select $a'), params: { b: 1 } },
      'validation',
      'INVALID_INPUT',
      false,
    ],
    ['params that are none', { ...sql('select 1'), params: 'x' }, 'validation', 'INVALID_INPUT', false],
    ['table: a name that is none', { table: 'a b', data: { a: 1 } }, 'validation', 'INVALID_TABLE', false],
    ['table: null', { table: 't', data: null }, 'validation', 'NO_DATA', false],
  ],
  shell: [
    ['exit code 1', sh('false'), 'exception', 'EXIT_1', false],
    ['exit code 3', sh('exit 3'), 'exception', 'EXIT_3', false],
    ['a command that is missing', sh('no_such_command_at_all'), 'exception', 'EXIT_127', false],
    ['a file that is not executable', () => sh(file('plain')), 'exception', 'EXIT_126', false],
    ['killed', sh('kill -9 $$'), 'exception', 'EXIT_137', false],
    ['terminated', sh('kill -15 $$'), 'exception', 'EXIT_143', false],
    ['a syntax error', sh('if then'), 'exception', 'EXIT_2', false],
    ['the second of two', { cmds: ['true', 'exit 4'] }, 'exception', 'EXIT_4', false],
    ['too slow', { cmds: 'sleep 9', timeout: 0.3 }, 'timeout', 'TIMEOUT', true],
  ],
  script: [
    ['a missing file', { script: '/no/such.sh' }, 'not_found', 'SCRIPT_NOT_FOUND', false],
    ['exit code 5', { code: 'exit 5' }, 'exception', 'EXIT_5', false],
    ['too slow', { code: 'sleep 9', timeout: 0.3 }, 'timeout', 'TIMEOUT', true],
    [
      'a script behind a 404',
      () => ({ script: { uri: `${origin}/status/404`, source: { type: 'http' } } }),
      'not_found',
      'HTTP_404',
      false,
    ],
    [
      'a script behind a 500',
      () => ({ script: { uri: `${origin}/status/500`, source: { type: 'http' } } }),
      'server_error',
      'HTTP_500',
      true,
    ],
  ],
  artifact: [
    ['an action that is none', { action: 'delete' }, 'validation', 'INVALID_ACTION', false],
    ['nothing to store', { action: 'put' }, 'validation', 'NO_DATA', false],
    ['nothing to fetch', { action: 'get' }, 'validation', 'NO_REFERENCE', false],
    ['a number for a reference', { action: 'get', ref: 7 }, 'validation', 'INVALID_REFERENCE', false],
    ['a text for a reference', { action: 'get', ref: 'x' }, 'validation', 'INVALID_REFERENCE', false],
    ['a reference without a key', reference({ key: '' }), 'validation', 'INVALID_REFERENCE', false],
    ['a checksum that is none', reference({ checksum: 'md5:1' }), 'validation', 'INVALID_REFERENCE', false],
    ['a part', reference({ range: '/a' }), 'validation', 'INVALID_REFERENCE', false],
    ['a value of history', reference({ store: 'history' }), 'validation', 'NOT_STORED', false],
    ['another store', reference({ store: 's3://elsewhere' }), 'validation', 'OTHER_STORE', false],
    ['a value that is gone', reference({}), 'not_found', 'BLOB_MISSING', false],
    [
      'a key outside of the store',
      reference({ key: '../../etc/passwd' }),
      'not_found',
      'BLOB_MISSING',
      false,
    ],
  ],
  gcs: [
    ...STATUSES.map(([status, kind, retryable]): Cell => [
      `answer ${status}`,
      gcsStatus(status),
      kind,
      `GCS_${status}`,
      retryable,
    ]),
    ['connection refused', gcsAt(() => 'http://127.0.0.1:1'), 'connection', 'ECONNREFUSED', true],
    ['no place', {}, 'validation', 'INVALID_PLACE', false],
    ['a place that is none', { source: 'gs://' }, 'validation', 'INVALID_PLACE', false],
    [
      'an action that is none',
      { action: 'move', source: 'gs://bucket/x' },
      'validation',
      'INVALID_ACTION',
      false,
    ],
    [
      'a file that is missing',
      () => ({ source: file('none'), destination: 'gs://bucket/x', auth: { endpoint: origin } }),
      'not_found',
      'FILE_NOT_FOUND',
      false,
    ],
    [
      'a folder for a file',
      () => ({ source: folder, destination: 'gs://bucket/x', auth: { endpoint: origin } }),
      'validation',
      'FILE_UNREADABLE',
      false,
    ],
    [
      'base64 that is none',
      () => ({ data: '!', encoding: 'base64', destination: 'gs://bucket/x', auth: { endpoint: origin } }),
      'validation',
      'INVALID_DATA',
      false,
    ],
    [
      'a service account that is none',
      { source: 'gs://bucket/x', auth: { service_account_json: '{}' } },
      'auth',
      'CREDENTIAL_INVALID',
      false,
    ],
    [
      'an unknown credential',
      { source: 'gs://bucket/x', auth: 'nobody' },
      'auth',
      'CREDENTIAL_NOT_FOUND',
      false,
    ],
    ['too slow', gcsAt(() => `${origin}/slow`, { timeout: 0.5 }), 'timeout', 'TIMEOUT', true],
  ],
  snowflake: [
    ['no sql', () => ({ query: ' ', auth: sf({}) }), 'validation', 'EMPTY_SQL', false],
    ['no credential', { query: 'select 1' }, 'validation', 'NO_CREDENTIAL', false],
    [
      'no account',
      { query: 'select 1', auth: { user: 'u', password: 'p' } },
      'auth',
      'CREDENTIAL_INVALID',
      false,
    ],
    [
      'no password',
      { query: 'select 1', auth: { account: 'a', user: 'u' } },
      'auth',
      'CREDENTIAL_INVALID',
      false,
    ],
    [
      'no user',
      { query: 'select 1', auth: { account: 'a', password: 'p' } },
      'auth',
      'CREDENTIAL_INVALID',
      false,
    ],
    ['connection refused', sfAt({ access_url: 'http://127.0.0.1:1' }), 'connection', 'ECONNREFUSED', true],
    ['a wrong password', sfAt({ password: 'wrong' }), 'auth', 'SNOWFLAKE_390100', false],
    ['a syntax error', sfSql('selec 1'), 'sql', 'SNOWFLAKE_001003', false],
    ['a missing table', sfSql('select * from nope'), 'sql', 'SNOWFLAKE_002003', false],
    ['a locked table', sfSql('select 1 /* locked */'), 'sql', 'SNOWFLAKE_000625', true],
    ['a timeout of the server', sfSql('select 1 /* timeout */'), 'timeout', 'SNOWFLAKE_000630', true],
    ['cancelled by somebody', sfSql('select 1 /* cancelled */'), 'sql', 'SNOWFLAKE_000604', false],
    ['no permission', sfSql('select 1 /* denied */'), 'sql', 'SNOWFLAKE_003001', false],
    ['no warehouse', sfSql('select 1 /* suspended */'), 'sql', 'SNOWFLAKE_000606', false],
    ['a refusal in between', sfSql('select 1 /* 403 */'), 'auth', 'HTTP_403', false],
    [
      'too slow',
      () => ({ query: 'select 1 /* slow */', auth: sf({}), timeout: 1 }),
      'timeout',
      'TIMEOUT',
      true,
    ],
    [
      'table: missing',
      () => ({ table: 'nope', data: { a: 1 }, auth: sf({}) }),
      'sql',
      'SNOWFLAKE_002003',
      false,
    ],
    ['table: no data', () => ({ table: 't', auth: sf({}) }), 'validation', 'NO_DATA', false],
    [
      'params that are none',
      () => ({ query: 'select 1', params: 'x', auth: sf({}) }),
      'validation',
      'INVALID_INPUT',
      false,
    ],
  ],
  nats: [
    ['an operation that is none', busAt('kv_rename'), 'validation', 'INVALID_OPERATION', false],
    ['no operation', () => ({ auth: { nats_url: bus.url } }), 'validation', 'INVALID_OPERATION', false],
    ['no bucket', busAt('kv_get', { key: 'k' }), 'validation', 'MISSING_FIELD', false],
    ['no key', busAt('kv_get', { bucket: 'b' }), 'validation', 'MISSING_FIELD', false],
    ['no value', busAt('kv_put', { bucket: 'b', key: 'k' }), 'validation', 'MISSING_FIELD', false],
    ['no credential', { operation: 'kv_get', bucket: 'b', key: 'k' }, 'validation', 'NO_CREDENTIAL', false],
    [
      'a credential without a server',
      { operation: 'kv_get', bucket: 'b', key: 'k', auth: { nats_user: 'x' } },
      'auth',
      'CREDENTIAL_INVALID',
      false,
    ],
    [
      'connection refused',
      { operation: 'kv_get', bucket: 'b', key: 'k', auth: { nats_url: 'nats://127.0.0.1:1' } },
      'connection',
      'ECONNREFUSED',
      true,
    ],
    ['no such stream', busAt('js_stream_info', { stream: 'nope' }), 'not_found', 'NATS_10059', false],
    [
      'a message of no stream',
      busAt('js_get_msg', { stream: 'nope', seq: 1 }),
      'not_found',
      'NATS_10059',
      false,
    ],
    [
      'a subject of no stream',
      busAt('js_publish', { subject: 'nobody.listens', data: 1 }),
      'not_found',
      'NO_STREAM',
      false,
    ],
    [
      'base64 that is none',
      busAt('kv_put', { bucket: 'b', key: 'k', value: '!', encoding: 'base64' }),
      'validation',
      'INVALID_DATA',
      false,
    ],
  ],
  transfer: [
    ['no source', () => ({ target: { kind: 'duckdb', table: 't' } }), 'validation', 'INVALID_SOURCE', false],
    ['no target', { source: { kind: 'duckdb', query: 'select 1' } }, 'validation', 'INVALID_TARGET', false],
    ['a source of no kind', moved({ query: 'select 1' }), 'validation', 'INVALID_SOURCE', false],
    ['a source of an unknown kind', moved({ kind: 'oracle' }), 'validation', 'INVALID_SOURCE', false],
    ['a source without a query', moved({ kind: 'duckdb' }), 'validation', 'INVALID_SOURCE', false],
    [
      'a target without a table',
      moved({ kind: 'duckdb', query: 'select 1' }, { table: null }),
      'validation',
      'INVALID_TARGET',
      false,
    ],
    ['a missing table', moved({ kind: 'duckdb', query: 'select 1 as a' }), 'sql', 'DUCKDB_CATALOG', false],
    ['a source whose SQL is wrong', moved({ kind: 'duckdb', query: 'selec' }), 'sql', 'DUCKDB_PARSER', false],
    [
      'a source that answers 503',
      moved(() => ({ kind: 'http', url: `${origin}/status/503` })),
      'server_error',
      'HTTP_503',
      true,
    ],
    [
      'a source that is not there',
      moved({ kind: 'http', url: 'http://127.0.0.1:1' }),
      'connection',
      'CONNECTION_REFUSED',
      true,
    ],
    [
      'a mode that is none',
      moved({ kind: 'duckdb', query: 'select 1' }, { mode: 'merge' }),
      'validation',
      'INVALID_MODE',
      false,
    ],
    [
      'chunks of nothing',
      () => ({ ...moved({ kind: 'duckdb', query: 'select 1' })(), chunk_size: 0 }),
      'validation',
      'INVALID_CHUNK_SIZE',
      false,
    ],
    [
      'a mapping that is none',
      () => ({ ...moved({ kind: 'duckdb', query: 'select 1' })(), mapping: 'x' }),
      'validation',
      'INVALID_MAPPING',
      false,
    ],
    [
      'a wrong password of the target',
      moved({ kind: 'duckdb', query: 'select 1 as id' }, () => ({
        kind: 'postgres',
        table: 't',
        auth: { type: 'postgres', ...pg.data, db_user: 'nobody', db_password: 'wrong-password' },
      })),
      'auth',
      'SQLSTATE_28P01',
      false,
    ],
    [
      'a target that refuses a row',
      moved({ kind: 'duckdb', query: 'select 1 as id, 1 as n' }, () => ({
        kind: 'postgres',
        table: 't',
        auth: 'pg_local',
      })),
      'sql',
      'SQLSTATE_23505',
      false,
    ],
    [
      'an answer that is no data',
      moved(
        () => ({ kind: 'http', url: `${origin}/html` }),
        () => ({ kind: 'postgres', table: 't', auth: 'pg_local' }),
      ),
      'server_error',
      'BAD_JSON',
      true,
    ],
    [
      'rows that are none',
      moved(
        () => ({ kind: 'http', url: `${origin}/json`, data_path: 'rows' }),
        () => ({ kind: 'postgres', table: 't', auth: 'pg_local' }),
      ),
      'validation',
      'INVALID_DATA',
      false,
    ],
    [
      'a path that leads nowhere',
      moved(
        () => ({ kind: 'http', url: `${origin}/json`, data_path: 'items' }),
        () => ({ kind: 'postgres', table: 't', auth: 'pg_local' }),
      ),
      'validation',
      'INVALID_SOURCE',
      false,
    ],
  ],
};

describe.each(Object.keys(CELLS))('%s', (kind) => {
  test.each(CELLS[kind]!)('%s', async (_, config, errorKind, code, retryable) => {
    const given = typeof config === 'function' ? config() : config;
    const auth: JsonObject = kind === 'postgres' && given['auth'] === undefined ? { auth: 'pg_local' } : {};
    const ctx = {
      ...context({ pg_local: { type: 'postgres', data: pg.data } }),
      results: storage.results('default')!,
    };
    const outcome = await run(registry.get(kind)!, { ...auth, ...given }, {}, ctx);
    const { kind: foundKind, code: foundCode, retryable: foundRetryable, message } = outcome.error ?? {};
    expect({ kind: foundKind, code: foundCode, retryable: foundRetryable }).toEqual({
      kind: errorKind,
      code,
      retryable,
    });
    expect(outcome.status).toBe('error');
    expect(String(message).length).toBeGreaterThan(8);
  });
});

test('no cell is there twice', () => {
  const all = Object.entries(CELLS).flatMap(([kind, cells]) => cells.map(([fault]) => `${kind}: ${fault}`));
  expect(new Set(all).size).toBe(all.length);
});

test('a server that speaks no protocol is a lost connection, or an answer that cannot be read', async () => {
  for (const [kind, config] of [
    ['http', { url: `http://127.0.0.1:${rudePort}/` }],
    ['postgres', { query: 'select 1', auth: { type: 'postgres', ...pg.data, db_port: rudePort } }],
    ['gcs', { source: 'gs://bucket/x', auth: { endpoint: `http://127.0.0.1:${rudePort}` } }],
    ['snowflake', { query: 'select 1', auth: sf({ access_url: `http://127.0.0.1:${rudePort}` }) }],
    ['nats', { operation: 'js_stream_info', stream: 'x', auth: { nats_url: `127.0.0.1:${rudePort}` } }],
    [
      'container',
      {
        image: 'x',
        runtime: 'kubernetes',
        auth: { type: 'kubernetes', server: `http://127.0.0.1:${rudePort}` },
      },
    ],
    [
      'transfer',
      {
        source: { kind: 'http', url: `http://127.0.0.1:${rudePort}/` },
        target: { kind: 'duckdb', table: 't' },
      },
    ],
  ] as const) {
    const { error } = await run(registry.get(kind)!, config as JsonObject);
    expect({ [kind]: error?.kind }).toEqual({ [kind]: 'connection' });
  }
});
