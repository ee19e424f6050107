/**
 * Backup and restore of everything that an installation keeps: Temporal, Postgres, the result store and the keys. What
 * was copied at one moment goes on from there; what was copied at several is told apart, and mended as it is told.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { NativeConnection } from '@temporalio/worker';
import { Pool } from 'pg';
import { openStorage } from '../../src/storage/blobs';
import { examineRestore } from '../../src/cli/runtime/examine-restore';
import { project } from '../../src/cli/runtime/project';
import { type DoctorFinding } from '../../src/cli/runtime/finding';
import { compile } from '../../src/language/dsl';
import { recordedExecution } from '../../src/history';
import { KEY_FILE, localKeyRing } from '../../src/storage/keyring';
import { type JsonObject, workflowId } from '../../src/language/plan';
import { storedEvents } from '../../src/server/projection';
import { sealedValues, sealPayload } from '../../src/storage/sealed';
import { Credentials, ensureEmbeddedPostgres, openDatabase } from '../../src/server/store';
import { historyPages, newExecutionId, startDevServer, startExecution } from '../../src/temporal/client';
import { installRuntime, startWorkers } from '../../src/temporal/worker';
import { until } from '../support/until';

const SECRET = 'canary-of-the-backup';
const { plan } = compile(`
apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: kept, path: backup/kept, workload: {key: {secret: true}}}
executor: {kind: local, spec: {policy: {results: {reference_first: true}}}}
workload: {key: null, n: 0}
workflow:
- step: start
  tool: {kind: shell, cmds: ["head -c 3000 /dev/zero | tr '\\\\0' x"]}
  next: {arcs: [{step: wait}]}
- step: wait
  tool: {kind: wait, event: go}
  next: {arcs: [{step: use}]}
- step: use
  tool: {kind: shell, cmds: ['printf %s "$KEY" | wc -c'], env: {KEY: "{{ key }}"}}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop, input: {stored: "{{ start.stdout | length }}", secret: "{{ use.stdout | trim }}"}}
`);
const RESULT = { stored: 3000, secret: String(SECRET.length) };

const root = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-backup-'));
fs.chmodSync(root, 0o755); // as root Postgres runs under its own user
const settings = { ...process.env };
beforeAll(() => {
  for (const name of ['TEMPORAL_ADDRESS', 'DATABASE_URL', 'NOETL_STORAGE', 'NOETL_SECRETS_KEY'])
    delete process.env[name];
});
const running: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const stop of running.reverse()) await stop();
  process.env = settings;
  fs.rmSync(root, { recursive: true, force: true });
});

const folder = (name: string): string => path.join(root, name);

/** An installation on a data folder: servers, and workers unless they are not to start yet. */
async function install(name: string, { works = true } = {}) {
  const data = folder(name);
  fs.mkdirSync(data, { recursive: true });
  fs.chmodSync(data, 0o755);
  const storage = await openStorage(pathToFileURL(path.join(data, 'blobs')).href);
  const { dataConverter } = storage;
  const postgres = await ensureEmbeddedPostgres(data, {});
  const server = await startDevServer({ dataDir: data, namespace: 'default', dataConverter });
  const results = storage.results('default');
  const sealed = sealedValues(() => localKeyRing(data), results);
  installRuntime();
  const connection = await NativeConnection.connect({ address: server.address });
  const workers = works
    ? await startWorkers({
        ...{ connection, namespace: 'default', kinds: ['shell'], workflows: true },
        ...{ dataConverter, results, sealed },
      })
    : undefined;
  const pool = new Pool({ connectionString: postgres.url });
  pool.on('error', () => undefined);
  const { client } = server;
  const stop = async (): Promise<void> => {
    running.splice(running.indexOf(stop), 1);
    await workers?.stop({ graceMs: 0 });
    await Promise.all([connection.close(), pool.end(), storage.close()]);
    await server.stop();
    await postgres.stop();
  };
  running.push(stop);
  const derived = async (id: string) =>
    recordedExecution(historyPages(client, workflowId(id)), {
      converter: client.options.loadedDataConverter,
    });
  return {
    client,
    pool,
    url: postgres.url,
    stop,
    derived,
    /** An execution that waits for its event. */
    async begin(): Promise<string> {
      const id = newExecutionId();
      const { payload, secrets } = await sealPayload(plan!, { key: SECRET }, sealed, id);
      await startExecution(client, { plan: plan!, payload, ...(secrets && { secrets }) }, id);
      await until(async () =>
        (await derived(id)).events.some(
          (one) => one.event_type === 'step.started' && one.entity_id.startsWith('wait'),
        ),
      );
      return id;
    },
    async goOn(id: string): Promise<unknown> {
      const handle = client.workflow.getHandle(workflowId(id));
      await handle.signal('event', { name: 'go', payload: {} });
      return await handle.result();
    },
    async project(rebuild: readonly string[] = []): Promise<void> {
      const options = { once: true, tables: true, concurrency: 4, healthHost: '127.0.0.1', rebuild, data };
      expect(await project(options as never)).toBe(0);
    },
    /** The tables say of an execution what its history says. */
    async expectSame(id: string): Promise<void> {
      const { events } = await derived(id);
      const stored = [];
      for await (const page of storedEvents(pool, id)) stored.push(...page);
      expect(stored.map((one) => one.event_id)).toEqual(events.map((one) => one.event_id));
    },
  };
}

