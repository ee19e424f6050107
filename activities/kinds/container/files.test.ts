/** `files` in a container: what references name is copied into it before it starts. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { openStorage, type Storage } from '../../../src/storage/blobs';
import { type JsonObject } from '../../../src/language/plan';
import { type FakeEngine, fakeEngineForEach } from '../../../test/support/fake-engine';
import { context, run, type TestContext } from '../../../test/support/tool-call';
import { unpacked } from '../../../test/support/unpacked';
import { container } from './run';
import { script } from '../script/run';
import { storeBody } from '../../framework/results/body';

const CSV = 'id,city\n2,"Łódź, PL"\n';
let folder: string;
let storage: Storage;
const running = fakeEngineForEach();
let engine: FakeEngine;
let reference: JsonObject;

beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-container-files-'));
  storage = await openStorage(`file://${folder}`);
  reference = await stored(CSV);
});
afterAll(async () => {
  await storage.close();
  fs.rmSync(folder, { recursive: true, force: true });
});

async function stored(text: string): Promise<JsonObject> {
  const body = Readable.from([Buffer.from(text)]);
  const results = storage.results('default')!;
  return { ...(await storeBody(results, 'noetl-1', body, 'text/csv', new AbortController().signal)) };
}
const withStore = (): TestContext => ({ ...context(), results: storage.results('default')! });
const LONG = `${'n'.repeat(180)}.csv`;
/** What the last container was made with, and sent. */
let environment: string[];
let archive: Buffer | undefined;
beforeEach(() => {
  engine = running();
  archive = undefined;
  engine.answers['POST /containers/create'] = ({ body }) =>
    void ({ Env: environment } = JSON.parse(body.toString()) as { Env: string[] }) as undefined;
  engine.answers['PUT /containers/*/archive'] = ({ body }) => void (archive = body) as undefined;
});

test('they stand beside the script, whatever the length of their names and their size', async () => {
  const large = 'x'.repeat(3_000_000);
  const files = { 'cities.csv': reference, [LONG]: reference, large: await stored(large) };
  const outcome = await run(script, { code: 'ls', container: 'alpine', files }, {}, withStore());
  expect(outcome.error).toBeNull();
  expect(await unpacked(archive!)).toEqual([
    { name: 'noetl/script', mode: 0o755, text: 'ls' },
    { name: 'noetl/files/cities.csv', mode: 0o444, text: CSV },
    { name: `noetl/files/${LONG}`, mode: 0o444, text: CSV },
    { name: 'noetl/files/large', mode: 0o444, text: large },
  ]);
  expect(environment).toContain('NOETL_FILES=/noetl/files');
});

test('a container of its own has them too; without any nothing is sent', async () => {
  const config = { image: 'alpine', files: { 'cities.csv': reference } };
  expect((await run(container, config, {}, withStore())).error).toBeNull();
  expect((await unpacked(archive!)).map(({ name }) => name)).toEqual(['noetl/files/cities.csv']);
  archive = undefined;
  expect((await run(container, { image: 'alpine' }, {}, withStore())).error).toBeNull();
  expect(archive).toBeUndefined();
  expect(environment).not.toContainEqual(expect.stringContaining('NOETL_FILES'));
});

test('what cannot be had is told before a container is made', async () => {
  const gone = { ...reference, key: (reference['key'] as string).replace(/[0-9a-f]{64}$/, '0'.repeat(64)) };
  const { error } = await run(container, { image: 'alpine', files: { x: gone } }, {}, withStore());
  expect(error).toMatchObject({ kind: 'not_found', code: 'BLOB_MISSING' });
  expect(engine.requests).toEqual([]);
});

test('an engine that takes no files is an outcome, and the container is removed', async () => {
  engine.answers['PUT /containers/*/archive'] = () => ({ status: 500, json: { message: 'no space left' } });
  const config = { image: 'alpine', files: { 'cities.csv': reference } };
  const { error } = await run(container, config, {}, withStore());
  expect(error).toMatchObject({ kind: 'server_error', code: 'ENGINE_ERROR' });
  expect(error!.message).toContain('no space left');
  expect(engine.containers.size).toBe(0);
});
