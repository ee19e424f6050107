/** The catalog over REST, at two facades on one database: what NoETL's clients send and read. */
import { Library, Threads } from '../../src/server/facade';
import { Catalog } from '../../src/server/store';
import { playbook, useTwoFacades } from '../support/two-facades';

const its = useTwoFacades();
const { ask, post } = its;
const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64');

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
    expect((await post('/api/catalog/agents/list', { capability: 'sing' })).body).toMatchObject({
      entries: [],
    });
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

test('a path with a leading slash is the path without it, at every door', async () => {
  const registered = await post('/api/catalog/register', { content: playbook('/t/rooted') });
  expect(registered.body).toMatchObject({ path: 't/rooted', version: 1 });
  const again = await post('/api/catalog/register', { content: playbook('t/rooted', '# changed\n') });
  expect(again.body).toMatchObject({ path: 't/rooted', version: 2 });
  for (const path of ['/t/rooted', 't/rooted', 'catalog:///t/rooted'])
    expect((await post('/api/catalog/resource', { path })).body).toMatchObject({ path: 't/rooted' });
  expect((await post('/api/execute', { path: '/t/rooted' })).status).toBe(200);
  expect((await post('/api/catalog/delete', { path: '/t/rooted', version: 1 })).body).toMatchObject({
    count: 1,
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
  const library = new Library(new Catalog(its.database.query), threads, elsewhere);
  const { diagnostics } = await library.check(content, 'test');
  threads.close();
  expect(diagnostics).toMatchObject([{ code: 'NT3025', line: 10 }]);
});
