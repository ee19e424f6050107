/** Turns against a model over HTTP that checks what it is asked (test/support/model-server.ts). */
import { type JsonObject, type Outcome } from '../../../src/language/plan';
import { memoryResults } from '../../../test/support/memory-results';
import {
  MODEL_KEY,
  type ModelServer,
  say,
  startModelServer,
  toolAnswers,
  use,
} from '../../../test/support/model-server';
import { context, run, type TestContext } from '../../../test/support/tool-call';
import { redactor } from '../../framework/credentials/redact';
import { closeAgents } from '../../framework/http/agents';
import { agent } from './run';

let model: ModelServer;
beforeAll(async () => {
  model = await startModelServer();
});
beforeEach(() => {
  model.asked.splice(0);
  model.script(() => say('done'));
});
afterEach(() => expect(model.wrong.splice(0)).toEqual([]));
afterAll(async () => {
  await closeAgents();
  await model?.stop();
});

const KEY = { type: 'api_key', data: { value: MODEL_KEY } };
const LOOKUP = {
  name: 'lookup',
  description: 'Looks a city up.',
  input_schema: {
    type: 'object',
    properties: {
      city: { type: 'string' },
      where: { type: 'object', properties: { zip: {} }, required: ['zip'] },
    },
    required: ['city'],
  },
  playbook: './lookup.yaml',
};

function worker(): TestContext {
  return { ...context({ anthropic: KEY }), results: memoryResults() };
}

/** One turn; `number` is that of the visit of the task. */
function turn(config: JsonObject, ctx: TestContext = worker(), number = 1, attempt = 1): Promise<Outcome> {
  const fields = {
    framework: 'claude',
    model: 'claude-test',
    prompt: 'What is the weather?',
    endpoint: model.origin,
    auth: { type: 'api_key', credential: 'anthropic' },
    ...config,
  };
  const idempotency_key = `287146398761160704/step#1.plan~${number}`;
  return run(agent, fields, { idempotency_key, attempt }, ctx);
}

const resultOf = ({ result, error }: Outcome): JsonObject => {
  expect(error).toBeNull();
  return result as JsonObject;
};

test('an answer is the official result, and a request is the official request', async () => {
  const outcome = await turn({
    system: 'Be brief.',
    temperature: 0.5,
    max_tokens: '99',
    thinking: 'disabled',
    effort: 'low',
    tools: [LOOKUP, { name: 'bare', playbook: 'x' }],
  });
  expect(resultOf(outcome)).toEqual({
    text: 'done',
    stop_reason: 'end_turn',
    truncated: false,
    model: 'claude-test',
    turns: 1,
    usage: {
      input_tokens: 10,
      output_tokens: 5,
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: 0,
    },
  });
  const { description, input_schema } = LOOKUP;
  expect(model.asked[0]!.body).toEqual({
    model: 'claude-test',
    max_tokens: 99,
    system: 'Be brief.',
    temperature: 0.5,
    thinking: { type: 'disabled' },
    output_config: { effort: 'low' },
    messages: [
      {
        role: 'user',
        content: [{ type: 'text', text: 'What is the weather?', cache_control: { type: 'ephemeral' } }],
      },
    ],
    tools: [
      { name: 'lookup', description, input_schema },
      { name: 'bare', description: '', input_schema: { type: 'object', properties: {} } },
    ],
  });
  expect(model.asked[0]!.headers['x-api-key']).toBe(MODEL_KEY);
});

test('without a cache nothing is marked; a prompt that is data is its JSON; a bearer token is one', async () => {
  const ctx = { ...worker(), ...context({ gateway: { type: 'bearer', data: { token: MODEL_KEY } } }) };
  resultOf(await turn({ prompt: { city: 'Oslo' }, prompt_cache: false, auth: 'gateway' }, ctx));
  expect(model.asked[0]!.messages).toEqual([{ role: 'user', content: '{"city":"Oslo"}' }]);
  expect(model.asked[0]!.headers.authorization).toBe(`Bearer ${MODEL_KEY}`);
});