const copy = (from: string, to: string, ...parts: string[]): void => {
  fs.mkdirSync(folder(to), { recursive: true });
  // With owners and modes: Postgres refuses its folder otherwise.
  for (const part of parts) execFileSync('cp', ['-a', path.join(folder(from), part), folder(to)]);
};
const EVERYTHING = ['temporal', 'postgres', 'blobs', KEY_FILE];

const examined = async (name: string): Promise<Record<string, DoctorFinding>> =>
  Object.fromEntries((await examineRestore(folder(name))).map((one) => [one.subject, one]));

const statuses = (found: Record<string, DoctorFinding>): JsonObject =>
  Object.fromEntries(Object.values(found).map(({ subject, status }) => [subject, status]));
const FINE = { Executions: 'ok', Tables: 'ok', 'Stored values': 'ok', Keys: 'ok' };

let before: string;
let after: string;
beforeAll(async () => {
  const first = await install('first');
  const database = await openDatabase(first.url);
  const keys = localKeyRing(folder('first'));
  await new Credentials(database, keys).put(
    { name: 'c', type: 'bearer', data: { token: 't' } },
    { principal: 'test' },
  );
  await database.close();
  before = await first.begin();
  await first.project();
  await first.stop();
  copy('first', 'moment', ...EVERYTHING);
  copy('moment', 'untouched', 'temporal');

  // The installation went on after its backup.
  const second = await install('first');
  expect(await second.goOn(before)).toMatchObject({ status: 'completed', result: RESULT });
  after = await second.begin();
  await second.project();
  await second.stop();
}, 180_000);

test('what was copied at one moment goes on from there', async () => {
  const restored = await install('moment');
  expect(statuses(await examined('moment'))).toEqual(FINE);
  expect(await restored.goOn(before)).toMatchObject({ status: 'completed', result: RESULT });
  await restored.project();
  await restored.expectSame(before);
  const { rows } = await restored.pool.query('SELECT status FROM noetl.execution');
  expect(rows).toEqual([{ status: 'COMPLETED' }]);
  await restored.stop();
});

test('parts of different moments are told apart, and mended as it is said', async () => {
  const mixed = folder('mixed');
  copy('first', 'mixed', 'postgres', 'blobs');
  copy('untouched', 'mixed', 'temporal');
  const values = path.join(mixed, 'blobs', 'v0/ns/default/wi', workflowId(before));
  fs.renameSync(values, path.join(root, 'values'));
  const restored = await install('mixed', { works: false });

  const found = await examined('mixed');
  expect(statuses(found)).toEqual({
    ...FINE,
    Executions: 'missing',
    Tables: 'missing',
    'Stored values': 'missing',
    Keys: 'missing',
  });
  expect(found['Executions']!.message).toContain(
    `1 executions are open in the tables, but Temporal does not have them: ${after}`,
  );
  expect(found['Tables']!.message).toContain(`have more events of 1 executions than Temporal: ${before}`);
  expect(found['Tables']!.fix).toContain(`noetl-temporal project --once --rebuild ${before}`);
  expect(found['Stored values']!.fix![0]).toMatch(
    new RegExp(`^${before}: .*${workflowId(before)}.*\\[BLOB_`),
  );
  expect(found['Keys']!.message).toContain('no key');

  fs.renameSync(path.join(root, 'values'), values);
  expect((await examined('mixed'))['Stored values']!.fix![0]).toMatch(
    new RegExp(`^${before}: .*key.*\\[KEY_`),
  );
  copy('first', 'mixed', KEY_FILE);
  await restored.project([before]);
  await restored.expectSame(before);
  const mended = await examined('mixed');
  expect(statuses(mended)).toEqual({ ...FINE, Executions: 'missing' });
  const close = mended['Executions']!.fix!.at(-1)!;
  await restored.pool.query(close.slice(close.indexOf('UPDATE')));
  expect(statuses(await examined('mixed'))).toEqual(FINE);
  await restored.stop();
});
