/** The stores of several machines: S3 and GCS against emulators from PyPI, Postgres against the embedded one. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Payload, type StorageDriver } from '@temporalio/common';
import { CreateBucketCommand, ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { Storage as GoogleStorage } from '@google-cloud/storage';
import pg from 'pg';
import { artifact as artifactTool } from '../../activities/kinds/artifact/run';
import { http as httpTool } from '../../activities/kinds/http/run';
import { type ToolContext } from '../../activities/framework/tool/tool';
import { openStorage, type Storage } from '../../src/storage/blobs';
import { FETCHED_FROM } from '../../src/storage/payloads';
import { type JsonObject, type Outcome } from '../../src/language/plan';
import { startTestPostgres } from '../support/postgres';
import { type Absent, present } from '../support/present';
import { startEmulator } from '../support/python-servers';
import { isNightly } from '../support/sampled';
import { startStack } from '../support/stack';
import { context as toolContext, run as runTask } from '../support/tool-call';

interface Backend {
  readonly location: string;
  keys(): Promise<string[]>;
  overwrite(key: string, text: string): Promise<void>;
  remove(key: string): Promise<void>;
  stop(): Promise<void>;
}

const BACKENDS: Record<string, () => Promise<Backend | Absent>> = {
  async s3() {
    const emulator = await startEmulator('s3');
    if ('skipped' in emulator) return emulator;
    Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' });
    const client = new S3Client({ endpoint: emulator.url, region: 'us-east-1', forcePathStyle: true });
    const Bucket = 'noetl-test';
    await client.send(new CreateBucketCommand({ Bucket }));
    return {
      location: `s3://${Bucket}/some/prefix?region=us-east-1&endpoint=${encodeURIComponent(emulator.url)}`,
      async keys() {
        const { Contents } = await client.send(new ListObjectsV2Command({ Bucket }));
        return (Contents ?? []).map((one) => one.Key!);
      },
      overwrite: async (Key, Body) => void (await client.send(new PutObjectCommand({ Bucket, Key, Body }))),
      remove: async (Key) => {
        const { DeleteObjectCommand } = await import('@aws-sdk/client-s3');
        await client.send(new DeleteObjectCommand({ Bucket, Key }));
      },
      stop: () => emulator.stop(),
    };
  },
  async gcs() {
    const emulator = await startEmulator('gcs');
    if ('skipped' in emulator) return emulator;
    const storage = new GoogleStorage({
      apiEndpoint: emulator.url,
      projectId: 'p',
      useAuthWithCustomEndpoint: false,
    });
    const [bucket] = await storage.createBucket('noetl-test');
    return {
      location: `gs://noetl-test/some/prefix?project=p&endpoint=${encodeURIComponent(emulator.url)}`,
      keys: async () => (await bucket.getFiles())[0].map((file) => file.name),
      overwrite: (key, text) => bucket.file(key).save(text, { resumable: false }),
      remove: async (key) => void (await bucket.file(key).delete()),
      stop: () => emulator.stop(),
    };
  },
  async postgres() {
    const postgres = await startTestPostgres();
    const url = await postgres.createDatabase('blobs');
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    return {
      location: url,
      keys: async () =>
        (await client.query<{ key: string }>('select key from noetl_blobs')).rows.map((row) => row.key),
      overwrite: async (key, text) =>
        void (await client.query('update noetl_blobs set body = $2 where key = $1', [
          key,
          Buffer.from(text),
        ])),
      remove: async (key) => void (await client.query('delete from noetl_blobs where key = $1', [key])),
      stop: async () => {
        await client.end();
        await postgres.stop();
      },
    };
  },
};

const target = { kind: 'workflow', namespace: 'default', id: 'noetl-7/../x', type: 'playbook' } as const;
const payload: Payload = { metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from('"hello"') };

describe.each(Object.keys(BACKENDS))('%s', (name) => {
  let backend: Backend;
  let storage: Storage;
  let driver: StorageDriver;

  beforeAll(async () => {
    backend = present(await BACKENDS[name]!());
    storage = await openStorage(backend.location);
    driver = storage.dataConverter.externalStorage!.drivers[0]!;
  }, 400_000);
  afterAll(async () => {
    await storage?.close();
    await backend?.stop();
  });

  const check = (title: string, body: (backend: Backend) => Promise<void>): void =>
    it(title, () => body(backend));

  check('is usable, and says so at the start', async () => {
    await storage.check();
  });

  check('keeps a payload under a key with its owner and hash, once', async ({ keys }) => {
    const [claim] = await driver.store({ target }, [payload]);
    const [again] = await driver.store({ target }, [payload]);
    expect(again).toEqual(claim);
    const found = await keys();
    expect(found.filter((key) => key.includes(claim!.claimData['hashValue']!))).toHaveLength(1);
    expect(found.every((key) => !key.split('/').includes('..'))).toBe(true);
    if (name !== 'postgres') expect(found.every((key) => key.startsWith('some/prefix/v0/'))).toBe(true);
    const [fetched] = await driver.retrieve({}, [claim!]);
    expect(Buffer.from(fetched!.data!).toString()).toBe('"hello"');
    const origin = JSON.parse(Buffer.from(fetched!.metadata![FETCHED_FROM]!).toString()) as object;
    expect(origin).toEqual({
      store: { s3: 's3://noetl-test', gcs: 'gs://noetl-test', postgres: 'postgres' }[name],
      key: claim!.claimData['key'] ?? claim!.claimData['object'],
      checksum: `sha256:${claim!.claimData['hashValue']}`,
    });
  });

  check('keeps what tasks print in order of its names', async () => {
    const logs = storage.logs('default')!;
    const of = {
      at: '',
      step: 's',
      task: 't',
      task_run_id: 's#1.t~1@1',
      attempt: 1,
      stream: 'stdout',
    } as const;
    const names = [3, 1, 2].map((time) => `170000000000${time}-0000000a-000000-1`);
    for (const one of names) await logs.write('7', one, [{ ...of, line: one }]);
    names.sort();
    expect(await logs.names('7', '', 2)).toEqual(names.slice(0, 2));
    expect(await logs.names('7', names[0]!, 10)).toEqual(names.slice(1));
    expect(await logs.names('7', names[1]!.slice(0, 13), 10)).toEqual(names.slice(1));
    expect(await logs.names('8', '', 10)).toEqual([]);
    expect(await logs.read('7', names[2]!)).toEqual([{ ...of, line: names[2] }]);
    expect(await logs.read('7', '1700000000009-0000000a-000000-1')).toBeUndefined();
  });

  check('keeps results for equal calls until they are cleared', async () => {
    const cache = storage.cache('default')!;
    const entryOf = (path: string, digit: string, expires_at: number) => ({
      ...{ digest: digit.repeat(64), path, step: 's', task: 't', kind: 'http' },
      ...{ execution_id: '7', task_run_id: 's#1.t~1@1', created_at: 1, expires_at },
      outcome: { status: 'ok' as const, result: path, error: null, meta: {} },
    });
    const all = [entryOf('a/b', '1', 5), entryOf('a/b', '2', 1e15), entryOf('a/c', '1', 1e15)];
    for (const one of [...all, all[0]!]) await cache.put(one);
    expect(await cache.get(all[1]!)).toEqual(all[1]);
    expect(await cache.get({ ...all[1]!, path: 'a/c' })).toBeUndefined();
    const listed = async (filter: object) => {
      const found = [];
      for await (const { path, digest } of cache.entries(filter)) found.push(`${path} ${digest[0]}`);
      return found.sort();
    };
    expect(await listed({})).toEqual(['a/b 1', 'a/b 2', 'a/c 1']);
    expect(await listed({ path: 'a/b' })).toEqual(['a/b 1', 'a/b 2']);
    expect(await cache.clear({ expired: true })).toBe(1);
    expect(await cache.clear({ path: 'a/*', step: 'other' })).toBe(0);
    expect(await cache.clear({ path: 'a/c' })).toBe(1);
    expect(await listed({})).toEqual(['a/b 2']);
    expect(await cache.clear({})).toBe(1);
    expect(await listed({})).toEqual([]);
  });

  check('tells what is damaged from what is missing', async ({ keys, overwrite, remove }) => {
    const [claim] = await driver.store({ target }, [{ ...payload, data: Buffer.from('"other"') }]);
    const hash = claim!.claimData['hashValue']!;
    const key = (await keys()).find((one) => one.includes(hash))!;
    await overwrite(key, 'damaged');
    await expect(driver.retrieve({}, [claim!])).rejects.toMatchObject({
      type: 'BLOB_CORRUPT',
      message: expect.stringContaining(hash) as string,
    });
    await remove(key);
    await expect(driver.retrieve({}, [claim!])).rejects.toMatchObject({
      type: 'BLOB_MISSING',
      message: expect.stringContaining(hash) as string,
    });
  });

  check('keeps what the kind artifact puts, and tells what became of it', async (backend) => {
    const context: ToolContext = { ...toolContext(), results: storage.results('default')! };
    const artifact = (config: JsonObject): Promise<Outcome> => runTask(artifactTool, config, {}, context);
    const data = { rows: [{ id: 1, name: 'ä' }], text: 'x'.repeat(300_000), none: null };
    const put = await artifact({ action: 'put', data });
    expect(put).toMatchObject({ status: 'ok', result: { range: null, schema_hint: { type: 'object' } } });
    const ref = put.result as { store: string; key: string; checksum: string };
    expect(ref.store).toBe({ s3: 's3://noetl-test', gcs: 'gs://noetl-test', postgres: 'postgres' }[name]);
    expect((await artifact({ action: 'put', data })).result).toEqual(ref);
    expect((await artifact({ action: 'get', ref })).result).toEqual(data);
    // As a variable that went through text, in an execution of somebody else.
    expect((await artifact({ result_ref: JSON.stringify(ref) })).result).toEqual(data);
    const key = (await backend.keys()).find((one) => one.includes(ref.checksum.slice('sha256:'.length)))!;
    await backend.overwrite(key, 'damaged');
    expect((await artifact({ ref })).error).toMatchObject({
      kind: 'exception',
      code: 'BLOB_CORRUPT',
      retryable: false,
    });
    await backend.remove(key);
    expect((await artifact({ ref })).error).toMatchObject({
      kind: 'not_found',
      code: 'BLOB_MISSING',
      retryable: false,
    });
    const elsewhere = { ...ref, store: 's3://elsewhere' };
    expect((await artifact({ ref: elsewhere })).error).toMatchObject({
      kind: 'validation',
      code: 'OTHER_STORE',
    });
  });

  check('keeps a body that http streams, in parts, and nothing of one that is cut', async (backend) => {
    const context: ToolContext = { ...toolContext(), results: storage.results('default')! };
    const body = randomBytes(9 * 1024 * 1024);
    const server = createServer((request, response) => {
      if (request.url === '/whole') return void response.end(body);
      response.writeHead(200, { 'content-length': 2 * body.length });
      response.write(body, () => setTimeout(() => response.destroy(), 500));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const stream = (what: string): Promise<Outcome> =>
      runTask(httpTool, { url: `${url}/${what}`, save_to: { store: 'results' } }, {}, context);
    const folder = await mkdtemp(path.join(tmpdir(), 'noetl-stores-'));
    try {
      const before = (await backend.keys()).length;
      expect((await stream('cut')).error).toMatchObject({ kind: 'connection', retryable: true });
      expect(await backend.keys()).toHaveLength(before);
      const whole = await stream('whole');
      expect(whole.error).toBeNull();
      expect(await backend.keys()).toHaveLength(before + 3);
      const ref = (whole.result as { data: JsonObject }).data;
      const save_to = path.join(folder, 'whole');
      expect((await runTask(artifactTool, { ref, save_to }, {}, context)).error).toBeNull();
      expect((await readFile(save_to)).equals(body)).toBe(true);
    } finally {
      server.closeAllConnections();
      server.close();
      await Promise.all([httpTool.close!(), rm(folder, { recursive: true })]);
    }
  });

  const checkOnce = name === 'postgres' || isNightly ? check : () => undefined;
  checkOnce('carries a run with a result of 1 MB', async ({ location }) => {
    const stack = await startStack({ kinds: ['python'], storage: location });
    const plan = stack.compile(`
apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: large, path: test/large}
workflow:
- step: start
  tool: {kind: python, code: "result = {'body': 'x' * 1000000}"}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: python, input: {body: "{{ start.body }}"}, code: "result = len(body)"}
`);
    const ended = await stack.run(plan).finally(() => stack.stop());
    expect(ended).toMatchObject({ status: 'completed', result: 1_000_000 });
  });
});

test('a Postgres login without a right to the table stores, and reads what it has the key of; nothing else', async () => {
  const postgres = await startTestPostgres();
  const url = await postgres.createDatabase('limited');
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  await owner.query("create role results_code login password 'code'");
  const limited = Object.assign(new URL(url), { username: 'results_code', password: 'code' }).toString();
  const [all, code] = [await openStorage(url), await openStorage(limited)];
  // Before the owner has been there, there is nothing to store in, and it may not make it.
  await expect(code.check()).rejects.toMatchObject({ code: 'STORAGE_UNUSABLE' });
  await all.check();
  await code.check();
  const [theirs, own] = [all, code].map((one) => one.dataConverter.externalStorage!.drivers[0]!) as [
    StorageDriver,
    StorageDriver,
  ];
  const claim = await theirs.store({ target }, [payload]);
  const textOf = async (driver: StorageDriver, stored: typeof claim): Promise<string> =>
    Buffer.from((await driver.retrieve({}, stored))[0]!.data!).toString();
  expect(await textOf(own, claim)).toBe('"hello"');
  const other = { ...payload, data: Buffer.from('"other"') };
  expect(await textOf(theirs, await own.store({ target }, [other]))).toBe('"other"');

  const client = new pg.Client({ connectionString: limited });
  await client.connect();
  for (const sql of [
    'select * from noetl_blobs',
    'delete from noetl_blobs',
    "update noetl_blobs set body = ''",
    'copy noetl_blobs to stdout',
    'truncate noetl_blobs',
    'drop table noetl_blobs',
    'alter function noetl_blob_get(text) security invoker',
    'create table noetl_other (a int)',
  ])
    await expect(client.query(sql)).rejects.toMatchObject({ code: '42501' });
  await expect(code.stores[0]!.owners()).rejects.toMatchObject({ code: '42501' });
  const { rows } = await owner.query<{ key: string; text: string }>(
    "select key, encode(body, 'hex') as text from noetl_blobs",
  );
  const put = (key: string): Promise<unknown> =>
    client.query('select noetl_blob_put($1, $2, $3, $4)', [key, 'default', 'x', Buffer.from('poison')]);
  for (const { key } of rows) await put(key);
  await put(`v0/ns/default/wi/x/d/sha256/${'0'.repeat(64)}`);
  const after = await owner.query("select key, encode(body, 'hex') as text from noetl_blobs");
  expect(after.rows).toEqual(expect.arrayContaining(rows));
  expect(after.rows).toHaveLength(rows.length);
  // The names of logs can be guessed.
  await put('v0/ns/default/wi/x/l/guessed');
  expect((await client.query("select noetl_blob_get('v0/ns/default/wi/x/l/guessed') as body")).rows).toEqual([
    { body: null },
  ]);
  await Promise.all([client.end(), owner.end(), all.close(), code.close()]);
  await postgres.stop();
});

test('a store that cannot be reached says so at the start, without its password', async () => {
  const storage = await openStorage('postgres://noetl:sesame@127.0.0.1:1/blobs');
  const failed = await storage.check().catch((error: Error) => error);
  expect(failed).toMatchObject({ code: 'STORAGE_UNUSABLE' });
  expect(String(failed)).toMatch(/postgres:\/\/127\.0\.0\.1:1\/blobs cannot be used: .*ECONNREFUSED/);
  expect(String(failed)).not.toContain('sesame');
  const context: ToolContext = { ...toolContext(), results: storage.results('default')! };
  const ref = { store: 'postgres', key: 'k', checksum: `sha256:${'0'.repeat(64)}` };
  for (const config of [{ data: 1 } as JsonObject, { ref }]) {
    const { error } = await runTask(artifactTool, config, {}, context);
    expect(error).toMatchObject({ kind: 'connection', retryable: true });
    expect(JSON.stringify(error)).not.toContain('sesame');
  }
  await storage.close();
});
