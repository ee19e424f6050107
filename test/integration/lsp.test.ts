/** The language server as an editor sees it: a process, and the protocol with a client of the protocol's own library. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { createProtocolConnection, type ProtocolConnection } from 'vscode-languageserver-protocol/node';
import { StreamMessageReader, StreamMessageWriter } from 'vscode-languageserver-protocol/node';
import { CLI } from '../support/process';
import { until } from '../support/until';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-lsp-'));
const uri = (name: string): string => pathToFileURL(path.join(folder, name)).href;

const PLAYBOOK = `apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: orders, path: shop/orders }
workload: { api: "https://example.com" }
workflow:
  - step: start
    tool:
      kind: http
      ulr: "{{ workload.api }}/orders"
    next:
      arcs:
        - step: report
  - step: report
    tool:
      kind: noop
      input: { n: "{{ start.orders | length }}" }
`;
const REHEARSAL = `playbook: ./orders.yaml
mocks: { start: { body: { orders: [{ no: 1 }] } } }
expect: { steps: [start, report], result: { n: 1 } }
`;
const SUB =
  'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: bill, path: shop/bill }\nworkload: { order: 1 }\nworkflow: [{ step: start, tool: { kind: noop } }]\n';

interface Published {
  readonly uri: string;
  readonly version: number;
  readonly diagnostics: {
    readonly code: string;
    readonly range: { readonly start: { readonly line: number } };
  }[];
}

/** What a facade says, by path. */
const SAID: Readonly<Record<string, unknown>> = {
  '/api/executions?path=shop%2Forders&page_size=50': [
    { execution_id: '7', status: 'FAILED', start_time: '2026-11-26T10:20:30.000Z' },
    { execution_id: '6', status: 'COMPLETED', start_time: '2026-11-25T10:20:30.000Z' },
  ],
  '/api/executions/7/state': {
    results: {
      start: {
        type: 'tasks',
        status: 'ok',
        last: { kind: 'http', outcome: { result: { status_code: 200, data: { orders: [], city: 'Bern' } } } },
      },
    },
    runCounts: { start: 2 },
  },
  '/api/catalog/list': { entries: [{ path: 'shop/ship' }] },
  '/api/credentials': { items: [{ name: 'pg_main' }] },
};
const facade = http.createServer((request, response) => {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(SAID[request.url ?? ''] ?? []));
});

let client: ProtocolConnection;
let published: Published[] = [];
let server: ReturnType<typeof spawn>;
let ended: Promise<number | null>;

