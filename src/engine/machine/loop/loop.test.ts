import { looped } from '../../../../test/support/loops';
import { httpError, playbookOf, simulate } from '../../../../test/support/simulator';

const loop = (spec: string, tool: string, more = ''): string =>
  playbookOf(`
- step: start
  loop: {in: "{{ workload.items }}", iterator: item, spec: ${spec}}
  ${more}
  tool: ${tool}
  next: {arcs: [{step: end, when: "{{ event.name == 'loop.done' }}"}]}
- step: end
  tool: {kind: noop, input: {all: "{{ start }}", count: "{{ start.count }}", stats: "{{ start.stats }}"}}`);
const python =
  '{kind: python, input: {item: "{{ iter.item }}", same: "{{ item }}", at: "{{ loop_index }}"}, code: "result = 1"}';

describe('a loop', () => {
  it('runs in order when sequential, one iteration at a time', () => {
    const run = simulate(loop('{mode: sequential}', python), {
      payload: { items: ['a', 'b', 'c'] },
      choose: (n) => n - 1,
    });
    expect(run.calls.map((call) => call.input)).toEqual(
      ['a', 'b', 'c'].map((item, at) => ({ item, same: item, at })),
    );
    expect(run.result).toMatchObject({ count: 3, stats: { total: 3, success: 3, failed: 0 } });
  });

  it('keeps the order of results whatever order parallel iterations finish in', () => {
    const run = simulate(loop('{mode: parallel, max_in_flight: 3}', python), {
      payload: { items: [1, 2, 3, 4, 5, 6] },
      choose: (n) => n - 1,
    });
    const { results } = (run.result as { all: { results: { item: number }[] } }).all;
    expect(results.map((one) => one.item)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('never has more than max_in_flight iterations open', () => {
    const run = simulate(loop('{mode: parallel, max_in_flight: 4}', python), {
      payload: { items: [...Array(30).keys()] },
    });
    let open = 0;
    let most = 0;
    for (const { event_type } of run.events) {
      if (event_type === 'loop.iteration.started') most = Math.max(most, ++open);
      if (event_type === 'loop.iteration.done') open--;
    }
    expect([most, open]).toEqual([4, 0]);
  });

  it('whose inputs stop at a limit fails, even over nothing', () => {
    const costly = 'input: {x: "{% for a in range(999) %}{% for b in range(999) %}{% endfor %}{% endfor %}"}';
    const run = simulate(loop('{mode: sequential}', python, costly), { payload: { items: [] } });
    expect(run.error).toMatchObject({ code: 'NT4201', step: 'start' });
    // Names of an iteration do not exist yet: that is no failure.
    const early = simulate(loop('{mode: sequential}', python, 'input: {x: "{{ item + 1 }}"}'), {
      payload: { items: [] },
    });
    expect(early.error).toBeUndefined();
  });

  it('over nothing is done at once; over a mapping or text is an error that names the type', () => {
    expect(simulate(loop('{mode: sequential}', python), { payload: { items: [] } }).result).toMatchObject({
      all: looped([]),
    });
    expect(simulate(loop('{mode: sequential}', python), { payload: { items: null } }).result).toMatchObject({
      all: looped([]),
    });
    const wrong = simulate(loop('{mode: sequential}', python), { payload: { items: { a: 1 } } });
    expect(wrong.error).toMatchObject({ code: 'LOOP_IN', step: 'start' });
    expect(wrong.error!.message).toMatch(/dict/);
  });

  it.each([
    ['those of the step', '{}', '{rows: "{{ workload.items }}"}', ['a', 'b']],
    ['those of the arc', '{rows: [1, 2]}', '{rows: [7]}', [1, 2]],
    ['though one of the step speaks of the iterator', '{rows: [1, 2]}', '{own: "{{ 2 * item }}"}', [1, 2]],
  ])('may be over inputs: %s', (_, args, input, items) => {
    const yaml = playbookOf(`
- step: start
  next: {arcs: [{step: each, args: ${args}}]}
- step: each
  input: ${input}
  loop: {in: "{{ rows }}", iterator: item}
  tool: {kind: python, input: {item: "{{ item }}", own: "{{ own }}"}, code: "result = 1"}`);
    const { calls } = simulate(yaml, { payload: { items: ['a', 'b'] } });
    const own = (item: unknown) => (input.includes('own') ? { own: 2 * Number(item) } : {});
    expect(calls.map((call) => call.input)).toMatchObject(items.map((item) => ({ item, ...own(item) })));
  });

  it('fail_fast stops at the first failure and cancels what is in flight', () => {
    const run = simulate(loop('{mode: parallel, max_in_flight: 2}', python), {
      payload: { items: [1, 2, 3, 4, 5] },
      mocks: { start: (call) => (call.iteration === 1 ? httpError(500) : { ok: call.iteration! }) },
      choose: (n) => n - 1,
    });
    expect(run.end).toBe('fail');
    expect(run.error).toMatchObject({ step: 'start', iteration: 1, code: 'HTTP_500' });
    expect(run.calls.length).toBeLessThan(5);
  });

  it('best_effort runs all iterations, counts failures, and a failed one is null', () => {
    const run = simulate(loop('{mode: parallel}', python, 'spec: {policy: {failure: {mode: best_effort}}}'), {
      payload: { items: [1, 2, 3] },
      mocks: { start: (call) => (call.iteration === 1 ? httpError(500) : { ok: call.iteration! }) },
    });
    expect(run.result).toEqual({
      all: looped([{ ok: 0 }, null, { ok: 2 }], 1),
      count: 3,
      stats: { total: 3, success: 2, failed: 1, not_started: 0 },
    });
  });

  it('gives each iteration an iter of its own', () => {
    const run = simulate(
      loop(
        '{mode: parallel, max_in_flight: 3}',
        `
    - {name: a, kind: noop, spec: {policy: {rules: [{else: {then: {do: continue, set_iter: {mine: "{{ item * 10 }}"}}}}]}}}
    - {name: b, kind: python, input: {mine: "{{ iter.mine }}", index: "{{ iter.index }}"}, code: "result = 1"}`,
      ),
      { payload: { items: [1, 2, 3] }, choose: (n) => n - 1 },
    );
    expect((run.result as { all: unknown }).all).toEqual(
      looped([1, 2, 3].map((n) => ({ mine: n * 10, index: n - 1 }))),
    );
  });

  it('fails a parallel loop in which two iterations leave different values in one ctx key, naming them', () => {
    const writes = (value: string): string => `
    kind: python
    code: "result = 1"
    spec: {policy: {rules: [{else: {then: {do: continue, set_ctx: {shared: "${value}"}}}}]}}`;
    const conflict = simulate(loop('{mode: parallel}', writes('{{ item }}')), { payload: { items: [1, 2] } });
    expect(conflict.error).toMatchObject({ code: 'CTX_CONFLICT' });
    expect(conflict.error!.message).toMatch(/ctx\.shared \(items of index 0, 1\)/);
    expect(simulate(loop('{mode: parallel}', writes('same')), { payload: { items: [1, 2] } }).end).toBe(
      'complete',
    );
    const sequential = simulate(loop('{mode: sequential}', writes('{{ item }}')), {
      payload: { items: [1, 2] },
    });
    expect(sequential.state.ctx).toEqual({ shared: 2 });
  });

  it('names the iterations whose writes differ, and no more than ten of them', () => {
    const set = (value: string): string =>
      playbookOf(`
- step: start
  loop: {in: "{{ range(15) | list }}", iterator: n, spec: {mode: parallel}}
  tool: {kind: python, code: "result = 1", spec: {policy: {rules: [{else: {then: {do: continue, set: {ctx.x: "${value}"}}}}]}}}`);
    expect(simulate(set('{{ n }}')).error!.message).toContain(
      'ctx.x (items of index 0, 1, 2, 3, 4, 5, 6, 7, 8, 9): write to iter',
    );
    expect(simulate(set('{{ [n, 12] | max }}')).error!.message).toContain(
      'ctx.x (items of index 0, 13, 14):',
    );
    expect(simulate(set('same')).end).toBe('complete');
  });

  it.each([
    ['100,000 iterations that do nothing', 100_000, '{{ item }}', 2, 6],
    ['500 iterations with long templates', 500, '{{ range(20000) | sum }}', 4, 40],
  ])('of %s takes several batches, and not one for each', (_, n, template, least, most) => {
    const run = simulate(loop('{mode: sequential}', `{kind: noop, input: {n: "${template}"}}`), {
      payload: { items: [...Array(n).keys()] },
    });
    expect(run.end).toBe('complete');
    expect(run.batches).toBeGreaterThanOrEqual(least);
    expect(run.batches).toBeLessThanOrEqual(most);
    expect(run.state.results['start']).toMatchObject({ type: 'loop', success: n });
  });

  it('with a step timeout cancels the iterations and fails as timeout', () => {
    const run = simulate(
      loop(
        '{mode: sequential}',
        '{kind: http, url: "http://x", spec: {policy: {rules: [{when: "{{ true }}", then: {do: retry, attempts: 1000, delay: 60}}]}}}',
        'spec: {policy: {lifecycle: {timeout_s: 300}}}',
      ),
      { payload: { items: [1] } },
    );
    expect(run.error).toMatchObject({ code: 'STEP_TIMEOUT', kind: 'timeout', step: 'start' });
    expect(Math.round(run.elapsed / 1000)).toBe(300);
  });
});

it.each(['0', '-1', "'many'"])('a max_in_flight of %s fails the step in words', (limit) => {
  const run = simulate(loop(`{mode: parallel, max_in_flight: "{{ ${limit} }}"}`, python), {
    payload: { items: [1] },
  });
  expect(run.error).toMatchObject({
    code: 'LOOP_MAX_IN_FLIGHT',
    message: 'max_in_flight of step start must be a number of 1 or more',
  });
});
