import { looped } from '../../../../test/support/loops';
import { httpError, httpOk, ok, playbookOf, simulate } from '../../../../test/support/simulator';

describe('a pipeline', () => {
  it('runs its tasks in order and gives each the result before it as _prev', () => {
    const run = simulate(
      playbookOf(`
- step: start
  tool:
    - {name: one, kind: python, input: {n: 1}, code: "result = 1"}
    - {name: two, kind: python, input: {before: "{{ _prev.x }}", task: "{{ _task }}"}, code: "result = 2"}`),
      { mocks: { one: { x: 41 } } },
    );
    expect(run.end).toBe('complete');
    expect(run.calls.map((call) => call.task)).toEqual(['one', 'two']);
    expect(run.calls[1]!.input).toEqual({ before: 41, task: 'two' });
  });

  it('without a policy continues on ok and fails on error, naming step, task and line', () => {
    const run = simulate(
      playbookOf(`
- step: start
  tool: {kind: http, url: "http://x"}`),
      { mocks: { start_task: httpError(500) } },
    );
    expect(run.end).toBe('fail');
    expect(run.error).toMatchObject({
      step: 'start',
      task: 'start_task',
      code: 'HTTP_500',
      attempt: 1,
      at: [8, 10],
    });
  });

  it('retries with exponential waits on timers and stops at the number of attempts, the first included', () => {
    const run = simulate(
      playbookOf(`
- step: start
  tool:
    kind: http
    url: "http://x"
    spec:
      policy:
        rules:
          - when: "{{ output.status == 'error' }}"
            then: {do: retry, attempts: 4, backoff: exponential, delay: 2}
          - else: {then: {do: continue}}`),
      { mocks: { start_task: httpError(503) } },
    );
    expect(run.calls.map((call) => call.attempt)).toEqual([1, 2, 3, 4]);
    expect(Math.round(run.elapsed / 1000)).toBe(2 + 4 + 8);
    // Ten 503s are not a success because of an else: continue.
    expect(run.end).toBe('fail');
    expect(run.error!.message).toMatch(/after 4 attempts/);
  });

  it('honours a Retry-After that is longer than the backoff, up to the longest delay', () => {
    const playbook = (max: string): string =>
      playbookOf(`
- step: start
  tool:
    kind: http
    url: "http://x"
    spec:
      policy:
        rules:
          - when: "{{ output.error.retryable }}"
            then: {do: retry, attempts: 2, delay: 1${max}}`);
    const mocks = { start_task: { sequence: [httpError(429, { retry_after: 30 }), httpOk({})] } };
    expect(Math.round(simulate(playbook(''), { mocks }).elapsed / 1000)).toBe(30);
    expect(Math.round(simulate(playbook(', max_delay: 5'), { mocks }).elapsed / 1000)).toBe(5);
  });

  it('applies a later rule with an explicit guard once a retry is used up', () => {
    const run = simulate(
      playbookOf(`
- step: start
  tool:
    - name: fetch
      kind: http
      url: "http://x"
      spec:
        policy:
          rules:
            - when: "{{ output.error.retryable }}"
              then: {do: retry, attempts: 2, delay: 0}
            - when: "{{ output.status == 'error' }}"
              then: {do: jump, to: fallback}
    - {name: never, kind: python, code: "result = 0"}
    - {name: fallback, kind: python, code: "result = 1"}`),
      { mocks: { fetch: httpError(503), fallback: 'rescued' } },
    );
    expect(run.calls.map((call) => call.task)).toEqual(['fetch', 'fetch', 'fallback']);
    expect(run.result).toBe('rescued');
  });

  it('pages with jump and break, counting visits in the task run id and restarting attempts', () => {
    const page = (number: number, hasMore: boolean) => httpOk({ page: number, hasMore });
    const run = simulate(
      playbookOf(`
- step: start
  tool:
    - name: init
      kind: noop
      spec: {policy: {rules: [{else: {then: {do: continue, set_iter: {page: 1}}}}]}}
    - name: fetch
      kind: http
      url: "http://x?page={{ iter.page }}"
      spec:
        policy:
          rules:
            - when: "{{ outcome.status == 'error' }}"
              then: {do: retry, attempts: 3, delay: 1}
            - else: {then: {do: continue, set_iter: {more: "{{ outcome.result.data.hasMore }}"}}}
    - name: paginate
      kind: noop
      spec:
        policy:
          rules:
            - when: "{{ iter.more == true }}"
              then: {do: jump, to: fetch, set_iter: {page: "{{ (iter.page | int) + 1 }}"}}
            - else: {then: {do: break}}
    - {name: never, kind: python, code: "result = 0"}`),
      { mocks: { fetch: { sequence: [page(1, true), httpError(500), page(2, true), page(3, false)] } } },
    );
    expect(run.calls.map((call) => [call.config['url'], call.task_run_id])).toEqual([
      ['http://x?page=1', 'start#1.fetch~1@1'],
      ['http://x?page=2', 'start#1.fetch~2@1'],
      ['http://x?page=2', 'start#1.fetch~2@2'],
      ['http://x?page=3', 'start#1.fetch~3@1'],
    ]);
    const keys = run.calls.map((call) => call.idempotency_key);
    expect(keys[1]).toBe(keys[2]);
    expect(new Set(keys).size).toBe(3);
    expect(run.end).toBe('complete');
  });

  it('ends a jump without an end as a runaway instead of spinning', () => {
    const run = simulate(
      playbookOf(
        `
- step: start
  tool:
    - {name: a, kind: noop, spec: {policy: {rules: [{else: {then: {do: jump, to: a}}}]}}}`,
        'executor: {spec: {policy: {limits: {max_task_visits: 200000}}}}',
      ),
    );
    expect(run.error!.code).toBe('RUNAWAY_TASK');
    expect(run.batches).toBeGreaterThan(2);
  });

  it('reports a template error in a task input as an outcome the rules can see, with the line', () => {
    const run = simulate(
      playbookOf(`
- step: start
  tool:
    kind: python
    input:
      x: "{{ 1 / 0 }}"
    code: "result = 1"`),
    );
    expect(run.end).toBe('fail');
    expect(run.error!.at![0]).toBe(11);
    expect(run.calls).toEqual([]);
  });

  it('ends a task whose templates together take too long, although each is within its own limit', () => {
    const input = (n: number): string =>
      Array.from({ length: n }, (_, i) => `\n      x${i}: "{{ range(90000) | sum }}"`).join('');
    const task = (n: number): string =>
      playbookOf(`
- step: start
  tool:
    kind: python
    input:${input(n)}
    code: "result = 1"`);
    expect(simulate(task(20)).end).toBe('complete');
    const run = simulate(task(200));
    expect(run.error).toMatchObject({ kind: 'validation', step: 'start' });
    expect(run.error!.message).toContain('the templates of this step together take too many steps');
    expect(run.error!.at![0]).toBeGreaterThan(30);
    expect(run.calls).toEqual([]);
  });

  it('reads an outcome as the spec names it', () => {
    const run = simulate(
      playbookOf(`
- step: start
  tool:
    - name: fetch
      kind: http
      url: "http://x"
      spec:
        policy:
          rules:
            - else:
                then:
                  do: continue
                  set:
                    ctx.status: "{{ outcome.status }}"
                    ctx.http: "{{ output.http.status }}"
                    ctx.body: "{{ outcome.result.data.value }}"
                    ctx.data: "{{ output.data.data.value }}"
                    ctx.code: "{{ output.data.status_code }}"
                    ctx.absent: "{{ outcome.error.kind | default('none') }}"
      set:
        whole: "{{ output }}"
    - name: use
      kind: python
      input:
        whole: "{{ whole.data.value }}"
        by_name: "{{ fetch.value }}"
        body: "{{ fetch.body.value }}"
        status: "{{ fetch.status_code }}"
        all: "{{ fetch }}"
      code: result = 1`),
      { mocks: { fetch: httpOk({ value: 7 }) } },
    );
    expect(run.state.ctx).toEqual({ status: 'ok', http: 200, body: 7, data: 7, code: 200, absent: 'none' });
    expect(run.calls[1]!.input).toMatchObject({ whole: 7, by_name: 7, body: 7, status: 200 });
    expect(run.calls[1]!.input['all']).toMatchObject({
      status_code: 200,
      data: { value: 7 },
      body: { value: 7 },
    });
  });

  it('lets None keep its place: a ctx key that is null hides a workload key of that name', () => {
    const run = simulate(
      playbookOf(
        `
- step: start
  tool: {kind: noop}
  set: {ctx.shade: null}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop, input: {seen: "{{ shade is none }}"}}`,
        'workload: {shade: light}',
      ),
    );
    expect(run.result).toEqual({ seen: true });
  });

  it('survives JSON at every point', () => {
    const yaml = playbookOf(`
- step: start
  loop: {in: "{{ range(5) | list }}", iterator: n, spec: {mode: parallel, max_in_flight: 2}}
  tool:
    - {name: a, kind: python, input: {n: "{{ iter.n }}"}, code: "result = n"}
    - {name: b, kind: python, input: {n: "{{ _prev.n * 2 }}"}, code: "result = n"}
  next: {spec: {mode: inclusive}, arcs: [{step: x}, {step: y}]}
- step: x
  tool: {kind: python, code: "result = 1"}
  next: {arcs: [{step: end}]}
- step: y
  tool: {kind: python, code: "result = 2"}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop, input: {all: "{{ start }}"}}`);
    const plain = simulate(yaml);
    const persisted = simulate(yaml, { persist: true });
    expect(persisted.result).toEqual(plain.result);
    expect(persisted.events).toEqual(plain.events);
    expect(plain.result).toEqual({ all: looped([0, 2, 4, 6, 8].map((n) => ({ n }))) });
  });

  it('an undefined value in a url, header or auth is an error that names it, anywhere else it is empty', () => {
    const http = (fields: string): ReturnType<typeof simulate> =>
      simulate(playbookOf(`\n- step: start\n  tool: {kind: http, ${fields}}`), {
        payload: { base: 'http://x' },
      });
    const url = http('url: "{{ workload.base }}/{{ workload.bsae }}"');
    expect(url.end).toBe('fail');
    expect(url.error!.message).toMatch(/workload\.bsae is undefined/);
    expect(http('url: "{{ workload.base }}", headers: {authorization: "{{ workload.token }}"}').end).toBe(
      'fail',
    );
    const rest = http('url: "{{ workload.base }}", params: {q: "{{ workload.q }}"}');
    expect(rest.calls[0]!.config).toEqual({ url: 'http://x', params: { q: null } });
  });

  it('keeps outcomes of tools that say ok', () => {
    const run = simulate(playbookOf(`\n- step: start\n  tool: {kind: python, code: "result = 1"}`), {
      mocks: { start_task: ok({ status: 'fine' }) },
    });
    expect(run.result).toEqual({ status: 'fine' });
  });
});
