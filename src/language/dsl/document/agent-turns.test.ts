/** Agents as they are rehearsed: turns and tools are tasks, of which the author sees one. */
import { diffOf, rehearse } from '../../../../test/support/rehearse';
import { codes } from '../../../../test/support/compiled';

const HEAD =
  'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: a, path: a}\nworkload: {cities: [Oslo, Rome]}\n';
const TOOLS = `tools:
        - {name: look-up, description: d, input_schema: {type: object, properties: {city: {type: string}}, required: [city]}, playbook: lib/lookup}
        - {name: book, playbook: "lib/{{ 'book' }}", return_step: done}`;
const AGENT = `name: plan
      kind: agent
      framework: claude
      model: m
      auth: key
      prompt: "Plan {{ workload.cities | join(' ') }}"
      ${TOOLS}`;

const agent = (more = '', after = ''): string => `${HEAD}workflow:
- step: start
  tool:
    - name: before
      kind: noop
      input: {x: 1}
    - ${AGENT}
${more}${after}`;

const call = (name: string, input = '{city: Oslo}'): string => `{name: ${name}, input: ${input}}`;

test('turns go on until the model ends; tools are calls of playbooks, their failures answers', () => {
  expect(
    diffOf(
      agent(
        '',
        '    - {name: end, kind: noop, input: {text: "{{ plan.text }}", turns: "{{ plan.turns }}", keys: "{{ _prev | list }}"}}\n',
      ),
      `mocks:
  plan:
    - {calls: [${call('look-up')}, ${call('book', '{what: 1}')}, ${call('nope')}, ${call('look-up', '{}')}], usage: {input_tokens: 5, output_tokens: 2}}
    - {calls: [${call('look-up', '{city: Rome}')}], text: hm}
    - {text: done, usage: {input_tokens: 1}}
  plan_look_up: [{t: 4}, {error: {code: HTTP_503, message: away}}]
  plan_book: [booked]
expect:
  result: {text: done, turns: 3, keys: [text, stop_reason, truncated, model, turns, usage]}
  calls:
    plan_look_up: [{input: {city: Oslo}}, {input: {city: Rome}}]
    plan_book: [{input: {what: 1}, config: {path: lib/book, return_step: done}}]
    plan:
      1: {config: {prompt: Plan Oslo Rome}}
      2: {config: {answers: [{result: {t: 4}, error: null}, {result: booked, error: null}]}}
      3: {config: {answers: [{result: null, error: {code: HTTP_503, message: away}}], turn: {usage: {input_tokens: 5}}}}
`,
    ),
  ).toBe('');
});

test('writes, rules and sinks of the task are about the last turn', () => {
  expect(
    diffOf(
      agent(
        `      set: {ctx.said: "{{ ctx.said | default([]) + [output.text] }}"}
      spec: {policy: {rules: [{when: "{{ output.text == '' }}", then: {do: fail, message: silent}}, {else: {then: {do: continue, set: {ctx.n: "{{ (ctx.n | default(0)) + 1 }}"}}}}]}}
`,
        '    - {name: end, kind: noop, input: {prev: "{{ _prev.text }}"}}\n',
      ),
      `mocks:
  plan: [{calls: [${call('look-up')}]}, {calls: [${call('look-up')}]}, {text: yes}]
  plan_look_up: [1, 2]
expect: {ctx: {said: [yes], n: 1}, result: {prev: yes}}
`,
    ),
  ).toBe('');
});

test('an agent that is entered again begins anew; in a loop each iteration has its own', () => {
  const again = `    - name: count
      kind: noop
      set: {ctx.n: "{{ (ctx.n | default(0)) + 1 }}"}
      spec: {policy: {rules: [{when: "{{ (ctx.n | default(0)) < 1 }}", then: {do: jump, to: plan}}, {else: {then: {do: continue}}}]}}
`;
  expect(
    diffOf(
      agent('', again),
      `mocks:
  plan: [{calls: [${call('look-up')}]}, one, {calls: [${call('look-up')}]}, two]
  plan_look_up: [1, 2]
expect: {ctx: {n: 2}, calls: {plan: {3: {config: {turn: {calls: []}}}, 4: {config: {turn: {turns: 1}}}}}}
`,
    ),
  ).toBe('');
  const looped = `${HEAD}workflow:
- step: start
  loop: {in: "{{ workload.cities }}", iterator: city, spec: {mode: parallel}}
  tool:
      ${AGENT.replace('name: plan', 'name: plan\n      set: {iter.x: 1}')}
`;
  expect(
    diffOf(
      looped,
      `mocks:
  "plan[0]": [{calls: [${call('look-up')}]}, zero]
  "plan[1]": [one]
  plan_look_up: [1]
expect: {result_includes: {results: [{text: zero, turns: 2}, {text: one, turns: 1}]}}
`,
    ),
  ).toBe('');
});

