import { type Json, type JsonObject, type Secret, type TaskCall } from '../../../language/plan';
import { ok, planOf, playbookOf, simulate } from '../../../../test/support/simulator';
import { type Command, type Input, KEYCHAIN_RUN, Machine, rerunState } from '..';

const HEAD = `
workload: {tenant: acme, token: null}
keychain:
  - {name: login, kind: oauth2, endpoint: "https://{{ workload.tenant }}.example/token", data: {client_secret: "{{ keychain.store.secret }}", who: "of {{ keychain.store.secret }}"}}
  - {name: store, kind: secret_manager, map: {secret: app/secret}}`;

const STEPS = (fields: string, more = ''): string => `
- step: start
  tool: { kind: http, url: "http://x", ${fields} }
${more}`;

const USES =
  'headers: { authorization: "Bearer {{ keychain.login.access_token }}", x-raw: "{{ keychain.store.secret }}" }';

/** The call of the only task, with its keychain resolved by the simulation. */
function callOf(fields: string, more = ''): TaskCall {
  const calls: TaskCall[] = [];
  simulate(planOf(playbookOf(STEPS(fields, more), HEAD)), {
    mocks: { start_task: (call) => (calls.push(call), ok(null)) },
    persist: true,
  });
  return calls[0]!;
}

const handleIn = (value: Json | undefined): string => (value as { $secret: string }).$secret;
function secret<K extends 'entry' | 'deferred'>(call: TaskCall, id: string, what: K) {
  return (call.secrets![id] as Extract<Secret, Record<K, unknown>>)[what];
}

test('a field of an entry is a handle, with what the worker needs to resolve the entry', () => {
  const call = callOf(USES);
  const { 'x-raw': raw, authorization } = call.config['headers'] as JsonObject;
  expect(raw).toEqual({ $secret: 'simulated.k1', field: 'secret' });
  expect(secret(call, 'simulated.k1', 'entry')).toEqual({
    name: 'store',
    kind: 'secret_manager',
    config: { map: { secret: 'app/secret' } },
    execution_id: '123456789012345678',
  });
  const deferred = secret(call, handleIn(authorization), 'deferred');
  expect(deferred).toMatchObject({
    names: { keychain: { login: { $secret: 'simulated.k0' } } },
    strict: true,
  });
});

test('the fields of an entry are evaluated, those of other entries stay handles that come along', () => {
  const call = callOf('params: { k: "{{ keychain.login.access_token }}" }');
  const { config } = secret(call, 'simulated.k0', 'entry');
  const { client_secret, who } = config['data'] as JsonObject;
  expect(config['endpoint']).toBe('https://acme.example/token');
  expect(client_secret).toEqual({ $secret: 'simulated.k1', field: 'secret' });
  expect(secret(call, handleIn(who), 'deferred').names).toEqual({
    keychain: { store: { $secret: 'simulated.k1' } },
  });
  expect(Object.keys(call.secrets!).sort()).toEqual(['simulated.k0', 'simulated.k1', handleIn(who)].sort());
});

test('a step input, and what passes it on, is the same handle; nothing is added for every passing', () => {
  const plan = planOf(
    playbookOf(
      `
- step: start
  input: { secret: "{{ keychain.store.secret }}" }
  loop: { in: [1, 2, 3], iterator: n }
  tool: { kind: http, url: "http://x", params: { q: "{{ secret }}", n: "{{ n }}" } }`,
      HEAD,
    ),
  );
  const calls: TaskCall[] = [];
  const { state } = simulate(plan, { mocks: { start_task: (call) => (calls.push(call), ok(null)) } });
  expect(calls.map((call) => (call.config['params'] as JsonObject)['q'])).toEqual(
    Array(3).fill({ $secret: 'simulated.k1', field: 'secret' }),
  );
  // The two entries, and the template in one of them.
  expect(Object.keys(state.secrets!)).toHaveLength(3);
});

