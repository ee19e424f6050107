/** Results are stored where a template reads their place. */
import { plan } from '../../../../test/support/compiled';
import { simulate } from '../../../../test/support/simulator';

/** The tasks that are marked, of a step whose tasks run on lease, and one that reads what the template says. */
function storedIn(template: string, at = 'use', fetch = ''): string[] {
  const input = (step: string): string => (step === at ? `, input: {x: "${template}"}` : '');
  const { steps } = plan(`executor: {spec: {exec: local}}
workflow:
- step: start
  ${fetch}
  tool:
  - {name: get, kind: python, code: "result = 1"}
  - {name: put, kind: python, code: "result = 2"${input('put')}}
  next: {arcs: [{step: use}]}
- step: use
  tool: {kind: python, code: "result = 1"${input('use')}}
`);
  const tasks = steps.flatMap((step) => step.tasks.flatMap((task) => [task, ...(task.body ?? [])]));
  for (const { stored, local } of tasks) expect(Boolean(stored)).toBe(!local);
  return tasks.flatMap(({ name, stored }) => (stored ? [name] : []));
}

test.each([
  ['{{ start.a }}', 'use', []],
  ['{{ start._ref }}', 'use', ['get', 'put']],
  ["{{ start['_ref'].key }}", 'use', ['get', 'put']],
  ['{{ start._store }}', 'use', ['get', 'put']],
  ['{{ start.reference.ref }}', 'use', ['get', 'put']],
  ['{{ start.reference.no }}', 'use', []],
  ['{{ start.results.get._ref is defined }}', 'use', ['get', 'put']],
  ['{{ get._ref }}', 'put', ['get']],
  ['{{ _prev._ref }}', 'put', ['get', 'put']],
  ["{{ {'_ref': 1}._ref }}", 'use', []],
])('%s in %s', (template, at, stored) => {
  expect(storedIn(template, at)).toEqual(stored);
});

test('a loop as a whole is in no store; its iterations read their own tasks', () => {
  const loop = 'loop: {in: [1], iterator: i}';
  expect(storedIn('{{ start._ref }}', 'use', loop)).toEqual([]);
  expect(storedIn('{{ get._ref }}', 'put', loop)).toEqual(['get']);
});

test('a simulated result has a place too, and what no worker returns has none', () => {
  const made = plan(`workflow:
- step: start
  tool: {kind: http, url: "http://x"}
  next: {arcs: [{step: none}]}
- step: none
  tool: {kind: noop}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop, input: {key: "{{ start._ref.key }}", other: "{{ start.reference.ref.key }}", store: "{{ start._store }}", none: "{{ none._ref is defined }}"}}
`);
  const key = 'start#1~1@1';
  expect(simulate(made).result).toEqual({ key, other: key, store: 'simulated', none: false });
});
