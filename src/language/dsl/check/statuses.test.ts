import { compile } from '../../dsl';
import { HEADER } from '../../../../test/support/compiled';

/** What is said of a condition, by the place it stands in. */
const PLACES = {
  rule: (when: string) => `
- step: start
  tool: {kind: http, url: "https://example.com", spec: {policy: {rules: [{when: "{{ ${when} }}", then: {do: retry}}]}}}`,
  arc: (when: string) => `
- step: start
  tool: {kind: noop}
  next: {arcs: [{step: end, when: "{{ ${when} }}"}]}
- step: end`,
  case: (when: string) => `
- step: start
  tool: {kind: noop}
  case: [{when: "{{ ${when} }}", then: {next: end}}]
- step: end`,
  value: (when: string) => `
- step: start
  tool: {kind: noop}
  set: {ctx.worked: "{{ ${when} }}"}`,
  text: (text: string) => `
- step: start
  tool: {kind: noop}
  set: {ctx.worked: "${text}"}`,
  input: (when: string) => `
- step: start
  tool: {kind: noop, input: {worked: "{{ ${when} }}"}}`,
};

function told(place: keyof typeof PLACES, when: string): string[] {
  const text = `${HEADER}workload: {output: {status: success}}\nworkflow:${PLACES[place](when)}\n`;
  return compile(text)
    .diagnostics.filter(({ code }) => code === 'NT4013')
    .map(({ hint, line, column, endColumn }) => {
      return `${text.split('\n')[line - 1]!.slice(column - 1, endColumn - 1)}: ${hint}`;
    });
}

const OK = "write `'ok'`";
const ERROR = "write `'error'`";

test.each<[string, string[]]>([
  ["output.status == 'success'", [`'success': ${OK}`]],
  ["outcome.status != 'success'", [`'success': ${OK}`]],
  ["this.status == 'OK'", [`'OK': ${OK}`]],
  ["'failed' == output.status", [`'failed': ${ERROR}`]],
  ["output.status in ['failed', 'error', 'timeout']", [`'failed': ${ERROR}`, `'timeout': ${ERROR}`]],
  ["output.status not in ('success', 'ok')", [`'success': ${OK}`]],
  ["output.status == 'erorr'", [`'erorr': ${ERROR}`]],
  ["output.status == 'pending'", ["'pending': compare with `ok` or `error`"]],
  ["(output.status | default('error')) == 'completed'", [`'completed': ${OK}`]],
  ["output.error.code == 'X' and (not output.status == 'success' or true)", [`'success': ${OK}`]],
  ["output.status == 'ok'", []],
  ["output.status == 'error' and output.data.status == 'success'", []],
  ["response.status == 'success'", []],
  ['output.status == workload.status', []],
  ["output.status | upper == 'OK'", []],
])('a status that never is: %s', (when, wanted) => {
  for (const place of ['rule', 'arc', 'case', 'value'] as const)
    expect([place, told(place, when)]).toEqual([place, wanted]);
});

test('the status of an event is one of a call or a step', () => {
  for (const place of ['arc', 'case'] as const) {
    expect(told(place, "event.name == 'step.done' and event.status == 'success'")).toEqual([
      `'success': ${OK}`,
    ]);
    expect(told(place, "event.status == 'error'")).toEqual([]);
  }
});

test('what the playbook calls by such a name has the values that it has', () => {
  expect(told('input', "output.status == 'success'")).toEqual([]);
  const bound = "{% for this in workload.rows %}{{ this.status == 'new' }}{% endfor %}";
  expect(told('text', bound)).toEqual([]);
  expect(told('text', "{% if output.status == 'done' %}yes{% endif %}")).toEqual([`'done': ${OK}`]);
});
