import { codes, first, plan } from '../../../../test/support/compiled';
import { planOf, playbookOf, simulate } from '../../../../test/support/simulator';

const arcs = (text: string): string[] =>
  codes(`workflow:
  - step: start
    tool: {kind: noop}
    next: ${text}
  - {step: undo, tool: {kind: noop}}
  - {step: end, tool: {kind: noop}}
`);
const DONE = `{step: end, when: "{{ event.name == 'step.done' }}"}`;

test.each([
  [`{arcs: [${DONE}, {step: undo}]}`, true],
  [`{arcs: [${DONE}, {step: undo, when: "{{ event.name == 'step.failed' }}"}]}`, false],
  [`{arcs: [{step: undo}, ${DONE}]}`, false],
  [`{spec: {mode: inclusive}, arcs: [${DONE}, {step: undo}]}`, false],
  [`{arcs: [{step: end, when: "{{ event.name == 'step.done' and start.ok }}"}, {step: undo}]}`, false],
])('%s: a catch-all that catches nothing is told: %s', (text, told) => {
  expect(arcs(text).includes('NT4012')).toBe(told);
});

test('data in the statement of a transfer is told, as in that of its kinds', () => {
  const transfer = (query: string): string[] =>
    codes(`workload: {t: 1}
workflow:
  - step: start
    tool: {kind: transfer, source: {kind: postgres, auth: pg, query: "${query}"}, target: {kind: postgres, auth: pg, table: t}}
`);
  expect(transfer("SELECT '{{ workload.t }}'")).toContain('NT4005');
  expect(transfer('SELECT 1')).not.toContain('NT4005');
});

test('a rule that fails a task says why, in the words of its author', () => {
  const failing = (then: string): string =>
    `- step: start
  tool:
    kind: python
    code: "result = 1"
    spec: {policy: {rules: [{when: "{{ output.status == 'ok' }}", then: ${then}}]}}`;
  const { error } = simulate(planOf(playbookOf(failing('{do: fail, message: "rows: {{ output.data }}"}'))));
  expect(error).toMatchObject({ code: 'RULE_FAIL', message: expect.stringMatching(/^rows: /) as string });
  expect(first(failing('{do: fail, message: no}')).name).toBe('start');
  expect(codes(`workflow:\n${failing('{do: break, message: no}')}\n`)).toContain('NT2035');
  expect(plan(`workflow:\n${failing('{do: fail}')}\n`).steps).toHaveLength(1);
});
