/** What belongs to one iteration, read where the loop is over. */
import { compile } from '../compile';

const told = (rule: string, more = '', loop = '{in: [1, 2], iterator: n}'): string[] =>
  compile(`apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: iterations}
workflow:
- step: start
  ${loop && `loop: ${loop}`}
  tool: {kind: http, url: "https://example.com"}
  ${more}
  case:
  - ${rule}
- step: report
  tool: {kind: noop, input: {all: "{{ args }}"}}
`)
    .diagnostics.filter(({ code }) => !/^NT5/.test(code))
    .map(({ code, message }) => `${code} ${/`([^`]+)`/.exec(message)![1]!}`);

const next = (args: string, when = "event.name == 'call.done' and response.found"): string =>
  `{when: "{{ ${when} }}", then: {next: [{step: report, args: {x: "{{ ${args} }}"}}]}}`;

test.each([
  'response.city',
  'result.city',
  'this.city',
  "response['city']",
  "response.get('city')",
  "response.city | default('none')",
  'response.data.city',
  'result.results.city',
])('%s in the arguments of a next is of one iteration (NT2026)', (read) => {
  expect(told(next(read))).toEqual([expect.stringMatching(/^NT2026 (response|result|this)\./)]);
});

test.each([
  'response',
  'result.results',
  'result.results[0].city',
  'result[0].city',
  'response.count',
  'response.stats.failed',
  'response.data[0].city',
  "response | map(attribute='city') | list",
  'start.results',
])('%s is of the loop', (read) => {
  expect(told(next(read))).toEqual([]);
});

test('the guard, and what the rule stores, is of the iteration', () => {
  expect(
    told(
      `{when: "{{ event.name == 'call.done' and response.found }}", then: {set: {ctx.city: "{{ response.city }}"}, next: report}}`,
    ),
  ).toEqual([]);
});

test('a rule that answers the end of the loop reads the loop throughout', () => {
  expect(told(next('1', "event.name == 'loop.done' and response.found"))).toEqual(['NT2026 response.found']);
  expect(told(next('1', "event.name == 'loop.done' and response.stats.failed == 0"))).toEqual([]);
});

test('the iterator is gone there (NT3013)', () => {
  expect(told(next('n'))).toEqual(['NT3013 n']);
});

test('a structural arc reads the loop as well', () => {
  const text = (read: string): string => `apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: iterations}
workflow:
- step: start
  loop: {in: [1, 2], iterator: n}
  tool: {kind: http, url: "https://example.com"}
  next: {arcs: [{step: end, when: "{{ ${read} }}"}]}
`;
  expect(compile(text('response.found')).diagnostics.map(({ code }) => code)).toEqual(['NT2026']);
  expect(compile(text('response.count > 1')).diagnostics).toEqual([]);
});

test('a next in an iteration ends no loop, in parallel or not, and a step without a loop reads its call', () => {
  expect(told(next('1'), '', '{in: [1, 2], iterator: n, spec: {mode: parallel}}')).toEqual([]);
  expect(told(next('response.city'), '', '')).toEqual([]);
});
