/** What names answer: results as views, iterators, reserved names. */
import { looped } from '../../../test/support/loops';
import { handPlan, type StepSketch } from '../../../test/support/plans';
import { httpError, httpOk, type Mocks, ok, playbookOf, simulate } from '../../../test/support/simulator';
import { type Json, type JsonObject, type Outcome } from '../../plan';

/** What the inputs of a last step come to, after these steps. */
function seen(
  inputs: JsonObject,
  steps: readonly StepSketch[],
  mocks: Mocks = {},
  payload: JsonObject = {},
): Json {
  const chained = steps.map((step, index) => ({
    ...step,
    next: [{ step: steps[index + 1]?.name ?? 'last', handlesFailure: true }],
  }));
  const run = simulate(
    handPlan([...chained, { name: 'last', tasks: [{ name: 'look', kind: 'noop', input: inputs }] }]),
    {
      mocks,
      payload,
    },
  );
  expect(run.error).toBeUndefined();
  return run.result!;
}

const fetch: StepSketch = { name: 'fetch', tasks: [{ name: 'get', kind: 'http' }] };

describe('the name of a step', () => {
  it('answers with a key of the payload, then with aliases, then with the envelope', () => {
    const body = { id: 7, status: 'paid', data: { inner: 1 } };
    expect(
      seen(
        {
          id: '{{ fetch.id }}',
          status: '{{ fetch.status }}',
          inner: '{{ fetch.data.inner }}',
          alias: '{{ fetch.body.id }}',
          code: '{{ fetch.status_code }}',
          url: '{{ fetch.url }}',
          headers: '{{ fetch.headers }}',
          missing: '{{ fetch.nothing is defined }}',
        },
        [fetch],
        { get: httpOk(body) },
      ),
    ).toEqual({
      id: 7,
      status: 'paid',
      inner: 1,
      alias: 7,
      code: 200,
      url: 'http://x',
      headers: {},
      missing: false,
    });
  });

  it('answers `result` and `data` once more behind each other, whatever a tool returned', () => {
    const inputs = {
      a: '{{ fetch.result.data.n }}',
      b: '{{ fetch.data.result.n }}',
      c: '{{ fetch.result.data.result.n }}',
    };
    expect(seen(inputs, [{ name: 'fetch', tasks: [{ name: 'get' }] }], { get: ok({ n: 1 }) })).toEqual({
      a: 1,
      b: 1,
      c: 1,
    });
    const plain = { a: '{{ fetch.result }}', b: '{{ fetch.data }}', none: '{{ fetch.headers is defined }}' };
    expect(seen(plain, [{ name: 'fetch', tasks: [{ name: 'get' }] }], { get: ok(7) })).toEqual({
      a: 7,
      b: 7,
      none: false,
    });
  });

  it('finds the key `data` of a body behind `.data`, before the body itself (D10)', () => {
    const body = { data: [1, 2, 3], paging: { page: 4 }, status_code: 7 };
    const inputs = {
      items: '{{ fetch.data.data }}',
      count: '{{ fetch.data.data | length }}',
      page: '{{ fetch.data.paging.page }}',
      own: '{{ fetch.data.status_code }}',
      alone: '{{ fetch.data }}',
    };
    const expected = { items: [1, 2, 3], count: 3, page: 4, own: 7, alone: [1, 2, 3] };
    expect(seen(inputs, [fetch], { get: httpOk(body) })).toEqual(expected);
  });

  it('reads rows by index, from the end as well, and as rows', () => {
    const query: StepSketch = { name: 'query', tasks: [{ name: 'q', kind: 'postgres' }] };
    const result = { rows: [{ n: 1 }, { n: 2 }], row_count: 2, columns: ['n'] };
    expect(
      seen(
        {
          first: '{{ query[0].n }}',
          last: '{{ query[-1].n }}',
          rows: '{{ query.rows | length }}',
          count: '{{ query.row_count }}',
          odd: '{{ query[1.5] is defined }}',
        },
        [query],
        { q: ok(result) },
      ),
    ).toEqual({ first: 1, last: 2, rows: 2, count: 2, odd: false });
  });

  it.each(['postgres', 'duckdb', 'snowflake'])(
    'of a query by %s: `result` is the rows, the name all of it',
    (kind) => {
      const rows = [{ n: 1 }, { n: 2 }];
      const answer = { rows, row_count: 2, columns: ['n'], command_0: { rows } };
      const { state, result } = simulate(
        playbookOf(`
- step: count
  tool: {kind: ${kind}, auth: pg, command: "SELECT n FROM t"}
  vars: {rows: "{{ result }}", first: "{{ result[0].n }}", n: "{{ result | length }}", all: "{{ count }}"}
  case:
    - when: "{{ event.name == 'call.done' and response[1].n == 2 and response.row_count == 2 }}"
      then: {set: {ctx.asked: true, ctx.second: "{{ response.data[1].n }}", ctx.page: "{{ result }}"}, next: [{step: end}]}
- step: end
  tool:
    kind: noop
    input: {last: "{{ count[-1].n }}", data: "{{ count.data[0].n }}", n: "{{ count.rows | length }}",
      of: "{{ count.command_0.rows | length }}", whole: "{{ count.data }}"}`).replace(
          'workflow:',
          'executor: {spec: {entry_step: count}}\nworkflow:',
        ),
        { mocks: { count: ok(answer) } },
      );
      expect(state.ctx).toEqual({ rows, first: 1, n: 2, all: answer, asked: true, second: 2, page: rows });
      expect(result).toEqual({ last: 2, data: 1, n: 2, of: 2, whole: answer });
    },
  );

  it('of a failed step answers with the status, code and error of its failure', () => {
    expect(
      seen(
        {
          status: '{{ fetch.status }}',
          code: '{{ fetch.status_code }}',
          kind: '{{ fetch.error.kind }}',
          plain: '{{ fetch.data }}',
        },
        [fetch],
        { get: httpError(503) },
      ),
    ).toMatchObject({ status: 'error', code: 503, kind: 'server_error' });
  });

  it('of a pipeline offers the result of each task', () => {
    const step: StepSketch = { name: 'both', tasks: [{ name: 'one' }, { name: 'two' }] };
    expect(
      seen(
        {
          one: '{{ both.results.one.v }}',
          all: '{{ both.results }}',
          none: '{{ both.results.three is defined }}',
          whole: '{{ both }}',
        },
        [step],
        { one: { v: 1 }, two: { v: 2 } },
      ),
    ).toEqual({ one: 1, all: { one: { v: 1 }, two: { v: 2 } }, none: false, whole: { v: 2 } });
  });

  it('of a loop step is results, count and stats; its status and error are those of the step', () => {
    const step: StepSketch = {
      name: 'each',
      bestEffort: true,
      loop: { in: [1, 2], as: 'n' },
      tasks: [{ name: 'one', input: { n: '{{ n }}' } }],
    };
    expect(
      seen(
        {
          all: '{{ each }}',
          results: '{{ each.results }}',
          data: '{{ each.data | length }}',
          count: '{{ each.count }}',
          stats: '{{ each.stats }}',
          status: '{{ each.status }}',
          error: '{{ each.error is none }}',
          second: '{{ each[1] is none }}',
          odd: '{{ each.odd is defined }}',
        },
        [step],
        { one: (call) => (call.input['n'] === 2 ? httpError(500) : { n: 1 }) },
      ),
    ).toEqual({
      all: looped([{ n: 1 }, null], 1),
      results: [{ n: 1 }, null],
      data: 2,
      count: 2,
      stats: { total: 2, success: 1, failed: 1, not_started: 0 },
      status: 'ok',
      error: true,
      second: true,
      odd: false,
    });
  });

  it('of a step without a tool is null', () => {
    expect(seen({ bare: '{{ bare is none }}' }, [{ name: 'bare', tasks: [] }])).toEqual({ bare: true });
  });
});

