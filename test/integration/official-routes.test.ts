/** Routes that only official workers, scripts and the gateway ask for, and what is said of those that do not exist here. */
import { type ContractClient, contractClient } from '../support/contract';
import { startFacade, type TestFacade } from '../support/facade';
import { memoryResults } from '../support/memory-results';
import { type Stack, startStack } from '../support/stack';
import { playbook } from '../support/two-facades';
import { until } from '../support/until';

let stack: Stack;
let facade: TestFacade;
let ask: ContractClient;
const results = memoryResults();

beforeAll(async () => {
  stack = await startStack({ kinds: [] });
  facade = await startFacade(stack, { over: { results } });
  ask = contractClient(facade);
  for (const [path, step] of [
    ['o/short', undefined],
    [
      'o/waits',
      'tool: {kind: wait, event: go}\n  next: {arcs: [{step: more}]}\n- step: more\n  tool: {kind: wait, event: more}',
    ],
    ['o/fails', 'tool: {kind: noop, input: {x: "{{ 1 // 0 }}"}}'],
  ] as const)
    await ask('post', '/api/catalog/register', { content: playbook(path, '', step) });
});
afterAll(async () => {
  await facade?.stop();
  await stack?.stop();
  expect(facade.reported).toEqual([]);
});

const begin = async (path: string): Promise<string> =>
  String((await ask('post', '/api/execute', { path })).body['execution_id']);
const ended = (id: string): Promise<unknown> =>
  stack.client.workflow
    .getHandle(`noetl-${id}`)
    .result()
    .catch(() => undefined);

test('a cancellation check says whether it was cancelled', async () => {
  const id = await begin('o/waits');
  const check = async (): Promise<unknown> =>
    (await ask('get', `/api/executions/${id}/cancellation-check`)).body;
  expect(await check()).toEqual({ execution_id: id, is_cancelled: false });
  await ask('post', `/api/executions/${id}/cancel`, {});
  expect(await check()).toEqual({ execution_id: id, is_cancelled: true });
  expect((await ask('get', '/api/executions/1/cancellation-check')).status).toBe(404);
});

test('events in a batch reach the waits they name, in order and once; reports of workers say where they belong', async () => {
  const id = await begin('o/waits');
  const events = [
    { name: 'go', payload: { n: 1 }, event_id: 'a', step: 'start', actionable: true },
    { event_type: 'more', payload: 'last', event_id: 'b' },
    { name: 'go', payload: { n: 2 }, event_id: 'a' },
  ];
  const { status, body } = await ask('post', '/api/events/batch', { execution_id: id, events });
  expect([status, body]).toMatchObject([
    200,
    {
      status: 'ok',
      event_ids: ['a', 'b', 'a'],
      commands_generated: 0,
      events: [{}, {}, { fate: 'duplicate' }],
    },
  ]);
  expect(await stack.client.workflow.getHandle(`noetl-${id}`).result()).toMatchObject({ result: 'last' });
  for (const [wrong, code] of [
    [[{ name: 'ok' }, { name: 'call.done' }], 'EVENT_OF_WORKERS'],
    [[{ payload: 1 }], 'VALIDATION'],
    [[], 'VALIDATION'],
  ] as const)
    expect((await ask('post', '/api/events/batch', { execution_id: id, events: wrong })).body).toMatchObject({
      code,
    });
});

describe('results by reference', () => {
  test('a value comes back as it was, and only to who has its reference', async () => {
    const id = await begin('o/short');
    const data = { rows: [1, null, 'ä'], deep: { a: true } };
    const put = await ask('put', `/api/result/${id}`, { name: 'a b/c', data, scope: 'step' });
    expect(put.body).toMatchObject({
      scope: 'step',
      bytes: JSON.stringify(data).length + 1,
      expires_at: null,
    });
    const ref = String(put.body['ref']);
    expect(ref).toMatch(new RegExp(`^noetl://execution/${id}/result/a%20b%2Fc/`));
    const resolve = (text: string) => ask('get', `/api/result/resolve?ref=${encodeURIComponent(text)}`);
    expect(JSON.parse((await resolve(ref)).text)).toEqual(data);
    // As a playbook has it.
    const [[key]] = [...results.kept.entries()].slice(-1) as [[string, unknown]];
    const checksum = `sha256:${String(put.body['sha256'])}`;
    expect(
      JSON.parse((await resolve(JSON.stringify({ store: 'memory', key, checksum, size: 1 }))).text),
    ).toEqual(data);
    const gone = JSON.stringify({ store: 'memory', key: 'other', checksum });
    expect((await resolve(gone)).body).toMatchObject({ code: 'RESULT_NOT_FOUND' });
    for (const text of ['', 'noetl://execution/1/result/x/y', 'noetl://a/b/results/1/s/0/0/1', '{}', '[]'])
      expect(await resolve(text)).toMatchObject({ status: 400, body: { code: 'REFERENCE_INVALID' } });
    expect((await ask('put', '/api/result/1', { name: 'x', data: 1 })).status).toBe(404);
  });

  test('the result of a task is its result, and what is encrypted or in parts is not shown', async () => {
    const put = async (value: unknown, metadata: Record<string, string>): Promise<string> => {
      const payload = {
        metadata: Object.fromEntries(
          Object.entries(metadata).map(([name, text]) => [name, Buffer.from(text)]),
        ),
        data: Buffer.from(JSON.stringify(value)),
      };
      return JSON.stringify(await results.put('noetl-9', payload, AbortSignal.timeout(1000)));
    };
    const resolve = (text: string) => ask('get', `/api/result/resolve?ref=${encodeURIComponent(text)}`);
    const json = { encoding: 'json/plain' };
    const outcome = { status: 'ok', result: { n: 1 }, error: null, meta: {} };
    expect((await resolve(await put(outcome, json))).body).toEqual({ n: 1 });
    expect(
      (await resolve(await put({ ...outcome, result: 'x'.repeat(5_000_000) }, json))).body,
    ).toMatchObject({
      code: 'ANSWER_TOO_LARGE',
    });
    expect((await resolve(await put('cipher', { encoding: 'binary/plain' }))).body).toMatchObject({
      code: 'NOT_A_VALUE',
    });
    expect((await resolve(await put({ parts: [] }, { ...json, 'noetl-parts': '1' }))).body).toMatchObject({
      code: 'NOT_A_VALUE',
    });
  });
});

