/** The catalog in a real Postgres: versions by content, two processes that register at once, submissions by key. */
import { sql } from 'kysely';
import { Catalog, type Database, openDatabase, Staging, Submissions } from '../../src/server/store';
import { startTestPostgres, type TestPostgres } from '../support/postgres';

let postgres: TestPostgres;
const databases: Database[] = [];
let catalogs: Catalog[];

beforeAll(async () => {
  postgres = await startTestPostgres();
  // Two facades on one database.
  databases.push(...(await Promise.all([openDatabase(postgres.url), openDatabase(postgres.url)])));
  catalogs = databases.map(({ query }) => new Catalog(query));
});
afterAll(async () => {
  for (const database of databases) await database.close();
  await postgres?.stop();
});

const text = (path: string, content: string, kind = 'playbook') => ({
  path,
  kind,
  name: path.split('/').at(-1)!,
  content,
  payload: { content },
});

test('many that register under one path at once give each text one version, without a gap', async () => {
  const texts = Array.from({ length: 40 }, (_, n) => `text ${n % 20}`);
  const registered = await Promise.all(texts.map((one, n) => catalogs[n % 2]!.register(text('a/many', one))));
  const versions = new Map<string, Set<number>>();
  for (const { entry } of registered)
    versions.set(entry.content, (versions.get(entry.content) ?? new Set()).add(entry.version));
  expect([...versions.values()].map(({ size }) => size)).toEqual(Array(20).fill(1));
  expect([...versions.values()].flatMap((one) => [...one]).sort((a, b) => a - b)).toEqual(
    Array.from({ length: 20 }, (_, n) => n + 1),
  );
  expect(registered.filter(({ isNew }) => isNew)).toHaveLength(20);
});

const FIRST = { page: 1, size: 1000 };

test('the same text is the same version, and what was registered last is the latest', async () => {
  const [catalog] = catalogs as [Catalog];
  const first = await catalog.register({ ...text('a/back', 'one'), layout: { x: 1 }, meta: { by: 'me' } });
  const second = await catalog.register(text('a/back', 'two'));
  expect((await catalog.find('a/back'))?.version).toBe(2);
  const again = await catalog.register({ ...text('a/back', 'one'), meta: { again: true } });
  expect(again).toMatchObject({
    isNew: false,
    entry: {
      catalog_id: first.entry.catalog_id,
      version: 1,
      layout: { x: 1 },
      meta: { by: 'me', again: true },
    },
  });
  expect((await catalog.find('a/back'))?.version).toBe(1);
  expect((await catalog.find('a/back', 2))?.catalog_id).toBe(second.entry.catalog_id);
  expect((await catalog.versions('a/back', FIRST)).lines.map(({ version }) => version)).toEqual([2, 1]);
});

test('a staged version is not the latest until it is promoted, whatever else is registered or deleted', async () => {
  const [catalog] = catalogs as [Catalog];
  const staging = new Staging(databases[0]!.query);
  const latest = async (): Promise<number | undefined> => (await catalog.find('a/staged'))?.version;
  const one = { ...text('a/staged', 'one'), label: 'v' };
  const two = { ...text('a/staged', 'two'), label: 'v' };
  await catalog.register(one);
  expect((await catalog.register({ ...two, staged: true })).entry.version).toBe(2);
  expect([await latest(), (await staging.of('a/staged'))?.version]).toEqual([1, 2]);
  // Who pins the name of a version gets one that was released.
  expect((await catalog.find('a/staged', 'v'))?.version).toBe(1);
  expect((await catalog.find('a/staged', 2))?.content).toBe('two');
  expect(
    (await catalog.list({ kind: 'playbook' }, FIRST)).lines.filter((entry) => entry.path === 'a/staged'),
  ).toHaveLength(1);
  await expect(catalog.register({ ...one, staged: true })).rejects.toMatchObject({
    code: 'STAGED_IS_LATEST',
  });
  // Neither a deletion nor a restoration promotes it.
  await catalog.delete('a/staged', 1);
  expect(await latest()).toBeUndefined();
  await catalog.restore('a/staged', 1);
  await catalog.delete('a/staged', 2);
  expect([await latest(), await staging.of('a/staged')]).toEqual([1, undefined]);
  await catalog.restore('a/staged', 2);
  expect([await latest(), await staging.unstage('a/staged')]).toEqual([1, undefined]);
  await expect(staging.promote('a/staged', 7)).rejects.toMatchObject({ code: 'STAGED_VERSION_GONE' });
  await catalog.register({ ...two, staged: true });
  expect(await staging.promote('a/staged', 2)).toBe(1);
  expect([await latest(), await staging.of('a/staged')]).toEqual([2, undefined]);
});

