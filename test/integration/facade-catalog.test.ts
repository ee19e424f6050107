/** Catalog and execution over REST, at two facades on one database: what NoETL's clients send and read, and retries. */
import { type Client } from '@temporalio/client';
import { executionIdOf } from '../../src/plan';
import { WORKFLOW_TASK_QUEUE } from '../../src/temporal';
import { CatalogPlaybooks } from '../../src/cli/runtime/playbooks/catalog-playbooks';
import { FacadePlaybooks } from '../../src/cli/runtime/playbooks/facade-playbooks';
import { firstOf } from '../../src/cli/runtime/playbooks/first-of';
import { Library, Threads } from '../../src/facade';
import { Catalog, openDatabase, type Database } from '../../src/store';
import { startFacade, type TestFacade } from '../support/facade';
import { startTestPostgres, type TestPostgres } from '../support/postgres';
import { type Stack, startStack } from '../support/stack';

let postgres: TestPostgres;
let database: Database;
let stack: Stack;
let facades: [TestFacade, TestFacade];

beforeAll(async () => {
  postgres = await startTestPostgres();
  database = await openDatabase(postgres.url);
  let asked: FacadePlaybooks | undefined;
  stack = await startStack({
    kinds: [],
    // One path by a library in this process, as `dev` has it, the others over HTTP, as a worker asks.
    playbooks: firstOf([
      {
        resolve: (request) =>
          request.path.startsWith('lib/')
            ? new CatalogPlaybooks(new Library(new Catalog(database.query), new Threads({}))).resolve(request)
            : (asked ??= new FacadePlaybooks({ url: facades[1].url, token: 'any' })).resolve(request),
      },
    ]),
  });
  facades = [await startFacade(stack, { postgres }), await startFacade(stack, { postgres })];
}, 120_000);
afterAll(async () => {
  for (const facade of facades ?? []) await facade.stop();
  await stack?.stop();
  await database?.close();
  await postgres?.stop();
  for (const facade of facades) expect(facade.reported).toEqual([]);
});

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}
async function ask(
  method: string,
  path: string,
  body?: unknown,
  { at = 0, ...headers }: { at?: number; [header: string]: string | number | undefined } = {},
): Promise<Answer> {
  const response = await fetch(`${facades[at]!.url}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...(headers as Record<string, string>) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as never };
}
const post = (path: string, body: unknown, more?: Parameters<typeof ask>[3]): Promise<Answer> =>
  ask('POST', path, body, more);

const playbook = (
  path: string,
  more = '',
  step = 'tool: {kind: noop, input: {said: "{{ workload.word }}"}}',
): string =>
  `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: ${path.split('/').at(-1)}, path: ${path}}\n` +
  `workload: {word: hi}\n${more}workflow:\n- step: start\n  ${step}\n`;
const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64');

/** Asks again until there is an answer. */
async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const answer = await look();
    if (answer !== undefined) return answer;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function result(executionId: unknown): Promise<unknown> {
  const { result: value } = (await stack.client.workflow
    .getHandle(`noetl-${String(executionId)}`)
    .result()) as {
    result: unknown;
  };
  return value;
}

describe('catalog', () => {
  test('takes YAML and base64, counts versions, and knows a text that it has', async () => {
    const register = (content: string, at = 0) =>
      post('/api/catalog/register', { content, resource_type: 'Playbook' }, { at });
    const first = await register(base64(playbook('t/hello')));
    expect(first).toMatchObject({
      status: 200,
      body: {
        status: 'success',
        message: "Resource 't/hello' version '1' registered.",
        path: 't/hello',
        version: 1,
        kind: 'playbook',
        created: true,
        diagnostics: [],
      },
    });
    expect((await register(playbook('t/hello'), 1)).body).toMatchObject({ version: 1, created: false });
    expect((await register(playbook('t/hello', '# changed\n'))).body).toMatchObject({ version: 2 });
    const listed = (await post('/api/catalog/list', { resource_type: 'PLAYBOOK' })).body as unknown as {
      entries: { path: string; version: number }[];
    };
    expect(listed.entries.map(({ path, version }) => `${path}@${version}`)).toEqual([
      't/hello@2',
      't/hello@1',
    ]);
    expect((await ask('GET', '/api/catalog/list/Playbook')).body).toEqual(['t/hello']);
    expect((await ask('GET', '/api/catalog/t/hello/versions')).body).toMatchObject({
      entries: [{ version: 2 }, { version: 1 }],
    });
    for (const reference of [
      { path: 't/hello' },
      { path: 't/hello', version: 'latest' },
      { path: 'catalog://t/hello@2' },
      { path: 'hello' },
    ])
      expect(await post('/api/catalog/resource', reference)).toMatchObject({
        status: 200,
        body: {
          path: 't/hello',
          version: 2,
          kind: 'playbook',
          layout: null,
          payload: { workload: { word: 'hi' } },
        },
      });
    expect(
      (await post('/api/catalog/resource', { catalog_id: first.body['catalog_id'] })).body,
    ).toMatchObject({
      version: 1,
      content: playbook('t/hello'),
    });
  });

  test('an editor reads the text of a playbook and saves the next version', async () => {
    const path = '/api/catalog/playbook/content?playbook_id=t%2Fedited';
    expect(await ask('GET', path)).toMatchObject({ status: 404 });
    const { catalog_id } = (await post('/api/catalog/register', { content: playbook('t/edited') })).body;
    const changed = playbook('t/edited', '# better\n');
    expect((await ask('PUT', path, { content: changed })).body).toMatchObject({ version: 2, created: true });
    expect((await ask('GET', path)).body).toMatchObject({ content: changed, version: 2 });
    const old = `/api/catalog/playbook/content?playbook_id=${String(catalog_id)}`;
    expect((await ask('GET', old)).body).toMatchObject({ content: playbook('t/edited'), version: 1 });
    // Another path would be another playbook, and one with errors none.
    expect(await ask('PUT', path, { content: playbook('t/other') })).toMatchObject({
      status: 409,
      body: { code: 'PATH_DIFFERS' },
    });
    expect(await ask('PUT', path, { content: playbook('t/edited', '', 'tool: {kind: nop}') })).toMatchObject({
      status: 422,
      body: { code: 'PLAYBOOK_INVALID' },
    });
    expect((await post('/api/catalog/delete', { path: 't/edited' })).body).toMatchObject({ count: 2 });
  });

  test('refuses a playbook with errors and says all of them; sub-playbooks that are not there are warnings', async () => {
    const broken = playbook('t/broken', 'workloadd: 1\n', 'when: x\n  tool: {kind: nop}');
    const refused = await post('/api/catalog/register', { content: broken });
    expect(refused).toMatchObject({
      status: 422,
      body: {
        code: 'PLAYBOOK_INVALID',
        detail: expect.stringMatching(
          /^'t\/broken' is not a valid playbook: 5:1 .*\[NT\d{4}\]; .*\[NT\d{4}\]/,
        ),
        diagnostics: expect.arrayContaining([
          expect.objectContaining({
            severity: 'error',
            line: 5,
            column: 1,
            end_line: 5,
            hint: expect.any(String),
          }),
        ]),
      },
    });
    expect((refused.body['diagnostics'] as unknown[]).length).toBeGreaterThanOrEqual(3);
    expect(await post('/api/catalog/resource', { path: 't/broken' })).toMatchObject({
      status: 404,
      body: { detail: 'Catalog entry not found: t/broken' },
    });
    expect((await post('/api/catalog/playbooks/validate', { content: broken })).body).toMatchObject({
      valid: false,
      errors: expect.arrayContaining([expect.stringContaining('NT')]),
    });
    const calls = playbook('t/calls', '', 'tool: {kind: playbook, path: t/helo}');
    expect((await post('/api/catalog/playbooks/validate', { content: calls })).body).toMatchObject({
      valid: true,
      diagnostics: [{ code: 'NT3025', severity: 'warning', hint: expect.stringContaining('t/hello') }],
    });
    expect((await post('/api/catalog/playbooks/validate', { content: '- a list' })).body).toMatchObject({
      valid: false,
    });
  });

  test('registers many at once, that may call each other, and keeps out only what is wrong', async () => {
    const items = [
      { content: base64(playbook('b/caller', '', 'tool: {kind: playbook, path: b/called}')) },
      { content: 'kind: Playbook' },
      {
        content: base64('kind: Tool\nmetadata: {name: hammer, path: b/hammer}\n'),
        resource_type: 'Playbook',
      },
      { content: base64(playbook('b/called')) },
      { content: '{"name": "pg", "type": "postgres", "data": {"password": "x"}}' },
    ];
    expect((await post('/api/catalog/register/batch', { items })).body).toMatchObject({
      registered: 3,
      failed: 2,
      results: [
        { index: 0, status: 'registered', path: 'b/caller', version: 1, error: null, diagnostics: [] },
        { index: 1, status: 'failed', version: null, code: 'PLAYBOOK_INVALID' },
        { index: 2, status: 'registered', path: 'b/hammer' },
        { index: 3, status: 'registered', path: 'b/called' },
        { index: 4, status: 'failed', code: 'RESOURCE_IS_CREDENTIAL' },
      ],
    });
    expect((await post('/api/catalog/list', { resource_type: 'tool' })).body).toMatchObject({
      entries: [{ path: 'b/hammer', kind: 'tool' }],
    });
    expect((await post('/api/execute', { path: 'b/hammer' })).body).toMatchObject({ code: 'NOT_EXECUTABLE' });
  });

  test('makes a form of the inputs: of their schema, of comments, of defaults', async () => {
    const content =
      'apiVersion: noetl.io/v2\nkind: Playbook\n' +
      'metadata:\n  name: form\n  path: t/form\n  description: Says **it**\n  exposed_in_ui: true\n  agent: true\n' +
      '  capabilities: [talk]\n  workload:\n    pages: {type: integer, minimum: 1, required: true}\n    db: {credential: "pg_*"}\n' +
      'workload:\n  pages: null\n  db: pg_local\n  token: "" # ui:secret # ui:description=API key\n' +
      '  mode: fast # ui:enum=[fast, slow]\n  at: {hour: 1.5, on: true}\n' +
      'workflow:\n- step: start\n  tool: {kind: noop}\n';
    await post('/api/catalog/register', { content });
    expect((await ask('GET', '/api/catalog/t/form/ui_schema?version=latest')).body).toMatchObject({
      path: 't/form',
      version: 1,
      kind: 'playbook',
      title: 'form',
      description_markdown: 'Says **it**',
      exposed_in_ui: true,
      fields: [
        { name: 'pages', kind: 'integer', default: null, secret: false, options: null, children: null },
        { name: 'db', kind: 'string', default: 'pg_local', credential_glob: 'pg_*' },
        { name: 'token', kind: 'string', secret: true, description: 'API key' },
        { name: 'mode', kind: 'enum', options: ['fast', 'slow'] },
        {
          name: 'at',
          kind: 'object',
          children: [
            { name: 'hour', kind: 'number' },
            { name: 'on', kind: 'boolean' },
          ],
        },
      ],
    });
    expect((await post('/api/catalog/agents/list', { capabilities: ['talk'] })).body).toMatchObject({
      entries: [{ path: 't/form' }],
    });
    expect((await post('/api/catalog/agents/list', { capability: 'sing' })).body).toEqual({ entries: [] });
    expect(await post('/api/execute', { path: 't/form', workload: { pages: 0, db: 'x' } })).toMatchObject({
      status: 422,
      body: { code: 'WORKLOAD_INVALID', detail: 'workload.pages must be at least 1', at: 'workload.pages' },
    });
    expect((await post('/api/execute', { path: 't/form' })).body).toMatchObject({
      fields: [{ at: 'workload.pages', message: 'is required' }],
    });
  });

  test('deletes and restores', async () => {
    await post('/api/catalog/register', { content: playbook('t/gone') });
    expect((await post('/api/catalog/delete', { path: 't/gone' })).body).toMatchObject({ count: 1 });
    expect(await post('/api/execute', { path: 't/gone' })).toMatchObject({ status: 404 });
    expect((await post('/api/catalog/restore', { path: 't/gone', version: 1 })).body).toMatchObject({
      entries: [{ version: 1 }],
    });
    expect((await post('/api/execute', { path: 't/gone' })).status).toBe(200);
  });
});

describe('execute', () => {
  test.each([
    [{ path: 'x/run', workload: { word: 'a' } }, 'a', 2],
    [{ path: 'x/run', version: 1, payload: { word: 'b' } }, 'b', 1],
    [{ path: 'x/run', version: 'latest', input: { word: 'c' } }, 'c', 2],
    [{ path: 'catalog://x/run@1' }, 'hi', 1],
    [{ path: 'run', resource_kind: 'playbook', workload: {} }, 'hi', 2],
  ])('starts %j', async (body, word, version) => {
    await post('/api/catalog/register', { content: playbook('x/run') });
    await post('/api/catalog/register', { content: playbook('x/run', '# two\n') });
    const answer = await post('/api/execute', body);
    expect(answer).toMatchObject({
      status: 200,
      body: { status: 'started', commands_generated: 1, version },
    });
    expect(answer.body['execution_id']).toMatch(/^\d{15,19}$/);
    expect(await result(answer.body['execution_id'])).toEqual({ said: word });
  });

  test('by catalog id, with what a list of executions shows, and events that know the entry', async () => {
    const { body: entry } = await post('/api/catalog/register', { content: playbook('x/by-id') });
    for (const reference of [
      { catalog_id: entry['catalog_id'] },
      { playbook_id: entry['catalog_id'] },
      { playbook_id: 'x/by-id' },
      { path: `pbk_${String(entry['catalog_id'])}`, parent_execution_id: '77' },
    ]) {
      const { body } = await post('/api/execute', reference);
      const described = await stack.client.workflow
        .getHandle(`noetl-${String(body['execution_id'])}`)
        .describe();
      expect(described.memo).toMatchObject({
        noetl_catalog: { catalog_id: entry['catalog_id'], version: 1 },
        ...('path' in reference && { noetl_caller: { execution_id: '77' } }),
      });
      await result(body['execution_id']);
      const { body: events } = await ask(
        'GET',
        `/api/executions/${String(body['execution_id'])}/events?profile=noetl`,
      );
      const ids = (events['events'] as { catalog_id: string }[]).map(({ catalog_id }) => catalog_id);
      expect(new Set(ids)).toEqual(new Set([entry['catalog_id']]));
    }
  });

  test('sub-playbooks are those of the catalog, for workers beside the facade and for others', async () => {
    await post('/api/catalog/register/batch', {
      items: [
        { content: playbook('lib/inner') },
        {
          content: playbook('far/outer', '', 'tool: {kind: playbook, path: lib/inner, input: {word: deep}}'),
        },
        { content: playbook('x/top', '', 'tool: {kind: playbook, path: far/outer, version: 1}') },
        { content: playbook('x/lost', '', 'tool: {kind: playbook, path: far/away}') },
      ],
    });
    const { body } = await post('/api/execute', { path: 'x/top' });
    expect(await result(body['execution_id'])).toMatchObject({ said: 'deep' });
    const { body: lost } = await post('/api/execute', { path: 'x/lost' });
    await expect(result(lost['execution_id']!)).rejects.toMatchObject({
      cause: {
        type: 'PLAYBOOK_NOT_FOUND',
        message: expect.stringContaining('the catalog has no playbook far/away'),
      },
    });
    // Started by path and queue alone, as the `temporal` CLI and other clients do.
    const { workflow } = stack.client;
    const start = (path: string, ...args: unknown[]) =>
      workflow.start(path, { taskQueue: WORKFLOW_TASK_QUEUE, workflowId: `by-type-${path}`, args });
    const top = await start('x/top');
    expect(await top.result()).toMatchObject({ result: { said: 'deep' } });
    expect((await top.describe()).searchAttributes).toMatchObject({
      NoetlPlaybook: ['x/top'],
      NoetlStatus: ['completed'],
    });
    const inner = await start('lib/inner', { word: 'direct' });
    expect(await inner.result()).toMatchObject({ result: { said: 'direct' } });
    for (const [path, near] of [
      ['x/topp', 'x/top'],
      ['inner', 'lib/inner'],
    ] as const) {
      const unknown = await start(path);
      await expect(unknown.result()).rejects.toMatchObject({
        cause: {
          type: 'PLAYBOOK_NOT_FOUND',
          message: `the catalog has no playbook ${path}: did you mean ${near}?`,
        },
      });
      expect((await unknown.describe()).searchAttributes).toMatchObject({
        NoetlPlaybook: [path],
        NoetlStatus: ['failed'],
      });
    }
  });

  test.each([
    [{ path: 'nosuch/path' }, 404, 'Executable catalog entry not found: nosuch/path'],
    [{ path: 'x/run', version: 99 }, 404, 'Executable catalog entry not found: x/run@99'],
    [{ catalog_id: '5' }, 404, 'Executable catalog entry not found: 5'],
    [{ workload: {} }, 422, 'body: a `path` or a `catalog_id` is required'],
    [{ path: 'x/run', workload: [] }, 422, expect.stringMatching(/^body\.workload: /)],
  ])('%j is refused', async (body, status, detail) => {
    expect(await post('/api/execute', body)).toMatchObject({ status, body: { detail, error: detail } });
  });
});

describe('Idempotency-Key', () => {
  const body = { path: 'i/once', workload: { word: 'x' } };
  beforeAll(async () => void (await post('/api/catalog/register', { content: playbook('i/once') })));

  test('the same request is the same execution, at both facades, also when they are asked at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        post('/api/execute', body, { at: n % 2, 'idempotency-key': 'many' }),
      ),
    );
    expect(new Set(answers.map(({ body: { execution_id } }) => execution_id)).size).toBe(1);
    // Another order of keys, another name of the field, a newer latest version: still that request.
    await post('/api/catalog/register', { content: playbook('i/once', '# two\n') });
    const again = await post(
      '/api/execute',
      { payload: { word: 'x' }, path: 'i/once' },
      { 'idempotency-key': 'many' },
    );
    expect(again.body).toEqual(answers[0]!.body);
    const started = await until(async () => {
      const found: unknown[] = [];
      for await (const { workflowId } of stack.client.workflow.list({ query: `NoetlPlaybook = 'i/once'` }))
        found.push(executionIdOf(workflowId));
      return found.length > 0 ? found : undefined;
    });
    expect(started).toEqual([again.body['execution_id']]);
  });

  test('another request under the key is refused, and a refused one leaves the key free', async () => {
    const key = { 'idempotency-key': 'taken' };
    expect(await post('/api/execute', { path: 'i/none' }, key)).toMatchObject({ status: 404 });
    expect(await post('/api/execute', body, key)).toMatchObject({ status: 200 });
    expect(await post('/api/execute', { ...body, workload: { word: 'y' } }, key)).toMatchObject({
      status: 409,
      body: { code: 'IDEMPOTENCY_KEY_REUSED' },
    });
    expect(await post('/api/execute', body, { 'idempotency-key': 'a b' })).toMatchObject({
      status: 422,
      body: { code: 'IDEMPOTENCY_KEY' },
    });
  });

  test('what a facade wrote down and did not start is started by whoever is asked next', async () => {
    const dying = new Proxy(stack.client, {
      get: (target, name) =>
        name === 'workflow'
          ? { start: () => Promise.reject(new Error('killed')) }
          : Reflect.get(target, name),
    }) as Client;
    const killed = await startFacade({ client: dying }, { postgres });
    const request = {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'crash' },
      body: JSON.stringify(body),
    };
    expect((await fetch(`${killed.url}/api/execute`, request)).status).toBe(500);
    const written = await database.query
      .selectFrom('noetl.submission')
      .select(['execution_id', 'started_at'])
      .where('key', '=', 'crash')
      .executeTakeFirstOrThrow();
    expect(written.started_at).toBeNull();
    await killed.stop();
    const { body: answer } = await post('/api/execute', body, { at: 1, 'idempotency-key': 'crash' });
    expect(answer).toMatchObject({ execution_id: written.execution_id });
    expect(await result(written.execution_id)).toEqual({ said: 'x' });
  });
});

test('a sub-playbook that workers find beside the catalog is none that is missing', async () => {
  const content = `
apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: calls, path: calls}
workflow:
- step: start
  tool: {kind: playbook, path: lib/in-the-folder}
  next: {arcs: [{step: more}]}
- step: more
  tool: {kind: playbook, path: lib/nowhere}
`;
  const threads = new Threads({});
  const elsewhere = { paths: () => ['lib/in-the-folder'] };
  const library = new Library(new Catalog(database.query), threads, elsewhere);
  const { diagnostics } = await library.check(content, 'test');
  threads.close();
  expect(diagnostics).toMatchObject([{ code: 'NT3025', line: 10 }]);
});
