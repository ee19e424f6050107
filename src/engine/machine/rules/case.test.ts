import { runChecked as run } from '../../../../test/support/checked';
import { httpError, httpOk, playbookOf, simulate } from '../../../../test/support/simulator';

/** A step `start` with an http tool and these rules, and the steps a, b and c behind it. */
const withRules = (rules: string, more = ''): string => `
- step: start
  tool: {kind: http, url: "http://x"}
${more}  case:
${rules}
- step: a
  tool: {kind: noop, args: {args: "{{ args }}"}}
- step: b
  tool: {kind: noop}
- step: c
  tool: {kind: noop}`;

const ok1 = (): ReturnType<typeof httpOk> => httpOk({ n: 1 });

describe('the moments of a step', () => {
  it('asks rules on step.enter once, before the inputs of the tool', () => {
    const { calls, state } = run(
      `
- step: start
  loop: {in: "{{ ctx.items }}", iterator: n}
  tool: {kind: python, args: {seen: "{{ ctx.entered }}"}, code: "result = 1"}
  case:
    - when: "{{ event.name == 'step.enter' }}"
      then: {set: {entered: "{{ (ctx.entered | default(0)) + 1 }}", items: [1, 2]}}`,
    );
    expect(calls.map((call) => call.input)).toEqual([{ seen: 1 }, { seen: 1 }]);
    expect(state.ctx['entered']).toBe(1);
  });

  it('next at step.enter: the tool never starts, EXIT is not asked, the result is null', () => {
    const { calls, state, end } = run(
      withRules(`
    - when: "{{ event.name == 'step.enter' and workload.skip | default(true) }}"
      then: {next: [{step: b}]}
    - when: "{{ event.name == 'step.exit' }}"
      then: {set: {exited: true}, next: [{step: c}]}`),
    );
    expect([calls, end, state.executed, state.ctx]).toEqual([[], 'complete', ['start', 'b'], {}]);
    expect(state.results['start']).toMatchObject({ status: 'ok', last: null });
  });

  const ok = httpOk({ n: 1 });
  const failed = httpError(503);
  it.each([
    ['call.done', ok, true],
    ['call.error', ok, false],
    ['step.exit', ok, true],
    ['step.done', ok, true],
    ['step.failed', ok, false],
    ['call.error', failed, true],
    ['call.done', failed, false],
    ['step.failed', failed, true],
    ['step.exit', failed, false],
  ])('%s after %j: matches %s', (name, outcome, matches) => {
    const { state } = run(
      withRules(`
    - when: "{{ event.name == '${name}' }}"
      then: {set: {matched: "{{ event.name }}"}}`),
      { mocks: { start: outcome } },
    );
    expect(state.ctx['matched'] !== undefined).toBe(matches);
  });

  it('after a failure call.done and step.exit match rules that look at the error; response is its envelope for those that test it', () => {
    const { state } = run(
      withRules(`
    - when: "{{ event.name == 'call.done' and error is defined }}"
      then: {set: {hidden: "{{ response is not defined }}", code: "{{ error.code }}"}}
    - when: "{{ event.name == 'call.error' and response.status_code == 503 }}"
      then: {set: {never: true}}
    - when: "{{ event.name == 'step.exit' and error is defined }}"
      then: {next: [{step: b}]}`),
      { mocks: { start: failed } },
    );
    expect(state.ctx).toEqual({ hidden: true, code: 'HTTP_503' });
    expect(state.executed).toEqual(['start', 'b']);
    const read = run(
      withRules(`
    - when: "{{ event.name == 'call.error' and response.status_code == 503 }}"
      then: {set: {seen: "{{ response.metadata.status_code }}"}, next: [{step: a}]}`),
      { mocks: { start: failed } },
    );
    expect(read.state.ctx).toEqual({ seen: 503 });
  });

  it('a rule on both call.done and step.exit acts once', () => {
    const { state } = run(
      withRules(`
    - when: "{{ event.name in ['step.exit', 'call.done'] }}"
      then: {set: {acts: "{{ (ctx.acts | default(0)) + 1 }}"}}`),
    );
    expect(state.ctx).toEqual({ acts: 1 });
  });

  it('a step without a tool is asked at its exit only, and answers to call.done', () => {
    const { state } = run(`
- step: start
  case:
    - when: "{{ event.name == 'call.done' }}"
      then: {set: {acts: "{{ (ctx.acts | default(0)) + 1 }}"}, next: [{step: b}]}
- step: b
  tool: {kind: noop}`);
    expect([state.ctx, state.executed]).toEqual([{ acts: 1 }, ['start', 'b']]);
  });

  it('a list of tools is one call: asked when the pipeline ended, repeated as a whole', () => {
    const { calls, events } = run(
      `
- step: start
  tool:
    - {name: one, kind: python, code: "result = 1"}
    - {name: two, kind: python, code: "result = 2"}
  case:
    - when: "{{ event.name == 'call.done' and response < 3 }}"
      then: {retry: {max_attempts: 5, initial_delay: 0}}`,
      { mocks: { two: { sequence: [1, 2, 3] } } },
    );
    expect(calls.map((call) => call.task_run_id)).toEqual(
      [1, 2, 3].flatMap((n) => [`start#1.one~${n}@1`, `start#1.two~${n}@1`]),
    );
    const asked = events.filter(({ event_type }) => event_type === 'case.evaluated');
    expect(asked.map(({ payload }) => payload['event'])).toEqual(['call.done', 'call.done', 'call.done']);
  });

  it('first match wins; with case_mode inclusive all matches act and their routes unite', () => {
    const rules = `
    - when: "{{ event.name == 'call.done' }}"
      then: {set: {one: 1}, next: [{step: a}]}
    - when: "{{ event.name == 'call.done' and response.n == 1 }}"
      then: {set: {two: "{{ ctx.one | default(0) }}"}, next: [{step: b}]}`;
    const mocks = { start: ok };
    const first = run(withRules(rules), { mocks }).state;
    expect([first.ctx, first.executed]).toEqual([{ one: 1 }, ['start', 'a']]);
    const all = run(withRules(rules, '  spec: {case_mode: inclusive}\n'), { mocks }).state;
    expect([all.ctx, all.executed]).toEqual([{ one: 1, two: 1 }, ['start', 'a', 'b']]);
  });

  it('an else behind a rule on the end waits for the end; another one belongs to the call', () => {
    const behindTheEnd = withRules(`
    - when: "{{ event.name == 'step.exit' and response.n == 1 }}"
      then: {next: [{step: a}]}
    - else: {then: {next: [{step: b}]}}`);
    const to = (workflow: string, n: number): string =>
      run(workflow, { mocks: { start: httpOk({ n }) } }).state.executed[1]!;
    expect([to(behindTheEnd, 1), to(behindTheEnd, 2)]).toEqual(['a', 'b']);
    const behindTheCall = withRules(`
    - when: "{{ event.name == 'call.done' and response.n == 1 }}"
      then: {set: {n: 1}}
    - else: {then: {next: [{step: b}]}}`).replace('- step: a', '  next: c\n- step: a');
    expect([to(behindTheCall, 1), to(behindTheCall, 2)]).toEqual(['c', 'b']);
  });

  it('a guard that cannot be evaluated fails the step with its line', () => {
    const { error, end } = run(
      withRules(`
    - when: "{{ event.name == 'call.done' and 1 / 0 }}"
      then: {next: [{step: a}]}`),
    );
    expect(end).toBe('fail');
    expect(error).toMatchObject({ step: 'start', kind: 'expression', at: [11, 49] });
  });
});

