/** One step, with values given for it. */
import { drive } from '../../../test/support/strict-driver';
import { ok, planOf, playbookOf } from '../../../test/support/simulator';
import { type JsonObject, type TaskCall } from '../../language/plan';
import { prepareStep } from './alone';

const plan = planOf(
  playbookOf(
    `
- step: start
  tool: {kind: http, url: "http://x"}
  next: {arcs: [{step: each}]}
- step: each
  loop: {in: "{{ start.data }}", iterator: n}
  tool: {kind: python, code: result = n}
  next: {arcs: [{step: load}]}
- step: load
  tool:
    kind: python
    input:
      rows: "{{ rows | default(start.data) }}"
      size: "{{ workload.size }}"
      done: "{{ each }}"
      ctx: "{{ ctx.seen | default(0) }}"
    code: result = len(rows)
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop}`,
    `workload: {base: 5, size: "{{ workload.base }}"}\nexecutor: {spec: {concurrency: {key: one, limit: 1}}}`,
  ),
);

function run(step: string, input: JsonObject, more: { payload?: JsonObject; variables?: JsonObject } = {}) {
  const executionId = '223456789012345678';
  const { state, rerun, payload } = prepareStep(plan, {
    step,
    input,
    payload: more.payload ?? {},
    variables: more.variables ?? {},
    executionId,
    now: 1_700_000_000_000,
  });
  const calls: TaskCall[] = [];
  const driven = drive(plan, {
    from: { state, input: { type: 'rerun', ...rerun, payload } },
    answer: (call) => {
      calls.push(call);
      return ok(7);
    },
  });
  return { ...driven, calls };
}

test('runs that step and nothing else, with arguments, results of other steps, inputs and variables', () => {
  const { calls, end, result, broken } = run(
    'load',
    { rows: [1, 2], start: { data: [9] }, each: ['a', 'b'] },
    { payload: { size: 50 }, variables: { seen: 3 } },
  );
  expect(calls.map(({ task_run_id, input }) => [task_run_id, input])).toEqual([
    ['load#1~1@1', { rows: [1, 2], size: 50, done: expect.anything() as unknown, ctx: 3 }],
  ]);
  expect([end, result, broken]).toEqual(['complete', 7, []]);
});

test('the workload is evaluated as at a start', () => {
  expect(run('load', { start: { data: [9] } }).calls[0]!.input).toMatchObject({ rows: [9], size: 5 });
});

test('a step that there is not is named with those that there are', () => {
  expect(() => run('nothing', {})).toThrow('the playbook has no step nothing; it has start, each, load, end');
});
