/** A server of an author's that speaks as Snowflake's, and tells the driver what to read, to write and to fetch. */
import fs from 'node:fs';
import http from 'node:http';
import { type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { type JsonObject, type Outcome } from '../../../src/language/plan';
import { run } from '../../../test/support/tool-call';
import { snowflake } from './run';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-snowflake-'));
const secret = path.join(folder, 'secrets.key');
const stolen = path.join(folder, 'stolen');
fs.writeFileSync(secret, 'key-of-the-worker');
fs.mkdirSync(stolen);

/** What it answers to a statement. */
let answer: JsonObject = {};
let asked: string[] = [];
const server = http.createServer((request, response) => {
  request.resume();
  asked.push(request.url!);
  const session = { token: 't', masterToken: 'm', sessionId: 1, parameters: [], sessionInfo: {} };
  const data = request.url!.includes('login-request') ? session : answer;
  const rows = '["fetched"]';
  const isChunk = request.url === '/chunk';
  response.setHeader('content-type', isChunk ? 'text/plain' : 'application/json');
  request.on('end', () =>
    response.end(isChunk ? rows : JSON.stringify({ success: true, code: null, message: null, data })),
  );
});
let address = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => void (asked = []));
afterEach(() => delete process.env['NOETL_FILES']);
afterAll(() => {
  server.closeAllConnections();
  server.close();
  fs.rmSync(folder, { recursive: true });
});

const ask = (command: string): Promise<Outcome> =>
  run(
    snowflake,
    {
      auth: { type: 'snowflake', sf_account: 'a', sf_user: 'u', sf_password: 'p', access_url: address },
      command,
    },
    { timeout: { total: 20 } },
  );

test.each(['put file:///x @~', ' \n PUT file:///x @~', 'get @~ file:///x', 'GET @~/x file:///x'])(
  '%j: the driver takes no file for it, unless playbooks may name all',
  async (command) => {
    answer = {
      command: 'UPLOAD',
      operation: 'Node',
      src_locations: [secret],
      parallel: 1,
      autoCompress: false,
      sourceCompression: 'none',
      overwrite: true,
      stageInfo: { locationType: 'LOCAL_FS', location: stolen, creds: {} },
      encryptionMaterial: {},
    };
    for (const setting of ['', folder]) {
      process.env['NOETL_FILES'] = setting;
      expect((await ask(command)).error).toMatchObject({ code: 'FILE_REFUSED' });
      expect(asked.filter((url) => url.includes('query-request'))).toEqual([]);
    }
    process.env['NOETL_FILES'] = '*';
    await ask(command);
    expect(asked.filter((url) => url.includes('query-request'))).not.toEqual([]);
  },
);

test('rows are fetched from where the server says, but not where clouds serve credentials', async () => {
  const of = (url: string): JsonObject => ({
    queryId: '1',
    statementTypeId: 4096,
    queryResultFormat: 'json',
    rowtype: [
      { name: 'A', type: 'text', nullable: true, scale: null, precision: null, length: 10, byteLength: 10 },
    ],
    rowset: [],
    chunks: [{ url, rowCount: 1, uncompressedSize: 20, compressedSize: 20 }],
    chunkHeaders: { 'Metadata-Flavor': 'Google' },
    total: 1,
    returned: 1,
    parameters: [],
    version: 1,
  });
  answer = of(`${address}/chunk`);
  const { result, error } = await ask('select a from t');
  expect([error, (result as JsonObject)['rows']]).toEqual([null, [{ A: 'fetched' }]]);
  for (const url of [
    'http://169.254.169.254/latest/',
    'http://[fd00:ec2::254]/',
    'http://metadata.google.internal/',
  ]) {
    answer = of(url);
    expect((await ask('select a from t')).error).toMatchObject({ code: 'ADDRESS_DENIED' });
  }
});
