import { createSecretKey, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type Payload, type StorageDriver, StorageDriverClaim } from '@temporalio/common';
import { payloadCodec } from '../codec';
import { keyRing } from '../keyring';
import { DEFAULT_INLINE_BYTES, limitInline } from '../payloads';
import { payloadConverter } from '../payloads/converter';
import { fileStore } from './file-store';
import { collectGarbage } from './garbage';
import { guardedDriver } from './guarded-driver';
import { blobKey, parseKey } from './key';
import { parseLocations } from './location';
import { objectDriver, bytesSha256 } from './object-driver';
import { openStorage } from './open';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-file-store-'));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

const DAY = 86_400_000;
const payload = (text: string): Payload => ({ metadata: {}, data: Buffer.from(text) });
const target = (id: string) => ({ kind: 'workflow', namespace: 'default', id }) as const;

function filesOf(root: string): string[] {
  return fs
    .readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => path.join(one.parentPath, one.name));
}

describe('keys', () => {
  test.each(['noetl-7', '../../etc', '.', 'a/b c%2F', 'ü'.repeat(300), 'd/sha256', 'x'.repeat(1000)])(
    'of the workflow %p are safe as paths, and can be read back',
    (workflowId) => {
      const hash = bytesSha256(Buffer.from('x'));
      const key = blobKey({ namespace: 'team.a', workflowId }, hash);
      expect(key.split('/').every((part) => part.length <= 200 && !/^\.*$/.test(part))).toBe(true);
      expect(parseKey(key)).toEqual({ namespace: 'team.a', workflowId, hash });
      expect(parseKey(key.replace('/d/', '/../d/'))).toBeUndefined();
      expect(parseKey(key.replace(/ns\/[^/]+/, 'ns/..'))).toBeUndefined();
    },
  );
});

test('cached results outlive their execution: garbage collection leaves them to `cache clear`', async () => {
  const root = path.join(folder, 'cached');
  const storage = await openStorage(`file://${root}`);
  const cache = storage.cache('default')!;
  const entry = {
    ...{
      digest: 'a'.repeat(64),
      path: 'p',
      step: 's',
      task: 't',
      kind: 'http',
      expires_at: 1,
      created_at: 0,
    },
    ...{ execution_id: '7', task_run_id: 's#1.t~1@1' },
    outcome: { status: 'ok', result: 1, error: null, meta: {} } as const,
  };
  await cache.put(entry);
  const options = { before: Date.now() + DAY, force: true, isKnown: () => Promise.resolve(false) };
  expect((await collectGarbage(storage.stores[0]!, options)).owners).toEqual([]);
  expect(await cache.get(entry)).toEqual(entry);
  expect(await cache.clear({ expired: true })).toBe(1);
  expect(await cache.get(entry)).toBeUndefined();
});

test('a value of a name is kept beside the payloads of its execution, encoded as they are, and goes with them', async () => {
  const root = path.join(folder, 'named');
  const ring = keyRing([{ kid: 'k', key: createSecretKey(randomBytes(32)) }]);
  const storage = await openStorage(`file://${root}`, payloadCodec({ encrypt: true, keys: () => ring }));
  const results = storage.results('default')!;
  expect(await results.saved('noetl-7', '7/a~1@1')).toBeUndefined();
  await results.save('noetl-7', '7/a~1@1', { words: 'hush' });
  await results.save('noetl-7', '7/a~1@1', { words: 'hush!' });
  await results.save('noetl-7', '7/a~2@1', { words: 'other' });
  expect(await results.saved('noetl-7', '7/a~1@1')).toEqual({ words: 'hush!' });
  expect(await results.saved('noetl-8', '7/a~1@1')).toBeUndefined();
  const files = filesOf(root);
  expect(files).toHaveLength(2);
  for (const file of files) expect(fs.readFileSync(file, 'latin1')).not.toContain('hush');
  for (const file of files) fs.writeFileSync(file, 'damaged');
  await expect(results.saved('noetl-7', '7/a~1@1')).rejects.toMatchObject({ type: 'BLOB_UNREADABLE' });
  const [store] = storage.stores;
  const options = { before: Date.now() + DAY, isKnown: () => Promise.resolve(false), force: true };
  expect((await collectGarbage(store!, options)).deleted).toMatchObject({ workflows: 1, count: 2 });
  expect(filesOf(root)).toEqual([]);
  fs.rmSync(root, { recursive: true, force: true });
  fs.writeFileSync(root, 'no folder');
  await expect(results.save('noetl-7', 'x', {})).rejects.toMatchObject({ type: 'BLOB_NOT_STORED' });
  await storage.close();
});

