/** Agents and MCP servers in the catalog, and playbooks as MCP servers: over REST, with workers and the official client. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { type JsonObject } from '../../src/language/plan';
import { type McpTestServer, startMcpServer } from '../support/mcp-server';
import { inProcess } from '../support/program';
import { playbook, useTwoFacades } from '../support/two-facades';
import { until } from '../support/until';

const its = useTwoFacades(['mcp', 'http']);
const { ask, post } = its;

let server: McpTestServer;
beforeAll(async () => void (server = await startMcpServer()));
afterAll(() => server.stop());

const agent = (path: string, metadata = '', more?: string, step?: string): string =>
  playbook(path, more, step)
    .replace('kind: Playbook', 'kind: Agent')
    .replace(`path: ${path}}`, `path: ${path}${metadata}}`);

/** @param spec lines, indented by two blanks */
const resource = (path: string, spec: string): string =>
  `apiVersion: noetl.io/v2\nkind: Mcp\nmetadata:\n  name: ${path.split('/').at(-1)}\n  path: ${path}\n` +
  `  description: A server of tests\n  terminal: {visible: true, workspace: ${path.split('/').at(-1)}}\nspec:\n${spec}`;

const register = (content: string) => post('/api/catalog/register', { content, resource_type: 'Playbook' });

interface Entries {
  readonly entries: readonly (JsonObject & { path: string; payload: { metadata: JsonObject } })[];
}
const listed = async (route: string, body: object): Promise<Entries['entries']> =>
  ((await post(route, body)).body as unknown as Entries).entries;

describe('documents of kind Agent', () => {
  test('are registered, checked, run, called, and listed among agents', async () => {
    const metadata =
      ', agent: true, capabilities: [talk, mcp:shop], tags: [a], exposed_in_ui: true, terminal: {visible: true, workspace: shop}';
    expect((await register(agent('a/talker', metadata))).body).toMatchObject({ kind: 'agent', version: 1 });
    const broken = await register(agent('a/broken', '', '', 'tool: {kind: nop}'));
    expect(broken).toMatchObject({ status: 422, body: { code: 'PLAYBOOK_INVALID' } });
    expect(broken.body['detail']).toContain("'a/broken' is not a valid agent");
    expect(
      (await post('/api/catalog/playbooks/validate', { content: agent('a/talker') })).body,
    ).toMatchObject({ valid: true, errors: [] });

    const { body: begun } = await post('/api/execute', {
      path: 'a/talker',
      resource_kind: 'agent',
      workload: { word: 'ho' },
    });
    expect(await its.result(begun['execution_id'])).toEqual({ said: 'ho' });
    const call = 'tool: {kind: playbook, path: a/talker, input: {word: called}}';
    const registered = await register(playbook('a/caller', '', call));
    expect(registered.body['diagnostics']).toEqual([]);
    const { body: caller } = await post('/api/execute', { path: 'a/caller' });
    expect(await its.result(caller['execution_id'])).toMatchObject({ said: 'called' });

    expect((await listed('/api/catalog/list', { resource_type: 'Agent' })).map(({ path }) => path)).toEqual([
      'a/talker',
    ]);
    const [line] = await listed('/api/catalog/agents/list', { capabilities: ['talk'] });
    // What the official GUI makes its workspaces of.
    expect(line).toMatchObject({
      path: 'a/talker',
      kind: 'agent',
      payload: {
        metadata: {
          name: 'talker',
          agent: true,
          capabilities: ['talk', 'mcp:shop'],
          tags: ['a'],
          exposed_in_ui: true,
          terminal: { visible: true, workspace: 'shop' },
        },
      },
    });
    const { stdout } = await inProcess(['list', 'playbooks', '--server', its.url, '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      playbooks: [{ path: 'a/caller' }, { path: 'a/talker', kind: 'agent' }],
    });
    await post('/api/catalog/delete', { path: 'a/talker' });
    expect((await post('/api/execute', { path: 'a/talker' })).status).toBe(404);
    await post('/api/catalog/restore', { path: 'a/talker' });
    expect((await post('/api/execute', { path: 'a/talker' })).status).toBe(200);
    expect((await ask('GET', '/api/catalog/a/talker/versions')).body).toMatchObject({
      entries: [{ version: 1 }],
    });
  });

  test('a call of what does not exist is corrected by an agent too', async () => {
    await register(agent('a/weather'));
    const { body } = await register(playbook('a/misspelt', '', 'tool: {kind: playbook, path: a/wether}'));
    expect(body['diagnostics']).toMatchObject([
      { code: 'NT3025', hint: expect.stringContaining('a/weather') },
    ]);
  });
});