test('turns: what was called is answered, unknown tools and invalid input too, and the sums go on', async () => {
  const ctx = worker();
  const calls = use(
    ['lookup', { city: 'Oslo' }],
    ['lookup', { town: 'Oslo', where: {} }],
    ['no-such', {}],
    ['lookup', { city: 'Rome' }],
  );
  model.script(() => calls);
  const first = resultOf(await turn({ tools: [LOOKUP] }, ctx));
  expect(first).toMatchObject({ stop_reason: 'tool_use', text: 'I look it up.', turns: 1 });
  const made = first['calls'] as JsonObject[];
  expect(made).toMatchObject([
    { name: 'lookup', input: { city: 'Oslo' } },
    { name: 'lookup', input: { city: 'Rome' } },
  ]);
  model.script(() => say('fine'));
  const answers = [
    { id: made[0]!['id']!, result: { t: 4 }, error: null },
    { id: made[1]!['id']!, result: null, error: { code: 'HTTP_503', message: 'no weather today' } },
  ];
  const second = resultOf(await turn({ tools: [LOOKUP], turn: first, answers }, ctx, 2));
  expect(second).toMatchObject({ text: 'fine', turns: 2, usage: { input_tokens: 20, output_tokens: 10 } });
  expect(Object.keys(second)).not.toContain('calls');
  expect(toolAnswers(model.asked[1]!)).toEqual([
    '{"t":4}',
    '!invalid input: city is required; where.zip is required; town is not an input',
    '!there is no tool no-such; there are: lookup',
    '!no weather today',
  ]);
});

test('what is said stays, whatever templates say later; a pause goes on in the same answer', async () => {
  const ctx = worker();
  model.script(() => ({ content: [{ type: 'text', text: 'wait' }], stop_reason: 'pause_turn' }));
  const first = resultOf(await turn({ prompt: 'one', system: 'be' }, ctx));
  expect(first['calls']).toEqual([]);
  const second = resultOf(await turn({ prompt: 'two', system: 'other', turn: first }, ctx, 2));
  model.script(() => say('end'));
  resultOf(await turn({ prompt: 'three', turn: second }, ctx, 3));
  const { messages, body } = model.asked[2]!;
  expect(messages).toEqual([
    { role: 'user', content: 'one' },
    { role: 'assistant', content: [1, 2].map(() => ({ type: 'text', text: 'wait' })) },
  ]);
  expect(body['system']).toBe('be');
});

test('a turn that was answered is not asked again: not if the worker was lost before it said so', async () => {
  const ctx = worker();
  model.script(() => use(['lookup', { city: 'Oslo' }]));
  const first = await turn({ tools: [LOOKUP] }, ctx);
  const again = await turn({ tools: [LOOKUP] }, ctx);
  expect(again.result).toEqual(first.result);
  expect(model.asked).toHaveLength(1);
  // A rule that wants another answer gets one.
  await turn({ tools: [LOOKUP] }, ctx, 1, 2);
  expect(model.asked).toHaveLength(2);
});

test('a secret in what was said is not stored, and is said again', async () => {
  const ctx = worker();
  const hide = redactor();
  hide.add(['hunter22hunter22']);
  const careful = { ...ctx, redactIn: <T>(value: T): T => hide.json(value) };
  model.script(() => use(['lookup', { city: 'hunter22hunter22' }]));
  const saved: string[] = [];
  const results = {
    ...ctx.results!,
    save: (id: string, name: string, value: object) => {
      saved.push(JSON.stringify(value));
      return ctx.results!.save(id, name, value);
    },
  };
  const prompt = 'The word is hunter22hunter22.';
  await turn({ prompt, tools: [LOOKUP] }, { ...careful, results });
  expect(saved).toHaveLength(1);
  expect(saved[0]).not.toContain('hunter22');
  expect(saved[0]).toContain('"head":{}');
});