beforeAll(async () => {
  for (const [name, text] of Object.entries({
    'orders.yaml': PLAYBOOK,
    'orders.rehearsal.yaml': REHEARSAL,
    'bill.yaml': SUB,
  }))
    fs.writeFileSync(path.join(folder, name), text);
  await new Promise<void>((resolve) => facade.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(facade.address() as { port: number }).port}`;
  const args = [CLI, 'lsp', '--stdio', '--server', url];
  server = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  ended = new Promise((resolve) => server.once('close', resolve));
  client = createProtocolConnection(
    new StreamMessageReader(server.stdout!),
    new StreamMessageWriter(server.stdin!),
  );
  client.onNotification('textDocument/publishDiagnostics', (each: Published) => void published.push(each));
  client.listen();
  await client.sendRequest('initialize', {
    processId: null,
    rootUri: pathToFileURL(folder).href,
    capabilities: {},
  });
  await client.sendNotification('initialized', {});
});

afterAll(async () => {
  await client.sendRequest('shutdown');
  await client.sendNotification('exit');
  expect(await ended).toBe(0);
  facade.close();
  fs.rmSync(folder, { recursive: true });
});

async function open(name: string, text: string): Promise<void> {
  await client.sendNotification('textDocument/didOpen', {
    textDocument: { uri: uri(name), languageId: 'yaml', version: 1, text },
  });
}

async function change(name: string, version: number, text: string): Promise<void> {
  await client.sendNotification('textDocument/didChange', {
    textDocument: { uri: uri(name), version },
    contentChanges: [{ text }],
  });
}

const lastOf = (name: string, version: number): Published | undefined =>
  published.findLast((each) => each.uri === uri(name) && each.version === version);

async function checked(name: string, version: number): Promise<string[]> {
  await until(async () => await Promise.resolve(lastOf(name, version) !== undefined), 60_000);
  return lastOf(name, version)?.diagnostics.map(({ code }) => code) ?? [];
}

/** A request at `¦` of a line that is added to the text. */
function at(name: string, line: number, character: number): object {
  return { textDocument: { uri: uri(name) }, position: { line, character } };
}

test('an editor session: problems, a fix, words, a rename, a rehearsal', async () => {
  await open('orders.yaml', PLAYBOOK);
  expect(await checked('orders.yaml', 1)).toContain('NT2001');

  const range = { start: { line: 8, character: 6 }, end: { line: 8, character: 9 } };
  const actions = await client.sendRequest<
    { title: string; edit: { changes: Record<string, { newText: string }[]> } }[]
  >('textDocument/codeAction', {
    textDocument: { uri: uri('orders.yaml') },
    range,
    context: { diagnostics: [] },
  });
  expect(
    actions.find(({ title }) => title.startsWith('Fix'))?.edit.changes[uri('orders.yaml')],
  ).toMatchObject([{ newText: 'url' }]);
  const mended = PLAYBOOK.replace('ulr', 'url');
  await change('orders.yaml', 2, mended);
  expect(await checked('orders.yaml', 2)).toEqual([]);

  const lines = mended.split('\n').length;
  await change('orders.yaml', 3, `${mended}  - step: last\n    tool:\n      kind: playbook\n      path: \n`);
  const words = await client.sendRequest<{ items: { label: string; sortText: string }[] }>(
    'textDocument/completion',
    at('orders.yaml', lines + 2, 12),
  );
  expect(words.items[0]).toMatchObject({ label: 'shop/bill', sortText: '0000' });
  await change('orders.yaml', 4, mended.replace('{{ start.orders | length }}', '{{ start. }}'));
  const fields = await client.sendRequest<{ items: { label: string }[] }>(
    'textDocument/completion',
    at('orders.yaml', 15, 28),
  );
  expect(fields.items.slice(0, 2).map(({ label }) => label)).toContain('orders');

  await change('orders.yaml', 5, mended);
  const hover = await client.sendRequest<{ contents: { value: string } }>(
    'textDocument/hover',
    at('orders.yaml', 15, 30),
  );
  expect(hover.contents.value).toContain('Last seen');
  const rename = await client.sendRequest<{ changes: Record<string, object[]> }>('textDocument/rename', {
    ...at('orders.yaml', 12, 12),
    newName: 'summary',
  });
  expect(
    Object.fromEntries(
      Object.entries(rename.changes).map(([file, edits]) => [path.basename(file), edits.length]),
    ),
  ).toEqual({ 'orders.yaml': 2, 'orders.rehearsal.yaml': 1 });
  await expect(
    client.sendRequest('textDocument/rename', { ...at('orders.yaml', 12, 12), newName: 'start' }),
  ).rejects.toThrow(/already the name of a step/);

  const graph = await client.sendRequest<{ svg: string; steps: { step: string; line: number }[] }>(
    'noetl/graph',
    { uri: uri('orders.yaml') },
  );
  expect(graph.steps).toEqual([
    { step: 'start', line: 6 },
    { step: 'report', line: 13 },
  ]);
  const rehearsed = await client.sendRequest<{ results: { ok: boolean }[] }>('noetl/rehearse', {
    uri: uri('orders.rehearsal.yaml'),
    text: REHEARSAL,
  });
  expect(rehearsed.results).toMatchObject([{ ok: true }]);
});

test('a facade tells of former runs, the catalog and credentials', async () => {
  await open('orders.yaml', PLAYBOOK.replace('ulr', 'url'));
  const textDocument = { uri: uri('orders.yaml') };
  let titles: string[] = [];
  await until(async () => {
    const lenses = await client.sendRequest<{ command: { title: string } }[]>('textDocument/codeLens', {
      textDocument,
    });
    titles = lenses.map(({ command }) => command.title);
    return titles.length > 3;
  }, 60_000);
  expect(titles.slice(3)).toEqual([
    '2 runs, 1 failed; the last failed, 2026-11-26 10:20 UTC',
    'reached 2 times in the last run',
    'not reached in the last run',
  ]);
  await change('orders.yaml', 2, PLAYBOOK.replace('{{ start.orders | length }}', '{{ start. }}'));
  const labels = async (line: number, character: number): Promise<string[]> => {
    const place = at('orders.yaml', line, character);
    const { items } = await client.sendRequest<{ items: { label: string }[] }>(
      'textDocument/completion',
      place,
    );
    return items.map(({ label }) => label);
  };
  expect(await labels(15, 28)).toEqual(expect.arrayContaining(['orders', 'city']));
  const more =
    '  - step: last\n    tool:\n      kind: playbook\n      path: \n  - step: sql\n    tool:\n      kind: postgres\n      auth: \n';
  await change('orders.yaml', 3, PLAYBOOK + more);
  const last = PLAYBOOK.split('\n').length - 1;
  expect(await labels(last + 3, 12)).toEqual(expect.arrayContaining(['shop/bill', 'shop/ship']));
  expect(await labels(last + 7, 12)).toContain('pg_main');
  const actions = await client.sendRequest<{ title: string; command?: { arguments: unknown[] } }[]>(
    'textDocument/codeAction',
    {
      textDocument,
      range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } },
      context: { diagnostics: [] },
    },
  );
  expect(actions.find(({ title }) => title.includes('last run'))?.command?.arguments).toEqual([
    uri('orders.yaml'),
    '7',
  ]);
});

test('structure: symbols, folds, tokens, lenses, formatting', async () => {
  await open('bill.yaml', SUB);
  const textDocument = { uri: uri('bill.yaml') };
  const symbols = await client.sendRequest<{ name: string; children: { name: string }[] }[]>(
    'textDocument/documentSymbol',
    { textDocument },
  );
  expect(symbols.find(({ name }) => name === 'workflow')?.children.map(({ name }) => name)).toEqual([
    'start',
  ]);
  const lenses = await client.sendRequest<{ command: { title: string } }[]>('textDocument/codeLens', {
    textDocument,
  });
  expect(lenses.map(({ command }) => command.title)).toEqual(['Run', 'Rehearse', 'Graph']);
  const tokens = await client.sendRequest<{ data: number[] }>('textDocument/semanticTokens/full', {
    textDocument,
  });
  expect(tokens.data.length % 5).toBe(0);
  expect(
    await client.sendRequest('textDocument/formatting', {
      textDocument,
      options: { tabSize: 2, insertSpaces: true },
    }),
  ).toEqual([]);
});

test('other YAML files are left alone', async () => {
  await open('compose.yaml', 'services: { a: { image: b } }\n');
  expect(await checked('compose.yaml', 1)).toEqual([]);
});
