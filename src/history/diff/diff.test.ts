import { enveloped } from '../../../test/support/envelopes';
import { httpError, playbookOf, simulate, type SimulationOptions } from '../../../test/support/simulator';
import { compare, type Comparison, Summariser } from '.';

const PLAYBOOK = playbookOf(`
- step: start
  tool:
    kind: http
    url: http://x
    input: {n: "{{ workload.n | default(1) }}"}
    spec: {policy: {rules: [{when: "{{ output.status == 'error' }}", then: {do: retry, attempts: 3, delay: 1}}]}}
  set: {ctx.answer: "{{ start }}"}
  next: {arcs: [{step: big, when: "{{ start.size > 5 }}"}, {step: small}]}
- step: big
  tool: {kind: noop}
- step: small
  tool: {kind: noop}`);

function summary(options: SimulationOptions): Summariser['summary'] {
  const summariser = new Summariser();
  summariser.take(enveloped(simulate(PLAYBOOK, options).events));
  return summariser.summary;
}
const between = (a: SimulationOptions, b: SimulationOptions): Comparison => compare(summary(a), summary(b));

test('an execution does the same as itself', () => {
  expect(between({ mocks: { start: { size: 1 } } }, { mocks: { start: { size: 1 } } })).toMatchObject({
    same: true,
    differences: [],
  });
});

test('another outcome shows where it differs, and the other way it led to', () => {
  const { same, differences } = between({ mocks: { start: { size: 1 } } }, { mocks: { start: { size: 9 } } });
  expect(same).toBe(false);
  expect(differences).toEqual([
    { kind: 'step', id: 'start#1', what: 'next[0]', a: 'small', b: 'big' },
    { kind: 'step', id: 'small#1', what: 'only', a: true, b: false },
    { kind: 'step', id: 'big#1', what: 'only', a: false, b: true },
    { kind: 'task', id: 'start#1.start_task~1@1', what: 'outcome.result.size', a: 1, b: 9 },
    { kind: 'task', id: 'small#1.small_task~1@1', what: 'only', a: true, b: false },
    { kind: 'task', id: 'big#1.big_task~1@1', what: 'only', a: false, b: true },
    { kind: 'ctx', id: 'answer', what: 'size', a: 1, b: 9 },
  ]);
});

test('another payload and a retry are told with the task’s inputs and decisions', () => {
  const { differences } = between(
    { mocks: { start: { size: 1 } } },
    { payload: { n: 2 }, mocks: { start: { sequence: [httpError(503), { size: 1 }] } } },
  );
  expect(differences).toEqual(
    expect.arrayContaining([
      { kind: 'execution', id: '', what: 'workload.n', a: null, b: 2 },
      { kind: 'task', id: 'start#1.start_task~1@1', what: 'input.n', a: 1, b: 2 },
      { kind: 'task', id: 'start#1.start_task~1@1', what: 'decision.directive', a: 'continue', b: 'retry' },
      { kind: 'task', id: 'start#1.start_task~1@2', what: 'only', a: false, b: true },
    ]),
  );
});

test('time alone is no difference, but is told', () => {
  const [a, b] = [summary({ mocks: { start: { size: 1 } } }), summary({ mocks: { start: { size: 1 } } })];
  a.tasks.get('start#1.start_task~1@1')!.duration_ms = 20;
  b.tasks.get('start#1.start_task~1@1')!.duration_ms = 900;
  expect(compare(a, b)).toMatchObject({
    same: true,
    timings: [{ id: 'start#1.start_task~1@1', a_ms: 20, b_ms: 900 }],
  });
});