test.each<[string, JsonObject, Parameters<ModelServer['script']>[0], JsonObject]>([
  ['a bad key', { auth: { type: 'api_key', value: 'nope' } }, () => null, { kind: 'auth', code: 'HTTP_401' }],
  ['no key', { auth: null }, () => null, { kind: 'validation', code: 'NO_CREDENTIAL' }],
  ['an unknown model', { model: 'no-such-model' }, () => null, { kind: 'not_found', code: 'HTTP_404' }],
  [
    'a bad request',
    {},
    () => ({ status: 400, type: 'invalid_request_error' }),
    {
      kind: 'client_error',
      code: 'HTTP_400',
      retryable: false,
      message: expect.stringContaining('scripted 400'),
    },
  ],
  [
    'too many requests',
    {},
    () => ({ status: 429, headers: { 'retry-after': '7' } }),
    { kind: 'rate_limit', code: 'HTTP_429', retryable: true, retry_after: 7 },
  ],
  [
    'an overloaded server',
    {},
    () => ({ status: 529, type: 'overloaded_error' }),
    { kind: 'server_error', code: 'HTTP_529', retryable: true },
  ],
  [
    'a page',
    {},
    () => ({ text: '<html>' }),
    { kind: 'server_error', code: 'NO_MODEL_ANSWER', retryable: false },
  ],
  ['no content', {}, () => ({ text: '{"usage": {}}' }), { code: 'NO_MODEL_ANSWER' }],
  ['no answer', { timeout: 0.3 }, () => null, { kind: 'timeout', code: 'TIMEOUT', retryable: true }],
  [
    'no server',
    { endpoint: 'http://127.0.0.1:1' },
    () => null,
    { code: 'CONNECTION_REFUSED', retryable: true },
  ],
  ['an empty prompt', { prompt: ' ' }, () => null, { kind: 'validation', code: 'MISSING_FIELD' }],
  ['a refusal', {}, () => say('no.', { stop_reason: 'refusal' }), { code: 'REFUSED', retryable: false }],
  ['nothing but thought', {}, () => ({ content: [], stop_reason: 'max_tokens' }), { code: 'MAX_TOKENS' }],
  [
    'a call that is cut',
    { tools: [LOOKUP] },
    () => ({ ...use(['lookup', {}]), stop_reason: 'max_tokens' }),
    { code: 'MAX_TOKENS' },
  ],
  ['too many turns', { tools: [LOOKUP], max_turns: 1 }, () => use(['lookup', {}]), { code: 'MAX_TURNS' }],
  [
    'too many tokens',
    { tools: [LOOKUP], max_total_tokens: 15 },
    () => use(['lookup', {}]),
    { code: 'TOKEN_BUDGET' },
  ],
])('%s fails with a code', async (_, config, script, error) => {
  model.script(script);
  const outcome = await turn(config as JsonObject);
  expect(outcome.error).toMatchObject(error);
  // What ended without an answer says how far it came.
  if (/^(REFUSED|MAX_|TOKEN_)/.test(outcome.error!.code)) expect(outcome.result).toMatchObject({ turns: 1 });
  expect(JSON.stringify(outcome)).not.toContain(MODEL_KEY);
});

test('an answer that is cut is one, and says so', async () => {
  model.script(() => say('partial', { stop_reason: 'max_tokens' }));
  expect(resultOf(await turn({}))).toMatchObject({ text: 'partial', truncated: true });
});

test('a conversation needs a store, and one that is gone is an error', async () => {
  const without = context({ anthropic: KEY });
  expect((await turn({ tools: [LOOKUP] }, without)).error).toMatchObject({ code: 'NO_STORE' });
  expect(model.asked).toHaveLength(0);
  expect(resultOf(await turn({}, without))['text']).toBe('done');
  const gone = await turn({ tools: [LOOKUP], turn: { conversation: '1/gone', turns: 1 } });
  expect(gone.error).toMatchObject({ kind: 'validation', code: 'NO_CONVERSATION' });
});

