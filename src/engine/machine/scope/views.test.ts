/** What names answer: results as views, iterators, reserved names. */
import { looped } from '../../../../test/support/loops';
import { seen } from '../../../../test/support/seen';
import { handPlan, type StepSketch } from '../../../../test/support/plans';
import { httpError, httpOk, ok, playbookOf, simulate } from '../../../../test/support/simulator';

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

  it('calls the payload of a response `body` at every level, in rules as well', () => {
    const set = {
      'ctx.body': '{{ output.body.paging.page }}',
      'ctx.data': '{{ output.data.body.paging.page }}',
      'ctx.result': '{{ result.body.paging.page }}',
      'ctx.own': '{{ output.data.body.body }}',
    };
    const get = { name: 'get', kind: 'http', rules: [{ do: 'continue' as const, set }] };
    const inputs = {
      ctx: '{{ ctx }}',
      step: '{{ fetch.data.body.paging.page }}',
      status: '{{ fetch.data.status_code }}',
      alone: '{{ fetch.data }}',
      none: '{{ fetch.data.data | default([]) }}{{ fetch.data.url | default(0) }}',
    };
    expect(
      seen(inputs, [{ name: 'fetch', tasks: [get] }], { get: httpOk({ paging: { page: 4 } }) }),
    ).toMatchObject({
      ctx: { body: 4, data: 4 },
      step: 4,
      status: 200,
      alone: { paging: { page: 4 } },
      none: '[]0',
    });
    const named = seen(inputs, [{ name: 'fetch', tasks: [get] }], { get: httpOk({ body: { paging: 1 } }) });
    expect(named).toMatchObject({ ctx: { own: null } });
  });

  it('finds the key `data` of a body behind `.data`, before the body itself', () => {
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
          error: '{{ each.error is defined }}',
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
      error: false,
      second: true,
      odd: false,
    });
  });

  it('of a step without a tool is null', () => {
    expect(seen({ bare: '{{ bare is none }}' }, [{ name: 'bare', tasks: [] }])).toEqual({ bare: true });
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