test('lines of tasks are kept beside the payloads of their execution, encoded as they are, and go with them', async () => {
  const root = path.join(folder, 'logs');
  const flipped = (one: Payload): Payload => ({ ...one, data: one.data!.map((byte) => byte ^ 255) });
  const codec = {
    encode: async (payloads: Payload[]) => payloads.map(flipped),
    decode: async (payloads: Payload[]) => payloads.map(flipped),
  };
  const storage = await openStorage(`file://${root}`, codec);
  const logs = storage.logs('default')!;
  const of = {
    at: '',
    step: 's',
    task: 't',
    task_run_id: 's#1.t~1@1',
    attempt: 1,
    stream: 'stdout',
  } as const;
  const names = [
    '1700000000001-0000000a-000000-1',
    '1700000000002-0000000a-000000-1',
    '1700000000002-0000000a-000001-1',
  ];
  for (const name of names) await logs.write('7', name, [{ ...of, line: `canary ${name}` }]);
  expect(await logs.names('7', '', 2)).toEqual(names.slice(0, 2));
  expect(await logs.names('7', names[1]!, 9)).toEqual(names.slice(2));
  expect(await logs.names('8', '', 9)).toEqual([]);
  expect(await logs.read('7', names[1]!)).toEqual([{ ...of, line: `canary ${names[1]}` }]);
  expect(await logs.read('7', '1700000000009-0000000a-000000-1')).toBeUndefined();
  expect(
    filesOf(root)
      .map((file) => fs.readFileSync(file, 'latin1'))
      .join(),
  ).not.toContain('canary');
  const [store] = storage.stores;
  expect(await store!.owners()).toMatchObject([{ namespace: 'default', workflowId: 'noetl-7', count: 3 }]);
  expect(await store!.remove({ namespace: 'default', workflowId: 'noetl-7' }, Infinity)).toMatchObject({
    count: 3,
  });
  expect(await logs.names('7', '', 9)).toEqual([]);
  await storage.close();
});

describe('a folder', () => {
  const root = path.join(folder, 'store');
  const driver = objectDriver('noetl.file', fileStore(root));

  it('keeps equal payloads of a workflow once, readable by their owner only, and no unfinished file', async () => {
    const claims = await driver.store({ target: target('one') }, [payload('a'), payload('a'), payload('b')]);
    expect(claims[0]).toEqual(claims[1]);
    const files = filesOf(root);
    expect(files).toHaveLength(2);
    for (const file of files) expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    expect(fs.statSync(path.dirname(files[0]!)).mode & 0o777).toBe(0o700);
    const [found] = await driver.retrieve({}, [claims[2]!]);
    expect(Buffer.from(found!.data!).toString()).toBe('b');
  });

  it('repairs a damaged file when the same payload is stored again', async () => {
    const [claim] = await driver.store({ target: target('two') }, [payload('c')]);
    const file = path.join(root, claim!.claimData['key']!);
    fs.writeFileSync(file, 'damaged');
    await expect(driver.retrieve({}, [claim!])).rejects.toMatchObject({ type: 'BLOB_CORRUPT' });
    await driver.store({ target: target('two') }, [payload('c')]);
    await expect(driver.retrieve({}, [claim!])).resolves.toHaveLength(1);
  });

  it('reads nothing outside itself, whatever a history asks for', async () => {
    fs.writeFileSync(path.join(folder, 'secret'), 'x');
    const hashValue = bytesSha256(Buffer.from('x'));
    const claim = new StorageDriverClaim({ key: '../secret', hashAlgorithm: 'sha256', hashValue });
    await expect(driver.retrieve({}, [claim])).rejects.toMatchObject({ type: 'BLOB_MISSING' });
  });
});

describe('clearing', () => {
  const isKnown = (known: string[]) => (owner: { workflowId: string }) =>
    Promise.resolve(known.includes(owner.workflowId));

  async function storeOf(name: string, ages: Record<string, number>) {
    const root = path.join(folder, name);
    const store = fileStore(root);
    const driver = objectDriver('noetl.file', store);
    for (const [id, days] of Object.entries(ages)) {
      const [claim] = await driver.store({ target: target(id) }, [payload(id)]);
      const at = new Date(Date.now() - days * DAY);
      fs.utimesSync(path.join(root, claim!.claimData['key']!), at, at);
    }
    return { root, store };
  }
  const left = (root: string): string[] =>
    filesOf(root).map((file) => parseKey(path.relative(root, file))!.workflowId);

  it('deletes what is old and forgotten, and nothing that is young or known', async () => {
    const { root, store } = await storeOf('gc', { old: 40, known: 40, young: 1 });
    const options = { before: Date.now() - 30 * DAY, isKnown: isKnown(['known']) };
    const dry = await collectGarbage(store, { ...options, dryRun: true });
    expect(left(root).sort()).toEqual(['known', 'old', 'young']);
    const done = await collectGarbage(store, options);
    expect(done).toEqual({ ...dry, deleted: { ...dry.deleted, workflows: 1, count: 1 } });
    expect(left(root).sort()).toEqual(['known', 'young']);
    expect(fs.readdirSync(path.join(root, 'v0/ns/default/wi')).sort()).toEqual(['known', 'young']);
  });

  it('refuses when Temporal knows no execution at all: more likely it is the wrong server', async () => {
    const { root, store } = await storeOf('gc-wrong', { a: 40, b: 40 });
    const options = { before: Date.now() - 30 * DAY, isKnown: isKnown([]) };
    await expect(collectGarbage(store, options)).rejects.toMatchObject({ code: 'STORAGE_OWNERS_UNKNOWN' });
    expect(left(root)).toHaveLength(2);
    await collectGarbage(store, { ...options, force: true });
    expect(left(root)).toEqual([]);
  });
});

