/** `case` on a step with a loop: iterations, choices, and the boundary. */
import { runChecked as run } from '../../../../test/support/checked';
import { httpError, playbookOf, simulate } from '../../../../test/support/simulator';

describe('case in a loop', () => {
  const loop = (rules: string, mode = 'sequential', more = ''): string => `
- step: start
  loop: {in: [1, 2, 3, 4], iterator: n, mode: ${mode}}
  tool: {kind: python, args: {n: "{{ n }}"}, code: "result = n"}
${more}  case:
${rules}
  next: b
- step: b
  tool: {kind: noop, args: {all: "{{ start }}"}}
- step: c
  tool: {kind: noop, args: {args: "{{ args }}"}}`;
  const same = {
    'start/start_task': (call: { input: { [key: string]: unknown } }) => call.input['n'] as number,
  };

  it('asks about each call, and about the exit once at the boundary with the loop as result', () => {
    const { state } = run(
      loop(`
    - when: "{{ event.name == 'call.done' }}"
      then: {set: {calls: "{{ (ctx.calls | default(0)) + 1 }}"}}
    - when: "{{ event.name == 'loop.done' }}"
      then: {set: {whole: "{{ result }}", n: "{{ response.count }}", item: "{{ n is defined }}"}, next: [{step: c, args: {first: "{{ start[0] }}"}}]}`),
      { mocks: same },
    );
    expect(state.ctx).toEqual({
      calls: 4,
      whole: {
        results: [1, 2, 3, 4],
        count: 4,
        stats: { total: 4, success: 4, failed: 0, not_started: 0 },
      },
      n: 4,
      item: true,
    });
    expect(state.executed).toEqual(['start', 'c']);
  });

  it('a step.exit rule that stores does so per iteration and moves once at the boundary', () => {
    const { calls, state } = run(
      loop(`
    - when: "{{ event.name == 'step.exit' }}"
      then: {sink: {tool: {kind: python, code: "result = 1"}, args: {row: "{{ result }}", n: "{{ n }}"}}, set: {stored: "{{ (ctx.stored | default(0)) + 1 }}"}, next: [{step: c}]}`),
      { mocks: same },
    );
    expect(calls.filter((call) => call.task === 'start_sink').map((call) => call.input)).toEqual(
      [1, 2, 3, 4].map((n) => ({ row: n, n })),
    );
    expect([state.executed, state.ctx]).toEqual([['start', 'c'], { stored: 4 }]);
  });

  it.each([
    ['every iteration', [1, 2, 3, 4], 'b'],
    ['one iteration', [2], 'c'],
  ])(
    'a rule whose sink fails in %s is not asked again: its move is taken where the sink stored',
    (_, bad, next) => {
      const { state } = run(
        loop(
          `
    - when: "{{ event.name == 'step.exit' }}"
      then: {sink: {tool: {kind: python, code: "result = 1"}, args: {n: "{{ n }}"}}, next: [{step: c}]}`,
          'sequential',
          '  spec: {policy: {failure: {mode: best_effort}}}\n',
        ),
        {
          mocks: {
            ...same,
            'start/start_sink': ({ input }) => (bad.includes(input['n'] as number) ? httpError(503) : 1),
          },
        },
      );
      expect(state.results['start']).toMatchObject({ success: 4 - bad.length, failed: bad.length });
      expect(state.executed).toEqual(['start', next]);
    },
  );

  it.each(['sequential', 'parallel'])(
    'next in iterations of a %s loop: all run, then each target fires once, in the order of the rules',
    (mode) => {
      const { calls, state } = run(
        loop(
          `
    - when: "{{ event.name == 'call.done' and response == 4 }}"
      then: {next: [{step: c, args: {all: "{{ result.count }}", of: four}}]}
    - when: "{{ event.name == 'call.done' and response > 1 }}"
      then: {next: [{step: c, args: {of: others}}]}
    - when: "{{ event.name == 'loop.done' }}"
      then: {set: {ended: true}, next: [{step: b}]}`,
          mode,
        ),
        { mocks: same, choose: (n) => Math.min(1, n - 1) },
      );
      expect(state.executed).toEqual(['start', 'c', 'b']);
      expect(state.ctx).toEqual({ ended: true });
      expect(calls.length).toBe(4);
      expect(state.results['start']).toMatchObject({ status: 'ok', success: 4, failed: 0 });
      expect(state.results['c']).toMatchObject({
        last: { outcome: { result: { args: { all: 4, of: 'four' } } } },
      });
    },
  );

  it('a choice replaces the structural next; an empty loop has boundary rules, then the structural next', () => {
    const rules = `
    - when: "{{ event.name == 'call.done' }}"
      then: {next: [{step: c}]}`;
    expect(run(loop(rules), { mocks: same }).state.executed).toEqual(['start', 'c']);
    const empty = loop(rules).replace('[1, 2, 3, 4]', '[]');
    expect(run(empty).state.executed).toEqual(['start', 'b']);
    const bounded = empty.replace(
      '  next: b',
      `    - when: "{{ event.name == 'loop.done' }}"\n      then: {next: [{step: c}]}\n  next: b`,
    );
    expect(run(bounded).state.executed).toEqual(['start', 'c']);
  });

  it('a choice does not fire when the loop fails; one that answers the failure does, and the loop ends with a note', () => {
    const mocks = {
      'start/start_task': (call: { input: { [key: string]: unknown } }) =>
        call.input['n'] === 2 ? httpError(500) : (call.input['n'] as number),
    };
    const chosen = `
    - when: "{{ event.name == 'call.done' }}"
      then: {next: [{step: c}]}`;
    const failed = run(loop(chosen), { mocks });
    expect([failed.end, failed.state.executed]).toEqual(['fail', ['start']]);
    const answered = `${chosen}
    - when: "{{ event.name == 'call.error' }}"
      then: {next: [{step: b}]}`;
    const { end, state, calls } = run(loop(answered), { mocks });
    expect([end, state.executed, calls.length]).toEqual(['complete', ['start', 'b'], 2]);
    expect(state.notes).toMatchObject({ count: 1, kept: [{ code: 'LOOP_ENDED_EARLY', step: 'start' }] });
    const effort = run(loop(answered, 'sequential', '  spec: {failure: {mode: best_effort}}\n'), { mocks });
    expect([effort.state.executed, effort.calls.length]).toEqual([['start', 'c', 'b'], 4]);
  });

  it('a rule that held in an iteration is not asked at the boundary; one of the boundary decides beside it', () => {
    const { state, calls } = run(
      loop(`
    - when: "{{ event.name == 'step.exit' }}"
      then: {sink: {tool: {kind: python, code: "result = 1"}, args: {n: "{{ n }}"}}}
    - when: "{{ event.name == 'loop.done' }}"
      then: {next: [{step: c}]}`),
      { mocks: same },
    );
    expect(calls.filter((call) => call.task === 'start_sink').length).toBe(4);
    expect(state.executed).toEqual(['start', 'c']);
  });

  it.each(['sequential', 'parallel'])(
    'end_loop ends a %s loop early: what is in flight is cancelled, what never started is counted and noted',
    (mode) => {
      const { calls, state, events } = run(
        loop(
          `
    - when: "{{ event.name == 'call.done' and response == 2 }}"
      then: {end_loop: true, next: [{step: c}]}
    - when: "{{ event.name == 'loop.done' }}"
      then: {set: {ended: true}}`,
          mode,
        ),
        { mocks: same, choose: (n) => Math.min(1, n - 1) },
      );
      expect(state.executed).toEqual(['start', 'c']);
      expect(state.ctx).toEqual({ ended: true });
      expect(calls.length).toBe(mode === 'sequential' ? 2 : 4);
      expect(state.results['start']).toMatchObject({ status: 'ok', failed: 0 });
      expect(state.notes?.kept.map(({ message }) => message) ?? []).toEqual(
        mode === 'sequential'
          ? ['the loop ended early: 2 of its 4 iterations never started']
          : ['the loop ended early: 0 of its 4 iterations never started, and 3 were cancelled'],
      );
      const cancelled = events.filter(
        ({ event_type, status }) => event_type === 'loop.iteration.failed' && status === 'cancelled',
      );
      expect(cancelled.length).toBe(mode === 'sequential' ? 0 : 3);
    },
  );

  it('collects of a parallel loop merge in the order of the items and are no conflict', () => {
    const playbook = playbookOf(
      loop(
        `
    - when: "{{ event.name == 'call.done' }}"
      then: {collect: {from: "[response, response * 10]", into: all, mode: extend}}`,
        'parallel',
      ),
    );
    for (const choose of [() => 0, (n: number) => n - 1, (n: number) => Math.floor(n / 2)]) {
      const { state, end } = simulate(playbook, { mocks: same, choose, persist: true });
      expect([end, state.ctx]).toEqual(['complete', { all: [1, 10, 2, 20, 3, 30, 4, 40] }]);
    }
  });

  it('a failed iteration stops the loop, whose exit sees it; best_effort counts it', () => {
    const mocks = {
      'start/start_task': (call: { input: { [key: string]: unknown } }) =>
        call.input['n'] === 2 ? httpError(500) : (call.input['n'] as number),
    };
    const rules = `
    - when: "{{ event.name == 'step.failed' }}"
      then: {set: {seen: "{{ error.code }}"}, next: [{step: c}]}`;
    const { calls, state } = run(loop(rules), { mocks });
    expect([calls.length, state.ctx, state.executed]).toEqual([2, { seen: 'HTTP_500' }, ['start', 'c']]);
    const effort = run(loop(rules, 'sequential', '  spec: {failure: {mode: best_effort}}\n'), { mocks });
    expect(effort.state.results['start']).toMatchObject({
      status: 'ok',
      results: [1, null, 3, 4],
      failed: 1,
    });
  });

  it('skip leaves an iteration out, fail fails it', () => {
    const { state } = run(
      loop(`
    - when: "{{ event.name == 'call.done' and response == 2 }}"
      then: {skip: true}`),
      { mocks: same },
    );
    expect(state.results['start']).toMatchObject({ results: [1, null, 3, 4], success: 4 });
    const failed = run(
      loop(`
    - when: "{{ event.name == 'call.done' and response == 2 }}"
      then: {fail: two}`),
      { mocks: same },
    );
    expect(failed.error).toMatchObject({ code: 'RULE_FAIL', message: 'two', iteration: 1 });
  });

  it('never uses a task run id twice: the sinks of ENTER and EXIT are visits of one count', () => {
    const { calls } = run(
      loop(`
    - when: "{{ event.name == 'step.enter' }}"
      then: {sink: {name: note, tool: {kind: python, code: "result = 1"}}}
    - when: "{{ event.name == 'loop.done' }}"
      then: {sink: {name: note2, tool: {kind: python, code: "result = 1"}}}`),
      { mocks: same },
    );
    const ids = calls.map((call) => call.task_run_id);
    expect(new Set(ids).size).toBe(ids.length);
    expect([ids[0], ids.at(-1)]).toEqual(['start#1.note~1@1', 'start#1.note2~1@1']);
  });
});
