import fc from 'fast-check';
import { cases } from '../../../../test/support/properties';
import { checkEvents } from '../../../../test/support/event-checks';
import { runChecked as run } from '../../../../test/support/checked';
import { httpError, httpOk, planOf, playbookOf, simulate } from '../../../../test/support/simulator';

const http = (retry: string, more = ''): string => `
- step: start
  tool: {kind: http, url: "http://x", params: {page: 1}}
  retry:${retry}
${more}`;
const pageOf = (call: { config: { [key: string]: unknown } }): number =>
  (call.config['params'] as { page: number }).page;
const pages =
  (last: number) =>
  (call: { config: { [key: string]: unknown } }): ReturnType<typeof httpOk> =>
    httpOk({ page: pageOf(call), has_more: pageOf(call) < last, data: { items: [pageOf(call)] } });

describe('retry as a mapping', () => {
  const failing = httpError(503);
  it.each([
    // Neither condition: on while the call failed.
    ['{max_attempts: 3, initial_delay: 0}', [failing, failing, httpOk({})], 3, 'complete'],
    ['{max_attempts: 2, initial_delay: 0}', [failing], 2, 'HTTP_503'],
    ['{initial_delay: 0}', [failing], 3, 'HTTP_503'],
    // retry_when alone: on while it holds.
    ['{initial_delay: 0, retry_when: "{{ status_code == 503 }}"}', [failing, httpError(404)], 2, 'HTTP_404'],
    [
      '{initial_delay: 0, max_attempts: 2, retry_when: "{{ result.n == 0 }}"}',
      [httpOk({ n: 0 })],
      2,
      'RETRY_EXHAUSTED',
    ],
    // stop_when alone: on until it holds; at the end an ok is an ok.
    [
      '{initial_delay: 0, max_attempts: 9, stop_when: "{{ data.n == 1 }}"}',
      [httpOk({ n: 0 }), httpOk({ n: 1 })],
      2,
      'complete',
    ],
    [
      '{initial_delay: 0, max_attempts: 2, stop_when: "{{ data.n == 1 }}"}',
      [httpOk({ n: 0 })],
      2,
      'complete',
    ],
    ['{initial_delay: 0, max_attempts: 2, stop_when: "{{ success }}"}', [failing], 2, 'HTTP_503'],
    // Both: both must agree to go on.
    [
      '{initial_delay: 0, max_attempts: 9, retry_when: "{{ not success }}", stop_when: "{{ attempt == 2 }}"}',
      [failing],
      2,
      'HTTP_503',
    ],
  ])('%s', (retry, sequence, calls, end) => {
    const simulation = run(http(` ${retry}`), { mocks: { start: { sequence } } });
    expect(simulation.calls.map((call) => call.attempt)).toEqual(
      Array.from({ length: calls }, (_, n) => n + 1),
    );
    expect(simulation.error?.code ?? simulation.end).toBe(end);
  });

  it('waits on timers: initial_delay, times the multiplier, up to the longest; a longer Retry-After wins', () => {
    const waits = (retry: string, error = failing): number =>
      Math.round(run(http(` ${retry}`), { mocks: { start: error } }).elapsed / 1000);
    expect(waits('{max_attempts: 4, initial_delay: 2, backoff_multiplier: 3}')).toBe(2 + 6 + 18);
    expect(waits('{max_attempts: 4, initial_delay: 2, backoff_multiplier: 3, max_delay: 5}')).toBe(2 + 5 + 5);
    expect(waits('{max_attempts: 4, initial_delay: 1m, backoff_multiplier: 3, max_delay: PT2M}')).toBe(
      60 + 120 + 120,
    );
    expect(waits('{max_attempts: 3}')).toBe(1 + 1);
    expect(waits('{max_attempts: 2}', httpError(429, { retry_after: 30 }))).toBe(30);
  });

  it('offers the names of S1: error as text and object, attempt, max_attempts, status_code, _retry', () => {
    const { calls } = run(
      http(
        " {max_attempts: 5, initial_delay: 0, retry_when: \"{{ 'HTTP 503' in error and error.code == 'HTTP_503' and status_code == 503 and not success and attempt < max_attempts - 1 and _retry.index == attempt and _retry.count == attempt }}\"}",
      ),
      { mocks: { start: failing } },
    );
    expect(calls.length).toBe(4);
  });
});