describe('locations', () => {
  it('are read with their options', () => {
    expect(parseLocations('s3://bucket/a/b/?region=eu-west-1, file:///var/lib/blobs')).toEqual([
      { kind: 's3', bucket: 'bucket', prefix: 'a/b/', options: { region: 'eu-west-1' } },
      { kind: 'file', folder: '/var/lib/blobs' },
    ]);
  });

  test.each([
    ['', 'names no store'],
    ['blobs', 'is not a URL'],
    ['file:blobs', 'needs an absolute path'],
    ['file://host/blobs', 'needs an absolute path'],
    ['ftp://host/x', 'has an unsupported scheme'],
    ['s3:///prefix', 'has no bucket'],
    ['s3://key:secret@bucket', 'contains a key'],
    ['s3://bucket?regoin=x', "has an unknown option 'regoin'"],
    ['file:///a,file:///b', 'names two stores of kind file'],
    ['none,file:///b', 'cannot be combined with another store'],
    ['postgres://u:secret@h/d?sslmode=on&sslkey=secret', "is invalid: sslmode 'on' is not one of"],
  ])('%p is refused', (text, why) => {
    expect(() => parseLocations(text)).toThrow(why);
    expect(() => parseLocations(text)).not.toThrow('secret');
  });
});

describe('which payloads are stored', () => {
  const large = { text: 'x'.repeat(5000) };

  it('is decided by the limit that travels with the value', async () => {
    const storage = await openStorage(`file://${folder}/selected`);
    const { driverSelector } = storage.dataConverter.externalStorage!;
    const chosen = (value: object): string | undefined =>
      driverSelector({}, payloadConverter.toPayload(value))?.name;
    expect(chosen(large)).toBeUndefined();
    expect(chosen(limitInline({ ...large }, DEFAULT_INLINE_BYTES))).toBeUndefined();
    expect(chosen(limitInline({ ...large }, 1024))).toBe('noetl.file');
    expect(chosen(limitInline({ ...large }, 6000))).toBeUndefined();
    expect(chosen({ text: 'x'.repeat(DEFAULT_INLINE_BYTES) })).toBe('noetl.file');
  });
});

describe('a store that fails', () => {
  const failing = (times: number): { driver: StorageDriver; tries: () => number } => {
    let tries = 0;
    const answer = <T>(value: T[]): Promise<T[]> =>
      ++tries <= times ? Promise.reject(new Error('disk full')) : Promise.resolve(value);
    const claim = new StorageDriverClaim({ key: 'k', hashValue: 'h' });
    const driver: StorageDriver = {
      name: 'fails',
      type: 'fails',
      store: () => answer([claim]),
      retrieve: () => answer([payload('x')]),
    };
    return { driver: guardedDriver(driver, 'here'), tries: () => tries };
  };

  it('is asked again, and one that was away for a moment is not noticed', async () => {
    const { driver, tries } = failing(1);
    await driver.store({}, [payload('x')]);
    expect(tries()).toBe(2);
  });

  it('makes a failure that no other run of the task can mend, once the task has run', async () => {
    const { driver } = failing(99);
    await expect(driver.store({}, [payload('x')])).rejects.toMatchObject({
      type: 'BLOB_NOT_STORED',
      nonRetryable: true,
      message: 'BLOB_NOT_STORED: cannot write to here: disk full',
      details: [{ status: 'error', error: { kind: 'connection', code: 'BLOB_NOT_STORED', retryable: true } }],
    });
    await expect(driver.retrieve({}, [new StorageDriverClaim({})])).rejects.toMatchObject({
      type: 'BLOB_UNREADABLE',
      nonRetryable: false,
    });
  });
});
