import { httpError, httpOk, ok, planOf, playbookOf } from '../../../test/support/simulator';
import { type Outcome, type TaskCall } from '../../language/plan';
import { type SimulateOptions } from '../drive';
import { recordSimulation } from '../../../test/support/recorded-simulation';
import { readRecording, type Recording } from './recording';
import { verdictOn } from './verify';
import { type WhatIf, whatIf } from './what-if';
import { type AnewOptions } from './decide-anew';

type Answer = (call: TaskCall) => Outcome;

/** The recording of a run whose every call takes a second. */
function recorded(yaml: string, answer: Answer, options: SimulateOptions = {}): Recording {
  const world = { answer: (call: TaskCall) => ({ outcome: answer(call), after: 1000 }) };
  return recordSimulation(planOf(yaml), world, options).recording;
}

function ask(recording: Recording, yaml: string, options?: AnewOptions): WhatIf {
  return whatIf(recording, planOf(yaml), options).result;
}

const fetching = (url: string, attempts = 3, delay = 1): string =>
  playbookOf(`
- step: start
  tool:
    kind: http
    url: ${url}
    spec: {policy: {rules: [{when: "{{ output.status == 'error' }}", then: {do: retry, attempts: ${attempts}, delay: ${delay}}}]}}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop, input: {got: "{{ start.data }}"}}`);

/** Fails until the attempt of that number. */
const after =
  (attempt: number): Answer =>
  (call) =>
    call.attempt < attempt ? httpError(503) : httpOk(call.attempt);

test('an unchanged playbook does the same at the same moments', () => {
  const yaml = fetching('http://x');
  expect(ask(recorded(yaml, after(3)), yaml)).toMatchObject({
    verdict: 'same',
    status: 'completed',
    result: { got: 3 },
    elapsed_ms: 5000,
    differences: [],
    unanswered: [],
  });
});

test('another delay is the same with other timing', () => {
  const recording = recorded(fetching('http://x'), after(2));
  expect(ask(recording, fetching('http://x', 3, 60))).toMatchObject({
    verdict: 'timing',
    timing: { what: 'call start#1~1@2', recorded_ms: 2000, now_ms: 61_000 },
    elapsed_ms: 62_000,
  });
});

test('one attempt more is a decision that the recording cannot answer', () => {
  const recording = recorded(fetching('http://x', 2), after(9));
  const found = ask(recording, fetching('http://x', 3));
  expect(found).toMatchObject({ verdict: 'decision', status: 'waiting' });
  expect(found.differences[0]).toMatchObject({
    what: 'directive start#1~1@2',
    recorded: 'fail',
    now: 'retry',
    recorded_at: { file: 'test.yaml', line: 11 },
    now_at: { file: 'test.yaml', line: 11 },
  });
  expect(found.unanswered).toMatchObject([{ call: 'start#1~1@3', why: 'new' }]);
});

test('a changed call is shown with its member, its values and lines; answers can be supplied', () => {
  const recording = recorded(fetching('http://x/{{ workload.a | default(1) }}'), after(1));
  const now = fetching('http://y/{{ workload.a | default(1) }}');
  const found = ask(recording, now);
  expect(found).toMatchObject({ verdict: 'call', status: 'waiting' });
  expect(found.unanswered).toEqual([
    {
      call: 'start#1~1@1',
      step: 'start',
      task: 'start_task',
      kind: 'http',
      why: 'changed',
      reason: expect.any(String) as string,
      path: 'config.url',
      recorded: 'http://x/1',
      now: 'http://y/1',
      at: { file: 'test.yaml', line: 10, column: 10 },
    },
  ]);
  const otherwise = () => ({ outcome: httpOk('new'), after: 0 });
  expect(ask(recording, now, { supplied: { otherwise } })).toMatchObject({ result: { got: 'new' } });
  expect(ask(recording, now, { supplied: { instead: () => 'recorded' } })).toMatchObject({
    verdict: 'call',
    result: { got: 1 },
    unanswered: [],
  });
  expect(ask(recording, now, { payload: { a: 2 } }).unanswered).toMatchObject([{ now: 'http://y/2' }]);
});