describe('resources of kind Mcp', () => {
  test('are checked: one diagnostic for each mistake, with its line', async () => {
    const wrong = resource(
      'mcp/wrong',
      '  endpoint: ftp://x\n  tools: {a: b}\n  lifecycle: {deploy: ops//nowhere, status: 7}\n  auth: {token: s3cr3t-value}\n',
    );
    const { status, body } = await register(wrong);
    expect(status).toBe(422);
    expect((body['diagnostics'] as JsonObject[]).map(({ code, line }) => [code, line])).toEqual([
      ['NT2004', 9],
      ['NT2003', 10],
      ['NT2062', 11],
      ['NT2062', 11],
      ['NT2070', 12],
    ]);
    expect(
      (await post('/api/catalog/playbooks/validate', { content: resource('mcp/ok', '  server: time\n') }))
        .body,
    ).toEqual({
      valid: true,
      errors: [],
      warnings: [],
      diagnostics: [],
    });
    expect(await register('kind: Mcp\nmetadata: {path: mcp/empty}\n')).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining('needs `spec`') },
    });
  });

  test('a verb starts the playbook that the resource names for it', async () => {
    const said =
      'tool: {kind: noop, input: {of: "{{ workload.mcp_resource.path }}", tag: "{{ workload.tag }}", ns: "{{ workload.mcp_resource.spec.deployment.namespace }}", verb: "{{ workload.verb }}"}}';
    await register(agent('ops/deploy', '', '', said));
    await register(
      resource(
        'mcp/shop',
        '  url: http://127.0.0.1:1/mcp\n  deployment: {namespace: tools}\n  lifecycle: {deploy: ops/deploy, Roll: ops/deploy}\n',
      ),
    );
    const answer = await post('/api/mcp/mcp/shop/lifecycle/Deploy', { workload_overrides: { tag: 'v2' } });
    expect(answer).toEqual({
      status: 200,
      body: {
        status: 'started',
        verb: 'deploy',
        mcp_path: 'mcp/shop',
        mcp_version: 1,
        agent_path: 'ops/deploy',
        execution_id: expect.stringMatching(/^\d+$/),
      },
    });
    expect(await its.result(answer.body['execution_id'])).toEqual({
      of: 'mcp/shop',
      tag: 'v2',
      ns: 'tools',
      verb: 'deploy',
    });
    // A verb of its own may be written in any case.
    expect((await post('/api/mcp/mcp/shop/lifecycle/Roll', {})).body).toMatchObject({ verb: 'Roll' });
    expect(await post('/api/mcp/mcp/shop/lifecycle/constructor', {})).toMatchObject({
      status: 422,
      body: {
        code: 'MCP_VERB_UNKNOWN',
        detail: "mcp/shop has no lifecycle verb 'constructor'; it has: deploy, Roll",
      },
    });
    expect(
      await post('/api/mcp/mcp/shop/lifecycle/deploy', { workload_overrides: { verb: 'x' } }),
    ).toMatchObject({
      status: 422,
      body: { code: 'RESERVED_INPUT' },
    });
    expect(await post('/api/mcp/ops/deploy/lifecycle/deploy', {})).toMatchObject({
      status: 422,
      body: { code: 'NOT_AN_MCP_RESOURCE' },
    });
    expect(await post('/api/mcp/mcp/nowhere/lifecycle/deploy', {})).toMatchObject({ status: 404 });
  });

  test.each([
    ['the address of the server', (origin: string) => `  endpoint: ${origin}/mcp\n`],
    [
      'an address that speaks the protocol',
      (origin: string) => `  discovery: {tools_list_url: "${origin}/json"}\n`,
    ],
    [
      'the server, where the list is not found',
      (origin: string) => `  url: ${origin}/mcp\n  discovery: {tools_list_url: "${origin}/nothing"}\n`,
    ],
  ])('tools are found by %s, and are the next version', async (name, spec) => {
    const path = `mcp/${name.replaceAll(/\W+/g, '_')}`;
    await register(resource(path, `# kept\n${spec(server.origin)}`));
    const { status, body } = await post(`/api/mcp/${path}/discover`, {});
    expect({ status, ...body }).toMatchObject({
      status: 'updated',
      mcp_version_old: 1,
      mcp_version_new: 2,
      strategy: 'direct',
      tool_count_before: 0,
    });
    const { body: entry } = await post('/api/catalog/resource', { path });
    const { tools } = (entry['payload'] as { spec: { tools: JsonObject[] } }).spec;
    expect(tools).toHaveLength(Number(body['tool_count_after']));
    expect(tools.find((tool) => tool['name'] === 'add')).toMatchObject({
      inputSchema: { required: ['a', 'b'] },
    });
    expect(entry['content']).toContain('# kept');
    expect((await post(`/api/mcp/${path}/discover`, {})).body).toMatchObject({
      status: 'unchanged',
      mcp_version_old: 2,
      mcp_version_new: null,
    });
  });

  test('tools are found by a playbook, which says if it failed', async () => {
    await register(
      agent(
        'ops/found',
        '',
        '',
        "tool: {kind: noop, input: {status: completed, tools: [{name: 'a'}, {name: '{{ workload.verb }}'}]}}",
      ),
    );
    await register(
      agent(
        'ops/lost',
        '',
        '',
        'tool: {kind: noop, input: {status: failed, error: no namespace, tools: []}}',
      ),
    );
    await register(resource('mcp/via', '  discovery: {refresh_via: ops/found}\n  tools: [a]\n'));
    expect((await post('/api/mcp/mcp/via/discover', {})).body).toMatchObject({
      status: 'updated',
      strategy: 'agent',
      tool_count_before: 1,
      tool_count_after: 2,
    });
    await register(resource('mcp/via', '  discovery: {refresh_via: ops/lost}\n  tools: [a]\n'));
    expect(await post('/api/mcp/mcp/via/discover', {})).toMatchObject({
      status: 502,
      body: { code: 'MCP_DISCOVERY_FAILED', detail: 'the tools were not found: no namespace' },
    });
    await register(resource('mcp/mute', '  tools: []\n'));
    expect(await post('/api/mcp/mcp/mute/discover', {})).toMatchObject({
      status: 422,
      body: { code: 'NO_DISCOVERY' },
    });
    await register(resource('mcp/gone', '  url: http://127.0.0.1:1/mcp\n'));
    expect(await post('/api/mcp/mcp/gone/discover', {})).toMatchObject({
      status: 502,
      body: { code: 'MCP_DISCOVERY_FAILED' },
    });
  });

  test('a document of which nothing is known is registered and listed, whatever it says', async () => {
    const text =
      'apiVersion: noetl.io/v1\nkind: Tool\nmetadata: {name: scans, path: subs/scans}\nspec: {source: nats}\n';
    expect((await register(text)).body).toMatchObject({ kind: 'tool', version: 1 });
    expect(await listed('/api/catalog/list', { resource_type: 'Tool' })).toMatchObject([
      { path: 'subs/scans' },
    ]);
  });
});