describe('actions', () => {
  it('a map is done in the order set, log, collect, result, then the move; templates see what came before', () => {
    const { state, events } = run(
      withRules(`
    - when: "{{ event.name == 'call.done' }}"
      then:
        next: [{step: a, args: {last: "{{ start }}"}}]
        result: "{{ ctx.list }}"
        collect: {from: ctx.first, into: list}
        log: "first is {{ ctx.first }}"
        set: {first: "{{ result.n }}", envelope: "{{ this.http.status }}"}`),
      { mocks: { start: httpOk({ n: 7 }, 201) } },
    );
    expect(state.ctx).toEqual({ first: 7, envelope: 201, list: [7] });
    expect(events.find(({ event_type }) => event_type === 'step.log')!.payload['message']).toBe('first is 7');
    expect(state.results['a']).toMatchObject({ last: { outcome: { result: { args: { last: [7] } } } } });
  });

  it('result replaces the payload and keeps the envelope; on a failed call the step recovers', () => {
    const { state, end } = run(
      `
- step: start
  tool: {kind: http, url: "http://x"}
  vars: {payload: "{{ result.rescued }}"}
  case:
    - when: "{{ event.name == 'call.error' }}"
      then: {result: {rescued: true}}
  next: end
- step: end
  tool: {kind: noop, args: {whole: "{{ start }}", data: "{{ start.data.rescued }}", code: "{{ start.status_code }}"}}`,
      { mocks: { start: httpError(404) } },
    );
    expect([end, state.ctx]).toEqual(['complete', { payload: true }]);
    expect(state.results['end']).toMatchObject({
      last: { outcome: { result: { whole: { rescued: true }, data: true, code: 404 } } },
    });
  });

  it('set, collect, log and sink leave a failure standing', () => {
    const { end, error, state } = run(
      withRules(`
    - when: "{{ event.name == 'call.error' }}"
      then: {set: {seen: true}, collect: {from: error.code, into: codes}, log: failed, sink: {tool: {kind: python, code: "result = 1"}, args: {code: "{{ error.code }}"}}}`),
      { mocks: { 'start/start_task': httpError(404) } },
    );
    expect([end, error!.code, state.ctx]).toEqual(['fail', 'HTTP_404', { seen: true, codes: ['HTTP_404'] }]);
  });

  it('next handles a failure: step.failed says so, the token goes on, vars are not written', () => {
    const { events, state } = run(
      withRules(
        `
    - when: "{{ event.name == 'call.error' }}"
      then: {next: [{step: b}]}
    - when: "{{ event.name == 'step.failed' }}"
      then: {set: {late: true}, next: [{step: c}]}`,
        '  vars: {never: 1}\n',
      ),
      { mocks: { start: httpError(404) } },
    );
    expect(events.find(({ event_type }) => event_type === 'step.failed')!.payload['handled']).toMatchObject({
      rule: 0,
    });
    expect([state.executed, state.ctx]).toEqual([['start', 'b', 'c'], { late: true }]);
  });

  it('an unhandled failure does not take the structural next', () => {
    const { end, state } = run(
      withRules(`
    - when: "{{ event.name == 'call.done' }}"
      then: {next: [{step: a}]}`).replace('- step: a', '  next: b\n- step: a'),
      { mocks: { start: httpError(404) } },
    );
    expect([end, state.executed]).toEqual(['fail', ['start']]);
  });

  it('a matched rule without next still takes the structural next', () => {
    const { state } = run(
      withRules(`
    - when: "{{ event.name == 'step.exit' }}"
      then: {set: {seen: 1}}`).replace('- step: a', '  next: b\n- step: a'),
    );
    expect(state.executed).toEqual(['start', 'b']);
  });

  it('call: the tool again with overrides, each deep-merged over the last; a new visit every time', () => {
    const { calls } = run(
      `
- step: start
  tool: {kind: http, url: "http://x", params: {page: 1, size: 2}, headers: {a: b}}
  case:
    - when: "{{ event.name == 'call.done' and response.page < 3 }}"
      then: {call: {params: {page: "{{ response.page + 1 }}"}, headers: {seen: "{{ _retry.index }}/{{ _retry.count }}"}}}`,
      { mocks: { start: (call) => httpOk({ page: (call.config['params'] as { page: number }).page }) } },
    );
    expect(calls.map((call) => [call.task_run_id, call.config['params'], call.config['headers']])).toEqual([
      ['start#1~1@1', { page: 1, size: 2 }, { a: 'b' }],
      ['start#1~2@1', { page: 2, size: 2 }, { a: 'b', seen: '1/1' }],
      ['start#1~3@1', { page: 3, size: 2 }, { a: 'b', seen: '2/2' }],
    ]);
    expect(new Set(calls.map((call) => call.idempotency_key)).size).toBe(3);
  });

  it('retry: the same call with growing delays while attempts last; then later explicit rules apply', () => {
    const rules = (last: string): string =>
      withRules(`
    - when: "{{ event.name == 'call.error' and error.retryable }}"
      then: {set: {tries: "{{ _attempt }}"}, retry: {max_attempts: 3, initial_delay: 2, backoff_multiplier: 3}}
${last}`);
    const mocks = { start: httpError(503) };
    const handled = run(
      rules(`
    - when: "{{ event.name == 'call.error' }}"
      then: {next: [{step: b}]}`),
      { mocks },
    );
    expect(handled.calls.map((call) => call.attempt)).toEqual([1, 2, 3]);
    expect(Math.round(handled.elapsed / 1000)).toBe(2 + 6);
    expect([handled.state.executed, handled.state.ctx]).toEqual([['start', 'b'], { tries: 2 }]);
    const standing = run(rules(`    - else: {then: {set: {never: 1}}}`), { mocks });
    expect([standing.end, standing.state.ctx]).toEqual(['fail', { tries: 2 }]);
    const moved = run(rules(`    - else: {then: {next: [{step: c}]}}`), { mocks });
    expect(moved.state.executed).toEqual(['start', 'c']);
  });

  it('a retry that is used up after an ok ends the call as ok', () => {
    const { calls, end } = run(
      withRules(`
    - when: "{{ event.name == 'call.done' and response.state != 'DONE' }}"
      then: {retry: {max_attempts: 4, initial_delay: 1}}`),
      { mocks: { start: httpOk({ state: 'RUNNING' }) } },
    );
    expect([calls.length, end]).toEqual([4, 'complete']);
  });

  it('skip ends the step as skipped, which is fine for its structural next; fail fails it with the message', () => {
    const skipped = run(
      withRules(`
    - when: "{{ event.name == 'call.error' and error.status == 404 }}"
      then: {skip: {reason: nothing there}}`).replace('- step: a', '  next: b\n- step: a'),
      { mocks: { start: httpError(404) } },
    );
    expect(skipped.state.executed).toEqual(['start', 'b']);
    expect(skipped.events.find(({ event_type }) => event_type === 'step.skipped')).toMatchObject({
      status: 'skipped',
      payload: { reason: 'nothing there' },
    });
    const failed = run(
      withRules(`
    - when: "{{ event.name == 'call.done' and response.n == 1 }}"
      then: {fail: "n is {{ response.n }}"}
    - when: "{{ event.name == 'step.failed' }}"
      then: {set: {why: "{{ error.message }}"}}`),
      { mocks: { start: ok1() } },
    );
    expect(failed.error).toMatchObject({
      kind: 'engine',
      code: 'RULE_FAIL',
      message: 'n is 1',
      step: 'start',
    });
    expect(failed.state.ctx).toEqual({ why: 'n is 1' });
  });

  it('a call without an end is a runaway, which no rule handles', () => {
    const { error } = simulate(
      playbookOf(
        withRules(`
    - when: "{{ event.name in ['call.done', 'call.error'] or error is defined }}"
      then: {call: {params: {q: 1}}}`),
        'executor: {spec: {policy: {limits: {max_task_visits: 50}}}}',
      ),
    );
    expect(error).toMatchObject({ code: 'RUNAWAY_TASK' });
  });
});
