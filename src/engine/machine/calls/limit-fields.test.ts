/** Fields of limits by key: what they may be, and what is said of one that cannot be read. */
import { isRequest, limited, requestIn, settled } from '../../../../test/support/limit-requests';
import { planOf, playbookOf, simulate, START } from '../../../../test/support/simulator';
import { type Json, type JsonObject } from '../../../language/plan';
import { type Command, type Input } from '../batch';
import { Machine } from '../machine';
import { keeperId } from './limit-call';

const HTTP = '- {step: start, tool: {kind: http, url: "https://example.com"}}';

/** A machine, and the commands of its first batch. */
function begun(spec: string, payload: JsonObject = {}, workflow = HTTP) {
  const machine = Machine.create(planOf(limited(spec, workflow)), '1', START);
  const apply = (after: number, ...inputs: Input[]) => machine.apply({ at: START + after, inputs });
  return { apply, commands: apply(0, { type: 'started', payload }).commands };
}

test('the id of a keeper is written out up to 200 characters, and is a digest behind 150 of them beyond', () => {
  const idOf = (length: number): string => {
    const head = 'noetl-limit:rate:s:';
    return keeperId({ of: 'rate', scope: 's', key: 'k'.repeat(length - head.length) });
  };
  expect(idOf(200)).toMatch(/^noetl-limit:rate:s:k+$/);
  expect(idOf(201)).toMatch(/^noetl-limit:rate:s:k{131}~[0-9a-f]{32}$/);
  const many = Array.from({ length: 60 }, (_, n) =>
    keeperId({ of: 'rate', scope: '', key: `${'k'.repeat(300)}${n}` }),
  );
  expect(new Set(many.map((id) => id.length))).toEqual(new Set([183]));
});