test('verdicts are about one staged version: another one begins without', async () => {
  const [catalog] = catalogs as [Catalog];
  const { query } = databases[0]!;
  const staging = new Staging(query);
  await catalog.register(text('a/judged', 'one'));
  await catalog.register({ ...text('a/judged', 'two'), staged: true });
  const finding = { cause: 'because' };
  await sql`INSERT INTO noetl.staged_verdict (path, version, execution_id, namespace, workflow_id, run_id, verdict, cause, finding, touches)
    SELECT 'a/judged', 2, n, 'x', 'x', 'x', v, c, f::jsonb, '{"step start": 2}' FROM (VALUES (1, 'same', NULL, NULL),
      (2, 'call', 'because', ${JSON.stringify(finding)}), (3, 'call', 'because', '{}'), (4, NULL, NULL, NULL)) AS r (n, v, c, f)`.execute(
    query,
  );
  const found = {
    counts: { same: 1, call: 2 },
    groups: [{ verdict: 'call', cause: 'because', count: 2, execution_id: '2', finding }],
    touches: { 'step start': 8 },
    pending: 1,
  };
  expect(await staging.verdicts('a/judged', 2)).toEqual(found);
  await catalog.register({ ...text('a/judged', 'two'), staged: true });
  expect(await staging.verdicts('a/judged', 2)).toEqual(found);
  await catalog.register({ ...text('a/judged', 'three'), staged: true });
  expect(await staging.verdicts('a/judged', 2)).toMatchObject({ counts: {}, pending: 0 });
});

test('a version is a number of the catalog, or the one that the document calls itself', async () => {
  const [catalog] = catalogs as [Catalog];
  for (const [content, label] of [
    ['one', '2024.1'],
    ['two', '7'],
    ['three', '2024.1'],
  ] as const)
    await catalog.register({ ...text('a/labelled', content), label });
  const contentOf = async (version: string | number): Promise<string | undefined> =>
    (await catalog.find('a/labelled', version))?.content;
  expect(await Promise.all(['2024.1', 7, '2', 'latest', '9'].map(contentOf))).toEqual([
    'three',
    'two',
    'two',
    'three',
    undefined,
  ]);
});

test('what is deleted is found by its id alone, until it is restored or registered again', async () => {
  const [catalog] = catalogs as [Catalog];
  const { entry } = await catalog.register(text('a/gone', 'one'));
  await catalog.register(text('a/gone', 'two'));
  expect((await catalog.delete('a/gone', 2)).map(({ version }) => version)).toEqual([2]);
  expect(await catalog.delete('a/gone', 2)).toEqual([]);
  expect((await catalog.find('a/gone'))?.version).toBe(1);
  expect(await catalog.delete('a/gone')).toHaveLength(1);
  expect(await catalog.find('a/gone')).toBeUndefined();
  expect(await catalog.paths(['playbook'])).not.toContain('a/gone');
  expect((await catalog.byId(entry.catalog_id))?.deleted_at).toBeInstanceOf(Date);
  expect(
    (await catalog.list({ kind: 'PLAYBOOK', deleted: true }, FIRST)).lines.filter(
      ({ path }) => path === 'a/gone',
    ),
  ).toHaveLength(2);
  expect(await catalog.restore('a/gone')).toHaveLength(2);
  expect((await catalog.find('a/gone'))?.version).toBe(2);
  await catalog.delete('a/gone');
  expect((await catalog.register(text('a/gone', 'one'))).entry).toMatchObject({
    version: 1,
    deleted_at: null,
  });
});

test('kinds are matched in any case, and a path has one kind', async () => {
  const [catalog] = catalogs as [Catalog];
  await catalog.register(text('a/tool', 'x', 'tool'));
  expect((await catalog.list({ kind: 'Tool' }, FIRST)).lines.map(({ path }) => path)).toEqual(['a/tool']);
  await expect(catalog.register(text('a/tool', 'y'))).rejects.toThrow('a/tool is a resource of kind tool');
});

test('a name stands for the only resource that has it', async () => {
  const [catalog] = catalogs as [Catalog];
  await catalog.register(text('b/alone', 'x'));
  expect(await catalog.pathsNamed('alone')).toEqual(['b/alone']);
  await catalog.register(text('c/alone', 'x'));
  expect(await catalog.pathsNamed('alone')).toEqual(['b/alone', 'c/alone']);
  expect(await catalog.pathsNamed('nobody')).toEqual([]);
});

