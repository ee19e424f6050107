/** Assistants over streamable HTTP and over standard input and output, at a facade with tokens. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { byToken } from '../../src/server/facade';
import { type Database, openDatabase, Tokens } from '../../src/server/store';
import { Assistant } from '../support/assistant';
import { startFacade, type TestFacade } from '../support/facade';
import { startTestPostgres, type TestPostgres } from '../support/postgres';
import { CLI, ROOT } from '../support/process';
import { type Stack, startStack } from '../support/stack';

import { until } from '../support/until';

const broken = `apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: totals, path: assist/totals}
workload: {rows: [{price: 2}, {price: 3}]}
workflow:
- step: start
  tool:
    kind: python
    input: {rows: "{{ workload.rows }}"}
    code: |
      total = 0
      for row in rows:
          total += row["price"]
      result = {"total": total}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop, input: {total: "{{ start.total }}"}}
`;
const fixed = broken.replace('row["price"]', 'row.get("price", 0)');
const exposed = (more = ''): string => `apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: double, path: assist/double, description: Doubles a number, expose: mcp}
workload: {n: 1}
workflow:
- step: start
  tool: {kind: noop, input: {twice: "{{ workload.n * 2 }}"}}
${more}`;

let postgres: TestPostgres;
let database: Database;
let stack: Stack;
let facade: TestFacade;
let folder: string;
const secrets: Record<string, string> = {};
const open: Assistant[] = [];

beforeAll(async () => {
  postgres = await startTestPostgres();
  database = await openDatabase(postgres.url);
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-assistant-'));
  stack = await startStack({ kinds: ['python'], storage: pathToFileURL(folder).href });
  const tokens = new Tokens(database);
  for (const [name, scopes] of Object.entries({ author: ['run'], reader: ['read'] }))
    [secrets[name]] = await tokens.create({ name, scopes } as never);
  const guarded = byToken(tokens, () => undefined);
  facade = await startFacade(stack, {
    postgres,
    over: {
      sealed: stack.sealed,
      logs: stack.storage.logs(stack.server.namespace)!,
      authenticate: guarded.authenticate,
      checkToken: guarded.check,
    },
  });
});
afterAll(async () => {
  for (const one of open) await one.close().catch(() => undefined);
  expect(facade?.reported).toEqual([]);
  await facade?.stop();
  await stack?.stop();
  await database?.close();
  await postgres?.stop();
  fs.rmSync(folder, { recursive: true, force: true });
});

async function overHttp(name: string): Promise<Assistant> {
  const transport = new StreamableHTTPClientTransport(new URL(`${facade.url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${secrets[name]}` } },
  });
  const assistant = await Assistant.at(transport as never, 'helper', '2.5');
  open.push(assistant);
  return assistant;
}

async function overStdio(...args: string[]): Promise<Assistant> {
  const env = { PATH: process.env.PATH!, HOME: process.env.HOME!, NOETL_TOKEN: secrets['author']! };
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [CLI, 'mcp', '--sandbox', 'none', '--server', facade.url, ...args],
    env,
    cwd: path.join(ROOT, 'playbooks'),
    stderr: 'ignore',
  });
  const assistant = await Assistant.at(transport);
  open.push(assistant);
  return assistant;
}

interface RunAnswer {
  readonly execution_id: string;
  readonly status: string;
  readonly result: unknown;
}

test('a broken run is mended and the edit proven, over HTTP and with code executed over stdio', async () => {
  const author = await overHttp('author');
  await author.document('register', { playbook: broken, staged: false });
  const path = 'assist/totals';
  const good = await author.document<RunAnswer>('run', { path });
  expect(good).toMatchObject({ status: 'completed', result: { total: 5 } });
  const bad = await author.document<RunAnswer>('run', { path, payload: { rows: [{ price: 2 }, {}] } });
  expect(bad).toMatchObject({ status: 'failed', error: { code: 'PY_KeyError', step: 'start' } });
  const runs = async () => (await author.document<{ runs: RunAnswer[] }>('list_runs', { path })).runs;
  await until(
    async () => (await runs()).length === 2 && (await runs()).every(({ status }) => status !== 'RUNNING'),
  );
  for (const [tool, more] of [
    ['status', {}],
    ['explain', { step: 'start' }],
    ['events', {}],
    ['state_at', {}],
    ['logs', {}],
  ] as const)
    await author.document(tool, { execution: bad.execution_id, ...more });
  expect(await author.document('diff', { a: good.execution_id, b: bad.execution_id })).toMatchObject({
    same: false,
  });
  expect(await author.document('what_if', { execution: bad.execution_id, playbook: fixed })).toMatchObject({
    status: 'waiting',
    unanswered: [{ why: 'changed', changed_lines: expect.arrayContaining(['-    total += row["price"]']) }],
  });
  const refused = await author.call('what_if', {
    execution: bad.execution_id,
    playbook: fixed,
    execute: 'python',
  });
  expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('NO_EXECUTION') });

  const local = await overStdio();
  const proven = await local.document('what_if', {
    execution: bad.execution_id,
    playbook: fixed,
    execute: 'python',
  });
  expect(proven).toMatchObject({ status: 'completed', result: { total: 2 }, unanswered: [] });
  const executions = [good.execution_id, bad.execution_id];
  const verified = await local.document('verify', { old: path, new: fixed, executions, execute: 'python' });
  expect(verified).toMatchObject({ executions: 2, counts: { same: 1, call: 1, unanswerable: 0 } });
  // One execution that is not there does not end the others.
  const some = await author.document('verify', { old: path, new: path, executions: [...executions, '1'] });
  expect(some).toMatchObject({ counts: { same: 2, unanswerable: 1 }, ok: true });
});

test('what an assistant does is noted with its name; who may only read can do nothing', async () => {
  const reader = await overHttp('reader');
  expect(await reader.names()).not.toContain('cancel');
  await expect(reader.call('cancel', { execution: '1', reason: 'x' })).rejects.toThrow('there is no tool');
  const author = await overHttp('author');
  expect((await author.call('cancel', { execution: '1', reason: 'x' })).text).toContain(
    'EXECUTION_NOT_FOUND',
  );
  const rows = await database.rows<object>(
    'SELECT assistant, principal, request, about, code FROM noetl.act WHERE assistant IS NOT NULL ORDER BY id',
    [],
  );
  const who = { assistant: 'helper 2.5', principal: 'author' };
  expect(rows).toEqual(
    expect.arrayContaining([
      {
        ...who,
        request: 'POST /api/catalog/register',
        about: expect.arrayContaining(['assist/totals']) as string[],
        code: null,
      },
      {
        ...who,
        request: 'POST /api/execute',
        about: expect.arrayContaining([
          'assist/totals',
          expect.stringMatching(/^\d{10,}$/) as string,
        ]) as string[],
        code: null,
      },
      {
        ...who,
        request: 'POST /api/executions/{id}/cancel',
        about: ['1'],
        code: 'EXECUTION_NOT_FOUND',
      },
    ]),
  );
});

test('a playbook that its author exposes is a tool; clients are told when the list is another', async () => {
  const author = await overHttp('author');
  const local = await overStdio('--read-only');
  expect(await author.names()).not.toContain('double');
  await author.document('register', { playbook: exposed(), staged: false });
  await until(() =>
    Promise.resolve(author.changes.includes('notifications/tools/list_changed') || undefined),
  );
  const { tools } = await author.client.listTools();
  expect(tools.find(({ name }) => name === 'double')).toMatchObject({
    description: 'Doubles a number',
    inputSchema: { properties: { n: { default: 1 } } },
  });
  expect(JSON.parse((await author.call('double', { n: 21 })).text)).toEqual({ twice: 42 });
  expect(await local.names()).not.toContain('double');
  const wrong = await author.call('double', { n: { deep: [1] } });
  expect(wrong.isError).toBe(true);
});

test('a session belongs to its token; one that has ended is answered 404', async () => {
  const author = await overHttp('author');
  const id = (author.client.transport as StreamableHTTPClientTransport).sessionId!;
  const post = (token: string, session: string) =>
    fetch(`${facade.url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${secrets[token]}`,
        'mcp-session-id': session,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
  expect((await post('author', id)).status).toBe(200);
  expect((await post('reader', id)).status).toBe(404);
  expect((await post('author', 'none')).status).toBe(404);
  expect((await fetch(`${facade.url}/mcp`, { method: 'POST' })).status).toBe(401);
  await (author.client.transport as StreamableHTTPClientTransport).terminateSession();
  expect((await post('author', id)).status).toBe(404);
});

test('no tool tells a secret of an execution, in an answer or in an error', async () => {
  const canary = 'canary-7f3a91c2e5d84b60';
  const author = await overHttp('author');
  const local = await overStdio();
  const path = 'assist/canary';
  const text = `apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: canary, path: ${path}, workload: {key: {secret: true}}}
workload: {key: null}
workflow:
- step: start
  tool:
    kind: python
    input: {key: "{{ workload.key }}"}
    code: |
      print("with", key)
      raise ValueError("key is " + key)
`;
  await author.document('register', { playbook: text, staged: false });
  const { text: ran } = await author.call('run', { path, payload: { key: canary } });
  const id = (JSON.parse(ran) as RunAnswer).execution_id;
  const one = { execution: id };
  const fixed = text.replace('raise', 'print');
  const calls: Readonly<Record<string, Record<string, unknown>>> = {
    status: one,
    events: one,
    explain: one,
    state_at: one,
    logs: one,
    diff: { a: id, b: id },
    what_if: { ...one, playbook: fixed, as_rehearsal: true, execute: 'python' },
    verify: { old: path, new: fixed, executions: [id], execute: 'python' },
    coverage: { playbook: path, executions: [id] },
    rerun: { ...one, from_step: 'start' },
    read_playbook: { path },
    list_runs: { path },
    cancel: { ...one, reason: 'x' },
    answer: { ...one, event: 'go', payload: 1 },
    staged: { path },
    run: { path, payload: { key: canary, other: { [canary]: 1 } } },
  };
  const said = [ran];
  for (const assistant of [author, local])
    for (const [tool, args] of Object.entries(calls)) said.push((await assistant.call(tool, args)).text);
  for (const uri of [`noetl://runs/${id}`, `noetl://playbooks/${path}`])
    said.push(JSON.stringify((await author.client.readResource({ uri })).contents));
  expect(said.join('\n').length).toBeGreaterThan(5_000);
  expect(said.filter((answer) => answer.includes(canary))).toEqual([]);
  expect(said.filter((answer) => answer.length > 25_000)).toEqual([]);
  const rows = await database.rows<object>('SELECT * FROM noetl.act', []);
  expect(JSON.stringify(rows)).not.toContain(canary);
});