const looping = (items: string): string =>
  playbookOf(`
- step: start
  loop: {in: "{{ ${items} }}", iterator: n}
  tool: {kind: http, url: "http://x/{{ iter.n }}"}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop, input: {all: "{{ start.results }}"}}`);

test('calls that only come in another order are answered by what they ask', () => {
  const recording = recorded(looping('[1, 2, 3]'), (call) => httpOk(String(call.config['url'])));
  const found = ask(recording, looping('[3, 1, 2]'));
  expect(found).toMatchObject({ status: 'completed', unanswered: [] });
  expect(JSON.stringify(found.result)).toMatch(/x\/3.*x\/1.*x\/2/);
  expect(found.moved).toEqual([
    { call: 'start#1[0]~1@1', from: 'start#1[2]~1@1' },
    { call: 'start#1[1]~1@1', from: 'start#1[0]~1@1' },
    { call: 'start#1[2]~1@1', from: 'start#1[1]~1@1' },
  ]);
});

const waiting = (delay: number): string =>
  playbookOf(`
- step: start
  tool:
    kind: http
    url: http://x
    spec: {policy: {rules: [{when: "{{ output.status == 'error' }}", then: {do: retry, attempts: 3, delay: ${delay}}}]}}
  next: {arcs: [{step: ask}]}
- step: ask
  tool: {kind: wait, event: go, timeout: 10s}
  next: {arcs: [{step: end, when: "{{ event.name == 'step.done' }}"}, {step: late, when: "{{ event.name == 'step.failed' }}"}]}
- step: late
  tool: {kind: noop, input: {went: late}}
- step: end
  tool: {kind: noop, input: {went: "{{ ask }}"}}`);

test('an event comes as long after what preceded it as it did', () => {
  const messages = [{ after: 8000, input: { type: 'externalEvent', name: 'go', payload: 'now' } as const }];
  const recording = recorded(waiting(1), after(2), { messages });
  const found = ask(recording, waiting(100));
  // 1 s, a delay of 100 s, 1 s, and the event 5 s later.
  expect(found).toMatchObject({ verdict: 'timing', result: { went: 'now' }, elapsed_ms: 107_000 });
});

test('what nothing read and history omits is not answerable, never guessed', () => {
  const reading = (name: string): string =>
    playbookOf(`
- step: start
  tool: {kind: http, url: http://x}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop, input: {got: "{{ start.${name} }}"}}`);
  const lean = { ...httpOk(7), result: { status_code: 200, data: 7 }, meta: { not_recorded: true } };
  const recording = recorded(reading('data'), () => lean);
  expect(ask(recording, reading('data'))).toMatchObject({ verdict: 'same' });
  expect(ask(recording, reading('headers'))).toMatchObject({
    verdict: 'unanswerable',
    status: 'waiting',
    unanswered: [{ why: 'not recorded', parts: ['headers'] }],
  });
});

test('a call that has less time than its answer took is not answerable', () => {
  const within = (seconds: number): string =>
    playbookOf(`\n- step: start\n  tool: {kind: http, url: http://x, timeout: ${seconds}}`);
  const recording = recorded(within(30), () => httpOk(1));
  expect(ask(recording, within(20))).toMatchObject({ verdict: 'same', status: 'completed' });
  expect(ask(recording, within(0.5))).toMatchObject({ status: 'waiting', unanswered: [{ why: 'too late' }] });
});

const racing = (mode: string): string =>
  playbookOf(`
- step: start
  spec: {policy: {failure: {mode: ${mode}}}}
  loop: {in: [1, 2], iterator: n, spec: {mode: parallel}}
  tool: {kind: http, url: "http://x/{{ iter.n }}"}`);

