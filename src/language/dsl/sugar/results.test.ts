import { httpError, playbookOf, simulate } from '../../../../test/support/simulator';

it('looks past generated routers for _prev and for the result of the step', () => {
  const run = simulate(
    playbookOf(`
- step: start
  tool:
    - {name: first, kind: python, code: "result = 1", set: {iter.n: 0}}
    - while:
        when: "{{ iter.n < 2 }}"
        do:
          - {name: body, kind: python, input: {before: "{{ _prev }}"}, code: "result = 1", set: {iter.n: "{{ iter.n + 1 }}"}}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop, input: {start: "{{ start }}"}}`),
    { mocks: { first: 'a', body: { sequence: ['b', 'c'] } } },
  );
  expect(run.calls.map((call) => call.input['before'])).toEqual([undefined, 'a', 'b']);
  expect(run.result).toEqual({ start: 'c' });
});

it('ends a branch with an error that no rule matches, if that is what its last task says', () => {
  const run = (policy: string) =>
    simulate(
      playbookOf(`
- step: start
  tool:
    - choose:
        - when: "{{ workload.a is not defined }}"
          then: [{name: last, kind: python, code: "result = 1", spec: {policy: {rules: [{when: "{{ outcome.status == 'ok' }}", then: {do: continue}}]${policy}}}}]
        - else: [{kind: noop}]`),
      { mocks: { last: httpError(404) } },
    );
  expect(run(', on_unmatched: fail')).toMatchObject({ end: 'fail' });
  expect(run('')).toMatchObject({ end: 'complete' });
});