test('iterations that run elsewhere know the keychain', () => {
  const plan = planOf(
    playbookOf(
      `
- step: start
  loop: { in: [1, 2], iterator: n, spec: { exec: distributed } }
  tool: { kind: http, url: "http://x", params: { q: "{{ keychain.store.secret }}" } }`,
      HEAD,
    ),
  );
  const calls: TaskCall[] = [];
  simulate(plan, { mocks: { start_task: (call) => (calls.push(call), ok(null)) }, persist: true });
  expect(calls).toHaveLength(2);
  expect(secret(calls[1]!, 'simulated.k1', 'entry').name).toBe('store');
});

/** A machine that was started, and the check it asks for. */
function startedMachine(payload: JsonObject = {}): { machine: Machine; check: TaskCall } {
  const plan = planOf(playbookOf(STEPS(USES), HEAD));
  const machine = Machine.create(plan, '42', 1);
  const { commands } = machine.apply({ at: 1, inputs: [{ type: 'started', payload }] });
  expect(commands).toHaveLength(1);
  return { machine, check: (commands[0] as Extract<Command, { type: 'runTask' }>).call };
}

const answer = (outcome: Partial<TaskCall> | object): Input => ({
  type: 'taskSettled',
  taskRunId: KEYCHAIN_RUN,
  outcome: { status: 'ok', result: null, error: null, meta: {}, ...outcome } as never,
});

test('nothing starts before the check, whatever comes in meanwhile', () => {
  const { machine, check } = startedMachine();
  expect(check).toMatchObject({ kind: 'keychain', task_run_id: 'keychain' });
  expect(check.config['entries']).toEqual([
    {
      handle: { $secret: expect.any(String) as string },
      name: 'login',
      kind: 'oauth2',
      at: [7, 5],
      uses: ['access_token'],
    },
    {
      handle: { $secret: expect.any(String) as string },
      name: 'store',
      kind: 'secret_manager',
      at: [8, 5],
      uses: ['secret'],
    },
  ]);
  expect(machine.apply({ at: 2, inputs: [{ type: 'variablesSet', variables: { a: 1 } }] }).commands).toEqual(
    [],
  );
  expect(machine.apply({ at: 3, inputs: [{ type: 'paused' }, { type: 'resumed' }] }).commands).toEqual([]);
  const entries = [{ name: 'login', kind: 'oauth2', source: 'acme.example', expires_at: null }];
  const { commands, events } = machine.apply({
    at: 4,
    inputs: [answer({ result: { nonce: 'n0', entries } })],
  });
  expect(commands.map(({ type }) => type)).toEqual(['runTask']);
  expect(events[0]).toMatchObject({
    event_type: 'keychain.resolved',
    status: 'success',
    payload: { entries },
  });
  expect(events.map(({ event_type }) => event_type)).toEqual(
    expect.arrayContaining(['playbook.started', 'step.started', 'task.started']),
  );
});

test('handles after the check are made of its nonce, which nobody can guess, and the first ones are gone', () => {
  const { machine, check } = startedMachine();
  const first = handleIn((check.config['entries'] as JsonObject[])[0]!['handle']);
  expect(check.secrets![first]).toBeDefined();
  machine.apply({ at: 2, inputs: [answer({ result: { nonce: 'f00d' } })] });
  expect(Object.keys(machine.state.secrets!).every((id) => id.startsWith('f00d.'))).toBe(true);
});

test('an entry that does not resolve fails the execution at once, at its line', () => {
  const { machine } = startedMachine();
  const error = {
    kind: 'auth',
    code: 'KEYCHAIN_UNRESOLVED',
    message: "keychain entry 'store' …",
    retryable: false,
    entry: 'store',
  };
  const { commands, events } = machine.apply({ at: 2, inputs: [answer({ status: 'error', error })] });
  expect(commands).toEqual([
    { type: 'fail', error: expect.objectContaining({ code: 'KEYCHAIN_UNRESOLVED', at: [8, 5] }) as object },
  ]);
  expect(events.map(({ event_type }) => event_type)).toEqual([
    'keychain.failed',
    'workflow.finished',
    'playbook.processed',
  ]);
  expect(machine.state.executed).toEqual([]);
});

test('a cancel during the check waits for it, and nothing starts', () => {
  const { machine } = startedMachine();
  const asked = machine.apply({ at: 2, inputs: [{ type: 'cancelRequested' }] }).commands;
  expect(asked).toEqual([{ type: 'cancelTask', taskRunId: KEYCHAIN_RUN }]);
  const { commands } = machine.apply({ at: 3, inputs: [answer({ result: { nonce: 'n' } })] });
  expect(commands.map(({ type }) => type)).toEqual(['cancelled']);
});