test('a call that the recorded run cancelled is answered only if it is cancelled again', () => {
  const world = {
    answer: (call: TaskCall) =>
      call.iteration === 0 ? { outcome: httpError(500), after: 1000 } : { outcome: httpOk(2), after: 5000 },
  };
  const { recording } = recordSimulation(planOf(racing('fail_fast')), world);
  expect(ask(recording, racing('fail_fast'))).toMatchObject({ verdict: 'same', status: 'failed' });
  expect(ask(recording, racing('best_effort'))).toMatchObject({
    status: 'waiting',
    unanswered: [{ call: 'start#1[1]~1@1', why: 'cancelled' }],
  });
});

test('a message that came with the start comes with the start: a run may begin paused', () => {
  const yaml = fetching('http://x');
  const options: SimulateOptions = {
    first: [
      { type: 'paused' },
      { type: 'started', payload: {} },
      { type: 'variablesSet', variables: { a: 1 } },
    ],
    messages: [{ after: 5_000, input: { type: 'resumed' } }],
  };
  const recording = recorded(yaml, after(2), options);
  expect(recording.calls.get('start#1~1@1')!.requestedAt - recording.startedAt).toBe(5_000);
  expect(ask(recording, yaml)).toMatchObject({ verdict: 'same', elapsed_ms: 8_000, differences: [] });
  expect(verdictOn(recording, planOf(yaml)).kind).toBe('same');
});

test('a run that is still going on is the same so far', () => {
  const yaml = fetching('http://x');
  const recording = recordSimulation(planOf(yaml), { answer: () => undefined }).recording;
  expect(ask(recording, yaml)).toMatchObject({ status: 'waiting', differences: [] });
  expect(verdictOn(recording, planOf(yaml))).toMatchObject({ kind: 'same' });
  expect(ask(recording, fetching('http://y'))).toMatchObject({ verdict: 'call' });
});

test('tasks with other names are the same, also in the ids they pass on', () => {
  const named = (name: string): string =>
    playbookOf(`
- step: start
  tool:
    - {name: ${name}, kind: http, url: http://x, input: {key: "{{ _task_run_id | default(1) }}"}}
    - {name: last, kind: noop, input: {got: "{{ ${name}.data }}"}}`);
  const recording = recorded(named('fetch'), () => httpOk(1));
  expect(ask(recording, named('get'))).toMatchObject({ verdict: 'same', result: { got: 1 } });
});

test("a step's only tool is the same with a name and without, also in its ids", () => {
  const only = (tool: string): string =>
    playbookOf(`
- step: start
  loop: {in: [1, 2], iterator: one}
  tool: ${tool}
  next: {arcs: [{step: after}]}
- step: after
  tool: {kind: noop, input: {got: "{{ start }}"}}`);
  const fields = 'kind: http, url: "http://x/{{ _task_run_id | default(1) }}"';
  const [named, unnamed] = [only(`[{name: fetch, ${fields}}]`), only(`{${fields}}`)];
  for (const [was, is] of [
    [named, unnamed],
    [unnamed, named],
  ] as const) {
    const recording = recorded(was, () => httpOk(1));
    expect([...recording.calls.keys()][0]).toBe(was === named ? 'start#1[0].fetch~1@1' : 'start#1[0]~1@1');
    expect(ask(recording, is)).toMatchObject({ verdict: 'same', differences: [] });
  }
});

