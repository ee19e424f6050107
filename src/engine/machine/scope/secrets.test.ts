import { type Command, Machine } from '..';
import {
  type Json,
  type JsonObject,
  type Outcome,
  secretHandle,
  type Secrets,
  type TaskCall,
} from '../../../language/plan';
import { ok, planOf, playbookOf, simulate } from '../../../../test/support/simulator';

const ID = 'a1b2c3';
const REF: Secrets = { [ID]: { ref: { provider: 'environment', secret: 'token' } } };
/** What the kind `secrets` answers. */
const FETCHED: Outcome = {
  ...ok({ value: secretHandle(ID), fields: { user: secretHandle(ID, 'user') }, version: '3' }),
  meta: { secrets: REF as unknown as Json },
};

const WORKFLOW = (fields: string, more = ''): string => `
- step: start
  tool: { kind: secrets, provider: environment, secret: token }
  next: { arcs: [{ step: use }] }
- step: use
  tool: { kind: http, url: "http://x", ${fields} }
${more}`;

function callOf(fields: string, head = '', answer: Outcome = FETCHED): TaskCall {
  const calls: TaskCall[] = [];
  simulate(planOf(playbookOf(WORKFLOW(fields), head)), {
    mocks: { start: answer as unknown as Json, use: (call) => (calls.push(call), ok(null)) },
    persist: true,
  });
  return calls[0]!;
}
const deferredOf = (call: TaskCall, handle: Json) => {
  const secret = call.secrets![(handle as JsonObject)['$secret'] as string]!;
  return 'deferred' in secret ? secret.deferred : undefined;
};

test('a handle is passed on as it is, with what it stands for', () => {
  const call = callOf('headers: { x-token: "{{ start.value }}", x-user: "{{ start.fields.user }}" }');
  expect(call.config['headers']).toEqual({ 'x-token': secretHandle(ID), 'x-user': secretHandle(ID, 'user') });
  expect(call.secrets).toEqual(REF);
});

test('a template that reads one stays unevaluated, with the parts that it needs and no others', () => {
  const call = callOf(
    `headers: { authorization: "Bearer {{ start.value }} of {{ workload.who }}" }, params: { day: "{{ workload.who }}" }`,
    'workload: { who: me, other: big }',
  );
  expect(call.config['params']).toEqual({ day: 'me' });
  const handle = (call.config['headers'] as JsonObject)['authorization']!;
  expect(handle).toEqual({ $secret: expect.stringMatching(/^a1b2c3\./) as string });
  expect(deferredOf(call, handle)).toMatchObject({
    names: { start: { value: secretHandle(ID) }, workload: { who: 'me' } },
    strict: true,
  });
  expect(JSON.stringify(call.secrets)).not.toContain('big');
});

test.each([
  ['a filter', '"{{ start.value | b64encode }}"', { start: { value: secretHandle(ID) } }],
  [
    'the whole result',
    '"{{ start | tojson }}"',
    { start: { value: secretHandle(ID), fields: { user: secretHandle(ID, 'user') }, version: '3' } },
  ],
  ['an alias of the result', '"x{{ start.data.value }}"', { start: { data: { value: secretHandle(ID) } } }],
  ['what lies behind the handle', '"{{ start.value.length ~ 1 }}"', { start: { value: secretHandle(ID) } }],
])('%s that reads one is left for the worker', (_what, template, names) => {
  const call = callOf(`params: { q: ${template} }`);
  expect(deferredOf(call, (call.config['params'] as JsonObject)['q']!)).toMatchObject({ names });
});

test('a path that leads behind a handle is left for the worker: what a task returned may be a mapping', () => {
  const call = callOf('params: { q: "{{ start.value.password }}" }');
  const handle = (call.config['params'] as JsonObject)['q']!;
  expect(deferredOf(call, handle)).toMatchObject({ names: { start: { value: secretHandle(ID) } } });
});

