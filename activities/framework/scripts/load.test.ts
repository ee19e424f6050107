/** Scripts from every source, for every kind that loads its code: emulators of GCS and S3, a server, files. */
import fs from 'node:fs';
import http from 'node:http';
import { type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { CreateBucketCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { type Json, type JsonObject, type Outcome } from '../../../src/language/plan';
import { context, run } from '../../../test/support/tool-call';
import { type Emulator, needEmulator } from '../../../test/support/python-servers';
import { gcsClient } from '../google-storage/client';
import { closeTools, registry } from '../../registry';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-scripts-'));
const PYTHON = 'result = n + 1';
const SQL = 'select $1 + 1 as n';
const SHELL = 'echo $(($1 + 1))';
const FILES: Readonly<Record<string, string>> = {
  'code.py': PYTHON,
  'code.sql': SQL,
  'code.sh': SHELL,
  large: 'x'.repeat(5_000_000),
};

let gcs: Emulator;
let s3: Emulator;
let served: { authorization?: string; token?: string }[] = [];
const server = http.createServer((request, response) => {
  const name = path.basename(new URL(request.url!, 'http://x').pathname);
  served.push({
    authorization: request.headers.authorization,
    token: request.headers['x-token'] as string | undefined,
  });
  if (request.url!.startsWith('/locked') && request.headers.authorization !== 'Bearer key-of-the-scripts')
    return void response.writeHead(401).end();
  response.writeHead(FILES[name] ? 200 : 404).end(FILES[name] ?? '');
});
let origin = '';

beforeAll(async () => {
  [gcs, s3] = await Promise.all([needEmulator('gcs'), needEmulator('s3')]);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const google = await gcsClient({ name: 'g', data: { endpoint: gcs.url, project: 'p' } });
  await google.createBucket('scripts');
  const amazon = new S3Client({
    endpoint: s3.url,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
  });
  await amazon.send(new CreateBucketCommand({ Bucket: 'scripts' }));
  for (const [name, text] of Object.entries(FILES)) {
    fs.writeFileSync(path.join(folder, name), text);
    await google.bucket('scripts').file(`in/${name}`).save(text, { resumable: false });
    await amazon.send(new PutObjectCommand({ Bucket: 'scripts', Key: `in/${name}`, Body: text }));
  }
  amazon.destroy();
}, 400_000);
beforeEach(() => void (served = []));
afterAll(async () => {
  await closeTools([]);
  server.closeAllConnections();
  server.close();
  await Promise.all([gcs?.stop(), s3?.stop()]);
  fs.rmSync(folder, { recursive: true, force: true });
});

function load(kind: string, script: Json, more: JsonObject = {}): Promise<Outcome> {
  const credentials = {
    google: { type: 'gcs', data: { endpoint: gcs.url, project: 'p' } },
    amazon: { type: 's3_hmac', data: { key_id: 'a', secret: 'b', endpoint: s3.url } },
    nobody: { type: 's3_hmac', data: { key_id: 'a', secret: 'b', endpoint: 'http://127.0.0.1:1' } },
    keyed: { type: 'bearer', data: { token: 'key-of-the-scripts' } },
  };
  return run(registry.get(kind)!, { ...more, script }, { input: { n: 1 } }, context(credentials));
}

const SOURCES: readonly (readonly [string, (name: string) => JsonObject])[] = [
  ['a file', (name) => ({ uri: path.join(folder, name) })],
  ['a file by its address', (name) => ({ uri: `file://${folder}/${name}`, source: { type: 'file' } })],
  ['a server', (name) => ({ uri: `${origin}/${name}` })],
  ['a path of a server', (name) => ({ uri: name, source: { type: 'http', endpoint: `${origin}/in` } })],
  [
    'a server that asks for a token',
    (name) => ({ uri: `${origin}/locked/${name}`, source: { type: 'http', auth: 'keyed' } }),
  ],
  ['GCS', (name) => ({ uri: `gs://scripts/in/${name}`, source: { type: 'gcs', auth: 'google' } })],
  ['GCS, by the uri', (name) => ({ uri: `gs://scripts/in/${name}`, source: { credential: 'google' } })],
  [
    'GCS, by bucket',
    (name) => ({ uri: `in/${name}`, source: { type: 'gcs', bucket: 'scripts', auth: 'google' } }),
  ],
  [
    'S3',
    (name) => ({
      uri: `s3://scripts/in/${name}`,
      source: { type: 's3', region: 'eu-north-1', auth: 'amazon' },
    }),
  ],
  ['S3, by the uri', (name) => ({ uri: `s3://scripts/in/${name}`, auth: 'amazon' })],
  [
    'S3, by bucket',
    (name) => ({ uri: `/in/${name}`, source: { type: 's3', bucket: 'scripts', auth: 'amazon' } }),
  ],
];

describe.each(SOURCES)('from %s', (_, at) => {
  test('Python', async () => {
    expect(await load('python', at('code.py'))).toMatchObject({ status: 'ok', result: 2 });
  });
  test('SQL', async () => {
    expect(await load('duckdb', at('code.sql'), { params: [1] })).toMatchObject({
      status: 'ok',
      result: { rows: [{ n: 2 }] },
    });
  });
  test('a program', async () => {
    expect(await load('script', at('code.sh'), { args: [1] })).toMatchObject({
      status: 'ok',
      result: { data: 2 },
    });
  });
});

test('a text is the uri, where it is no SQL', async () => {
  expect(await load('python', path.join(folder, 'code.py'))).toMatchObject({ status: 'ok', result: 2 });
  expect(await load('duckdb', 'select 3 as n')).toMatchObject({ status: 'ok', result: { rows: [{ n: 3 }] } });
});

test('headers and a token go to the host that they were written for', async () => {
  const source = { type: 'http', headers: { 'X-Token': 7 }, auth: 'keyed' };
  await load('python', { uri: `${origin}/code.py`, source });
  expect(served).toEqual([{ authorization: 'Bearer key-of-the-scripts', token: '7' }]);
});

const S3_OF = (bucket: string, auth = 'amazon') => ({ type: 's3', bucket, auth });
test.each<[string, () => JsonObject, string, string, RegExp]>([
  ['a file', () => ({ uri: `${folder}/no.py` }), 'not_found', 'SCRIPT_NOT_FOUND', /no\.py cannot be read/],
  ['a page', () => ({ uri: `${origin}/no.py` }), 'not_found', 'HTTP_404', /404/],
  [
    'an object of GCS',
    () => ({ uri: 'gs://scripts/no.py', auth: 'google' }),
    'not_found',
    'GCS_404',
    /gs:\/\/scripts\/no\.py/,
  ],
  [
    'an object of S3',
    () => ({ uri: 'no.py', source: S3_OF('scripts') }),
    'not_found',
    'S3_404',
    /s3:\/\/scripts\/no\.py/,
  ],
  ['a bucket of S3', () => ({ uri: 'no.py', source: S3_OF('no-bucket') }), 'not_found', 'S3_404', /bucket/i],
  [
    'a server of S3',
    () => ({ uri: 'a.py', source: S3_OF('scripts', 'nobody') }),
    'connection',
    'ECONNREFUSED',
    /s3/,
  ],
  [
    'a credential',
    () => ({ uri: 'a.py', source: S3_OF('scripts', 'lost') }),
    'auth',
    'CREDENTIAL_NOT_FOUND',
    /'lost'/,
  ],
  [
    'a type',
    () => ({ uri: 'a.py', source: { type: 'ftp' } }),
    'validation',
    'SCRIPT_SOURCE',
    /'ftp' is not one of file, http, gcs, s3, inline/,
  ],
  [
    'a bucket',
    () => ({ uri: 'a.py', source: { type: 'gcs' } }),
    'validation',
    'SCRIPT_SOURCE',
    /gs:\/\/bucket\/name, or a name in source\.bucket/,
  ],
  [
    'another scheme',
    () => ({ uri: 's3://b/a.py', source: { type: 'gcs' } }),
    'validation',
    'SCRIPT_SOURCE',
    /gs:\/\/bucket\/name, not s3/,
  ],
  ['a uri', () => ({ source: { type: 's3' } }), 'validation', 'SCRIPT_SOURCE', /script\.uri is missing/],
  [
    'too much, GCS',
    () => ({ uri: 'gs://scripts/in/large', auth: 'google' }),
    'validation',
    'SCRIPT_TOO_LARGE',
    /more than 4194304 bytes/,
  ],
  [
    'too much, S3',
    () => ({ uri: 'in/large', source: S3_OF('scripts') }),
    'validation',
    'SCRIPT_TOO_LARGE',
    /more than 4194304 bytes/,
  ],
])('what is missing or wrong: %s', async (_, script, kind, code, message) => {
  const { error } = await load('python', script());
  expect({ kind: error!.kind, code: error!.code }).toEqual({ kind, code });
  expect(error!.message).toMatch(message);
});
