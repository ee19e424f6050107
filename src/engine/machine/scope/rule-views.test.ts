/** What names answer in rules: results, the event, the error, the status. */
import { handPlan, type StepSketch } from '../../../../test/support/plans';
import { seen } from '../../../../test/support/seen';
import { httpError, httpOk, ok, simulate } from '../../../../test/support/simulator';
import { type Json, type JsonObject, type Outcome } from '../../../language/plan';

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