describe('steps with other names', () => {
  const named = (first: string, second: string, more = ''): string =>
    playbookOf(`
- step: start
  tool: {kind: noop}
  next: {arcs: [{step: ${first}, args: {n: 1}}]}
- step: ${first}
  loop: {in: [1, 2], iterator: one}
  tool: {kind: http, url: "http://x/{{ iter.one }}", input: {key: "{{ _task_run_id | default(1) }}"}}
  next:
    arcs:
      - {step: ${second}, when: "{{ event.name == 'step.failed' }}"}
      - {step: ${second}, when: "{{ ${first} | length == 2 }}", args: {got: "{{ ${first} }}"}}
- step: ${second}
  tool: {kind: noop, input: {got: "{{ ${first} }}"}}${more}`);
  const recording = recorded(named('fetch', 'last'), () => httpOk(1));

  test('are the same, also in ids, arcs and arguments', () => {
    expect(ask(recording, named('get', 'done'))).toMatchObject({ verdict: 'same', differences: [] });
    expect(ask(recording, named('last', 'fetch')).verdict).not.toBe('same');
  });

  test('but what they do is compared', () => {
    const other = named('get', 'done').replace('http://x/', 'http://y/');
    expect(ask(recording, other)).toMatchObject({ verdict: 'call' });
    const failing = named('get', 'done').replace("'step.failed'", "'step.done'");
    expect(ask(recording, failing)).toMatchObject({ verdict: 'decision' });
  });

  test('errors name them', () => {
    const failed = recorded(named('fetch', 'last').replace('step.failed', 'step.never'), () =>
      httpError(500),
    );
    const now = named('get', 'done').replace('step.failed', 'step.never');
    expect(ask(failed, now)).toMatchObject({ verdict: 'same', status: 'failed' });
  });

  test('a step more is one', () => {
    const more = named(
      'get',
      'done',
      '\n  next: {arcs: [{step: extra}]}\n- step: extra\n  tool: {kind: noop}',
    );
    expect(ask(recording, more)).toMatchObject({ verdict: 'decision' });
  });
});

test('a plan that this release cannot run is not answerable', () => {
  const yaml = fetching('http://x');
  const plan = { ...planOf(yaml), engineVersion: 99 };
  expect(verdictOn(recorded(yaml, after(1)), plan)).toMatchObject({
    kind: 'unanswerable',
    finding: { cause: expect.stringMatching(/engine version 99/) as string },
  });
});

test('a history without a run is refused', async () => {
  const none = (async function* () {})();
  await expect(readRecording(none)).rejects.toMatchObject({ code: 'HISTORY' });
});

test('sub-playbooks answer as they did', () => {
  const yaml = playbookOf(`\n- step: start\n  tool: {kind: playbook, path: lib/child, input: {n: 1}}`);
  const recording = recorded(yaml, () => ok({ done: true }));
  expect(ask(recording, yaml)).toMatchObject({ verdict: 'same', status: 'completed' });
  expect(ask(recording, yaml.replace('n: 1', 'n: 2'))).toMatchObject({
    verdict: 'call',
    unanswered: [{ path: 'input.n', recorded: 1, now: 2 }],
  });
});

describe.each(['inline', 'distributed', 'local'])('a loop over claimed rows, %s', (exec) => {
  const cursor = (slots: number, rows = 3, more = ''): string =>
    playbookOf(`
- step: start
  loop:
    cursor: {kind: postgres, auth: pg, claim: "take {{ __frame_max_rows }} RETURNING id"}
    iterator: row
    spec: {mode: cursor, max_in_flight: ${slots}, frame: {max_rows: ${rows}}, policy: {exec: ${exec}}}
  tool: {kind: python, input: {id: "{{ row.id }}"}, code: "result = 1"${more}}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop, input: {stats: "{{ start.stats }}"}}`);
  const done = { stats: { total: 10, success: 10, failed: 0, not_started: 0, frames: 4 } };
  const run = (): Recording => {
    let next = 0;
    return recorded(cursor(2), (call) => {
      if (call.task !== 'start_claim') return ok(call.input['id']!);
      const rows = Array.from({ length: Math.min(3, 10 - next) }, () => ({ id: next++ }));
      return ok({ rows, row_count: rows.length, columns: ['id'] });
    });
  };

  test('does the same with the same claims', () => {
    expect(ask(run(), cursor(2))).toMatchObject({ verdict: 'same', result: done });
    const found = ask(run(), cursor(2, 3, ', set: {iter.a: 1}'));
    expect(found).toMatchObject({ status: 'completed', result: done, unanswered: [] });
  });

  test('claims by more slots what it claimed by fewer, and then nothing', () => {
    expect(ask(run(), cursor(4))).toMatchObject({ status: 'completed', result: done, unanswered: [] });
  });

  test('cannot claim other rows', () => {
    expect(ask(run(), cursor(2, 4))).toMatchObject({
      status: 'waiting',
      unanswered: [{ why: 'changed', path: 'config.command' }, {}],
    });
  });
});
