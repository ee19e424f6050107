/** Failures inside nested loops, and nested loops that are paused, cancelled and stopped. */
import { looped } from '../../../../test/support/loops';
import { handPlan, type StepSketch, type TaskSketch } from '../../../../test/support/plans';
import { httpError, simulate } from '../../../../test/support/simulator';
import { type TaskCall } from '../../../language/plan';
import { inner, leaf, outer, payload, run } from '../../../../test/support/nested-loops';

describe('a failure inside an inner loop', () => {
  const failAt =
    (x: number) =>
    (call: TaskCall): ReturnType<typeof httpError> | { x: number } =>
      call.input['x'] === x ? httpError(503) : { x: call.input['x'] as number };

  it('stops that loop and becomes the outcome of its task, naming iteration and task', () => {
    const failed = run({ loop: outer, tasks: [inner([leaf])] }, { payload, mocks: { leaf: failAt(2) } });
    expect(failed.end).toBe('fail');
    expect(failed.calls).toHaveLength(2);
    expect(failed.error).toMatchObject({
      step: 'start',
      task: 'inner',
      iteration: 0,
      code: 'HTTP_503',
      kind: 'server_error',
    });
    expect(failed.error!.message).toBe('task inner, item 2 (index 1), task leaf: HTTP 503');
  });

  it('names the whole way when loops nest deeper', () => {
    const middle = inner([{ name: 'second', loop: { in: [2], as: 'y' }, body: [leaf] }]);
    const failed = run({ tasks: [middle] }, { payload, mocks: { leaf: failAt(1) } });
    expect(failed.error!.message).toBe(
      'task inner, item 1 (index 0): task second, item 1 (index 0), task leaf: HTTP 503',
    );
  });

  it('cancels the iterations in flight of that loop only', () => {
    const done = run(
      {
        loop: { ...outer, parallel: 2 },
        bestEffort: true,
        tasks: [
          inner([leaf], {
            loop: { in: '{{ workload.inner }}', as: 'x', parallel: 3 },
            options: { failure: { mode: 'fail_fast' } },
          }),
        ],
      },
      {
        payload,
        mocks: {
          leaf: (call) =>
            call.task_run_id.startsWith('start#1[0].inner~1@1[1]') ? httpError(500) : { x: 1 },
        },
        choose: (n) => Math.min(1, n - 1),
      },
    );
    expect(done.end).toBe('complete');
    expect(done.result).toEqual(looped([null, looped([{ x: 1 }, { x: 1 }, { x: 1 }])], 1));
    const cancelled = done.events.filter(
      ({ event_type, payload: { outcome } }) =>
        event_type === 'task.failed' && (outcome as { error: { kind: string } }).error.kind === 'cancelled',
    );
    expect(cancelled.map((event) => event.task_run_id)).toEqual(
      expect.arrayContaining(['start#1[0].inner~1@1[2].leaf~1@1']),
    );
    expect(cancelled.every((event) => event.task_run_id!.startsWith('start#1[0].'))).toBe(true);
  });

  it('with best_effort runs all iterations and counts failures', () => {
    const done = run(
      {
        tasks: [
          inner([leaf], {
            options: { failure: { mode: 'best_effort' } },
            set: { 'ctx.stats': '{{ output.stats }}' },
          }),
        ],
      },
      { payload, mocks: { leaf: failAt(2) } },
    );
    expect(done.result).toEqual(looped([{ x: 1 }, null, { x: 3 }], 1));
    expect(done.state.ctx).toEqual({ stats: { total: 3, success: 2, failed: 1, not_started: 0 } });
    const inherited = run(
      { bestEffort: true, tasks: [inner([leaf])] },
      { payload, mocks: { leaf: failAt(2) } },
    );
    expect(inherited.result).toEqual(looped([{ x: 1 }, null, { x: 3 }], 1));
  });

  it('retries the whole loop with fresh task run ids and the same idempotency keys', () => {
    const done = run(
      {
        tasks: [
          inner([leaf], { rules: [{ when: 'output.error.retryable', do: 'retry', attempts: 3, delay: 60 }] }),
        ],
      },
      { payload, mocks: { leaf: { sequence: [{ x: 1 }, httpError(503), { x: 1 }, { x: 2 }, { x: 3 }] } } },
    );
    expect(done.end).toBe('complete');
    expect(done.calls.map((call) => call.task_run_id)).toEqual([
      'start#1.inner~1@1[0].leaf~1@1',
      'start#1.inner~1@1[1].leaf~1@1',
      'start#1.inner~1@2[0].leaf~1@1',
      'start#1.inner~1@2[1].leaf~1@1',
      'start#1.inner~1@2[2].leaf~1@1',
    ]);
    const keys = done.calls.map((call) => call.idempotency_key);
    expect(keys[2]).toBe(keys[0]);
    expect(keys[0]).toBe('123456789012345678/start#1.inner~1[0].leaf~1');
    expect(Math.round(done.elapsed / 1000)).toBe(60);
  });

  it('keeps jump, break and fail of the body to the body', () => {
    const done = run(
      {
        tasks: [
          inner([
            {
              name: 'a',
              input: { x: '{{ x }}' },
              rules: [
                { when: 'x == 1', do: 'jump', to: 'c' },
                { when: 'x == 2', do: 'break' },
                { do: 'continue' },
              ],
            },
            { name: 'b', input: { x: '{{ x }}' } },
            { name: 'c', input: { x: '{{ x }}' } },
          ]),
          { name: 'after', kind: 'noop', input: { all: '{{ inner }}' } },
        ],
      },
      { payload },
    );
    expect(done.calls.map((call) => `${call.task}${call.input['x'] as number}`)).toEqual([
      'a1',
      'c1',
      'a2',
      'a3',
      'b3',
      'c3',
    ]);
    expect(done.end).toBe('complete');
    const failed = run(
      {
        tasks: [
          inner([{ name: 'a', rules: [{ do: 'fail' }] }], {
            rules: [{ when: "output.status == 'error'", do: 'continue' }],
          }),
          { name: 'after' },
        ],
      },
      { payload },
    );
    expect(failed.calls.map((call) => call.task)).toEqual(['a', 'after']);
  });
});