describe('a playbook as an MCP server', () => {
  const INPUTS =
    'metadata:\n  name: the greeter\n  path: m/greet\n  description: Greets\n  exposes_as_mcp: true\n' +
    '  workload:\n    name: {type: string, required: true, description: Whom}\n    times: {type: integer, minimum: 1}\n' +
    '    pin: {type: string, secret: true}\n';
  const greeter =
    `apiVersion: noetl.io/v2\nkind: Playbook\n${INPUTS}workload:\n  name: null\n  times: 1\n` +
    '  pin: null\n  tone: warm # ui:enum=[warm, formal]\n  extra: null\n' +
    'workflow:\n- step: start\n  tool: {kind: noop, input: {text: "Hello, {{ workload.name }}", times: "{{ workload.times }}"}}\n';
  beforeAll(async () => expect((await register(greeter)).status).toBe(200));
  const url = (path: string): string => `${its.url}/api/mcp/playbook/${path}/jsonrpc`;

  async function connected(path: string): Promise<Client> {
    const client = new Client({ name: 'test', version: '1' });
    client.onerror = (error) => expect(error).toBeUndefined();
    await client.connect(new StreamableHTTPClientTransport(new URL(url(path))) as never);
    return client;
  }

  test('answers the official client: its tool with its inputs, calls, mistakes', async () => {
    const client = await connected('m/greet');
    expect(client.getServerVersion()).toMatchObject({ name: 'noetl-playbook-mcp' });
    await client.ping();
    const { tools } = await client.listTools();
    expect(tools).toEqual([
      {
        name: 'the_greeter',
        description: 'Greets',
        inputSchema: {
          type: 'object',
          properties: {
            name: { type: 'string', description: 'Whom' },
            times: { type: 'integer', minimum: 1, default: 1 },
            pin: { type: 'string' },
            tone: { enum: ['warm', 'formal'], default: 'warm' },
            extra: {},
          },
          required: ['name'],
          additionalProperties: false,
        },
      },
    ]);
    const called = await client.callTool({ name: 'the_greeter', arguments: { name: 'Ada', times: 2 } });
    expect(called).toEqual({
      content: [{ type: 'text', text: 'Hello, Ada' }],
      structuredContent: { text: 'Hello, Ada', times: 2 },
      isError: false,
      _meta: { noetl_execution_id: expect.stringMatching(/^\d+$/), noetl_path: 'm/greet' },
    });
    await expect(client.callTool({ name: 'the_greeter', arguments: { times: 0 } })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('workload.name is required; workload.times must be at least 1'),
    });
    await expect(client.callTool({ name: 'other' })).rejects.toMatchObject({ code: -32602 });
    await client.close();
  });

  test('a run that fails is an error of the tool', async () => {
    await register(agent('m/fails', '', '', 'tool: {kind: mcp, endpoint: "http://127.0.0.1:1/", tool: x}'));
    const client = await connected('m/fails');
    expect(await client.callTool({ name: 'fails' })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('127.0.0.1:1') }],
    });
    await client.close();
  });

  test('is what kind mcp calls, with its data; a repeated call of a task is one execution', async () => {
    const step = `tool: {kind: mcp, endpoint: "${url('m/greet')}", tool: the_greeter, arguments: {name: "{{ workload.word }}"}}`;
    await register(playbook('m/caller', '', step));
    const { body } = await post('/api/execute', { path: 'm/caller' });
    expect(await its.result(body['execution_id'])).toMatchObject({
      status: 'ok',
      data: { text: 'Hello, hi', times: 1 },
    });

    const rpc = async (
      key: string,
      path = 'm/greet',
      tool: object = { name: 'the_greeter', arguments: { name: 'Bo' } },
    ) => {
      const params = { ...tool, _meta: { 'io.noetl/idempotency-key': key } };
      const answer = await post(`/api/mcp/playbook/${path}/jsonrpc`, {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params,
      });
      return (answer.body as { result: { _meta: { noetl_execution_id: string } } }).result._meta
        .noetl_execution_id;
    };
    expect(await rpc('7/start#1')).toBe(await rpc('7/start#1'));
    expect(await rpc('7/start#2')).not.toBe(await rpc('7/start#1'));
    // A rule that retries wants another run.
    expect(await rpc('7/start#3', 'm/fails', {})).not.toBe(await rpc('7/start#3', 'm/fails', {}));
  });

  interface CallAnswer {
    readonly content: readonly { readonly text: string }[];
    readonly structuredContent?: JsonObject;
    readonly isError: boolean;
  }
  async function called(path: string, args: object = {}): Promise<CallAnswer> {
    const client = await connected(path);
    try {
      const params = { name: path.split('/').at(-1)!, arguments: { ...args } };
      return (await client.callTool(params, undefined, { timeout: 600_000 })) as never;
    } finally {
      await client.close();
    }
  }
  const steps = (...tools: string[]): string =>
    tools
      .map((tool, n) => {
        const next = n < tools.length - 1 ? `  next: {arcs: [{step: s${n + 1}}]}\n` : '';
        return `- step: ${n === 0 ? 'start' : `s${n}`}\n  tool: ${tool}\n${next}`;
      })
      .join('');
  const ofSteps = (path: string, ...tools: string[]): string =>
    playbook(path).replace(/workflow:[\s\S]*/, `workflow:\n${steps(...tools)}`);

  test('whose last step only ends it answers with what it called last; an end that says something is the answer', async () => {
    const call = (path: string): string => `{kind: playbook, path: ${path}}`;
    const greet = '{kind: playbook, path: m/greet, input: {name: Ada}}';
    await register(ofSteps('m/ends', '{kind: noop}', greet, '{kind: noop}'));
    await register(ofSteps('m/twice', call('m/ends'), greet.replace('Ada', 'Bo'), '{kind: noop}'));
    await register(ofSteps('m/says', greet, '{kind: noop, input: {text: enough}}'));
    await register(ofSteps('m/nothing', '{kind: noop}', '{kind: noop}'));
    expect(await called('m/ends')).toMatchObject({ structuredContent: { text: 'Hello, Ada' } });
    expect(await called('m/twice')).toMatchObject({ structuredContent: { text: 'Hello, Bo' } });
    expect(await called('m/says')).toMatchObject({ structuredContent: { text: 'enough' } });
    expect(await called('m/nothing')).toMatchObject({ content: [{ text: 'null' }], isError: false });
    await register(resource('mcp/quiet', '  discovery: {refresh_via: ops/quiet}\n  tools: []\n'));
    await register(ofSteps('ops/two', '{kind: noop, input: {tools: [{name: a}, {name: b}]}}'));
    const found = '{kind: playbook, path: ops/two}';
    await register(ofSteps('ops/quiet', found, '{kind: noop}'));
    expect((await post('/api/mcp/mcp/quiet/discover', {})).body).toMatchObject({ tool_count_after: 2 });
  });

  test('answers with a large result only where it is', async () => {
    const large = (bytes: number): string =>
      ofSteps('m/large', `{kind: noop, input: {text: "{{ 'x' * ${bytes} }}"}}`);
    await register(large(1_000_000));
    expect((await called('m/large')).content[0]!.text).toHaveLength(1_000_000);
    await register(large(1_200_000));
    const answer = await called('m/large');
    expect(answer.structuredContent).toBeUndefined();
    expect(answer.content[0]!.text).toMatch(/^The result has 12\d{5} bytes, .* execution \d+\.$/);
  });

  test('that calls itself ends at a depth, with the playbooks between that it calls', async () => {
    const self = `{kind: mcp, endpoint: "${url('m/self')}", tool: self, timeout: 600, arguments: {n: "{{ workload.n + 1 }}"}}`;
    await register(ofSteps('m/self', '{kind: playbook, path: m/between, input: {n: "{{ workload.n }}"}}'));
    await register(ofSteps('m/between', self));
    process.env['NOETL_MCP_CALL_SECONDS'] = '600';
    const { content, isError } = await called('m/self', { n: 0 });
    delete process.env['NOETL_MCP_CALL_SECONDS'];
    expect([content[0]!.text, isError]).toEqual([expect.stringContaining('the tool self failed'), true]);
    const executions = await until(async () => {
      const { body } = await ask('GET', '/api/executions?path=m/self&page_size=100');
      const all = body as never as JsonObject[];
      return all.length >= 17 && all;
    });
    expect(executions).toHaveLength(17);
    const { body: deepest } = await ask('GET', `/api/executions/${String(executions[0]!['execution_id'])}`);
    expect(deepest['error']).toContain('m/self is nested 34 calls deep');
    expect(executions.filter((one) => one['parent_execution_id'] === null)).toHaveLength(1);
  });

  test('that a family calls more often than it may is refused', async () => {
    process.env['NOETL_FAMILY_LIMIT'] = '1';
    try {
      const step = `{kind: mcp, endpoint: "${url('m/greet')}", tool: the_greeter, arguments: {name: "n{{ iter.n }}"}}`;
      const loop = `  loop: {in: "{{ range(12) | list }}", iterator: n, spec: {mode: sequential}}\n  tool:`;
      await register(ofSteps('m/many', step).replace('  tool:', loop));
      const { content, isError } = await called('m/many');
      expect(isError).toBe(true);
      expect(content[0]!.text).toMatch(/m\/greet was not started: its family, .* has made 10 calls/);
    } finally {
      delete process.env['NOETL_FAMILY_LIMIT'];
    }
  });

  test('may be called by a path that begins where the caller is', async () => {
    await register(ofSteps('m/deep/beside', '{kind: noop, input: {text: beside}}'));
    const answer = await register(
      ofSteps(
        'm/deep/caller',
        '{kind: playbook, path: ./beside.yaml}',
        '{kind: playbook, path: ../greet, input: {name: Ada}}',
      ),
    );
    expect(answer.body['diagnostics']).toEqual([]);
    expect(await called('m/deep/caller')).toMatchObject({ structuredContent: { text: 'Hello, Ada' } });
    const { body } = await register(ofSteps('m/deep/wrong', '{kind: playbook, path: ./besides}'));
    expect(body['diagnostics']).toMatchObject([{ code: 'NT3025', hint: expect.stringContaining('beside') }]);
  });

  test.each([
    ['no JSON', '{', 'm/greet', -32700],
    ['a list', '[]', 'm/greet', -32600],
    ['another method', '{"jsonrpc": "2.0", "id": 1, "method": "toString"}', 'm/greet', -32601],
    ['a method that is none', '{"jsonrpc": "2.0", "id": 1, "method": {"toString": 1}}', 'm/greet', -32601],
    [
      'a name that is none',
      '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": {"toString": 1}}}',
      'm/greet',
      -32602,
    ],
    [
      'a playbook that is not there',
      '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}',
      'm/nobody',
      -32600,
    ],
    ['a hidden one', '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {}}', 'm/hidden', -32020],
    ['a resource', '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}', 'mcp/shop', -32600],
    [
      'arguments that are a list',
      '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"arguments": [1]}}',
      'm/greet',
      -32602,
    ],
    ['more than 8 MiB', `{"a": "${'x'.repeat(9 * 1024 * 1024)}"}`, 'm/greet', -32600],
    ['values nested too deep', `{"a": ${'['.repeat(300)}${']'.repeat(300)}}`, 'm/greet', -32600],
  ])('says in its answer what is wrong with %s', async (_what, body, path, code) => {
    await register(playbook('m/hidden').replace('path: m/hidden', 'path: m/hidden, exposes_as_mcp: false'));
    const response = await fetch(url(path), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    expect([response.status, await response.json()]).toMatchObject([
      200,
      { jsonrpc: '2.0', error: { code } },
    ]);
  });

  test('of a run that takes longer, it names the execution', async () => {
    await register(playbook('m/waits', '', 'tool: {kind: wait, event: go, timeout: 600}'));
    process.env['NOETL_MCP_CALL_SECONDS'] = '1';
    try {
      const answer = await post('/api/mcp/playbook/m/waits/jsonrpc', {
        jsonrpc: '2.0',
        id: 'a',
        method: 'tools/call',
        params: {},
      });
      const { id, error } = answer.body as { id: string; error: { code: number; data: JsonObject } };
      expect([id, error.code]).toEqual(['a', -32011]);
      expect(
        await ask('POST', `/api/executions/${String(error.data['execution_id'])}/cancel`, {}),
      ).toMatchObject({ status: 200 });
    } finally {
      delete process.env['NOETL_MCP_CALL_SECONDS'];
    }
  });
});

