import { diffOf } from '../../../test/support/rehearse';
import { playbookOf } from '../../../test/support/simulator';
import { EXPLODED_MS, processorMs } from '../../../test/support/processor-time';

const three = playbookOf(`
- step: start
  tool: {kind: python, input: {n: "{{ workload.n | default(1) }}"}, code: "result = n"}
  set: {ctx.total: "{{ start }}", ctx.deep: {a: 1, b: [1, 2]}}
  next: {arcs: [{step: middle}]}
- step: middle
  tool: {kind: python, input: {total: "{{ ctx.total }}"}, code: "result = total"}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop, input: {total: "{{ ctx.total }}", list: [{a: 1, b: 2}, 3]}}`);

const mocks = 'mocks: {start: 5, middle: {result: {x: 1}, duration: 3s}}\n';
const expecting = (expected: string): string => diffOf(three, `${mocks}expect: ${expected}`);

describe('what comes true says nothing', () => {
  it.each([
    '{}',
    '{status: completed}',
    '{result: {list: [{b: 2, a: 1}, 3], total: 5}}',
    '{result_includes: {list: [{a: 1}, 3]}}',
    '{ctx: {total: 5, deep: {a: 1, b: [1, 2]}}}',
    '{ctx_includes: {deep: {b: [1, 2]}}}',
    '{steps: [start, middle, end]}',
    '{steps: [start, …]}',
    '{steps: [..., end]}',
    '{steps: […, middle, …]}',
    '{steps: [start, …, middle, end, …]}',
    '{calls: {start: 1, middle: ">= 1"}}',
    '{calls: {middle: [{input: {total: 5}, config: {code: result = total}, step: middle, attempt: 1, at: 0s}]}}',
    '{calls: {middle: {first: {input: {total: 5}}, last: {attempt: 1}, each: {step: middle}, 1: {}, count: 1}}}',
    '{events: [playbook.started, {type: step.done, step: start}, {type: task.done, task: middle_task, payload: {outcome: {result: {x: 1}}}}]}',
    '{never: [step.failed, {type: step.done, step: middle, status: error}]}',
    '{elapsed: 3s}',
    '{elapsed: [">= 2s", "< 3001ms"]}',
  ])('%s', (expected) => {
    expect(expecting(expected)).toBe('');
  });

  it('and a rehearsal without expectations checks that the execution completes', () => {
    expect(diffOf(three, mocks)).toBe('');
    expect(diffOf(three, mocks.replace('5', '{error: broken}'))).toMatch(
      /^status: expected completed, got failed/,
    );
  });
});

describe('what does not come true', () => {
  it.each<[string, string]>([
    ['{status: failed}', 'status: expected failed, got completed\n  at a.rehearsal.yaml:3:18'],
    ['{error: HTTP_503}', 'status: expected failed, got completed\n  at a.rehearsal.yaml:3:10'],
    [
      '{result: {total: "5", list: [{a: 1}, 3, 4]}}',
      'result: 3 differences\n  result.total: expected "5", got 5\n  result.list[0].b: unexpected 2\n  result.list[2]: expected 4, got nothing\n  at a.rehearsal.yaml:3:26',
    ],
    [
      '{result: null}',
      'result: 1 difference\n  result: expected null, got {"total":5,"list":[{"a":1,"b":2},3]}\n  at a.rehearsal.yaml:3:18',
    ],
    [
      '{ctx: {total: 5}}',
      'ctx: 1 difference\n  ctx.deep: unexpected {"a":1,"b":[1,2]}\n  at a.rehearsal.yaml:3:15',
    ],
    [
      '{ctx_includes: {deep: {b: [1]}, "a b": 1}}',
      'ctx_includes: 2 differences\n  ctx.deep.b[1]: unexpected 2\n  ctx["a b"]: expected 1, got nothing\n  at a.rehearsal.yaml:3:35',
    ],
    [
      '{steps: [start, end]}',
      'steps: expected end after start, but middle started\n  expected start → end\n  got      start → middle → end\n  at a.rehearsal.yaml:3:25, playbook a.yaml:11:9',
    ],
    [
      '{steps: [start, middle]}',
      'steps: expected the end after middle, but end started\n  expected start → middle\n  got      start → middle → end\n  at a.rehearsal.yaml:3:17, playbook a.yaml:14:9',
    ],
    [
      '{steps: […, end, middle]}',
      'steps: expected middle after end, but no other step started\n  expected … → end → middle\n  got      start → middle → end\n  at a.rehearsal.yaml:3:26, playbook a.yaml:11:9',
    ],
    [
      '{calls: {middle: 2}}',
      'calls.middle: expected 2 calls, got 1 call\n  at a.rehearsal.yaml:3:26, playbook a.yaml:12:10',
    ],
    [
      '{calls: {middle: [{input: {total: 6}}]}}',
      'calls.middle call 1: 1 difference\n  call.input.total: expected 6, got 5\n  at a.rehearsal.yaml:3:43, playbook a.yaml:12:10',
    ],
    ['{calls: {middle: {3: {}}}}', 'calls.middle: expected a call 3, got 1 call\n  at a.rehearsal.yaml:3:30'],
    [
      '{events: [{type: step.done, step: middle}, {type: step.done, step: start}]}',
      'events: `step.done` (step start) did not occur after `step.done` (step middle)\n  `step.done` occurred 3 times:\n    step.done: step start, status success\n    step.done: step middle, status success\n    step.done: step end, status success\n  hint: it occurred before that: move it up in the list\n  at a.rehearsal.yaml:3:52',
    ],
    [
      '{never: [{type: task.done, task: start_task}]}',
      'never: `task.done` (task start_task) occurred\n  task.done: step start, task start_task, attempt 1, status success\n  at a.rehearsal.yaml:3:18',
    ],
    ['{elapsed: "> 3s"}', 'elapsed: expected > 3s, got 3 s of simulated time\n  at a.rehearsal.yaml:3:19'],
  ])('%s is told, with both places', (expected, diff) => {
    expect(expecting(expected)).toBe(diff);
  });

  it('an error is compared field by field, and its message by a part or a regular expression', () => {
    const failing = (error: string): string =>
      diffOf(
        three,
        `mocks: {start: 5, middle: {error: {status: 503, message: upstream is down}}}\nexpect: {error: ${error}}`,
      );
    expect(
      failing(
        '{code: HTTP_503, kind: server_error, message: is down, step: middle, task: middle_task, attempt: 1, line: 12}',
      ),
    ).toBe('');
    expect(failing('HTTP_503')).toBe('');
    expect(failing('{message: /^UPSTREAM .* down$/i}')).toBe('');
    expect(failing('{code: HTTP_500, message: /^down/, iteration: 0}')).toBe(
      [
        'error: another error occurred',
        '  error.code: expected HTTP_500, got HTTP_503',
        '  error.iteration: expected 0, got none',
        '  error.message: expected /^down/, got "upstream is down"',
        '  at a.rehearsal.yaml:3:24, playbook a.yaml:12:10',
      ].join('\n'),
    );
  });
});