describe('an inner loop under control', () => {
  const slow = inner([leaf], { loop: { in: '{{ workload.inner }}', as: 'x', parallel: 2 } });

  it('writes the same ctx key with different values only in order', () => {
    const writes = (parallel?: number): TaskSketch =>
      inner([{ name: 'leaf', kind: 'noop', set: { 'ctx.k': '{{ x }}' } }], {
        loop: { in: '{{ workload.inner }}', as: 'x', ...(parallel ? { parallel } : {}) },
      });
    expect(run({ tasks: [writes()] }, { payload }).state.ctx).toEqual({ k: 3 });
    const conflict = run({ tasks: [writes(3)] }, { payload });
    expect(conflict.error!.message).toMatch(
      /parallel loop inner left different values in ctx\.k \(items of index 0, 1, 2\)/,
    );
    // In order within each outer iteration, and the outer ones leave the same value: nobody lost anything.
    expect(run({ loop: { ...outer, parallel: 2 }, tasks: [writes()] }, { payload }).end).toBe('complete');
    const across = inner([{ name: 'leaf', kind: 'noop', set: { 'ctx.k': '{{ o }}' } }]);
    const outerConflict = run({ loop: { ...outer, parallel: 2 }, tasks: [across] }, { payload });
    expect(outerConflict.error!.message).toMatch(
      /parallel loop start left different values in ctx\.k \(items of index 0, 1\)/,
    );
  });

  it('pauses and goes on', () => {
    const paused = run({ loop: outer, tasks: [slow] }, { payload, inject: { 2: [{ type: 'paused' }] } });
    expect([paused.end, paused.state.pending]).toEqual(['stuck', {}]);
    const resumed = run(
      { loop: outer, tasks: [slow] },
      { payload, inject: { 2: [{ type: 'paused' }], 3: [{ type: 'resumed' }] } },
    );
    expect([resumed.end, resumed.calls.length]).toEqual(['complete', 6]);
  });

  it('is cancelled with the execution', () => {
    const cancelled = run(
      { loop: outer, tasks: [slow] },
      { payload, inject: { 2: [{ type: 'cancelRequested' }] } },
    );
    expect([cancelled.end, cancelled.state.pending]).toEqual(['cancelled', {}]);
  });

  it('ends with the time limit of its step, whatever waits inside', () => {
    const waiting: TaskSketch = {
      ...leaf,
      rules: [{ when: "output.status == 'error'", do: 'retry', attempts: 99, delay: 60 }],
    };
    const timedOut = run(
      { timeout: 300, loop: { ...outer, parallel: 2 }, tasks: [inner([waiting], { loop: slow.loop! })] },
      { payload, mocks: { leaf: httpError(500) } },
    );
    expect(timedOut.error).toMatchObject({ code: 'STEP_TIMEOUT', step: 'start' });
    expect(Math.round(timedOut.elapsed / 1000)).toBe(300);
    expect(timedOut.state.frames).toEqual({});
    expect(timedOut.state.timers).toEqual({});
  });

  it('waits for places when more iterations are asked for than may be pending', () => {
    const done = run(
      {
        loop: { in: '{{ range(40) | list }}', as: 'o', parallel: 40 },
        tasks: [inner([leaf], { loop: { in: '{{ range(50) | list }}', as: 'x', parallel: 50 } })],
      },
      {},
    );
    expect([done.end, done.calls.length]).toEqual(['complete', 2000]);
    let pending = 0;
    let most = 0;
    for (const { event_type, entity_id } of done.events) {
      if (entity_id !== 'leaf') continue;
      if (event_type === 'task.started') most = Math.max(most, ++pending);
      else if (event_type === 'task.done') pending--;
    }
    expect(most).toBe(1500);
  });

  it('survives JSON at every point', () => {
    const step: Partial<StepSketch> = { loop: { ...outer, parallel: 2 }, tasks: [slow, { name: 'after' }] };
    const plain = run(step, { payload });
    expect(run(step, { payload, persist: true }).events).toEqual(plain.events);
  });
});

it('a loop over what the iteration around it holds', () => {
  const { calls } = simulate(
    handPlan([
      {
        name: 'start',
        loop: { in: [{ list: [1, 2] }, { list: [3] }], as: 'group' },
        tasks: [
          {
            name: 'inner',
            loop: { in: '{{ group.list }}', as: 'n' },
            body: [{ name: 'a', input: { n: '{{ n }}' } }],
          },
        ],
      },
    ]),
  );
  expect(calls.map(({ input }) => input['n'])).toEqual([1, 2, 3]);
});