describe('retry as a list of policies', () => {
  const s2 = http(
    `
    - when: "{{ error.status in [429, 500, 502, 503] }}"
      then: {max_attempts: 5, initial_delay: 1.0, backoff_multiplier: 2.0}
    - when: "{{ response.data.has_more }}"
      then:
        max_attempts: 100
        next_call: {params: {page: "{{ (response.data.page | int) + 1 }}"}}
        collect: {strategy: append, path: data.items, into: pages}
        sink:
          tool: {kind: postgres, auth: pg_creds, table: raw_events}
          args: {page: "{{ page.data }}", iter: "{{ _retry.index }}"}`,
    `
  next: end
- step: end
  tool: {kind: noop, args: {all: "{{ start }}", data: "{{ start.data }}"}}`,
  );

  it('runs the example of S2 §6.1: errors, pages, collect and a sink per page', () => {
    const { calls, result, state, elapsed } = run(s2, {
      mocks: {
        start_sink: 1,
        'start/start_task': (call) =>
          pageOf(call) === 2 && call.attempt < 3 ? httpError(503) : pages(3)(call),
      },
    });
    expect(calls.map((call) => call.task_run_id)).toEqual([
      'start#1~1@1',
      'start#1.start_sink~1@1',
      'start#1~2@1',
      'start#1~2@2',
      'start#1~2@3',
      'start#1.start_sink~2@1',
      'start#1~3@1',
      'start#1.start_sink~3@1',
    ]);
    const stored = calls.filter((call) => call.task === 'start_sink');
    expect(stored.map((call) => call.config['data'])).toEqual([
      { page: { items: [1] }, iter: 1 },
      { page: { items: [2] }, iter: 2 },
      { page: { items: [3] }, iter: 3 },
    ]);
    expect(state.ctx).toEqual({ pages: [1, 2, 3] });
    expect(result).toEqual({ all: [1, 2, 3], data: [1, 2, 3] });
    expect(Math.round(elapsed / 1000)).toBe(1 + 2);
  });

  it('stores and collects a single page as it does ten: the result has the same shape', () => {
    const { calls, result, state } = run(s2, { mocks: { start_sink: 1, 'start/start_task': pages(1) } });
    expect(calls.map((call) => call.task)).toEqual(['start_task', 'start_sink']);
    expect(state.ctx).toEqual({ pages: [1] });
    expect(result).toEqual({ all: [1], data: [1] });
  });

  it('a used-up policy of errors leaves the failure to the rules; one of pages ends the call', () => {
    const failed = run(s2, { mocks: { start_sink: 1, 'start/start_task': httpError(500) } });
    expect([failed.calls.length, failed.error!.code]).toEqual([5, 'HTTP_500']);
    expect(failed.error!.message).toMatch(/after 5 attempts/);
    const ended = run(s2.replace('max_attempts: 100', 'max_attempts: 2'), {
      mocks: { start_sink: 1, 'start/start_task': pages(9) },
    });
    expect([ended.end, ended.state.ctx]).toEqual(['complete', { pages: [1, 2] }]);
    expect(ended.calls.filter((call) => call.task === 'start_sink').length).toBe(2);
    expect(ended.state.notes!.kept).toMatchObject([{ code: 'PAGES_LEFT', step: 'start' }]);
  });

  it('a sink that fails fails the step, not to be handled by the rules of the call', () => {
    const { error, state } = run(
      `${s2.split('  next: end')[0]}  case:
    - when: "{{ event.name == 'call.error' }}"
      then: {next: [{step: end}]}
- step: end
  tool: {kind: noop}`,
      { mocks: { start_sink: httpError(500), 'start/start_task': pages(2) } },
    );
    expect([error!.task, error!.step, state.executed]).toEqual(['start_sink', 'start', ['start']]);
  });
});

describe('sinks of a step', () => {
  const withSink = (sink: string, more = ''): string => `
- step: start
  tool: {kind: python, code: "result = 1"}
${more}  vars: {seen: "{{ result }}"}
  sink: ${sink}
  next: end
- step: end
  tool: {kind: noop, args: {start: "{{ start }}"}}`;

  it('run after the success and the writes, before the successors; their result is not the step’s', () => {
    const { calls, result } = run(
      withSink(
        '{tool: {kind: python, code: "result = 1"}, args: {row: "{{ result }}", seen: "{{ vars.seen }}"}}',
      ),
      { mocks: { 'start/start_task': 41, start_sink: 'stored' } },
    );
    expect(calls.map((call) => [call.task, call.input])).toEqual([
      ['start_task', {}],
      ['start_sink', { row: 41, seen: 41 }],
    ]);
    expect(result).toEqual({ start: 41 });
  });

  it('are skipped by their when, with an event; not run after a failure', () => {
    const sink = '{tool: {kind: python, code: "result = 1"}, when: "{{ result > 50 }}"}';
    const skipped = run(withSink(sink), { mocks: { 'start/start_task': 41 } });
    expect(skipped.calls.length).toBe(1);
    expect(skipped.events.find(({ event_type }) => event_type === 'sink.processed')).toMatchObject({
      status: 'skipped',
      entity_id: 'start_sink',
    });
    const failed = run(withSink(sink), { mocks: { 'start/start_task': httpError(500) } });
    expect([failed.calls.length, failed.end]).toEqual([1, 'fail']);
  });

  it('fail the step when they fail, after their own retries', () => {
    const { calls, error, events } = run(
      withSink('{tool: {kind: http, url: "http://s", retry: {max_attempts: 3, initial_delay: 5}}}'),
      { mocks: { 'start/start_task': 1, start_sink: httpError(503) } },
    );
    expect(calls.map((call) => call.task_run_id)).toEqual([
      'start#1~1@1',
      ...[1, 2, 3].map((n) => `start#1.start_sink~1@${n}`),
    ]);
    expect(error).toMatchObject({ step: 'start', task: 'start_sink', code: 'HTTP_503' });
    expect(events.filter(({ payload }) => payload['role'] === 'sink').length).toBe(6);
  });

  it('in a loop run once per iteration', () => {
    const { calls } = run(
      withSink(
        '{tool: {kind: python, code: "result = 1"}, args: {n: "{{ n }}"}}',
        '  loop: {in: [1, 2], iterator: n}\n',
      ),
    );
    expect(calls.map((call) => call.task_run_id)).toEqual([
      'start#1[0]~1@1',
      'start#1[0].start_sink~1@1',
      'start#1[1]~1@1',
      'start#1[1].start_sink~1@1',
    ]);
  });

  it('of a workbook task run after each success of it', () => {
    const { calls } = simulate(
      playbookOf(
        `
- step: start
  tool: {kind: workbook, name: fetch}`,
        `workbook:
  - name: fetch
    tool: {kind: python, code: "result = 1"}
    sink: {tool: {kind: python, code: "result = 2"}, args: {row: "{{ result }}"}}`,
      ),
      { mocks: { 'start/start_task': 7 }, persist: true },
    );
    expect(calls.map((call) => call.input)).toEqual([{}, { row: 7 }]);
  });
});

