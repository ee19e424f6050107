/** Credentials behind the facade: contract, rights, record, rotation, what a stolen database tells (issue 10). */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { type TokenScope } from '../../src/server/facade';
import { Credentials, rotateCredentials } from '../../src/server/store';
import { CANARY, type Document, pg, ring, useCredentialsFacade } from '../support/credentials-facade';

const NEW = randomBytes(32).toString('base64');
const its = useCredentialsFacade();
const { ask, withClient } = its;

test('a credential is stored, listed, read, replaced under its id, and deleted', async () => {
  const stored = await ask('POST', '/api/credentials', pg);
  expect(stored).toEqual({
    status: 200,
    body: {
      id: expect.stringMatching(/^\d+$/),
      name: 'pg_test',
      type: 'postgres',
      meta: null,
      tags: ['test'],
      description: 'of the tests',
      paths: null,
      created_at: expect.stringMatching(/^2.*Z$/),
      updated_at: expect.any(String),
      data: null,
    },
  });
  await ask('POST', '/api/credentials', { name: 'api', type: 'http-bearer', data: { token: 't' } });
  const listed = await ask('GET', '/api/credentials?type=PostgreSQL&q=PG_');
  expect(listed.body).toEqual({
    items: [stored.body],
    filter: { type: 'PostgreSQL', q: 'PG_' },
    pagination: { page: 1, page_size: 1000, has_next: false },
  });
  expect((await ask('GET', '/api/credentials?q=of+the')).body['items']).toHaveLength(1);
  expect((await ask('GET', '/api/credentials?q=%25')).body['items']).toEqual([]);
  expect((await ask('GET', '/api/credentials?type=bearer')).body['items']).toMatchObject([{ name: 'api' }]);
  for (const which of ['pg_test', stored.body['id'] as string])
    expect((await ask('GET', `/api/credentials/${which}`)).body).toEqual(stored.body);
  const read = await ask('GET', '/api/credentials/pg_test?include_data=true');
  expect(read.body).toEqual({ ...stored.body, data: pg.data });

  const again = await ask('POST', '/api/credentials', { ...pg, type: 'custom', data: { a: 1 } });
  expect(again.body).toMatchObject({ id: stored.body['id'], type: 'custom' });
  expect(Date.parse(again.body['updated_at'] as string)).toBeGreaterThan(
    Date.parse(stored.body['updated_at'] as string),
  );
  expect((await ask('DELETE', '/api/credentials/pg_test')).body).toMatchObject({ id: stored.body['id'] });
  expect(await ask('GET', '/api/credentials/pg_test?include_data=true')).toMatchObject({
    status: 404,
    body: { detail: 'Credential not found', code: 'CREDENTIAL_NOT_FOUND' },
  });
});

test('what a type needs and has not is told by name; an unknown type is taken, with a note', async () => {
  const { status, body } = await ask('POST', '/api/credentials', {
    ...pg,
    data: { host: 'h', password: CANARY },
  });
  expect(status).toBe(422);
  expect(body['code']).toBe('CREDENTIAL_INVALID');
  expect(body['detail']).toMatch(
    /type postgres needs data\.db_user \(also spelt user, username\); .*db_name/,
  );
  expect(JSON.stringify(body)).not.toContain(CANARY);
  const emulator = { name: 'bucket', type: 'gcs', data: { endpoint: 'http://localhost:4443' } };
  expect((await ask('POST', '/api/credentials', emulator)).status).toBe(200);
  const noted = await ask('POST', '/api/credentials', { name: 'odd', type: 'mainframe', data: { a: 1 } });
  expect(noted.body).toMatchObject({ type: 'mainframe', note: expect.stringContaining("'mainframe'") });
  for (const wrong of [{ ...pg, data: 'text' }, { ...pg, name: '' }, { name: 'x' }])
    expect(await ask('POST', '/api/credentials', wrong)).toMatchObject({ status: 422 });
});

test('only workers and administrators read data, only administrators write', async () => {
  await ask('POST', '/api/credentials', pg);
  const allowed: [TokenScope, string, string, number][] = [
    ['read', 'GET', '/api/credentials/pg_test', 200],
    ['read', 'GET', '/api/credentials/pg_test?include_data=true', 403],
    ['run', 'GET', '/api/credentials/pg_test?include_data=1', 403],
    ['worker', 'GET', '/api/credentials/pg_test?include_data=true', 200],
    ['admin', 'GET', '/api/credentials/pg_test?include_data=true', 200],
    ['worker', 'POST', '/api/credentials', 403],
    ['worker', 'DELETE', '/api/credentials/pg_test', 403],
    ['worker', 'GET', '/api/credentials/pg_test/audit', 403],
    ['read', 'GET', '/api/auth_cache/k', 403],
  ];
  for (const [scope, method, path, status] of allowed) {
    const answer = await ask(method, path, method === 'POST' ? pg : undefined, scope);
    expect({ scope, method, path, status: answer.status }).toEqual({ scope, method, path, status });
    if (status !== 200 || !path.includes('include_data'))
      expect(JSON.stringify(answer.body)).not.toContain(CANARY);
  }
});

