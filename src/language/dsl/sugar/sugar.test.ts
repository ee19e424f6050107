import fs from 'node:fs';
import path from 'node:path';
import { httpOk, ok, playbookOf, simulate } from '../../../../test/support/simulator';
import { compile } from '../compile';

/** The tasks of a step `start`, as the list under its `tool`. */
function pipeline(tool: string, more = ''): string {
  const lines = tool.replace(/^\n/, '').split('\n');
  const indent = /^ */.exec(lines[0]!)![0].length;
  const body = lines.map((line) => `    ${line.slice(indent)}`).join('\n');
  return playbookOf(`- step: start\n  tool:\n${body}\n${more}`, 'workload: {x: 1, list: [1, 2, 3]}');
}

function plan(text: string): NonNullable<ReturnType<typeof compile>['plan']> {
  const { plan: made, diagnostics } = compile(text);
  expect(diagnostics).toEqual([]);
  return made!;
}

function namesOf(text: string): string[] {
  return plan(text).steps[0]!.tasks.map((task) => task.name);
}

function errorsOf(text: string): { code: string; line: number; message: string }[] {
  return compile(text).diagnostics.map(({ code, line, message }) => ({ code, line, message }));
}

/** The author's tasks, in the order in which they ran. */
function ran(simulation: ReturnType<typeof simulate>): string[] {
  return simulation.calls.map((call) => call.task);
}

describe('choose', () => {
  const text = pipeline(`
    - { name: before, kind: python, code: pass }
    - choose:
        - when: "{{ workload.x == 1 }}"
          then:
            - { name: one, kind: python, code: pass }
            - { name: uno, kind: python, code: pass }
        - when: "{{ workload.x == 2 }}"
          then:
            - { name: two, kind: python, code: pass }
        - else:
            - { name: many, kind: python, code: pass }
    - { name: after, kind: python, code: pass }`);

  test.each([
    [1, ['before', 'one', 'uno', 'after']],
    [2, ['before', 'two', 'after']],
    [3, ['before', 'many', 'after']],
  ])('with x = %d only its branch runs, and all meet behind it', (x, tasks) => {
    const run = simulate(text, { payload: { x } });
    expect(ran(run)).toEqual(tasks);
    expect(run.end).toBe('complete');
  });

  test('labels follow from the place, and routers run inside of the workflow', () => {
    expect(namesOf(text)).toEqual([
      'before',
      'choose_1',
      'one',
      'uno',
      'choose_1_when_1_end',
      'two',
      'choose_1_when_2_end',
      'many',
      'after',
    ]);
    const { tasks } = plan(text).steps[0]!;
    const generated = tasks.filter((task) => task.sugar?.generated);
    expect(generated.map((task) => task.kind)).toEqual(['noop', 'noop', 'noop']);
  });

  test('the plan says for every task which branch of which construct it stands in', () => {
    const { tasks } = plan(text).steps[0]!;
    expect(tasks.map((task) => task.sugar?.branch)).toEqual([
      undefined,
      undefined,
      1,
      1,
      1,
      2,
      2,
      3,
      undefined,
    ]);
    expect(tasks[2]!.sugar).toEqual({ construct: 'choose', at: [9, 7], branch: 1 });
    expect(tasks[1]!.sugar).toEqual({ construct: 'choose', at: [9, 7], generated: true });
    expect(tasks[0]!.sugar).toBeUndefined();
  });

  test('without else, nothing runs when nothing matches', () => {
    const bare = pipeline(`
      - choose:
          - when: "{{ workload.x == 2 }}"
            then: [{ kind: python, code: pass }]
      - { name: after, kind: python, code: pass }`);
    expect(ran(simulate(bare))).toEqual(['after']);
    expect(ran(simulate(bare, { payload: { x: 2 } }))).toEqual(['choose_1_when_1_task_0', 'after']);
  });

  describe('at the end of the pipeline', () => {
    const last = pipeline(`
      - choose:
          - when: "{{ workload.x == 1 }}"
            then:
              - name: one
                kind: http
                url: http://x
                spec:
                  policy:
                    rules:
                      - when: "{{ output.status == 'error' }}"
                        then: { do: retry, attempts: 2, delay: 0 }
          - else: [{ name: other, kind: python, code: pass }]`);

    test('the last task of a branch gives the result', () => {
      expect(simulate(last, { mocks: { one: 7 } })).toMatchObject({ end: 'complete', result: 7 });
      const other = simulate(last, { payload: { x: 2 }, mocks: { other: 8 } });
      expect([ran(other), other.result]).toEqual([['other'], 8]);
    });

    test('retries that are used up still fail', () => {
      const failing = {
        status: 'error',
        result: null,
        error: { kind: 'server_error', code: 'X', message: 'm' },
        meta: {},
      };
      const run = simulate(last, { mocks: { one: failing as never } });
      expect([run.end, ran(run)]).toEqual(['fail', ['one', 'one']]);
    });

    test('a failure of a task without rules fails the step', () => {
      const two = pipeline(`
        - choose:
            - when: true
              then: [{ name: one, kind: python, code: pass }]
            - else: [{ name: other, kind: python, code: pass }]`);
      const failing = {
        status: 'error',
        result: null,
        error: { kind: 'exception', code: 'X', message: 'm' },
        meta: {},
      };
      const run = simulate(two.replace('when: true', 'when: "{{ workload.x == 1 }}"'), {
        mocks: { one: failing as never },
      });
      expect([run.end, run.error?.message]).toEqual(['fail', 'm']);
    });
  });
});

