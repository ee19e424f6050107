/** Against a server of the official SDK that is a process. */
import { type Json, type JsonObject, type Outcome } from '../../../src/language/plan';
import { STDIO_SERVER } from '../../../test/support/mcp-server';
import { ROOT } from '../../../test/support/process';
import { running } from '../../../test/support/running';
import { enforced, LEVELS } from '../../../test/support/sandboxed';
import { context, run } from '../../../test/support/tool-call';
import { until } from '../../../test/support/until';
import { mcp } from './run';

const COMMAND = 'NOETL_MCP_OURS_COMMAND';
let count = 0;
let mark = '';

beforeEach(() => {
  mark = `server-${process.pid}-${++count}`;
  process.env[COMMAND] = JSON.stringify([process.execPath, STDIO_SERVER, mark]);
  process.env['NOETL_SANDBOX_READ'] = ROOT;
});
afterEach(async () => {
  // Nothing of a server outlives its task, but for the moment in which what watches it ends.
  await until(async () => running(mark).length === 0);
  delete process.env[COMMAND];
  delete process.env['NOETL_SANDBOX_READ'];
});

const ours = (config: JsonObject, more: object = {}, ctx = context()): Promise<Outcome> =>
  run(mcp, { server: 'ours', ...config }, more, ctx);

describe.each(LEVELS.filter((level) => level !== 'strict'))('%s', (level) => {
  beforeEach(() => enforced(level));
  const options = { options: { sandbox: level } };

  test('calls a tool, and closes the server', async () => {
    const { result, meta, error } = await ours({ tool: 'add', arguments: { a: 2, b: 3 } }, options);
    expect(error).toBeNull();
    expect(result).toMatchObject({ status: 'ok', server: 'ours', endpoint: null, data: { sum: 5 } });
    expect(meta['sandbox']).toBe(level === 'none' ? undefined : level);
  });

  test('a call that is cancelled ends the server', async () => {
    const ctx = context();
    const calling = ours({ tool: 'slow' }, options, ctx);
    await until(async () => ctx.beats.length > 0);
    expect(ctx.beats).toEqual([{ progress: 1, total: 9 }]);
    ctx.controller.abort();
    expect((await calling).error).toMatchObject({ kind: 'cancelled' });
  });
});

/** In as few words as a server can have: a sandbox without the worker's files has no package. */
const LITTLE = `require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const hello = { protocolVersion: params.protocolVersion, capabilities: {}, serverInfo: { name: 'x', version: '1' } };
  const found = JSON.stringify({ repository: require('node:fs').existsSync(${JSON.stringify(STDIO_SERVER)}) });
  const result = method === 'initialize' ? hello : { content: [{ type: 'text', text: found }] };
  console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
})`;

test('strict: a server sees nothing of the worker', async () => {
  await enforced('strict');
  process.env[COMMAND] = JSON.stringify([process.execPath, '-e', LITTLE, mark]);
  const none = await ours({ tool: 'look' });
  expect(none.result).toMatchObject({ data: { repository: true } });
  const { result, meta } = await ours({ tool: 'look' }, { options: { sandbox: 'strict' } });
  expect(result).toMatchObject({ data: { repository: false } });
  expect(meta).toMatchObject({ sandbox: 'strict' });
});

test('its environment has the inputs, and nothing that an author says otherwise', async () => {
  const config = { tool: 'environment', env: { NODE_OPTIONS: '--title=x', PATH: '/x' }, arguments: {} };
  const { result } = await ours(config, { input: { token: 'T' } });
  const found = (result as JsonObject)['data'] as Record<string, Json>;
  expect(found).toMatchObject({ NOETL_INPUT_TOKEN: 'T', PATH: process.env['PATH'] });
  expect(found['NODE_OPTIONS']).toBeUndefined();
  expect(found[COMMAND]).toBeUndefined();
});

test('a server that dies says how, and one that was never there too', async () => {
  const died = await ours({ tool: 'die' });
  expect(died.error).toMatchObject({ kind: 'connection', code: 'SERVER_ENDED', retryable: true });
  expect(died.error!.message).toContain('exit code 3 before its answer: out of memory, or so');
  expect(died.result).toMatchObject({ status: 'error', server: 'ours', tool: 'die' });
  process.env[COMMAND] = `no-such-program-at-all ${mark}`;
  const missing = await ours({ tool: 'add' });
  expect(missing.error).toMatchObject({ code: 'SERVER_ENDED', retryable: false });
});

test('what a server prints beside messages is no message, and what it says has bounds', async () => {
  const script = `console.log('starting'); require(${JSON.stringify(STDIO_SERVER)}).toolServer().connect(
    new (require('@modelcontextprotocol/sdk/server/stdio.js').StdioServerTransport)())`;
  process.env[COMMAND] = JSON.stringify(['sh', '-c', 'cd "$1" && exec node -e "$2"', mark, ROOT, script]);
  expect((await ours({ tool: 'say', args: { text: 'é'.repeat(200_000) } })).error).toBeNull();
  const large = await ours({ tool: 'huge', arguments: { bytes: 200_000 }, max_response_bytes: 100_000 });
  expect(large.error).toMatchObject({ kind: 'validation', code: 'RESPONSE_TOO_LARGE' });
});

test('a server that hears of the end and stays is ended', async () => {
  process.env[COMMAND] = JSON.stringify(['sh', '-c', 'trap "" TERM; sleep 600 & wait; sleep 600', mark]);
  expect((await ours({ tool: 'add', timeout: 0.5 })).error).toMatchObject({ kind: 'timeout' });
});

test.each(['', '[]', '[1]', '[not json'])('the command %j is none', async (text) => {
  process.env[COMMAND] = text;
  const { error } = await ours({ tool: 'add' });
  expect(error).toMatchObject({ kind: 'validation', code: text === '' ? 'NO_SERVER' : 'INVALID_COMMAND' });
});

test('no command is the author’s', async () => {
  const { error } = await run(mcp, { server: 'others', command: ['node', STDIO_SERVER], tool: 'add' });
  expect(error).toMatchObject({ code: 'NO_SERVER' });
});
