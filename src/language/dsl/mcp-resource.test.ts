/** Resources of kind Mcp: every mistake once, with its place; and agents, which are playbooks. */
import { compile } from './compile';
import { checkResource, withTools } from './mcp-resource';

const HEAD = 'apiVersion: noetl.io/v2\nkind: Mcp\nmetadata: {name: shop, path: mcp/shop}\n';
const found = (text: string): string[] =>
  (checkResource(text)?.diagnostics ?? []).map(({ code, line, column }) => `${code} ${line}:${column}`);

test.each([
  [
    'spec: {url: "http://shop.mcp.svc:8080/mcp", protocol: mcp/1.0, tools: [], managed: true, deployment: {a: 1}}',
    [],
  ],
  [
    'spec: {endpoint: "${SHOP}/mcp", discovery: {tools_list_url: "{{ x }}"}, auth: {type: google_adc, token_env: T}}',
    [],
  ],
  ['spec: {server: time, transport: stdio, tools: [a, {name: b, inputSchema: {}}]}', []],
  ['spec: {}', []],
  ['', ['NT2005 1:1']],
  ['spec: {endpoint: shop.example.com}', ['NT2004 4:18']],
  ['spec: {endpoint: "http://a", url: "http://a"}', ['NT2006 4:30']],
  ['spec: {transport: telnet}', ['NT2004 4:19']],
  ['spec: {endpont: "http://a"}', ['NT2002 4:8']],
  ['spec: {tools: [{title: x}, 7]}', ['NT2005 4:16', 'NT2005 4:28']],
  ['spec: {lifecycle: {deploy: ops//deploy, status: [a]}}', ['NT2062 4:28', 'NT2062 4:49']],
  ['spec: {discovery: {refresh_via: ""}}', ['NT2062 4:33']],
  ['spec: {auth: {token: abc123}}', ['NT2070 4:22']],
])('%s', (spec, expected) => {
  const checked = checkResource(HEAD + spec);
  expect(found(HEAD + spec)).toEqual(expected);
  const isWrong = checked?.diagnostics.some(({ severity }) => severity === 'error');
  expect(checked?.metadata).toEqual(isWrong ? undefined : { name: 'shop', path: 'mcp/shop' });
});

test('it needs a path that the catalog takes', () => {
  expect(found('kind: MCP\nmetadata: {title: x}\nspec: {}')).toEqual(['NT2005 2:12']);
  expect(found('kind: mcp\nmetadata: {path: ../x}\nspec: {}')).toEqual(['NT2062 2:18']);
});

test('other documents are not judged here', () => {
  for (const text of ['kind: Playbook', 'kind: Tool', '- a', 'a: ['])
    expect(checkResource(text)).toBeUndefined();
});

test('another list of tools leaves the rest of the text, and its comments', () => {
  const text = `${HEAD}spec: # the server\n  url: http://a # here\n  tools: [old] # found\n`;
  expect(withTools(text, [{ name: 'x', description: 'a: b' }])).toBe(
    `${HEAD.replace('{name: shop, path: mcp/shop}', '{ name: shop, path: mcp/shop }')}spec:\n  # the server\n  url: http://a # here\n  tools:\n    - name: x\n      description: "a: b"\n`,
  );
  expect(withTools(`a: &s {url: http://a}\n${HEAD}spec: *s\n`, [])).toContain('tools: []');
});

test('an agent is a playbook, in this spelling', () => {
  const agent = (kind: string) =>
    compile(
      `apiVersion: noetl.io/v2\nkind: ${kind}\nmetadata: {name: a}\nworkflow:\n- step: start\n  tool: {kind: noop}\n`,
    );
  expect(agent('Agent').plan?.metadata.path).toBe('a');
  expect(agent('agent').diagnostics).toMatchObject([
    { code: 'NT2011', hint: expect.stringContaining('kind: Agent') },
  ]);
  expect(compile('kind: Agent\nmetadata: {name: a}').diagnostics.map(({ code }) => code)).toContain('NT2005');
});