describe('whatever the order of completions', () => {
  const shape = fc.record({
    items: fc.integer({ min: 1, max: 4 }),
    last: fc.integer({ min: 1, max: 3 }),
    parallel: fc.boolean(),
    flaky: fc.nat({ max: 2 }),
    disturb: fc.constantFrom('none', 'pause', 'cancel'),
    at: fc.integer({ min: 1, max: 12 }),
    order: fc.array(fc.nat({ max: 20 }), { maxLength: 40 }),
  });

  it('every page is collected once, no sink runs twice, nothing is left behind', () => {
    fc.assert(
      fc.property(shape, ({ items, last, parallel, flaky, disturb, at, order }) => {
        const plan = planOf(
          playbookOf(`
- step: start
  loop: {in: "{{ range(${items}) | list }}", iterator: n, mode: ${parallel ? 'parallel' : 'sequential'}}
  tool: {kind: http, url: "http://x/{{ n }}", params: {page: 1}}
  retry:
    - when: "{{ error is defined }}"
      then: {max_attempts: 3, initial_delay: 1}
    - when: "{{ response.has_more }}"
      then:
        max_attempts: 10
        next_call: {params: {page: "{{ page.page + 1 }}"}}
        collect: {from: "[n, page.page]", into: all}
        sink: {tool: {kind: python, code: "result = 1"}, args: {page: "{{ page.page }}"}}
  case:
    - when: "{{ event.name == 'call.done' }}"
      then: {sink: {tool: {kind: python, code: "result = 1"}, args: {last: "{{ result.page }}"}}}
  sink: {tool: {kind: python, code: "result = 1"}, args: {done: "{{ n }}"}}
  next: end
- step: end
  tool: {kind: noop}`),
        );
        let position = 0;
        const inject =
          disturb === 'none'
            ? {}
            : disturb === 'cancel'
              ? { [at]: [{ type: 'cancelRequested' as const }] }
              : { [at]: [{ type: 'paused' as const }], [at + 1]: [{ type: 'resumed' as const }] };
        const simulation = simulate(plan, {
          persist: true,
          inject,
          choose: (n) => (order[position++] ?? 0) % n,
          mocks: {
            'start/start_task': (call) => (call.attempt <= flaky ? httpError(503) : pages(last)(call)),
          },
        });
        const ids = simulation.calls.map((call) => call.task_run_id);
        expect(new Set(ids).size).toBe(ids.length);
        expect(checkEvents(simulation.events, simulation.end === 'complete')).toEqual([]);
        expect(simulation.state.pending).toEqual({});
        if (disturb === 'cancel' && simulation.end === 'cancelled') return;
        if (simulation.end !== 'complete') {
          // Paused at the very end: nothing was left to wake it.
          expect(simulation.state.status).toBe('paused');
          return;
        }
        const sinks = simulation.calls.filter((call) => call.task !== 'start_task');
        expect(sinks.length).toBe(items * (last + 1 + 1));
        const all = Array.from({ length: items }, (_, n) =>
          Array.from({ length: last }, (_, page) => [n, page + 1]),
        ).flat();
        expect(simulation.state.ctx['all'] ?? []).toEqual(all);
        expect({ ...simulation.state.frames, ...simulation.state.runs, ...simulation.state.timers }).toEqual(
          {},
        );
      }),
      cases(80),
    );
  });
});