test('every reading is on record, with the execution that it was for, and counted in auth_cache', async () => {
  await ask('POST', '/api/credentials', pg);
  const read = '/api/credentials/pg_test?include_data=true';
  await ask('GET', `${read}&execution_id=77&parent_execution_id=70`, undefined, 'worker');
  await ask('GET', `${read}&execution_id=77`, undefined, 'worker');
  await ask('GET', read, undefined, 'worker');
  await ask('GET', '/api/credentials/pg_test', undefined, 'read');
  const { items } = (await ask('GET', '/api/credentials/pg_test/audit')).body as { items: Document[] };
  expect(items.slice(0, 4)).toMatchObject([
    { action: 'read', principal: 'worker', execution_id: null },
    { action: 'read', principal: 'worker', execution_id: '77', parent_execution_id: null },
    { action: 'read', execution_id: '77', parent_execution_id: '70', remote: expect.stringMatching(/127/) },
    { action: 'write', principal: 'admin' },
  ]);
  const listed = (await ask('GET', '/api/credentials?q=pg_test')).body as { items: Document[] };
  expect(listed.items[0]!['last_used_at']).toBe(items[0]!['at']);
  const cached = (await ask('GET', '/api/auth_cache')).body as { items: Document[] };
  const ours = cached.items.filter((item) => item['credential_name'] === 'pg_test');
  expect(ours).toMatchObject([
    { cache_type: 'secret', scope_type: 'global', access_count: 1 },
    { scope_type: 'execution', execution_id: '77', access_count: 2, credential_type: 'postgres' },
  ]);
  const hour = Date.parse(ours[0]!['expires_at'] as string) - Date.parse(ours[0]!['accessed_at'] as string);
  expect(hour / 3_600_000).toBeCloseTo(1, 2);
  await ask('POST', '/api/credentials', pg);
  const after = (await ask('GET', '/api/auth_cache')).body as { items: Document[] };
  expect(after.items.filter((item) => item['credential_name'] === 'pg_test')).toEqual([]);
  expect(JSON.stringify([items, cached])).not.toContain(CANARY);
});

test('a worker in Python looks secrets up as docs/extensions.md shows it', async () => {
  await ask('POST', '/api/credentials', pg);
  const docs = fs.readFileSync(path.join(__dirname, '../../docs/extensions.md'), 'utf8');
  const [, shown] = /```python\n(def value\([\s\S]*?)```/.exec(docs)!;
  const secrets = {
    a: { ref: { provider: 'credential', secret: 'pg_test', field: 'db_password' } },
    b: { ref: { provider: 'credential', secret: 'pg_test' } },
    c: { entry: { kind: 'credential', name: 'db', config: { credential: 'pg_test' } } },
    d: { entry: { kind: 'credential', name: 'pg_test', config: {} } },
    e: { ref: { provider: 'vault', secret: 'app' } },
  };
  const handles = [
    { $secret: 'a' },
    { $secret: 'b' },
    { $secret: 'c', field: 'db_user' },
    { $secret: 'd', field: 'db_name' },
    { $secret: 'e' },
  ];
  // What it imports, of the size that it needs: neither package has to be here.
  const around = `
import json, os, sys, types, urllib.parse, urllib.request
from urllib.parse import quote
class ApplicationError(Exception):
    def __init__(self, message, type, non_retryable): super().__init__(type)
class Answer:
    def __init__(self, text): self.text = text
    def raise_for_status(self): pass
    def json(self): return json.loads(self.text)
def get(url, params, timeout, headers):
    request = urllib.request.Request(f"{url}?{urllib.parse.urlencode(params)}", headers=headers)
    return Answer(urllib.request.urlopen(request, timeout=timeout).read())
requests = types.SimpleNamespace(get=get)
${shown}
for handle in ${JSON.stringify(handles)}:
    try: print(json.dumps(value(handle, {"secrets": ${JSON.stringify(secrets)}}, "287146398761160799")))
    except ApplicationError as error: print(json.dumps(str(error)))
`;
  const { stdout } = await promisify(execFile)('python3', ['-c', around], {
    env: { ...process.env, NOETL_FACADE_URL: its.facade.url, NOETL_TOKEN: 'worker' },
  });
  const answers = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
  expect(answers).toEqual([CANARY, pg.data, 'u', 'd', 'SECRET_REFUSED']);
  const { body } = await ask('GET', '/api/credentials/pg_test/audit');
  expect(body['items']).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ action: 'read', principal: 'worker', execution_id: '287146398761160799' }),
    ]),
  );
});