describe('a troubleshooting agent', () => {
  const HEAD = 'apiVersion: noetl.io/v2\nkind: Agent\n';
  /** Lists tools, calls two, and asks another playbook about the one that fails; both end in a step that says nothing. */
  const diagnose = `${HEAD}metadata:
  name: diagnose
  path: trouble/diagnose
  agent: true
  capabilities: [mcp:tests]
workload: { endpoint: "", question: is the shelf full, tool: fail }
workflow:
- step: start
  tool: { kind: mcp, server: tests, endpoint: "{{ workload.endpoint }}", method: tools/list }
  next: { arcs: [{ step: look }] }
- step: look
  tool:
    kind: mcp
    server: tests
    endpoint: "{{ workload.endpoint }}"
    tool: say
    arguments: "{{ {'text': workload.question} | tojson }}"
  next: { arcs: [{ step: check }] }
- step: check
  tool: { kind: mcp, server: tests, endpoint: "{{ workload.endpoint }}", tool: "{{ workload.tool }}" }
  next:
    spec: { mode: exclusive }
    arcs:
    - { step: explain, when: "{{ check.status == 'error' }}" }
    - { step: healthy }
- step: explain
  tool:
    kind: playbook
    path: trouble/explain
    return_result: true
    result_step: reason
    payload: { symptom: "{{ check.text }}", endpoint: "{{ workload.endpoint }}" }
  next: { arcs: [{ step: report }] }
- step: report
  tool:
    kind: noop
    input:
      text: "{{ look.text }}? {{ explain.why }}"
      tools: "{{ start.data | map(attribute='name') | select('in', ['say', 'fail']) | list }}"
- step: healthy
  tool: { kind: noop, input: { text: "{{ look.text }}? yes: {{ check.text }}" } }
`;
  const explain = `${HEAD}metadata: { name: explain, path: trouble/explain }
workload: { symptom: "", endpoint: "" }
workflow:
- step: start
  tool: { kind: mcp, endpoint: "{{ workload.endpoint }}", tool: add, arguments: { a: 1, b: 2 } }
  next: { arcs: [{ step: reason }] }
- step: reason
  tool: { kind: noop, input: { why: "{{ workload.symptom }}, {{ start.data.sum }} times" } }
  next: { arcs: [{ step: end }] }
- step: end
  tool: { kind: noop }
`;
  const caller = (path: string, tool: string): string =>
    `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: ${path.split('/').at(-1)}, path: ${path} }\nworkload: { endpoint: "" }\n` +
    `workflow:\n- step: start\n  tool: ${tool}\n`;

  const UNHEALTHY = 'is the shelf full? the shelf is empty, 3 times';

  test.each([
    ['started by its path', 'trouble/diagnose', { text: UNHEALTHY, tools: ['say', 'fail'] }],
    [
      'called by an agent',
      'trouble/by-agent',
      { status: 'ok', framework: 'noetl', data: { why: 'the shelf is empty, 3 times' } },
    ],
    [
      'called as a tool of an MCP server',
      'trouble/by-mcp',
      { status: 'ok', text: UNHEALTHY, data: { text: UNHEALTHY } },
    ],
  ])('branches on the tool that fails, %s', async (_how, path, expected) => {
    const url = `${its.url}/api/mcp/playbook/trouble/diagnose/jsonrpc`;
    const payload = '{endpoint: "{{ workload.endpoint }}"}';
    const { body: batch } = await post('/api/catalog/register/batch', {
      items: [
        diagnose,
        explain,
        caller(
          'trouble/by-agent',
          `{kind: agent, framework: noetl, entrypoint: trouble/diagnose, payload: ${payload}}`,
        ),
        caller('trouble/by-mcp', `{kind: mcp, endpoint: "${url}", tool: diagnose, arguments: ${payload}}`),
      ].map((content) => ({ content })),
    });
    expect(batch).toMatchObject({ registered: 4, failed: 0 });
    const { body } = await post('/api/execute', { path, workload: { endpoint: `${server.origin}/mcp` } });
    expect(await its.result(body['execution_id'])).toMatchObject(expected);
  });

  test('branches the other way where nothing fails', async () => {
    const workload = { endpoint: `${server.origin}/json`, tool: 'two' };
    const { body } = await post('/api/execute', { path: 'trouble/diagnose', workload });
    expect(await its.result(body['execution_id'])).toEqual({ text: 'is the shelf full? yes: one\ntwo' });
  });
});
