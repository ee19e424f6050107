/** Loops inside pipelines: a task that runs a body once per item, in the same step run. */
import { looped } from '../../../../test/support/loops';
import { type TaskSketch } from '../../../../test/support/plans';
import { inner, leaf, outer, payload, run } from '../../../../test/support/nested-loops';

describe('a loop inside a pipeline', () => {
  it('runs its body once per item, in order, and goes on with the list of results', () => {
    const done = run(
      {
        tasks: [
          { name: 'first' },
          inner([leaf]),
          {
            name: 'after',
            input: { before: '{{ _prev }}', count: '{{ inner.count }}', two: '{{ inner[1].x }}' },
          },
        ],
      },
      { payload, choose: (n) => n - 1 },
    );
    expect(done.calls.map((call) => call.task_run_id)).toEqual([
      'start#1.first~1@1',
      'start#1.inner~1@1[0].leaf~1@1',
      'start#1.inner~1@1[1].leaf~1@1',
      'start#1.inner~1@1[2].leaf~1@1',
      'start#1.after~1@1',
    ]);
    expect(done.calls.at(-1)!.input).toEqual({
      before: looped([{ x: 1 }, { x: 2 }, { x: 3 }]),
      count: 3,
      two: 2,
    });
  });

  it('inside a loop step gives every task run, idempotency key and summary of its own', () => {
    const done = run({ loop: { ...outer, parallel: 2 }, tasks: [inner([leaf])] }, { payload });
    const ids = done.calls.map((call) => call.task_run_id);
    expect(ids).toContain('start#1[1].inner~1@1[2].leaf~1@1');
    expect(new Set(ids).size).toBe(6);
    expect(new Set(done.calls.map((call) => call.idempotency_key)).size).toBe(6);
    expect(done.calls.map((call) => call.iteration).sort()).toEqual([0, 0, 1, 1, 2, 2]);
    expect(done.result).toEqual(looped([1, 2].map(() => looped([1, 2, 3].map((x) => ({ x }))))));
  });

  it('runs parallel with at most max_in_flight iterations, results in the order of the items', () => {
    let open = 0;
    let most = 0;
    const done = run(
      { tasks: [inner([leaf], { loop: { in: '{{ range(20) | list }}', as: 'x', parallel: 4 } })] },
      { choose: (n) => n - 1 },
    );
    for (const { event_type } of done.events) {
      if (event_type === 'loop.iteration.started') most = Math.max(most, ++open);
      if (event_type === 'loop.iteration.done') open--;
    }
    expect([most, open]).toEqual([4, 0]);
    expect(done.result).toEqual(looped([...Array(20).keys()].map((x) => ({ x }))));
  });

  it('sees the iterators around by name, the innermost first, and iter.parent at every depth', () => {
    const deepest: TaskSketch = {
      name: 'deepest',
      input: {
        names: ['{{ o }}', '{{ x }}', '{{ y }}'],
        up: ['{{ iter.index }}', '{{ iter.parent.index }}', '{{ iter.parent.parent.index }}'],
        items: ['{{ iter.y }}', '{{ iter.parent.x }}', '{{ iter.parent.parent.o }}'],
        loop: ['{{ loop_index }}', '{{ loop.length }}', '{{ iter._last }}', '{{ iter.parent._first }}'],
        above: '{{ iter.parent.parent.parent is defined }}',
      },
    };
    const middle = inner([{ name: 'second', loop: { in: ['p', 'q'], as: 'y' }, body: [deepest] }]);
    const done = run({ loop: outer, tasks: [middle] }, { payload });
    expect(done.calls[9]!.input).toEqual({
      names: ['b', 2, 'q'],
      up: [1, 1, 1],
      items: ['q', 2, 'b'],
      loop: [1, 2, true, false],
      above: false,
    });
    expect(done.calls[9]!.task_run_id).toBe('start#1[1].inner~1@1[1].second~1@1[1].deepest~1@1');
    const shadow = inner([
      { name: 'second', loop: { in: ['in'], as: 'o' }, body: [{ name: 'deepest', input: { o: '{{ o }}' } }] },
    ]);
    expect(run({ loop: outer, tasks: [shadow] }, { payload }).calls[0]!.input).toEqual({ o: 'in' });
  });

  it('gives set_iter to the inner iteration; the keys of the outer one are read as iter.parent', () => {
    const done = run(
      {
        loop: outer,
        tasks: [
          { name: 'mark', kind: 'noop', set: { 'iter.mine': 'outer {{ o }}', bare: 'around' } },
          inner([
            { name: 'write', kind: 'noop', set: { 'iter.mine': 'inner {{ x }}', bare: 'within {{ x }}' } },
            {
              name: 'read',
              input: { mine: '{{ iter.mine }}', theirs: '{{ iter.parent.mine }}', bare: '{{ bare }}' },
            },
          ]),
          { name: 'check', input: { mine: '{{ iter.mine }}', bare: '{{ bare }}' } },
        ],
      },
      { payload: { outer: ['a'], inner: [1, 2] } },
    );
    expect(done.calls.map((call) => call.input)).toEqual([
      { mine: 'inner 1', theirs: 'outer a', bare: 'within 1' },
      { mine: 'inner 2', theirs: 'outer a', bare: 'within 2' },
      { mine: 'outer a', bare: 'around' },
    ]);
  });

  it('sees the results of tasks before it in the pipeline around, and its own first', () => {
    const done = run(
      {
        tasks: [
          { name: 'fetch' },
          inner([
            { name: 'own', input: { x: '{{ x }}' } },
            { name: 'use', input: { outer: '{{ fetch.v }}', own: '{{ own.x }}', prev: '{{ _prev.x }}' } },
          ]),
        ],
      },
      { payload: { inner: [5] }, mocks: { fetch: { v: 'before' } } },
    );
    expect(done.calls.at(-1)!.input).toEqual({ outer: 'before', own: 5, prev: 5 });
  });

  it('evaluates the inputs of the task per iteration and lays them over those of the step', () => {
    const done = run(
      {
        input: { base: 1, same: 'step' },
        tasks: [inner([{ name: 'leaf', input: {} }], { input: { same: 'task', twice: '{{ x * 2 }}' } })],
      },
      { payload },
    );
    expect(done.calls.map((call) => call.input)).toEqual(
      [2, 4, 6].map((twice) => ({ base: 1, same: 'task', twice })),
    );
  });

  it('over nothing is done at once; without a body every iteration gives null', () => {
    const empty = run({ tasks: [inner([leaf], { loop: { in: [], as: 'x' } })] });
    expect([empty.end, empty.result]).toEqual(['complete', looped([])]);
    expect(run({ tasks: [inner([])] }, { payload }).result).toEqual(looped([null, null, null]));
  });

  it('over a mapping or with a max_in_flight of 0 is an outcome for the rules of the task', () => {
    const wrong = run({ tasks: [inner([leaf], { loop: { in: { a: 1 }, as: 'x' } })] });
    expect(wrong.error).toMatchObject({ code: 'LOOP_IN', task: 'inner' });
    expect(wrong.error!.message).toMatch(/loop\.in of task inner must be a list, got dict/);
    const rescued = run({
      tasks: [
        inner([leaf], {
          loop: { in: [1], as: 'x', parallel: 0 },
          rules: [{ when: "output.error.code == 'LOOP_MAX_IN_FLIGHT'", do: 'continue' }],
        }),
        { name: 'after' },
      ],
    });
    expect(rescued.calls.map((call) => call.task)).toEqual(['after']);
  });

  it('shows results, count and stats as a task, as its outcome and in a set', () => {
    const done = run(
      {
        tasks: [
          inner([leaf], { set: { 'ctx.all': '{{ output }}', 'ctx.stats': '{{ output.stats }}' } }),
          {
            name: 'after',
            input: {
              stats: '{{ inner.stats }}',
              results: '{{ inner.results | length }}',
              data: '{{ inner.data.count }}',
              status: '{{ inner.status }}',
            },
          },
        ],
      },
      { payload },
    );
    const stats = { total: 3, success: 3, failed: 0, not_started: 0 };
    expect(done.state.ctx).toEqual({ all: looped([1, 2, 3].map((x) => ({ x }))), stats });
    expect(done.calls.at(-1)!.input).toEqual({ stats, results: 3, data: 3, status: 'ok' });
  });
});