describe('while', () => {
  const text = pipeline(`
    - { name: begin, kind: noop, set: { n: 0 } }
    - while:
        when: "{{ n < workload.x }}"
        do:
          - { name: turn, kind: python, code: pass, set: { n: "{{ n + 1 }}" } }
    - { name: after, kind: python, code: pass }`);

  test.each([0, 1, 5])('runs its tasks %d times', (x) => {
    const run = simulate(text, { payload: { x } });
    expect(ran(run)).toEqual([...Array.from({ length: x }, () => 'turn'), 'after']);
  });

  test('more turns than max fail the step', () => {
    const bounded = text.replace('        do:', '        max: 3\n        do:');
    expect(namesOf(bounded)).toContain('while_1_count');
    expect(ran(simulate(bounded, { payload: { x: 3 } }))).toEqual(['turn', 'turn', 'turn', 'after']);
    const run = simulate(bounded, { payload: { x: 4 } });
    expect([run.end, run.error?.task]).toEqual(['fail', 'while_1_count']);
  });

  test('without max the limit of the execution ends it', () => {
    const endless = text
      .replace('n < workload.x', 'true')
      .replace('workflow:', 'executor: { spec: { policy: { limits: { max_task_visits: 50 } } } }\nworkflow:');
    expect(simulate(endless)).toMatchObject({ end: 'fail', error: { code: 'RUNAWAY_TASK' } });
  });
});

describe('until', () => {
  const text = pipeline(`
    - name: pages
      until:
        do:
          - { name: fetch, kind: python, code: pass }
        when: "{{ fetch.last }}"
        max: "{{ workload.x }}"
    - { name: after, kind: python, code: pass }`);

  test('runs at least once, and stops when the condition holds', () => {
    const mocks = { fetch: { sequence: [ok({ last: false }), ok({ last: true })] } };
    expect(ran(simulate(text, { payload: { x: 9 }, mocks }))).toEqual(['fetch', 'fetch', 'after']);
    expect(ran(simulate(text, { mocks: { fetch: { last: true } } }))).toEqual(['fetch', 'after']);
  });

  test('max may be an expression', () => {
    const run = simulate(text, { payload: { x: 2 }, mocks: { fetch: { last: false } } });
    expect([run.end, ran(run), run.error?.task]).toEqual(['fail', ['fetch', 'fetch'], 'pages_count']);
  });

  test('a name of its own is its label', () => {
    expect(namesOf(text)).toEqual(['pages', 'pages_count', 'fetch', 'pages_check', 'after']);
  });
});

describe('nested constructs', () => {
  const text = pipeline(`
    - { kind: noop, set: { n: 0 } }
    - while:
        when: "{{ n < 4 }}"
        do:
          - { kind: noop, set: { n: "{{ n + 1 }}", m: 0 } }
          - choose:
              - when: "{{ n == 2 }}"
                then:
                  - { name: skip, kind: python, code: pass }
              - else:
                  - until:
                      do: [{ name: inner, kind: python, code: pass, set: { m: "{{ m + 1 }}" } }]
                      when: "{{ m == n }}"
                      max: 4
                  - { name: done, kind: python, code: pass }`);

  test('every level counts for itself, and comes back to the one around it', () => {
    const times = (n: number): string[] => [...Array.from({ length: n }, () => 'inner'), 'done'];
    expect(ran(simulate(text))).toEqual([...times(1), 'skip', ...times(3), ...times(4)]);
  });

  test('state survives a restart between any two batches', () => {
    expect(ran(simulate(text, { persist: true }))).toEqual(ran(simulate(text)));
  });

  test('unnamed parts are labelled by where they stand', () => {
    expect(namesOf(text)).toEqual([
      'task_0',
      'while_1',
      'while_1_do_task_0',
      'while_1_do_choose_1',
      'skip',
      'while_1_do_choose_1_when_1_end',
      'while_1_do_choose_1_else_until_1',
      'while_1_do_choose_1_else_until_1_count',
      'inner',
      'while_1_do_choose_1_else_until_1_check',
      'done',
      'while_1_next',
    ]);
  });

  test('in a loop every iteration has its own', () => {
    const looped = text.replace(
      '  tool:',
      '  loop: { in: "{{ workload.list }}", iterator: item, spec: { mode: parallel } }\n  tool:',
    );
    expect(ran(simulate(looped)).filter((task) => task === 'skip')).toHaveLength(3);
  });
});