describe('a rate limit', () => {
  const SPEC =
    'rate_limit: {key: "{{ workload.k }}", limit: "{{ workload.n }}", per: "{{ workload.p }}", burst: "{{ workload.b }}"}';
  const given = (change: JsonObject): JsonObject => ({ k: 'x', n: 2, p: 10, b: 1, ...change });

  it.each<[JsonObject, string, JsonObject]>([
    [{}, 'x', { limit: 2, per_ms: 10_000, burst: 1 }],
    [{ k: 5, n: '3', p: '2m', b: '2' }, '5', { limit: 3, per_ms: 120_000, burst: 2 }],
    [{ k: false, n: 10_000, p: 0.5, b: 20_000 }, 'false', { limit: 10_000, per_ms: 500, burst: 10_000 }],
    [{ k: 'k'.repeat(1000), b: 2 }, 'k'.repeat(1000), { limit: 2, burst: 2 }],
  ])('is asked for as it is written (case %#)', (change, key, rate) => {
    const { commands } = begun(SPEC, given(change));
    expect(commands).toMatchObject([
      {
        type: 'runTask',
        summary: `rate ${key}`.slice(0, 200),
        atMostOnce: false,
        call: { task_run_id: 'limit:rate#1' },
      },
    ]);
    const kept = { of: 'rate', scope: '', key } as const;
    const request = { execution: '1', rate: { ref: 'limit:rate#1', count: 1, ...rate } };
    expect(requestIn(commands)).toMatchObject({ keeper: keeperId(kept), kept, request });
  });

  const KEY = 'must be text of 1 to 1000 characters, a number, or true or false';
  const COUNT = 'must be a whole number from 1';
  it.each<[JsonObject, string, string]>([
    [{ k: '' }, 'LIMIT_KEY', `key of rate_limit ${KEY}, got ""`],
    [{ k: [1] }, 'LIMIT_KEY', `key of rate_limit ${KEY}, got [1]`],
    [{ k: 'k'.repeat(1001) }, 'LIMIT_KEY', `key of rate_limit ${KEY}, got "kkk`],
    [{ n: 0 }, 'LIMIT_NUMBER', `limit of rate_limit ${COUNT}, got 0`],
    [{ n: ' ' }, 'LIMIT_NUMBER', `limit of rate_limit ${COUNT}, got " "`],
    [{ n: true }, 'LIMIT_NUMBER', `limit of rate_limit ${COUNT}, got true`],
    [{ b: 1.5 }, 'LIMIT_NUMBER', `burst of rate_limit ${COUNT}, got 1.5`],
    [{ n: 10_001 }, 'LIMIT_NUMBER', 'limit of rate_limit must be at most 10000, got 10001'],
    [
      { p: 0 },
      'LIMIT_NUMBER',
      'per of rate_limit must be a number of seconds above 0, or a duration like 30s or PT5M, got 0',
    ],
    [{ p: 'soon' }, 'LIMIT_NUMBER', 'or a duration like 30s or PT5M, got "soon"'],
  ])('%j fails the task with %s', (change, code, message) => {
    const { error } = simulate(limited(SPEC, HTTP), { payload: given(change), mocks: { start: null } });
    expect(error).toMatchObject({
      code,
      task: 'start_task',
      message: expect.stringContaining(message) as string,
    });
  });

  it('whose template breaks says that it is one', () => {
    const { error } = simulate(limited('rate_limit: {key: "{{ 1 / 0 }}", limit: 1, per: 1}', HTTP));
    expect(error!.message).toContain('rate limit of task start_task');
  });

  it('is told when it holds back a task, and not to those that are not asked for events', () => {
    const loop =
      '- {step: start, loop: {in: [1, 2], iterator: n, spec: {mode: parallel}}, tool: {kind: http, url: "https://example.com"}}';
    const { events } = simulate(limited('rate_limit: {key: x, limit: 1, per: 10s}', loop), {
      mocks: { start: null },
    });
    const told = events.filter(({ event_type }) => event_type === 'limit.queued');
    const about = { of: 'rate', key: 'x', limit: 1, per_s: 10, until: '2023-11-14T22:13:30Z' };
    expect(told).toMatchObject([{ status: 'in_progress', payload: about }]);
    expect(told).toHaveLength(1);
  });

  it('is asked for once for each key, a thousand at most', () => {
    const loop =
      '- {step: start, loop: {in: "{{ range(1001) | list }}", iterator: n, spec: {mode: parallel}}, tool: {kind: http, url: "https://example.com"}}';
    const { error } = simulate(limited('rate_limit: {key: "{{ iter.n }}", limit: 1, per: 10s}', loop), {
      mocks: { start: null },
    });
    expect(error!.message).toContain(
      '"1000" would be the 1001st key of this execution, more than 1000: each key is kept by a workflow of its own. Use fewer keys, or give parts of the work to sub-playbooks',
    );
  });

  const answer = (
    request: ReturnType<typeof requestIn>,
    slots: [number, number][],
    execution = '1',
  ): Input => ({
    type: 'limitAnswered',
    answer: { keeper: request.keeper, execution, type: 'slots', ref: request.request.rate!.ref, slots },
  });
  const types = (commands: readonly Command[]): string[] =>
    commands.map((one) => (isRequest(one) ? 'request' : one.type));

  it('has slots that are good for ten seconds, and for this execution', () => {
    for (const [late, does] of [
      [10_000, 'runTask'],
      [10_001, 'request'],
    ] as const) {
      const { apply, commands } = begun(SPEC, given({}));
      const request = requestIn(commands);
      expect(apply(1, answer(request, [[START + 1, 1]], '2')).commands).toEqual([]);
      apply(2, { type: 'paused' });
      apply(3, settled('limit:rate#1'), answer(request, [[START + 3, 1]]));
      expect(types(apply(3 + late, { type: 'resumed' }).commands)).toEqual([does]);
    }
  });

  it('is no longer waited for by what is stopped: an execution that is cancelled ends, and slots go to the others', () => {
    const cancelled = begun(SPEC, given({}));
    cancelled.apply(1, settled('limit:rate#1'));
    expect(types(cancelled.apply(2, { type: 'cancelRequested' }).commands)).toEqual(['cancelled']);

    const two = `- {step: start, tool: {kind: noop}, next: {spec: {mode: inclusive}, arcs: [{step: a}, {step: b}, {step: c}]}}
- {step: a, tool: {kind: http, url: "https://example.com"}}
- {step: b, spec: {policy: {lifecycle: {timeout_s: 1}, failure: {mode: best_effort}}}, tool: {kind: http, url: "https://example.com"}}
- {step: c, tool: {kind: http, url: "https://example.com"}}`;
    const { apply, commands } = begun(SPEC, given({}), two);
    const timer = commands.find(({ type }) => type === 'startTimer') as Extract<
      Command,
      { type: 'startTimer' }
    >;
    apply(1, settled('limit:rate#1'));
    apply(1000, { type: 'timerFired', key: timer.key });
    const request = requestIn(commands);
    const after = apply(
      1001,
      answer(request, [
        [START + 1001, 1],
        [START + 6000, 1],
      ]),
    ).commands;
    expect(types(after)).toEqual(['startTimer', 'runTask']);
    expect(after).toMatchObject([{ deadline: START + 6000 }, { call: { step: 'a' } }]);
  });
});