describe('the names in a rule', () => {
  it('read the outcome by its envelope first, the response by its payload first', () => {
    const step: StepSketch = {
      name: 'fetch',
      tasks: [
        {
          name: 'get',
          kind: 'http',
          rules: [
            {
              do: 'continue',
              set: {
                'ctx.status': '{{ output.status }}',
                'ctx.payload': '{{ response.status }}',
                'ctx.deep': '{{ output.result.data.status }}',
                'ctx.fallen': '{{ output.only }}',
                'ctx.this': '{{ this.http.status }}',
                'ctx.whole': '{{ outcome.data }}',
                'ctx.plain': '{{ output }}',
                'ctx.error': '{{ error is defined }}',
                'ctx.fetch': '{{ fetch.only }}',
                'ctx.attempt': '{{ _attempt }}',
                'ctx.task': '{{ _task }}',
              },
            },
          ],
        },
      ],
    };
    const ctx = seen({ ctx: '{{ ctx }}' }, [step], { get: httpOk({ status: 'paid', only: 1 }) }) as {
      ctx: JsonObject;
    };
    expect(ctx.ctx).toMatchObject({
      status: 'ok',
      payload: 'paid',
      deep: 'paid',
      fallen: 1,
      this: 200,
      error: false,
      fetch: 1,
      attempt: 1,
      task: 'get',
    });
    expect(ctx.ctx['plain']).toMatchObject({ status: 'ok', data: { status_code: 200 } });
    expect(ctx.ctx['whole']).toMatchObject({ status_code: 200, data: { only: 1 } });
  });

  it('carry what the step, the loop and the execution are', () => {
    const run = simulate(
      handPlan([
        {
          name: 'start',
          loop: { in: ['a', 'b'], as: 'letter' },
          tasks: [
            { name: 'first', set: { mine: '{{ letter }}', 'step.shared': '{{ letter }}' } },
            {
              name: 'look',
              input: {
                local: '{{ mine }}',
                step: '{{ step.shared }}',
                loop: '{{ loop }}',
                iter: '{{ iter }}',
                first: '{{ iter._first }}',
                id: '{{ execution_id }}',
                job: '{{ job.idempotency_key }}',
                uuid: '{{ job.uuid == job.id }}',
                args: '{{ args }}',
                workload: '{{ workload.w }}',
                bare: '{{ w }}',
                event: '{{ event is defined }}',
                loose: '{{ letter }}',
              },
            },
          ],
        },
      ]),
      { payload: { w: 'load' } },
    );
    expect(run.calls.at(-1)!.input).toEqual({
      local: 'b',
      step: 'b',
      loop: { index: 1, index0: 1, first: false, last: true, length: 2, done: 1 },
      iter: { index: 1, _index: 1, _first: false, _last: true, letter: 'b' },
      first: false,
      id: '123456789012345678',
      job: '123456789012345678/start#1[1].look~1',
      uuid: true,
      args: {},
      workload: 'load',
      bare: 'load',
      event: false,
      loose: 'b',
    });
  });
});

