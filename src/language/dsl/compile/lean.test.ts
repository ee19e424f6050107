/** What counts as read of a result: all else of it stays out of history. */
import { planOf, playbookOf } from '../../../../test/support/simulator';

const FETCH = '{kind: http, url: "http://x"}';

/** Names of the tasks that are recorded lean. */
function leanIn(steps: string, executor = ''): string[] {
  const { steps: compiled } = planOf(`${playbookOf(steps)}${executor}`);
  const tasks = compiled.flatMap((step) => [...step.tasks, ...(step.sinks ?? [])]);
  return tasks.flatMap(({ name, lean }) => (lean ? [name] : []));
}

/** A request, and one task behind it that reads what the template says. */
const reading = (template: string, tool = FETCH, more = ''): string[] =>
  leanIn(`
- step: start
  tool: {kind: noop}
  next: {arcs: [{step: fetch}]}
- step: fetch
  ${more}
  tool: ${tool}
  next: {arcs: [{step: use}]}
- step: use
  tool: {kind: python, input: {x: "${template}"}, code: "result = 1"}`).filter((name) =>
    name.startsWith('fetch'),
  );

it.each([
  'nothing',
  '{{ fetch.data }}',
  '{{ fetch.data.items[0].name }}',
  '{{ fetch.status_code }}',
  '{{ fetch.body | length }}',
  '{{ fetch.result.data }}',
  '{{ fetch.items }}',
])('%s reads no details', (template) => {
  expect(reading(template)).toEqual(['fetch_task']);
});

it.each([
  '{{ fetch }}',
  '{{ fetch | tojson }}',
  '{{ fetch.result }}',
  '{{ fetch.headers.etag }}',
  "{{ fetch['headers'] }}",
  '{{ fetch.data.url }}',
  '{{ fetch.elapsed_ms }}',
  '{{ fetch.metadata.status_code }}',
  '{{ fetch.meta.worker }}',
  '{{ fetch[workload.x] }}',
  "{{ fetch.get('headers') }}",
  '{% for key in fetch %}{{ key }}{% endfor %}',
])('%s reads them', (template) => {
  expect(reading(template)).toEqual([]);
});

it.each([
  ['{{ each }}', []],
  ['{{ fetch.results }}', []],
  ['{{ fetch[0] }}', []],
  ['{{ fetch[0].data }}', ['fetch_task']],
  ['{{ fetch.count }}', ['fetch_task']],
  ['{{ fetch.stats.failed }}', ['fetch_task']],
  ['{{ fetch | length }}', []],
] as const)('of a loop %s reads the details of %s', (template, lean) => {
  const more = 'loop: {in: [1, 2], iterator: item}';
  expect(reading(template === '{{ each }}' ? '{{ fetch }}' : template, FETCH, more)).toEqual(lean);
});

it.each([
  ['policy: {rules: [{when: "{{ output.status == \'error\' }}", then: {do: fail}}]}', ['fetch_task']],
  ['policy: {rules: [{when: "{{ output.http.status == 500 }}", then: {do: fail}}]}', []],
  ['policy: {rules: [{else: {then: {do: continue, set: {ctx.x: "{{ output.data }}"}}}}]}', []],
  [
    'policy: {rules: [{else: {then: {do: continue, set: {ctx.x: "{{ output.data.data }}"}}}}]}',
    ['fetch_task'],
  ],
])('rules of the task count: %s', (spec, lean) => {
  expect(reading('nothing', `{kind: http, url: "http://x", spec: {${spec}}}`)).toEqual(lean);
});

it('keeps what may be the result of the execution, whole', () => {
  expect(leanIn(`- step: start\n  tool: ${FETCH}`)).toEqual([]);
  const guarded = `- step: start\n  tool: ${FETCH}\n  next: {arcs: [{step: b, when: "{{ workload.x }}"}]}`;
  expect(leanIn(`${guarded}\n- step: b\n  tool: {kind: noop}`)).toEqual([]);
});

it('keeps everything for code that reads `context`, and where the executor asks for it', () => {
  const steps = (code: string): string =>
    `- step: start\n  tool: ${FETCH}\n  next: {arcs: [{step: b}]}\n- step: b\n  tool: {kind: python, code: "${code}"}`;
  expect(leanIn(steps('result = 1'))).toEqual(['start_task']);
  expect(leanIn(steps("result = context['start']"))).toEqual([]);
  const all = '\nexecutor: {spec: {policy: {results: {record: all}}}}\n';
  expect(leanIn(steps('result = 1'), all)).toEqual([]);
});