test('secret fields of the workload come as handles, with what they stand for', () => {
  const plan = planOf(
    playbookOf(
      WORKFLOW('headers: { a: "{{ token }}", b: "B {{ workload.token }}" }'),
      'workload: {token: null}',
    ),
  );
  const machine = Machine.create(plan, '1');
  const started = { type: 'started', payload: { token: secretHandle(ID) }, secrets: REF } as const;
  machine.apply({ at: 1, inputs: [started] });
  const { commands } = machine.apply({
    at: 2,
    inputs: [{ type: 'taskSettled', taskRunId: 'start#1~1@1', outcome: ok(1) }],
  });
  const { call } = commands[0] as Extract<Command, { type: 'runTask' }>;
  const { a, b } = call.config['headers'] as JsonObject;
  expect(a).toEqual(secretHandle(ID));
  expect(deferredOf(call, b!)).toMatchObject({ names: { workload: { token: secretHandle(ID) } } });
  expect(Object.keys(call.secrets!)).toHaveLength(2);
});

test('what the same task says of no secret is evaluated', () => {
  const call = callOf('params: { v: "{{ start.version }}", d: "{{ start.value is defined and 1 }}" }');
  expect((call.config['params'] as JsonObject)['v']).toBe('3');
});

test('an input with a secret in it is one for the fields that read it', () => {
  const call = callOf(
    'input: { auth: "Bearer {{ start.value }}" }, headers: { authorization: "{{ auth }}!" }',
  );
  const { names } = deferredOf(call, (call.config['headers'] as JsonObject)['authorization']!)!;
  expect(names).toEqual({ auth: call.input['auth'] });
  expect(deferredOf(call, names['auth']!)).toMatchObject({ names: { start: { value: secretHandle(ID) } } });
  // The template, the one it reads, and the secret: nothing is missing.
  expect(Object.keys(call.secrets!)).toHaveLength(3);
});

test('variables keep handles, over several steps; a text with one in it is kept unevaluated', () => {
  const calls: TaskCall[] = [];
  const plan = planOf(
    playbookOf(`
- step: start
  tool: { kind: secrets, provider: environment, secret: token, set: { ctx.token: "{{ output.value }}", ctx.header: "Bearer {{ output.value }}" } }
  next: { arcs: [{ step: use, set: { passed: "{{ ctx.token }}" } }] }
- step: use
  tool: { kind: http, url: "http://x", headers: { a: "{{ ctx.header }}", b: "{{ passed }}" } }
`),
  );
  const { state } = simulate(plan, {
    mocks: { start: FETCHED as unknown as Json, use: (call) => (calls.push(call), ok(null)) },
    persist: true,
  });
  const { a, b } = calls[0]!.config['headers'] as { a: Json; b: Json };
  expect(b).toEqual(secretHandle(ID));
  expect(a).toEqual(state.ctx['header']);
  expect(deferredOf(calls[0]!, a)).toMatchObject({ names: { output: { value: secretHandle(ID) } } });
});

test('data that looks like a handle is data: only ids that a secret was given count', () => {
  const forged = ok({ value: secretHandle('guessed') });
  const call = callOf('params: { q: "x{{ start.value }}" }', '', forged);
  expect(call.secrets).toBeUndefined();
  expect((call.config['params'] as JsonObject)['q']).toBe("x{'$secret': 'guessed'}");
});

test('events tell handles, and the result of the task without its table', () => {
  const { events } = simulate(planOf(playbookOf(WORKFLOW('headers: { a: "B {{ start.value }}" }'))), {
    mocks: { start: FETCHED as unknown as Json, use: 1 },
  });
  const done = events.find((event) => event.event_type === 'task.done' && event.entity_id === 'start_task');
  expect(JSON.stringify(done)).toContain(ID);
  expect(done!.payload['outcome']).toMatchObject({ meta: {} });
  expect(JSON.stringify(events)).not.toContain('"ref"');
});