test('the database alone tells nothing; a row moved to another name is refused', async () => {
  await ask('POST', '/api/credentials', pg);
  await ask('GET', '/api/credentials/pg_test?include_data=true', undefined, 'worker');
  await ask('POST', '/api/credentials', { name: 'other', type: 'custom', data: { a: 1 } });
  const dump = async (): Promise<string> =>
    withClient(async (client) => {
      const tables = await client.query<{ t: string }>(
        `SELECT format('%I.%I', schemaname, tablename) AS t FROM pg_tables WHERE schemaname = 'noetl'`,
      );
      const rows: string[] = [];
      for (const { t } of tables.rows) {
        const all = await client.query<{ r: string }>(`SELECT row_to_json(x)::text AS r FROM ${t} x`);
        rows.push(...all.rows.map((row) => row.r));
      }
      return rows.join('\n');
    });
  const forms = [
    CANARY,
    Buffer.from(CANARY).toString('hex'),
    Buffer.from(CANARY).toString('base64').slice(0, 20),
  ];
  const found = (text: string): string[] => forms.filter((form) => text.includes(form));
  const before = await dump();
  expect(before).toContain('pg_test');
  expect(found(before)).toEqual([]);
  // The same search finds one that is planted.
  await withClient((client) =>
    client.query(`UPDATE noetl.credential SET data_encrypted = $1 WHERE name = 'other'`, [
      Buffer.from(CANARY),
    ]),
  );
  expect(found(await dump())).toEqual([forms[1]]);

  await withClient((client) =>
    client.query(
      `UPDATE noetl.credential SET data_encrypted = (SELECT data_encrypted FROM noetl.credential WHERE name = 'pg_test')
       WHERE name = 'other'`,
    ),
  );
  const moved = await ask('GET', '/api/credentials/other?include_data=true');
  expect(moved).toMatchObject({ status: 503, body: { code: 'CIPHERTEXT_DAMAGED' } });
  const stranger = new Credentials(its.facade.services.database, ring(`old:${NEW}`));
  await expect(stranger.read('pg_test', { principal: 'thief' })).rejects.toMatchObject({
    code: 'CIPHERTEXT_DAMAGED',
  });
  await ask('DELETE', '/api/credentials/other');
});

test('rotation: all at once with the first key, in batches, resumed, while a facade serves', async () => {
  const { database } = its.facade.services;
  for (let n = 0; n < 25; n++)
    await ask('POST', '/api/credentials', {
      name: `r${n}`,
      type: 'custom',
      data: { secret: `${CANARY}-${n}` },
    });
  const count = (await new Credentials(database, ring(`old:${its.key}`)).list()).length;
  const me = { principal: 'keeper', remote: 'here' };
  // Stopped after a batch: what is done is done.
  const both = ring(`new:${NEW},old:${its.key}`);
  const stopped = rotateCredentials(database, both, me, {
    batch: 5,
    progress: (done) => {
      if (done >= 10) throw new Error('the machine stops');
    },
  });
  await expect(stopped).rejects.toThrow('the machine stops');
  const reading = Promise.all(
    Array.from({ length: 25 }, (_, n) => new Credentials(database, both).read(`r${n}`, { principal: 'w' })),
  );
  const rotated = await rotateCredentials(database, both, me, { batch: 5 });
  expect(rotated).toMatchObject({ credentials: count - 10, failed: [], left: 0 });
  expect((await reading).map((one) => one!.data['secret'])).toEqual(
    Array.from({ length: 25 }, (_, n) => `${CANARY}-${n}`),
  );
  expect(await rotateCredentials(database, both, me)).toMatchObject({ credentials: 0, left: 0 });
  const after = new Credentials(database, ring(`new:${NEW}`));
  // Once for each, by whom: the batch that was stopped after it was done too.
  const record = await after.audit({ limit: 1000 });
  const rotations = record.filter(({ action }) => action === 'rotate');
  expect(new Set(rotations.map(({ credential_name }) => credential_name)).size).toBe(count);
  expect(rotations).toHaveLength(count);
  expect(rotations[0]).toMatchObject(me);
  expect((await after.read('r7', { principal: 'w' }))!.data).toEqual({ secret: `${CANARY}-7` });

  // A key that is gone is told by credential; the others are done.
  const without = await rotateCredentials(database, ring(`third:${its.key}`), me);
  expect(without.failed).toHaveLength(count);
  expect(without.failed[0]).toMatchObject({ code: 'KEY_UNKNOWN', message: expect.stringContaining("'new'") });
  expect(without.left).toBe(count);
});

test('a facade without a key says so, and serves the rest', async () => {
  const bare = await its.another();
  const response = await fetch(`${bare.url}/api/credentials`);
  expect([response.status, await response.json()]).toMatchObject([503, { code: 'KEY_MISSING' }]);
  expect((await fetch(`${bare.url}/api/health`)).status).toBe(200);
  await bare.stop();
});

test('nothing went wrong that nobody foresaw', () => expect(its.facade.reported).toEqual([]));
