/** Steps, tasks and iterators called as what some places call by that name. */
import { httpError, playbookOf, simulate } from '../../../../test/support/simulator';

/** A step `error` and a step `success`, which others read. */
const playbook = (first: string): string =>
  playbookOf(`
- step: start
  tool: {name: ask, kind: http, url: "http://a", ${first}}
  next: {arcs: [{step: error, when: "{{ event.name == 'step.failed' }}", args: {why: "{{ error.code }}"}}, {step: success}]}
- step: success
  tool: {kind: noop, input: {seen: "{{ start.n }}"}}
  next: {arcs: [{step: error, args: {why: none}}]}
- step: error
  tool: {kind: noop, input: {went: "{{ success.seen | default('not') }}", why: "{{ why }}"}}
  next: {arcs: [{step: last}]}
- step: last
  tool: {kind: noop, input: {all: "{{ error.went }} {{ error.why }}", defined: "{{ error is defined }}"}}
`);

test('steps called error and success are read by their names', () => {
  const run = simulate(playbook('timeout: 1'), { mocks: { ask: { n: 7 } } });
  expect(run.result).toMatchObject({ all: '7 none', defined: true });
});

test('and the error of what failed is the error where it is in scope', () => {
  const run = simulate(playbook('timeout: 1'), { mocks: { ask: httpError(503) } });
  expect(run.result).toMatchObject({ all: 'not HTTP_503', defined: true });
});

test('a step called error does not make `error is defined` true after a success', () => {
  const source = playbookOf(`
- step: start
  next: {arcs: [{step: error}]}
- step: error
  tool: {kind: noop, input: {n: 1}}
  next: {arcs: [{step: ask}]}
- step: ask
  tool:
    kind: http
    url: "http://a"
    spec: {policy: {rules: [{when: "{{ error is defined }}", then: {do: fail}}, {else: {then: {do: continue}}}]}}
  next: {arcs: [{step: bad, when: "{{ error is defined }}"}, {step: good}]}
- step: bad
  tool: {kind: noop}
- step: good
  tool: {kind: noop, input: {n: "{{ error.n }}"}}
`);
  expect(simulate(source, { mocks: { ask: {} } })).toMatchObject({ end: 'complete', result: { n: 1 } });
});

test('an iterator called page is the item in tasks, and the page of the call in `retry`', () => {
  const source = playbookOf(`
- step: start
  loop: {in: [a, b], iterator: page}
  tool:
    kind: http
    url: "http://a/{{ page }}"
    retry: [{when: "{{ page.n < 2 }}", then: {next_call: {params: {n: "{{ page.n + 1 }}"}}}}]
`);
  const run = simulate(source, { mocks: { start_task: { sequence: [{ n: 1 }, { n: 2 }, { n: 2 }] } } });
  expect(run.calls.map(({ config }) => [config['url'], config['params'] ?? null])).toEqual([
    ['http://a/a', null],
    ['http://a/a', { n: 2 }],
    ['http://a/b', null],
  ]);
});

test('in scope the root wins over an argument and a variable, elsewhere these are read', () => {
  const source = playbookOf(`
- step: start
  tool: {kind: noop, set: {ctx.response: variable, ctx.output: variable}}
  next: {arcs: [{step: look, args: {response: argument}}]}
- step: look
  tool:
  - name: result
    kind: http
    url: "http://a/{{ response }}/{{ output }}"
    spec: {policy: {rules: [{else: {then: {do: continue, set: {ctx.seen: "{{ response.n }} {{ output.status }}"}}}}]}}
  next: {arcs: [{step: end, args: {seen: "{{ ctx.seen }} {{ result.n }}"}}]}
- step: end
  tool: {kind: noop, input: {seen: "{{ seen }}"}}
`);
  const run = simulate(source, { mocks: { result: { n: 3 } } });
  expect(run.calls[0]!.config['url']).toBe('http://a/argument/variable');
  expect(run.result).toEqual({ seen: '3 ok 3' });
});

test('a variable that nothing has written is the input of its name; ctx as a whole is what was written', () => {
  const source = playbookOf(
    `
- step: start
  tool: {kind: noop, input: {mode: "{{ ctx.mode }}", deep: "{{ vars.deep.a }}", none: "{{ ctx.none is defined }}"}}
  set: {ctx.page: "{{ ctx.page + 1 }}"}
  next: {arcs: [{step: last, when: "{{ ctx.mode == 'fast' }}"}]}
- step: last
  tool: {kind: noop, input: {seen: "{{ start }}", page: "{{ ctx.page }}", input: "{{ workload.page }}", all: "{{ ctx }}"}}`,
    'workload: {page: 3, mode: fast, deep: {a: 1}}',
  );
  expect(simulate(source)).toMatchObject({
    end: 'complete',
    result: { seen: { mode: 'fast', deep: 1, none: false }, page: 4, input: 3, all: { page: 4 } },
  });
});

test('in a loop whose iterations run elsewhere, too', () => {
  const source = playbookOf(
    `
- step: start
  loop: {in: [1, 2], iterator: n, spec: {mode: parallel, policy: {exec: distributed}}}
  tool: {kind: noop, input: {sum: "{{ n + ctx.base }}"}}
- step: unused
  tool: {kind: noop}`,
    'workload: {base: 10}',
  );
  expect(simulate(source)).toMatchObject({ result: { results: [{ sum: 11 }, { sum: 12 }] } });
});
