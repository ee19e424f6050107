/** Files of the worker that a playbook names: with every kind that opens one, by each of its fields. */
import fs from 'node:fs';
import http from 'node:http';
import { type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { type JsonObject, type Outcome } from '../../../src/language/plan';
import { context, run } from '../../../test/support/tool-call';
import { container } from '../../kinds/container/run';
import { gcs } from '../../kinds/gcs/run';
import { http as httpTool } from '../../kinds/http/run';
import { nats } from '../../kinds/nats/run';
import { postgres } from '../../kinds/postgres/run';
import { snowflake } from '../../kinds/snowflake/run';
import { type Tool } from './tool';
import { workerFile } from './worker-files';

const SECRET = 'text-of-a-key-file';
const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-worker-files-')));
const allowed = path.join(folder, 'allowed');
const secret = path.join(folder, 'secrets.key');
const received: string[] = [];
const server = http.createServer((request, response) => {
  received.push(JSON.stringify(request.headers));
  request.on('data', (piece: Buffer) => received.push(piece.toString()));
  request.on('end', () => response.end('answer'));
});
let url = '';

beforeAll(async () => {
  fs.mkdirSync(allowed);
  fs.writeFileSync(secret, SECRET);
  fs.writeFileSync(path.join(allowed, 'own.txt'), 'allowed');
  fs.symlinkSync(secret, path.join(allowed, 'link'));
  fs.symlinkSync(folder, path.join(allowed, 'folder'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  delete process.env['NOETL_FILES'];
  received.length = 0;
});
afterAll(() => {
  server.close();
  fs.rmSync(folder, { recursive: true });
});

const pg = { type: 'postgres', host: '127.0.0.1', port: 1, user: 'a', password: 'b', database: 'c' };
/** A cluster at the server above, by a kubeconfig. */
const cluster = (more: { cluster?: JsonObject; user?: JsonObject }, isText: boolean): JsonObject => {
  const config: JsonObject = {
    clusters: [{ name: 'c', cluster: { server: url, 'insecure-skip-tls-verify': true, ...more.cluster } }],
    users: [{ name: 'u', user: { ...more.user } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  };
  const kubeconfig = isText ? JSON.stringify(config) : config;
  return { runtime: 'kubernetes', image: 'i', auth: { type: 'kubernetes', kubeconfig } };
};

/** Each with a file of the worker. */
const USES: readonly (readonly [string, Tool, (file: string) => JsonObject])[] = [
  ...['certificate-authority', 'client-certificate', 'client-key', 'token-file'].map(
    (name, at): (typeof USES)[number] => [
      `container ${name}`,
      container,
      (file) => cluster({ [at === 0 ? 'cluster' : 'user']: { [name]: file } }, at % 2 === 0),
    ],
  ),
  ['http body_file', httpTool, (file) => ({ url, method: 'POST', body_file: file })],
  ['http files', httpTool, (file) => ({ url, method: 'POST', files: { a: file } })],
  ['http files path', httpTool, (file) => ({ url, method: 'POST', files: { a: { path: file } } })],
  ['http save_to', httpTool, (file) => ({ url, save_to: file })],
  ['http tls.ca', httpTool, (file) => ({ url: 'https://127.0.0.1:1', tls: { ca: file } })],
  ['http tls.key', httpTool, (file) => ({ url: 'https://127.0.0.1:1', tls: { cert: file, key: file } })],
  ['postgres socket', postgres, (file) => ({ auth: { ...pg, host: file }, command: 'select 1' })],
  ...[
    (file: string) => `postgres://u:p@/d?host=${file}`,
    (file: string) => `postgres://u:p@h/d?h%6fst=${encodeURIComponent(file)}`,
    (file: string) => `postgres://u:p@${encodeURIComponent(file)}/d`,
    (file: string) => `socket:${file}?db=d`,
    (file: string) => `${file} d`,
    (file: string) => `postgres://u:p@/d?host=127.0.0.1&port=1&sslcert=${file}`,
    (file: string) => `d?host=127.0.0.1&port=1&sslk%65y=${file}`,
  ].map((dsn): (typeof USES)[number] => [
    `postgres ${dsn('FILE')}`,
    postgres,
    (file) => ({ auth: { type: 'postgres', dsn: dsn(file) }, command: 'select 1' }),
  ]),
  ['postgres script', postgres, (file) => ({ auth: pg, script: { uri: file, source: { type: 'file' } } })],
  ...['sslrootcert', 'sslcert', 'sslkey'].map(
    (name) =>
      [
        `postgres ${name}`,
        postgres,
        (file: string) => ({ auth: { ...pg, sslmode: 'verify-full', [name]: file }, command: 'select 1' }),
      ] as const,
  ),
  [
    'postgres sslrootcert in a dsn',
    postgres,
    (file) => ({
      auth: { type: 'postgres', dsn: `postgres://a:b@127.0.0.1:1/c?sslmode=verify-full&sslrootcert=${file}` },
      command: 'select 1',
    }),
  ],
  [
    'nats nats_creds',
    nats,
    (file) => ({
      auth: { type: 'nats', nats_url: 'nats://127.0.0.1:1', nats_creds: file },
      operation: 'kv_get',
      bucket: 'b',
      key: 'k',
    }),
  ],
  [
    'snowflake private key',
    snowflake,
    (file) => ({
      auth: { type: 'snowflake', sf_account: 'a', sf_user: 'u', sf_private_key_file: file },
      command: 'select 1',
    }),
  ],
  [
    'gcs upload',
    gcs,
    (file) => ({ auth: { type: 'gcs', endpoint: url }, source: file, destination: 'gs://bucket/name' }),
  ],
  [
    'gcs download',
    gcs,
    (file) => ({ auth: { type: 'gcs', endpoint: url }, source: 'gs://bucket/name', destination: file }),
  ],
];
const refusal = ({ error }: Outcome): unknown => error?.code;

describe.each(USES)('%s', (_use, tool, config) => {
  test.each([
    ['no file may be named', ''],
    ['those of another folder may be', allowed],
  ])('where %s', async (_how, setting) => {
    process.env['NOETL_FILES'] = setting;
    for (const file of [secret, path.join(allowed, 'link'), path.join(allowed, '..', 'secrets.key')])
      expect(refusal(await run(tool, config(file), { timeout: { total: 20 } }))).toBe('FILE_REFUSED');
    expect(fs.readFileSync(secret, 'utf8')).toBe(SECRET);
    expect(received.join('')).not.toContain(SECRET);
  });

  test('where all may be, it is not that which stops it', async () => {
    const own = path.join(allowed, 'own.txt');
    expect(refusal(await run(tool, config(own), { timeout: { total: 20 } }, context()))).not.toBe(
      'FILE_REFUSED',
    );
  });
});

test('what is there by another name, is not there yet, or only begins alike', () => {
  process.env['NOETL_FILES'] = `${allowed}:/nowhere`;
  const refused = ['/proc/self/environ', '/dev/fd/0', `${allowed}-not`, allowed, '/', 'package.json', '']
    .concat([`${allowed}/folder/secrets.key`, `${allowed}/folder/new`, `${allowed}/../new`, '/nowherex/a'])
    .filter((name) => {
      try {
        return !workerFile('http', name);
      } catch (error) {
        return (error as { code?: string }).code === 'FILE_REFUSED';
      }
    });
  expect(refused).toHaveLength(11);
  for (const name of ['own.txt', 'new', 'a/b/new', '../allowed/own.txt'])
    expect(workerFile('http', path.join(allowed, name))).toBe(path.join(allowed, name));
  expect(workerFile('http', '/nowhere/a')).toBe('/nowhere/a');
  for (const all of ['*', undefined]) {
    if (all === undefined) delete process.env['NOETL_FILES'];
    else process.env['NOETL_FILES'] = all;
    expect(workerFile('http', secret)).toBe(secret);
  }
});