describe('event, at an arc', () => {
  const at = (when: string, args: JsonObject = {}): Json => {
    const run = simulate(
      handPlan([
        { name: 'start', tasks: [{ name: 'a' }], next: [{ step: 'last', when, args, handlesFailure: true }] },
        { name: 'last', tasks: [{ name: 'look', kind: 'noop', input: { seen: '{{ args }}' } }] },
      ]),
      { mocks: { a: httpError(404) } },
    );
    return run.end === 'complete' ? (run.result as JsonObject)['seen']! : run.end;
  };

  it('is its canonical name and fields as a value; the name has no fields of its own', () => {
    expect(
      at('true', {
        name: '{{ event.name }}',
        type: '{{ event.type }}',
        none: '{{ event.name.x is defined }}',
        step: '{{ event.step }}',
        all: '{{ event }}',
      }),
    ).toMatchObject({
      name: 'step.failed',
      type: 'step.failed',
      none: false,
      step: 'start',
      all: { name: 'step.failed', step: 'start', status: 'error', error: { code: 'HTTP_404' } },
    });
  });

  it.each([
    ["event.name == 'step.failed'", {}],
    ["event.name == 'call.error'", {}],
    ["event.name != 'step.failed'", 'fail'],
    ["event.name == 'step.exit'", 'fail'],
    ["event.name == 'step.done'", 'fail'],
    ["event.status == 'error' and event.step_run_id == 'start#1'", {}],
  ])('%s after a failure', (when, expected) => {
    expect(at(when)).toEqual(expected);
  });
});

describe('error in retry', () => {
  it.each([
    [{ message: 'gone', code: 'X' }, 'gone'],
    [{ code: 'X' }, 'X'],
    [{}, 'error'],
  ])('%j reads as %p', (error, text) => {
    const run = simulate(
      handPlan([
        {
          name: 'start',
          tasks: [
            {
              name: 'a',
              retry: [
                {
                  when: 'true',
                  attempts: 2,
                  delay: 0,
                  actions: [{ do: 'set', set: { 'ctx.e': '{{ error }}' } }],
                },
              ],
            },
          ],
        },
      ]),
      { mocks: { a: { status: 'error', result: null, error: error as never, meta: {} } } },
    );
    expect(run.state.ctx).toEqual({ e: text });
  });
});

describe('status_code and success in retry', () => {
  it.each<[string, Outcome, string]>([
    ['of an http answer', httpOk({}, 201), '201 True'],
    ['of an http failure', httpError(503), '503 False'],
    ['of a tool that says one in its result', ok({ status_code: 7 }), '7 True'],
    ['of a tool that knows none', ok({ n: 1 }), 'none True'],
  ])('%s', (_, outcome, text) => {
    const say = { 'ctx.seen': "{{ status_code | default('none') }} {{ success }}" };
    const run = simulate(
      handPlan([
        {
          name: 'start',
          tasks: [
            {
              name: 'a',
              retry: [{ when: 'true', attempts: 2, delay: 0, actions: [{ do: 'set', set: say }] }],
            },
          ],
        },
      ]),
      { mocks: { a: outcome } },
    );
    expect(run.state.ctx).toEqual({ seen: text });
  });
});

describe('the result of a step that is no mapping', () => {
  it('is behind .data, .result and .body, and .rows when it is a list', () => {
    const step: StepSketch = { name: 'made', tasks: [{ name: 'list' }] };
    const names = ['data', 'result', 'body', 'rows'];
    const inputs = Object.fromEntries(names.map((name) => [name, `{{ made.${name} }}`]));
    expect(seen(inputs, [step], { list: ok([1, 2]) })).toEqual(
      Object.fromEntries(names.map((name) => [name, [1, 2]])),
    );
    expect(seen(inputs, [step], { list: ok('text') })).toEqual({
      data: 'text',
      result: 'text',
      body: 'text',
      rows: null,
    });
  });

  it('is in the rules of its own step what it is to others', () => {
    const run = simulate(
      handPlan([
        {
          name: 'start',
          tasks: [{ name: 'one' }, { name: 'two' }],
          case: [
            {
              when: "event.name == 'call.done' and start.n == 2 and start.results.one.n == 1",
              actions: [{ do: 'set', set: { 'ctx.seen': '{{ start }}' } }],
            },
          ],
        },
      ]),
      { mocks: { one: { n: 1 }, two: { n: 2 } } },
    );
    expect(run.state.ctx).toEqual({ seen: { n: 2 } });
  });
});