describe('the gateway', () => {
  test('has the API under its own name, and a contract', async () => {
    const at = async (path: string, init?: RequestInit): Promise<unknown> =>
      await (await fetch(`${facade.url}${path}`, init)).json();
    expect(await at('/noetl/catalog/list/playbook')).toEqual(await at('/api/catalog/list/playbook'));
    const headers = { 'content-type': 'application/json' };
    expect(
      await at('/noetl/execute', { method: 'POST', headers, body: '{"path": "o/short"}' }),
    ).toMatchObject({
      status: 'started',
    });
    expect(await at('/noetl/nowhere')).toMatchObject({ code: 'NO_ROUTE' });
    const { body } = await ask('get', '/api/runtime/contract');
    expect(body).toMatchObject({ proxy_contract: { incoming_prefix: '/noetl/' } });
    expect(body).not.toHaveProperty('auth0');
  });

  test('tells how the executions of the caller go on, as JSON-RPC, until it leaves', async () => {
    const stop = new AbortController();
    const { told } = listen(`${facade.url}/events?session_token=any&client_id=c1`, stop.signal);
    await until(async () => await Promise.resolve(told.length > 0));
    expect(told[0]).toMatchObject({
      event: 'message',
      data: { jsonrpc: '2.0', id: 1, result: { clientId: 'c1' } },
    });
    const [short, fails] = [await begin('o/short'), await begin('o/fails')];
    await Promise.all([ended(short), ended(fails)]);
    const of = (id: string): Told[] =>
      told.filter(
        ({ data: { params } }) => params?.['execution_id'] === id || params?.['executionId'] === id,
      );
    await until(async () => await Promise.resolve(of(short).length >= 3 && of(fails).length >= 2));
    expect(of(short).map(({ event, data }) => [event, data.params])).toMatchObject([
      ['playbook/state', { event_type: 'step.exit', step_name: 'start', status: 'completed' }],
      ['playbook/state', { event_type: 'playbook.completed', step_name: null, status: 'completed' }],
      ['playbook/result', { requestId: short, status: 'COMPLETED', data: { said: 'hi' } }],
    ]);
    expect(of(fails).at(-1)).toMatchObject({
      event: 'playbook/result',
      data: {
        params: {
          status: 'FAILED',
          error: { code: -32_000, message: expect.stringMatching(/\S/) as string },
        },
      },
    });
    stop.abort();
    // One that runs already is named.
    const running = await begin('o/waits');
    const named = new AbortController();
    const later = listen(`${facade.url}/events?execution_id=${running}`, named.signal);
    for (const name of ['go', 'more'])
      await ask('post', '/api/events', { execution_id: running, name, payload: name });
    await until(
      async () => await Promise.resolve(later.told.some(({ data }) => data.params?.['data'] === 'more')),
    );
    named.abort();
    expect((await fetch(`${facade.url}/events`)).status).toBe(406);
  });
});

interface Told {
  readonly event: string;
  readonly data: { readonly params?: Readonly<Record<string, unknown>> };
}

function listen(url: string, signal: AbortSignal): { readonly told: readonly Told[] } {
  const told: Told[] = [];
  const read = async (): Promise<void> => {
    const { body } = await fetch(url, { headers: { accept: 'text/event-stream' }, signal });
    let text = '';
    for await (const chunk of body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const frames = text.split('\n\n');
      text = frames.pop()!;
      for (const frame of frames) {
        const [, event, data] = /^event: (.*)\ndata: (.*)$/.exec(frame) ?? [];
        if (event) told.push({ event, data: JSON.parse(data!) as Told['data'] });
      }
    }
  };
  read().catch(() => undefined);
  return { told };
}
