/** Tools of MCP servers. */
import { isMapping, type Json, type JsonObject } from '../../plan/json';
import { HTTP_LOGINS } from '../credentials';
import { type KindDeclaration, type KindMock } from '../declaration';
import { AUTH, TIMEOUT } from '../fields';

const ENDPOINT = ['endpoint', 'url', 'server_url', 'base_url'];

const MOCK: KindMock = {
  words: {
    data: 'What the tool answers.',
    text: 'Its text; default: the data, as JSON unless it is a text.',
    is_error: 'Whether the tool says that it failed.',
  },
  least: { data: null },
  failure: 'connection',
  wrong: (word, value) => {
    if (word === 'text' && typeof value !== 'string') return 'a text';
    return word === 'is_error' && typeof value !== 'boolean' ? 'true or false' : undefined;
  },
  bare: (value) => ({ data: value }),
  outcome: (words, { config, fail }) => {
    const { data = null, is_error = false } = words;
    const text = String(words['text'] ?? (typeof data === 'string' ? data : JSON.stringify(data)));
    const about = mockedAbout(config);
    if (is_error === true) {
      const error = { kind: 'exception', code: 'TOOL_ERROR', message: text || 'the tool failed' };
      return fail(error, { status: 'error', ...about, error: error.message, text });
    }
    const result = {
      content: [{ type: 'text', text }],
      ...(isMapping(data) && { structuredContent: data as Json }),
    };
    return {
      status: 'ok',
      result: { status: 'ok', ...about, data, text, result, initialize: {} },
      error: null,
      meta: {},
    };
  },
};

function mockedAbout(config: JsonObject): JsonObject {
  return {
    server: config['server'] ?? 'kubernetes',
    endpoint: ENDPOINT.map((name) => config[name]).find((one) => one !== undefined) ?? null,
    method: config['method'] ?? config['action'] ?? 'tools/call',
    tool: config['tool'] ?? config['tool_name'] ?? null,
    arguments: config['arguments'] ?? config['args'] ?? {},
  };
}

export const mcpKind: KindDeclaration = {
  doc: 'Calls a tool of an MCP server, over HTTP or as a process that the operator allows.',
  closed: true,
  inputs: 'templates',
  sandbox: {},
  fields: {
    endpoint: 'The address of the server (streamable HTTP); default that of `server`.',
    url: 'Alias of `endpoint`.',
    server_url: 'Alias of `endpoint`.',
    base_url: 'Alias of `endpoint`.',
    server: 'The name under which the worker knows a server; default `kubernetes`.',
    method:
      '`tools/call` (default), `tools/list`, any other method of the protocol, or `health`, a GET of `/healthz`.',
    action: 'Alias of `method`.',
    tool: 'With `tools/call`: the name of the tool.',
    tool_name: 'Alias of `tool`.',
    arguments: 'Its arguments, a mapping or its JSON; default the inputs.',
    args: 'Alias of `arguments`.',
    params: 'Parameters of other methods.',
    headers: 'Headers of the requests.',
    ...AUTH,
    ...TIMEOUT,
    protocol_version: 'The version of the protocol to ask for; default the latest that the client knows.',
    client_name: 'What the client calls itself; default `noetl-worker`.',
    client_version: 'And its version.',
    capabilities: 'Capabilities that the client declares.',
    request_id: 'Without effect: the client numbers its requests.',
    follow_redirects: 'Whether redirects are followed.',
    verify_ssl: 'Whether certificates are verified.',
    verify: 'Alias of `verify_ssl`.',
    tls: 'As in `http`.',
    proxy: 'As in `http`.',
    max_response_bytes: 'The maximum size of an answer; default 32 MiB.',
  },
  types: {
    method: 'text',
    arguments: 'any',
    args: 'any',
    params: 'any',
    capabilities: 'mapping',
    request_id: 'any',
  },
  required: [],
  exclusive: [
    ENDPOINT,
    ['method', 'action'],
    ['tool', 'tool_name'],
    ['arguments', 'args'],
    ['verify_ssl', 'verify'],
    ['timeout', 'timeout_seconds'],
    ['auth', 'credential'],
  ],
  strict: [...ENDPOINT, 'server', 'tool', 'tool_name', 'headers', 'auth', 'credential'],
  spec: { timeout: { connect: 10 } },
  payload: { field: 'data' },
  details: ['endpoint', 'arguments', 'result', 'initialize'],
  credentials: HTTP_LOGINS,
  mock: MOCK,
  failures: [
    { kind: 'exception', code: 'TOOL_ERROR' },
    { status: 503 },
    { status: 429 },
    { kind: 'connection' },
  ],
  hints: [
    [/^HTTP_(401|403)$/, 'the server rejected the credential: check the `auth` of the task.'],
    [/^TOOL_ERROR$/, 'the tool ran and says that it failed: its words are `text` of the result.'],
    [/^TOOL_NOT_FOUND$/, '`method: tools/list` lists the tools of the server.'],
    [
      /^NO_SERVER$/,
      'set `endpoint`, or on the worker `NOETL_MCP_<SERVER>_ENDPOINT` or `NOETL_MCP_<SERVER>_COMMAND`.',
    ],
  ],
  packages: ['@modelcontextprotocol/sdk'],
  timeout: 60,
  delivery: { killed: 'at least once; once if the server honors the key that calls carry' },
};
