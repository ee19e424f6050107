/** Random playbooks in the vocabulary of `case`, with loops inside of pipelines and tasks that wait. */
import fc from 'fast-check';

const pick = <T>(...all: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...all);
const indent = (text: string, by: number): string => text.replace(/^(?=.)/gm, ' '.repeat(by));

const sink = pick(
  '{tool: {kind: postgres, auth: pg, table: t, mode: upsert, key: id}, args: {id: "{{ result.id }}", n: 1}}',
  '{kind: event_log, args: {a: "{{ this.status }}"}}',
  '{tool: {kind: http, url: "http://x"}, data: "{{ result }}", when: "{{ result.ok }}"}',
  '[{tool: {kind: duckdb, statement: "select 1"}}, {tool: {kind: noop, retry: 2}, name: own}]',
);
const collect = pick(
  '{strategy: append, path: data.items, into: pages}',
  '{strategy: collect, into: iter.pages}',
  '{from: response.data, into: vars.pages, mode: extend}',
  '{from: "{{ response.rows[0] }}", into: ctx.a.b, mode: merge}',
);
const quiet = fc.oneof(
  sink.map((each) => `sink: ${each}`),
  collect.map((each) => `collect: ${each}`),
  pick(
    'set: {a: 1, iter.b: "{{ response.x }}"}',
    'set: {ctx: {pages: []}}',
    'log: "at {{ event.name }}"',
    'result: {from: response.data}',
    'result: {a: [1, "{{ response.x }}"]}',
  ),
);
const move = pick(
  'call: {params: {page: "{{ response.page + 1 }}"}}',
  'retry: {max_attempts: 4, initial_delay: 0.5, backoff_multiplier: 2.0, max_delay: 9}',
  'retry: {max_attempts: 9, args: {params: {page: 2}, cursor: "{{ response.cursor }}"}}',
  'retry: true',
  'next: last',
  'next: [{step: last, args: {x: "{{ result }}"}}, {step: other}]',
  'fail: true',
  'fail: {message: "no {{ response.x }}"}',
  'skip: "not today"',
);
const then = fc
  .tuple(
    fc.uniqueArray(quiet, { maxLength: 3, selector: (each) => each.split(':')[0] }),
    fc.option(move),
    fc.boolean(),
  )
  .filter(([all, last]) => all.length > 0 || last !== null)
  .map(([all, last, list]) => {
    const items = last === null ? all : [...all, last];
    return indent(items.map((each) => (list ? `- ${each}` : each)).join('\n'), 4);
  });
const when = pick(
  "event.name == 'call.done' and response.more",
  "event.name == 'call.error'",
  "event.name in ['call.done', 'call.error'] and error is defined",
  'response.status_code == 404',
);
const rule = fc.oneof(
  fc.tuple(when, then).map(([guard, actions]) => `- when: "{{ ${guard} }}"\n  then:\n${actions}`),
  then.map((actions) => `- else:\n    then:\n${indent(actions, 2)}`),
);
const retry = pick(
  '',
  'retry: 3',
  'retry: {max_attempts: 5, initial_delay: 1, retry_when: "{{ status_code == 503 }}", stop_when: "{{ success }}"}',
  `retry:
  - when: "{{ error.status in [429] }}"
    then: {max_attempts: 5, backoff: linear}
  - when: "{{ response.more }}"
    then:
      next_call: {params: {page: "{{ _retry.index + 1 }}"}}
      collect: {strategy: append, path: items, into: pages}
      sink: {tool: {kind: event_log}, args: {page: "{{ page }}"}}`,
);
const tool = pick(
  'tool: {kind: http, endpoint: "http://x", params: {page: 1}, input: {cursor: null}}',
  'tool: {kind: quantum, circuit: bell}',
  'tool: {kind: wait, event: go, when: "{{ event.payload.ok }}", timeout: 5}',
  'tool: {kind: http, url: "http://x/{{ one }}", loop: {in: [1, 2], iterator: one}}',
  `tool:
  kind: iterator
  in: [1, 2]
  iterator: one
  tool: [{kind: http, url: "http://x/{{ one }}"}, {kind: noop, name: note}]`,
);
const step = fc
  .tuple(
    tool,
    retry,
    fc.array(rule, { maxLength: 3 }),
    pick('', 'next: last', 'next: [last, other]'),
    pick('', 'sink: {kind: event_log, data: 1}'),
  )
  .map(([body, again, rules, next, store]) => {
    const routing = rules.length === 0 ? '' : `case:\n${rules.join('\n')}`;
    return [body, again, routing, next, store].filter(Boolean).join('\n');
  });
/** Random rules may override what their tool does not take, or sit in the wrong moment: some do not compile. */
export const casePlaybook = fc.array(step, { minLength: 1, maxLength: 3 }).map((all) => {
  const steps = all.map((body, i) => `- step: ${i === 0 ? 'start' : `s${i}`}\n${indent(body, 2)}`);
  const head = 'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: random}\n';
  const executor = 'executor: {spec: {extensions: [quantum]}}\n';
  const ends = '- {step: last, next: end}\n- {step: other, tool: {kind: noop}}';
  return `${head}${executor}workload: {list: [1]}\nworkflow:\n${steps.join('\n')}\n${ends}\n`;
});
