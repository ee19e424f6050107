/** A canary in every place that a secret of the keychain can be used, and then in nothing that is kept. */
import fs from 'node:fs';
import http from 'node:http';
import { type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow';
import { type WorkflowHandle } from '@temporalio/client';
import { compile } from '../../src/language/dsl';
import { recordedExecution } from '../../src/history';
import { type JsonObject } from '../../src/language/plan';
import { sealPayload } from '../../src/storage/sealed';
import { newExecutionId, startExecution, workflowId } from '../../src/temporal/client';
import {
  canariesIn,
  type Content,
  contentsOfEvents,
  contentsOfFolder,
  contentsOfHistory,
} from '../support/canary';
import { type Ended, setCredential, startStack, type Stack } from '../support/stack';

const CANARY = 'canary/of+the keychain"é-93';
/** What the token endpoint gives; its second half is made of the first. */
const TOKEN = 'canary-token-0f8e2d';
const PLANTED = 'planted-where-a-leak-would-be';
const FORMS = [CANARY, TOKEN];

const CHILD = `
apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: child, path: test/child}
workload: {secret: null, url: ""}
workflow:
- step: start
  tool: {kind: http, url: "{{ workload.url }}/child", method: POST, json: {token: "{{ workload.secret }}"}}
`;

const HEAD = (name: string, url: string): string => `
apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: ${name}, path: test/${name}}
executor: {spec: {policy: {limits: {max_payload_bytes: 500}}}}
workload: {url: "${url}", note: ${PLANTED}}
keychain:
- {name: app, kind: secret_manager, provider: environment, map: {secret: keychain_canary}}
- {name: api, kind: oauth2, endpoint: "{{ workload.url }}/token", data: {client_id: me, client_secret: "{{ keychain.app.secret }}"}}
workflow:`;

let stack: Stack;
let server: http.Server;
let url: string;
let folder: string;
const heard: { path: string; headers: http.IncomingHttpHeaders; body: string }[] = [];

beforeAll(async () => {
  process.env['NOETL_SECRET_KEYCHAIN_CANARY'] = CANARY;
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-keychain-'));
  const child = compile(CHILD).plan!;
  stack = await startStack({
    kinds: ['secrets', 'http', 'python', 'shell', 'postgres', 'local'],
    postgres: true,
    storage: pathToFileURL(folder).href,
    playbooks: { resolve: () => Promise.resolve(child) },
  });
  setCredential('db', stack.postgres.url);
  server = http.createServer((request, response) => {
    let body = '';
    request.on('data', (piece: Buffer) => (body += piece.toString()));
    request.on('end', () => {
      heard.push({ path: request.url!, headers: request.headers, body });
      const isToken = request.url!.startsWith('/token');
      const status = request.url!.startsWith('/fails') ? 500 : 200;
      response.writeHead(status, { 'content-type': 'application/json', 'x-echo': encodeURIComponent(body) });
      // What it is told it tells: a leak if nobody minds.
      const echo = {
        path: request.url,
        headers: request.headers,
        body,
        more: request.url!.includes('page=1'),
      };
      response.end(JSON.stringify(isToken ? { access_token: TOKEN, expires_in: 600 } : echo));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}, 180_000);
afterAll(async () => {
  delete process.env['NOETL_SECRET_KEYCHAIN_CANARY'];
  server?.closeAllConnections();
  server?.close();
  await stack?.stop();
  fs.rmSync(folder, { recursive: true, force: true });
});

/** Everything that is kept of an execution. */
async function keptOf(handle: WorkflowHandle): Promise<Content[]> {
  const history = await handle.fetchHistory();
  const converter = loadDataConverter(stack.storage.dataConverter);
  const { events, state } = await recordedExecution([history], { converter, bodies: true });
  return [
    ...contentsOfHistory(JSON.parse(historyToJSON(history)) as object, handle.workflowId),
    ...contentsOfEvents(events),
    { where: 'state', text: JSON.stringify(state) },
  ];
}

async function run(
  name: string,
  steps: string,
  head = HEAD(name, url),
): Promise<{ ended: Ended; kept: Content[] }> {
  const ended = await stack.run(stack.compile(head + steps));
  return { ended, kept: await keptOf(ended.handle) };
}

test('a canary in every place where a task may have one arrives there, and is kept nowhere', async () => {
  const { ended, kept } = await run(
    'places',
    `
- step: start
  input: {passed: "{{ keychain.app.secret }}"}
  tool:
    - {name: header, kind: http, url: "{{ workload.url }}/header", headers: {authorization: "Bearer {{ keychain.api.token }}", x-secret: "{{ keychain.app.secret | urlencode }}"}}
    - {name: query, kind: http, url: "{{ workload.url }}/query", params: {k: "{{ keychain.app.secret }}", note: "{{ workload.note }}"}}
    - {name: address, kind: http, url: "{{ workload.url }}/address?k={{ keychain.app.secret | urlencode }}"}
    - {name: basic, kind: http, url: "{{ workload.url }}/basic", auth: {type: basic, username: user, password: "{{ keychain.app.secret }}"}}
    - {name: oauth, kind: http, url: "{{ workload.url }}/oauth", auth: api}
    - {name: body, kind: http, method: POST, url: "{{ workload.url }}/body", json: {deep: ["{{ passed }}"], both: "{{ passed }}/{{ keychain.api.token }}"}}
    - {name: sql, kind: postgres, auth: db, command: "select $1::text as v, md5($1) as h, encode($1::bytea, 'hex') as x", params: ["{{ keychain.app.secret }}"]}
    - name: code
      kind: python
      input: {token: "{{ keychain.app.secret }}", all: "{{ keychain.app }}"}
      code: |
        import base64, json
        print('here it is:', token, json.dumps(all))
        result = {'same': token == all['secret'], 'length': len(token), 'b': base64.b64encode(('user:' + token).encode()).decode(), 'u': base64.urlsafe_b64encode(token.encode()).decode(), 'h': token.encode().hex()}
    - {name: env, kind: shell, cmds: "printf '%s' \\"$TOKEN\\" | base64", env: {TOKEN: "{{ keychain.api.access_token }}"}}
    - {name: nested, kind: playbook, path: test/child, input: {url: "{{ workload.url }}", secret: "{{ keychain.app.secret }}"}}
  next: {arcs: [{step: items}]}
- step: items
  loop: {in: [1, 2], iterator: n, spec: {mode: parallel}}
  tool: {kind: http, url: "{{ workload.url }}/item", params: {n: "{{ n }}", k: "{{ keychain.api.token }}"}}
  next: {arcs: [{step: near}]}
- step: near
  loop: {in: [1], iterator: n, spec: {exec: local}}
  tool: {kind: http, url: "{{ workload.url }}/local", headers: {x-token: "{{ keychain.api.token }}"}}
  next: {arcs: [{step: pages}]}
- step: pages
  tool: {kind: http, url: "{{ workload.url }}/pages", params: {page: 1}}
  retry: {max_attempts: 2, retry_when: "{{ response.more }}", next_call: {params: {page: 2, k: "{{ keychain.api.token }}"}}}
  sink: {tool: {kind: http, method: POST, url: "{{ workload.url }}/sink", json: {k: "{{ keychain.app.secret }}"}}}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop, input: {same: "{{ start.results.code.same }}", length: "{{ start.results.code.length }}"}}
`,
    HEAD('places', url),
  );
  expect(ended.failure).toBeUndefined();
  expect(ended.result).toMatchObject({ same: true, length: CANARY.length });
  // It arrived everywhere.
  const at = (where: string) => heard.filter((one) => one.path.startsWith(where));
  const inQuery = (where: string) => at(where).map((one) => new URL(one.path, url).searchParams.get('k'));
  expect(at('/header')[0]!.headers).toMatchObject({
    authorization: `Bearer ${TOKEN}`,
    'x-secret': encodeURIComponent(CANARY).replaceAll('%2F', '/'),
  });
  expect([...inQuery('/query'), ...inQuery('/address')]).toEqual([CANARY, CANARY]);
  expect(at('/basic')[0]!.headers.authorization).toBe(
    `Basic ${Buffer.from(`user:${CANARY}`).toString('base64')}`,
  );
  expect(at('/oauth')[0]!.headers.authorization).toBe(`Bearer ${TOKEN}`);
  expect(JSON.parse(at('/body')[0]!.body)).toEqual({ deep: [CANARY], both: `${CANARY}/${TOKEN}` });
  expect(at('/child').map(({ body }) => body)).toEqual([JSON.stringify({ token: CANARY })]);
  expect([...inQuery('/item'), ...inQuery('/pages?page=2')]).toEqual([TOKEN, TOKEN, TOKEN]);
  expect(at('/local')[0]!.headers['x-token']).toBe(TOKEN);
  expect(at('/sink').map(({ body }) => body)).toEqual([JSON.stringify({ k: CANARY })]);
  // One token was enough for all of them.
  expect(at('/token')).toHaveLength(1);
  // And nothing that is kept has it. What stands beside it is found by the same search, in each of these places.
  const child = Object.keys(ended.state.results).length > 0 ? ended.state.lastChild : '';
  kept.push(
    ...(await keptOf(stack.client.workflow.getHandle(workflowId(child)))),
    ...contentsOfFolder(folder),
  );
  const planted = new Set(canariesIn(kept, [PLANTED]).map(({ where }) => where.split('.')[0]));
  expect([...planted]).toEqual(
    expect.arrayContaining([
      ended.handle.workflowId,
      'events, profile canonical',
      'events, profile noetl',
      'state',
    ]),
  );
  expect(canariesIn(contentsOfFolder(folder), [PLANTED])).not.toEqual([]);
  expect(canariesIn(kept, FORMS)).toEqual([]);
  expect(kept.some(({ text }) => text.includes('[redacted]'))).toBe(true);
});

const ENDINGS: Readonly<Record<string, { steps: string; code: string }>> = {
  'a server that answers with what it was told': {
    code: 'HTTP_500',
    steps: `
- step: start
  tool:
    kind: http
    url: "{{ workload.url }}/fails"
    params: {k: "{{ keychain.app.secret }}"}
    headers: {authorization: "Bearer {{ keychain.api.token }}"}
    spec: {policy: {rules: [{when: "{{ output.error.retryable }}", then: {do: retry, attempts: 2, delay: 0}}, {else: {then: {do: fail}}}]}}
`,
  },
  'code that throws with the value in its message': {
    code: 'PY_ValueError',
    steps: `
- step: start
  tool:
    kind: python
    input: {token: "{{ keychain.app.secret }}"}
    code: |
      import sys
      print(repr(token)); print(token, file=sys.stderr)
      raise ValueError('no good: ' + token + ' in ' + repr({'token': token}))
`,
  },
  'a command that runs out of time': {
    code: 'TIMEOUT',
    steps: `
- step: start
  tool: {kind: shell, cmds: 'echo "$TOKEN"; echo "$TOKEN" >&2; sleep 60', env: {TOKEN: "{{ keychain.app.secret }}"}, timeout: 2}
`,
  },
  'SQL that quotes it': {
    code: 'SQLSTATE_22P02',
    steps: `
- step: start
  tool: {kind: postgres, auth: db, command: "select $1::text::int", params: ["{{ keychain.app.secret }}"]}
`,
  },
};

test.each(Object.entries(ENDINGS))(
  'the run fails by %s, and nothing tells the secret',
  async (_, { steps, code }) => {
    const { ended, kept } = await run('fails', steps);
    expect({ status: ended.status, code: ended.failure?.error?.['code'] }).toEqual({
      status: 'failed',
      code,
    });
    expect(canariesIn(kept, [PLANTED])).not.toEqual([]);
    expect(canariesIn(kept, FORMS)).toEqual([]);
    expect(kept.some(({ text }) => text.includes('[redacted]'))).toBe(true);
  },
);

test('what a task returns and what a run is given can be secret: both are kept encrypted, and used as handles', async () => {
  const plan = stack.compile(`
apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: sealed, path: test/sealed, workload: {api_key: {secret: true}}}
executor: {spec: {policy: {limits: {max_payload_bytes: 500}}}}
workload: {url: "${url}", note: ${PLANTED}, api_key: null}
workflow:
- step: start
  tool:
    kind: http
    url: "{{ workload.url }}/token"
    headers: {x-key: "{{ api_key }}", x-both: "k={{ workload.api_key | urlencode }}"}
    spec: {sensitive: [access_token]}
    set: {ctx.session: "{{ output.data.access_token }}"}
  next: {arcs: [{step: use, set: {passed: "{{ ctx.session }}"}}]}
- step: use
  loop: {in: ["{{ passed }}", "plain"], iterator: item}
  tool: {kind: http, url: "{{ workload.url }}/sealed", headers: {authorization: "Bearer {{ start.access_token }}", x-item: "{{ item }}", x-note: "{{ workload.note }}"}}
  next: {arcs: [{step: nested}]}
- step: nested
  tool: {kind: playbook, path: test/child, input: {url: "{{ workload.url }}", secret: "{{ ctx.session }}"}}
  next: {arcs: [{step: rows}]}
- step: rows
  tool: {kind: postgres, auth: db, command: "select 7 as id, 'pin-' || $1::text as pin", params: ["{{ api_key }}"], spec: {sensitive: [rows.*.pin]}}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop, input: {id: "{{ rows[0].id }}", pin: "{{ rows[0].pin }}"}}
`);
  const id = newExecutionId();
  const given = await sealPayload(plan, { api_key: CANARY }, stack.sealed, id);
  const from = heard.length;
  const { handle } = await startExecution(stack.client, { plan, ...given }, id);
  const { result } = (await handle.result()) as { result: JsonObject };
  expect(result).toEqual({ id: 7, pin: { $secret: expect.any(String) as string } });
  const asked = heard.slice(from);
  expect(asked[0]!.headers).toMatchObject({
    'x-both': `k=${encodeURIComponent(CANARY).replaceAll('%2F', '/')}`,
  });
  expect(asked.slice(1, 3).map(({ headers }) => [headers.authorization, headers['x-item']])).toEqual([
    [`Bearer ${TOKEN}`, TOKEN],
    [`Bearer ${TOKEN}`, 'plain'],
  ]);
  expect(asked[3]!.body).toBe(JSON.stringify({ token: TOKEN }));
  const kept = [...(await keptOf(handle)), ...contentsOfFolder(folder)];
  expect(canariesIn(kept, [PLANTED]).length).toBeGreaterThan(1);
  expect(canariesIn(kept, FORMS)).toEqual([]);
  // In the open it is not even sent.
  await expect(startExecution(stack.client, { plan, payload: { api_key: CANARY } })).rejects.toThrow(
    "the input 'api_key' is secret",
  );
});

test('an entry that does not resolve ends the run before its first step', async () => {
  const head = HEAD('missing', url).replace('secret: keychain_canary', 'secret: no_such_secret');
  const { ended, kept } = await run(
    'missing',
    `\n- step: start\n  tool: {kind: http, url: "http://x", auth: api}\n`,
    head,
  );
  expect(ended.failure!.error).toMatchObject({ code: 'KEYCHAIN_UNRESOLVED', at: [8, 3] });
  expect(ended.failure!.message).toContain('NOETL_SECRET_NO_SUCH_SECRET (test.yaml:8:3)');
  expect(ended.state.executed).toEqual([]);
  expect(canariesIn(kept, ['keychain.failed'])).not.toEqual([]);
});

test('a leak would be found, in whatever form', () => {
  const leaks: Record<string, string> = {
    plain: `before ${CANARY} after`,
    base64: Buffer.from(`u:${CANARY}:x`).toString('base64'),
    base64url: Buffer.from(`??${CANARY}>>`).toString('base64url'),
    url: `http://x/?k=${encodeURIComponent(CANARY)}`,
    json: JSON.stringify({ k: CANARY }),
    hex: Buffer.from(CANARY).toString('hex'),
  };
  for (const [form, text] of Object.entries(leaks)) {
    const payload = { data: Buffer.from(JSON.stringify({ deep: [text] })).toString('base64') };
    const found = canariesIn(contentsOfHistory({ events: [{ payloads: [payload] }] }), [CANARY]);
    expect({ form, found: found.length > 0 }).toEqual({ form, found: true });
  }
  fs.writeFileSync(path.join(folder, 'leak'), Buffer.from(`x${CANARY}`));
  expect(canariesIn(contentsOfFolder(folder), [CANARY])).toMatchObject([{ where: 'leak' }]);
  fs.rmSync(path.join(folder, 'leak'));
});