test('integers of a call keep their digits', async () => {
  model.script(() => ({
    text: '{"content": [{"type": "tool_use", "id": "1", "name": "lookup", "input": {"city": "x", "n": 9223372036854775807}}]}',
  }));
  const open = { ...LOOKUP, input_schema: { ...LOOKUP.input_schema, additionalProperties: true } };
  const { calls } = resultOf(await turn({ tools: [open] }));
  expect(calls).toMatchObject([{ input: { n: '9223372036854775807' } }]);
});

test('what the schema does not offer reaches no playbook, at any depth that is closed', async () => {
  const inner = { type: 'object', properties: { zip: {} }, additionalProperties: false };
  const properties = { city: { type: 'string' }, where: inner };
  const tools = [{ ...LOOKUP, input_schema: { properties } }];
  const inputs = [
    { city: 'Oslo', limit: 1e6 },
    { city: 'Oslo', where: { zip: 1, admin: true } },
    JSON.parse('{"city": "Oslo", "__proto__": {"limit": 1}}') as JsonObject,
    { city: 'Oslo' },
  ];
  model.script(() => use(...inputs.map((input): [string, JsonObject] => ['lookup', input])));
  const { calls } = resultOf(await turn({ tools }));
  expect(calls).toMatchObject([{ input: { city: 'Oslo' } }]);
  expect(Object.keys((calls as { input: JsonObject }[])[0]!.input)).toEqual(['city']);
});

test('two calls with one id have an answer each', async () => {
  const ctx = worker();
  const call = '{"type": "tool_use", "id": "1", "name": "lookup", "input": {"city": "x"}}';
  model.script(() => ({ text: `{"content": [${call}, ${call}]}` }));
  const first = resultOf(await turn({ tools: [LOOKUP] }, ctx));
  expect(first['calls']).toHaveLength(2);
  model.script(() => say('fine'));
  const answers = ['a', 'b'].map((result) => ({ id: '1', result, error: null }));
  await turn({ tools: [LOOKUP], turn: first, answers }, ctx, 2);
  expect(toolAnswers(model.asked[1]!)).toEqual(['a', 'b']);
  // Here, the one that answers is stricter than the one that asked.
  model.wrong.splice(0);
});

test('what should be text and is none is no exception', async () => {
  const odd = '{"toString": 1}';
  model.script(() => ({
    text: `{"content": [{"type": "tool_use", "id": "2", "name": ${odd}, "input": {}}, {"type": "text", "text": ${odd}}], "stop_reason": ${odd}, "usage": {"input_tokens": ${odd}}}`,
  }));
  const first = resultOf(await turn({ tools: [LOOKUP] }));
  expect(first).toMatchObject({ text: '{"toString":1}', calls: [], usage: { input_tokens: 0 } });
});

test('of what one turn calls, a hundred are made; the others are answered', async () => {
  const ctx = worker();
  model.script(() =>
    use(...Array.from({ length: 150 }, (): [string, JsonObject] => ['lookup', { city: 'x' }])),
  );
  const first = resultOf(await turn({ tools: [LOOKUP] }, ctx));
  const calls = first['calls'] as JsonObject[];
  expect(calls).toHaveLength(100);
  model.script(() => say('fine'));
  const answers = calls.map(({ id }) => ({ id: id!, result: 'dry', error: null }));
  resultOf(await turn({ tools: [LOOKUP], turn: first, answers }, ctx, 2));
  const said = toolAnswers(model.asked[1]!);
  expect([said.length, said[99], said[100]]).toEqual([
    150,
    'dry',
    '!the tool was not run: a turn has at most 100 calls',
  ]);
});