test('a key stands for one submission, whoever writes it down first, and each principal has keys of their own', async () => {
  const submissions = databases.map((one) => new Submissions(one));
  const begun = await Promise.all(
    Array.from({ length: 8 }, (_, n) =>
      submissions[n % 2]!.begin('ada', 'k', {
        fingerprint: 'f',
        execution_id: String(100 + n),
        catalog_id: '1',
      }),
    ),
  );
  expect(new Set(begun.map(({ execution_id }) => execution_id)).size).toBe(1);
  expect(begun.every(({ started_at }) => started_at === null)).toBe(true);
  const id = begun[0]!.execution_id;
  // That of a time which is over: the key is another execution's by now.
  await submissions[0]!.started('ada', 'k', `${id}0`);
  expect((await submissions[1]!.find('ada', 'k'))?.started_at).toBeNull();
  await submissions[0]!.started('ada', 'k', id);
  expect((await submissions[1]!.find('ada', 'k'))?.started_at).toBeInstanceOf(Date);
  expect(await submissions[0]!.find('bob', 'k')).toBeUndefined();
});

test('lists have pages, without what authors make long', async () => {
  const [catalog] = catalogs as [Catalog];
  for (let i = 0; i < 5; i += 1)
    await catalog.register({
      ...text('p/list', `${i} ${'x'.repeat(100_000)}`, 'dataset'),
      name: 'n'.repeat(5000),
    });
  await catalog.register(text('p/other', 'other', 'dataset'));
  const pages = [];
  for (let page = 1; pages.at(-1)?.hasNext ?? true; page += 1)
    pages.push(await catalog.list({ kind: 'dataset' }, { page, size: 4 }));
  expect(pages.map(({ lines }) => lines.length)).toEqual([4, 2]);
  expect(pages.flatMap(({ lines }) => lines.map(({ version }) => version))).toEqual([1, 5, 4, 3, 2, 1]);
  expect(JSON.stringify(pages).length).toBeLessThan(6 * 1000);
  const latest = await catalog.list({ kind: 'dataset', latest: true }, FIRST);
  expect(latest.lines.map(({ path, version, bytes }) => [path, version, bytes])).toEqual([
    ['p/other', 1, 5],
    ['p/list', 5, 100_002],
  ]);
  expect(await catalog.pathsFrom('Dataset', '', 1)).toEqual(['p/list']);
  expect(await catalog.pathsFrom('dataset', 'p/list', 9)).toEqual(['p/other']);
});

test('agents are found by what they can, whatever else their documents say', async () => {
  const [catalog] = catalogs as [Catalog];
  const agent = (path: string, metadata: object) => ({ ...text(path, path), payload: { metadata } as never });
  await catalog.register(agent('g/one', { agent: true, capabilities: ['a', 'b'] }));
  await catalog.register(agent('g/two', { agent: true, capabilities: 'a' }));
  await catalog.register(agent('g/no', { agent: 'perhaps', capabilities: ['a'] }));
  await catalog.register({ ...text('g/kind', 'kind', 'agent'), payload: { metadata: 7 } as never });
  const found = async (capabilities: string[], path?: string) =>
    (await catalog.list({ agents: { capabilities, ...(path && { path }) } }, FIRST)).lines.map(
      (one) => one.path,
    );
  expect((await found([])).sort()).toEqual(['g/kind', 'g/one', 'g/two']);
  expect(await found(['b', 'a'])).toEqual(['g/one']);
  expect(await found([], 'g/two')).toEqual(['g/two']);
});

test('a path and a catalog are full at their quota; what is there already costs nothing', async () => {
  const quota = { path: 10_000, all: Number.POSITIVE_INFINITY };
  const small = new Catalog(databases[0]!.query, quota);
  await small.register(text('q/full', 'x'.repeat(6000)));
  await expect(small.register(text('q/full', 'y'.repeat(6000)))).rejects.toMatchObject({
    code: 'CATALOG_PATH_FULL',
  });
  expect((await small.register(text('q/full', 'x'.repeat(6000)))).isNew).toBe(false);
  await small.register(text('q/beside', 'y'.repeat(6000)));
  const full = new Catalog(databases[0]!.query, { path: 10_000, all: 10_000 });
  await expect(full.register(text('q/more', 'z'))).rejects.toMatchObject({ code: 'CATALOG_FULL' });
  expect(await catalogs[0]!.find('q/full', 2)).toBeUndefined();
});