describe('jumps', () => {
  const jump = (to: string): string =>
    `spec: { policy: { rules: [{ else: { then: { do: jump, to: ${to} } } }] } }`;

  test('inside of a branch, and to the label of a construct beside them', () => {
    const text = pipeline(`
      - { name: a, kind: noop, set: { n: 0 } }
      - name: pick
        choose:
          - when: "{{ n == 0 }}"
            then:
              - { name: b, kind: noop, set: { n: 1 }, ${jump('d')} }
              - { name: c, kind: python, code: pass }
              - { name: d, kind: python, code: pass }
      - name: again
        kind: noop
        spec: { policy: { rules: [{ when: "{{ n == 1 }}", then: { do: jump, to: pick, set: { n: 2 } } }] } }`);
    const { plan: made, diagnostics } = compile(text);
    expect(diagnostics.map(({ code, message }) => [code, message])).toEqual([
      ['NT6005', 'no path leads to the task `c`'],
    ]);
    expect(ran(simulate(made!))).toEqual(['d']);
  });

  test.each([
    ['into a branch', 'b', 'a'],
    ['out of a branch', 'a', 'b'],
    ['to a router inside', 'choose_1_when_1_end', 'a'],
  ])('%s are errors', (_, to, from) => {
    const at = (name: string): string => (name === from ? jump(to) : 'desc: x');
    const text = pipeline(`
      - { name: a, kind: noop, ${at('a')} }
      - choose:
          - when: "{{ workload.x }}"
            then: [{ name: b, kind: noop, ${at('b')} }, { name: c, kind: noop }]
          - else: [{ name: d, kind: noop }]
      - { name: e, kind: noop }`);
    const found = errorsOf(text).filter(({ code }) => code === 'NT3004');
    expect(found).toMatchObject([{ message: `\`${to}\` is in another list of tasks than this jump` }]);
  });

  test('a branch that always leaves needs no way out, and warns of nothing', () => {
    const text = pipeline(`
      - choose:
          - when: "{{ workload.x }}"
            then: [{ name: stop, kind: noop, spec: { policy: { rules: [{ else: { then: { do: break } } }] } } }]
          - else: [{ name: go, kind: noop }]
      - { name: after, kind: python, code: pass }`);
    expect(namesOf(text)).toEqual(['choose_1', 'stop', 'go', 'after']);
  });
});

describe('mistakes', () => {
  test.each<[string, string, string, number]>([
    ['no branches', '- choose: []', 'NT2005', 8],
    ['a branch without then', '- choose: [{ when: "{{ 1 }}" }]', 'NT2005', 8],
    ['a misspelt key', '- while: { when: "{{ 1 }}", d0: [], do: [{ kind: noop }] }', 'NT2001', 8],
    ['no condition', '- while: { do: [{ kind: noop }] }', 'NT2005', 8],
    ['no tasks', '- until: { when: "{{ 1 }}", do: [] }', 'NT2005', 8],
    ['no list', '- until: 3', 'NT2003', 8],
    ['a tool without a kind in a branch', '- choose:\n    - else:\n        - { url: x }', 'NT2005', 10],
    [
      'the outcome of the router',
      '- choose: [{ when: "{{ output.status }}", then: [{ kind: noop }] }]',
      'NT3014',
      8,
    ],
    [
      'two tasks of one name',
      '- { name: a, kind: noop }\n- choose: [{ else: [{ name: a, kind: noop }] }]',
      'NT3002',
      9,
    ],
  ])('%s', (_, tool, code, line) => {
    const found = errorsOf(pipeline(tool)).filter((each) => each.code !== 'NT6005');
    expect(found).toMatchObject([{ code, line }]);
  });

  test('a task may still be labelled while', () => {
    const { plan: made } = compile(pipeline('- while: { kind: noop }'));
    expect(made?.steps[0]!.tasks.map((task) => task.name)).toEqual(['while']);
  });

  test('one construct needs no list', () => {
    const run = simulate(
      playbookOf('- step: start\n  tool: { choose: [{ else: [{ name: a, kind: python, code: pass }] }] }'),
    );
    expect(ran(run)).toEqual(['a']);
  });
});

test('the example of the documentation', () => {
  const page = fs.readFileSync(path.resolve(__dirname, '../../../../docs/sugar.md'), 'utf8');
  const text = /```yaml\n([\s\S]*?)```/.exec(page)![1]!;
  expect(compile(text).diagnostics).toEqual([]);
  const pages = [60, 60, 0].map((size, i) =>
    httpOk({ items: Array.from({ length: size }, () => 1), has_more: i < 2 }),
  );
  const run = simulate(text, { mocks: { fetch: { sequence: pages } } });
  expect(ran(run)).toEqual(['fetch', 'fetch', 'fetch', 'many']);
});