test('data that looks like the handle of an entry is data', () => {
  const { machine } = startedMachine({ tenant: { $secret: 'guessed.k1' } });
  expect(JSON.stringify(machine.state.secrets)).toContain("{'$secret': 'guessed.k1'}");
});

test('a field that cannot be evaluated fails the execution, naming the entry', () => {
  const head = 'workload: {n: 0}\nkeychain: [{name: a, kind: static, map: {x: "{{ 1 // workload.n }}"}}]';
  const run = simulate(planOf(playbookOf(STEPS('auth: a'), head)));
  expect(run.error).toMatchObject({ at: [5, 51] });
  expect(run.error!.message).toContain('keychain entry a');
});

test('a playbook without a keychain is not checked, and a run that is over was', () => {
  expect(simulate(playbookOf(STEPS('headers: {}'))).types).not.toContain('keychain.resolved');
  const { types, end } = simulate(planOf(playbookOf(STEPS(USES), HEAD)));
  expect({ end, second: types[1] }).toEqual({ end: 'complete', second: 'keychain.resolved' });
});

test('a rerun checks the keychain again, and then goes on where it was asked to', () => {
  const plan = planOf(
    playbookOf(
      STEPS(USES, '  next: {arcs: [{step: more}]}\n- step: more\n  tool: {kind: http, url: "http://y"}'),
      HEAD,
    ),
  );
  const recorded = simulate(plan, {
    mocks: {
      start: 1,
      more: () => ({
        status: 'error',
        result: null,
        error: { kind: 'timeout', code: 'T', message: 't', retryable: false },
        meta: {},
      }),
    },
  });
  // As it was when the token of `more` came: the step had not begun.
  const state = structuredClone(recorded.state);
  state.tokens = { t9: { id: 't9', step: 'more', args: {}, forks: [], state: 'queued', parent: null } };
  const machine = Machine.from(
    plan,
    rerunState({ recorded: state, token: 't9', executionId: '43', plan, reuse: {} }),
  );
  const origin = {
    execution_id: '1',
    step: 'more',
    step_run_id: 'more#1',
    event_id: 'e',
    digest: plan.digest,
  };
  const first = machine.apply({ at: 1, inputs: [{ type: 'rerun', origin, payload: {}, variables: {} }] });
  expect(first.commands.map((each) => each.type === 'runTask' && each.call.kind)).toEqual(['keychain']);
  const then = machine.apply({ at: 2, inputs: [answer({ result: { nonce: 'n' } })] });
  expect(then.commands.map((each) => each.type === 'runTask' && each.call.step)).toEqual(['more']);
});

test('an optional entry that did not resolve is a note, and the run goes on', () => {
  const head = '\nkeychain: [{name: ai, kind: secrets, provider: gcp, map: {key: k}}]';
  const plan = planOf(playbookOf(STEPS(`params: { k: "{{ keychain.ai.key | default('') }}" }`), head));
  const machine = Machine.create(plan, '123456789012345678', 0);
  const { commands } = machine.apply({ at: 0, inputs: [{ type: 'started', payload: {} }] });
  const asked = commands.find((one): one is Extract<Command, { type: 'runTask' }> => one.type === 'runTask')!;
  expect(asked.call.config['entries']).toMatchObject([{ name: 'ai', optional: true }]);
  const entries = [
    { name: 'ai', kind: 'secrets', source: null, expires_at: null, unresolved: 'no such secret' },
  ];
  const outcome = ok({ nonce: 'n', entries });
  const next = machine.apply({ at: 1, inputs: [{ type: 'taskSettled', taskRunId: KEYCHAIN_RUN, outcome }] });
  expect(next.commands).toMatchObject([{ type: 'runTask', call: { kind: 'http' } }]);
  expect(machine.snapshot().notes!.kept).toEqual([
    {
      code: 'SECRET_UNRESOLVED',
      message: "keychain entry 'ai' does not resolve, so what reads it takes its default: no such secret",
      at: [expect.any(Number), expect.any(Number)],
    },
  ]);
});