test('within an iterator, and without tools, it is the same', () => {
  const inside = `${HEAD}workflow:
- step: start
  tool: {kind: iterator, in: [1, 2], iterator: n, tool: {kind: agent, framework: claude, model: m, auth: k, prompt: "{{ n }}"}}
`;
  const [result] = rehearse(
    inside,
    'playbook: ./a.yaml\nmocks: {start: [one, {stop_reason: pause_turn, text: hm}, two]}\nexpect: {result_includes: {results: [{text: one}, {text: two, turns: 2}]}}\n',
  );
  expect(result).toMatchObject({ ok: true });
});

test('a name that templates cannot read, and settings of a call', () => {
  expect(
    diffOf(
      `${HEAD}workflow:
- step: ask-it
  tool: {kind: agent, framework: claude, model: m, auth: k, prompt: p, tools: [{name: "2nd-look", input_schema: "{{ {'type': 'object'} }}", playbook: a/b, version: "2", timeout: 5}]}
`.replace('metadata', 'executor: {spec: {entry_step: ask-it}}\nmetadata'),
      `mocks:
  ask-it_task: [{calls: [${call('2nd-look', '{}')}]}, done]
  ask_it_task_2nd_look: [1]
expect: {calls: {ask_it_task_2nd_look: [{config: {path: a/b, version: "2"}}]}, result_includes: {text: done}}
`,
    ),
  ).toBe('');
});

test('budgets end with codes that rules see, and the result says how far it came', () => {
  const handled = agent(
    `      max_turns: 2
      max_total_tokens: 100
      spec: {policy: {rules: [{when: "{{ output.error.code in ['MAX_TURNS', 'TOKEN_BUDGET'] }}", then: {do: continue, set: {ctx.why: "{{ output.error.code }}", ctx.at: "{{ output.result }}"}}}]}}
`,
  );
  const one = call('look-up');
  const run = (mocks: string, why: string): string =>
    diffOf(
      handled,
      `mocks: {${mocks}}
expect: {ctx_includes: {why: ${why}, at: {truncated: true, text: so far}}}
`,
    );
  expect(
    run(`plan: [{calls: [${one}]}, {calls: [${one}], text: so far}], plan_look_up: 1`, 'MAX_TURNS'),
  ).toBe('');
  expect(run(`plan: {calls: [${one}], text: so far, usage: {output_tokens: 100}}`, 'TOKEN_BUDGET')).toBe('');
});

test('an agent that fails fails its step, unless a rule says otherwise', () => {
  const mocks = 'mocks: {plan: {error: {code: HTTP_401, kind: auth}}}\n';
  expect(diffOf(agent(), `${mocks}expect: {status: failed, error: {code: HTTP_401}}\n`)).toBe('');
  const handled = agent('      spec: {policy: {rules: [{else: {then: {do: continue}}}]}}\n');
  expect(diffOf(handled, `${mocks}expect: {status: completed}\n`)).toBe('');
});

test.each<[string, string, string]>([
  ['no auth', '      auth: key\n', 'NT2051'],
  ['no model', '      model: m\n', 'NT2051'],
  ['a tool without a playbook', ', playbook: lib/lookup', 'NT2005'],
])('%s is a diagnostic', (_, without, code) => {
  expect(codes(agent().replace(HEAD, 'workload: {cities: []}\n').replace(without, ''))).toContain(code);
});

test('as it is written, nothing is to say', () => {
  expect(codes(agent().replace(HEAD, 'workload: {cities: []}\n'))).toEqual([]);
});