describe('priority and fairness', () => {
  const SPEC =
    'priority: "{{ workload.p }}", fairness: {key: "{{ workload.k }}", weight: "{{ workload.w }}"}';
  const given = (change: JsonObject): JsonObject => ({ p: 5, k: 'x', w: 2, ...change });
  const priorityOf = (spec: string, payload: JsonObject): unknown =>
    (begun(spec, payload).commands[0] as { priority?: unknown }).priority;

  it.each<[JsonObject, JsonObject]>([
    [{}, { priorityKey: 5, fairnessKey: 'x', fairnessWeight: 2 }],
    [
      { p: 1, w: 0.001 },
      { priorityKey: 1, fairnessKey: 'x', fairnessWeight: 0.001 },
    ],
    [
      { w: 1000, k: 'k'.repeat(64) },
      { priorityKey: 5, fairnessKey: 'k'.repeat(64), fairnessWeight: 1000 },
    ],
    [{ k: 'ü'.repeat(16) }, { priorityKey: 5, fairnessKey: 'ü'.repeat(16), fairnessWeight: 2 }],
  ])('are handed on (case %#)', (change, priority) => {
    expect(priorityOf(SPEC, given(change))).toEqual(priority);
  });

  it('need not be there both', () => {
    expect(priorityOf('priority: 5', {})).toEqual({ priorityKey: 5 });
    expect(priorityOf('fairness: {key: x}', {})).toEqual({ fairnessKey: 'x' });
  });

  it('have a digest for a key that is too long', () => {
    const keys = Array.from({ length: 60 }, (_, n) => ['k'.repeat(65) + n, 'ü'.repeat(17) + n]).flat();
    const short = keys.map((k) => (priorityOf(SPEC, given({ k })) as JsonObject)['fairnessKey'] as string);
    expect(short.filter((key) => !/^[0-9a-f]{32}$/.test(key))).toEqual([]);
    expect(new Set(short).size).toBe(120);
  });

  const WEIGHT = 'weight of fairness must be a number from 0.001 to 1000, got';
  it.each<[JsonObject, string, string]>([
    [{ p: 6 }, 'LIMIT_NUMBER', 'priority must be a whole number from 1 (first) to 5, got 6'],
    [{ p: 'x' }, 'LIMIT_NUMBER', 'priority of spec must be a whole number from 1, got "x"'],
    [{ w: 0.0009 }, 'LIMIT_NUMBER', `${WEIGHT} 0.0009`],
    [{ w: 1000.5 }, 'LIMIT_NUMBER', `${WEIGHT} 1000.5`],
    [{ w: 'much' }, 'LIMIT_NUMBER', `${WEIGHT} NaN`],
    [{ k: '' }, 'LIMIT_KEY', 'key of fairness must be text'],
  ])('%j fails the task with %s', (change, code, message) => {
    const { error } = simulate(limited(SPEC, HTTP), { payload: given(change), mocks: { start: null } });
    expect(error).toMatchObject({ code, message: expect.stringContaining(message) as string });
  });

  it('are those of a sub-playbook, too', () => {
    const call = '- {step: start, tool: {kind: playbook, path: lib/child}}';
    expect(begun('priority: 2', {}, call).commands).toMatchObject([
      { type: 'runPlaybook', priority: { priorityKey: 2 } },
    ]);
    expect(begun('pool: default', {}, call).commands[0]).not.toHaveProperty('priority');
  });
});

describe('places', () => {
  const LIMIT = 'concurrency: {key: a, limit: 1}';
  const call = (more = ''): string => `- {step: start, tool: {kind: playbook, path: lib/child${more}}}`;
  const granted = (workflow: string, holds: string[] = []): Command => {
    const machine = Machine.create(planOf(limited(LIMIT, workflow)), '1', START);
    const caller = {
      executionId: '9',
      taskRunId: 't',
      depth: 1,
      iter: null,
      ...(holds.length > 0 && { holds }),
    };
    const { commands } = machine.apply({ at: START, inputs: [{ type: 'started', payload: {}, caller }] });
    const { keeper } = requestIn(commands);
    const id = (commands.find(isRequest) as Extract<Command, { type: 'runTask' }>).call.task_run_id;
    const inputs: Input[] = [
      settled(id),
      { type: 'limitAnswered', answer: { keeper, execution: '1', type: 'granted' } },
    ];
    return machine.apply({ at: START + 1, inputs }).commands.find(({ type }) => type === 'runPlaybook')!;
  };
  const keeper = keeperId({ of: 'concurrency', scope: 'test/test', key: 'a' });

  it('that it and its callers hold are told to those that it waits for', () => {
    expect(granted(call())).toMatchObject({ caller: { holds: [keeper] } });
    expect(granted(call(), ['other'])).toMatchObject({ caller: { holds: ['other', keeper] } });
    expect(granted(call(', wait: false'), ['other'])).not.toHaveProperty('caller.holds');
    expect(begun('pool: default', {}, call()).commands[0]).not.toHaveProperty('caller.holds');
    expect(begun('pool: default', {}, call()).commands[0]).not.toHaveProperty('caller.calls');
  });
});

describe('parameters of a statement that are undefined', () => {
  const notes = (tool: string): Json[] => {
    const { events } = simulate(playbookOf(`\n- step: start\n  tool: {name: q, ${tool}}`), {
      mocks: { q: null, start: null },
    });
    return events
      .filter(({ event_type }) => event_type === 'step.note')
      .map(({ payload }) => payload['message']!);
  };

  it('are a note that names them all; other kinds have none', () => {
    const sql = (params: string): string =>
      `kind: postgres, auth: a, query: "SELECT :a", params: {${params}}`;
    expect(notes(sql('a: "{{ nope }}", b: "{{ never.x }}", c: 1'))).toEqual([
      expect.stringMatching(/^parameters of task \w+ are undefined, and become NULL: .*nope.*, .*never/),
    ]);
    expect(notes(sql('a: "{{ workload }}"'))).toEqual([]);
    expect(notes('kind: postgres, auth: a, query: "SELECT 1"')).toEqual([]);
    expect(notes('kind: http, url: "https://example.com", params: {a: "{{ nope }}"}')).toEqual([]);
  });
});