describe('what comes from outside', () => {
  const slow = 'mocks: {start: {result: 5, duration: 10s}, middle: {result: 6, duration: 10s}}\n';

  it('pauses and resumes', () => {
    const events = 'events: [{after: 5s, pause: lunch}, {after: 1h, resume: true}]\n';
    const expected =
      'expect: {elapsed: 1h10s, calls: {middle: [{at: 1h}]}, events: [{type: playbook.paused, payload: {reason: lunch}}, playbook.resumed]}';
    expect(diffOf(three, slow + events + expected)).toBe('');
  });

  it('leaves a paused execution waiting, which can be expected', () => {
    const paused = `mocks: {start: {result: 5, duration: 10s}}\nevents: [{after: 5s, pause: true}]\n`;
    expect(diffOf(three, `${paused}expect: {status: waiting, steps: [start], calls: {middle: 0}}`)).toBe('');
    expect(diffOf(three, paused)).toBe(
      'status: expected completed, got waiting\n  it is paused; tokens are at middle\n  at a.rehearsal.yaml:1:1',
    );
  });

  it('cancels, writes and deletes variables', () => {
    expect(
      diffOf(
        three,
        `mocks: {start: {result: 5, duration: 10s}}\nevents: [{after: 5s, cancel: true}]\nexpect: {status: cancelled}`,
      ),
    ).toBe('');
    const write = `${slow}events: [{after: 15s, set: {total: 7}}, {after: 16s, delete: [deep]}]\nexpect: {result_includes: {total: 7}, ctx: {total: 7}}`;
    expect(diffOf(three, write)).toBe('');
  });

  it('too late is told: it would test nothing', () => {
    expect(diffOf(three, `${slow}events: [{after: 21s, pause: true}]`)).toContain(
      'events: the execution ended after 20 s of simulated time, before this could be delivered',
    );
  });
});

test('a year of retries takes milliseconds, and the report says how long it was', async () => {
  const patient = playbookOf(`
- step: start
  tool:
    kind: http
    url: https://x
    spec: {policy: {rules: [{when: "{{ output.status == 'error' }}", then: {do: retry, attempts: 366, delay: 86400, max_delay: 86400}}]}}`);
  const suite = 'mocks: {start: [{status: 503, repeat: 365}, done]}\nexpect: {elapsed: 365d}';
  const took = await processorMs(() => expect(diffOf(patient, suite)).toBe(''));
  expect(took).toBeLessThan(EXPLODED_MS);
});

describe('what a loop came to', () => {
  const loop = playbookOf(`
- step: start
  loop: {in: [1, 2], iterator: n}
  tool: {kind: noop, input: {n: "{{ n }}"}}`);

  it.each([
    ['[{n: 1}, {n: 2}]', ''],
    ['{results: [{n: 1}, {n: 2}], count: 2, stats: {total: 2, success: 2, failed: 0, not_started: 0}}', ''],
    ['[{n: 1}, {n: 3}]', 'result[1].n'],
    ['[{n: 1}]', 'result[1]'],
    ['{results: [{n: 1}, {n: 2}], count: 3}', 'result.count'],
  ])('is expected as %s', (expected, wrong) => {
    const told = diffOf(loop, `expect: {result: ${expected}}`);
    if (wrong === '') expect(told).toBe('');
    else expect(told).toContain(wrong);
  });
});
