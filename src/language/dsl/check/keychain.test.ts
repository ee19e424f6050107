import { compile } from '../compile';

const HEAD = `apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: t, path: t}
workload: {which: api, items: [1]}
keychain:
- {name: api, kind: bearer, auth: api_token}
- {name: app, kind: secret_manager, map: {token: app/token, pin: app/pin}}
- {name: db, kind: postgres_credential}
workflow:
`;
const USE = `- step: use
  tool: {kind: http, url: "http://x", auth: api, params: {p: "{{ keychain.app.pin }}"}}
- step: query
  tool: {kind: postgres, auth: db, command: select 1}
`;

/** What is told of these steps, `CODE: message`; without notes on how steps are reached. */
function told(steps: string, codes = /^NT(2005|2070|31|3018|4005)/): string[] {
  return compile(HEAD + USE + steps)
    .diagnostics.filter(({ code }) => codes.test(code))
    .map(({ code, message }) => `${code}: ${message}`);
}
const task = (fields: string, more = ''): string =>
  `- step: start\n  tool: {kind: http, url: "http://x", ${fields}}\n${more}`;
const K = '{{ keychain.api.token }}';

test.each([
  ['a header', task(`headers: {authorization: "Bearer ${K}"}`)],
  ['the url', task('', '').replace('http://x', `http://x/?k=${K}`)],
  ['a query parameter', task(`params: {k: "${K}"}`)],
  ['the body', task(`method: POST, json: {deep: [{k: "${K}"}]}`)],
  ['basic auth', task(`auth: {type: basic, username: u, password: "${K}"}`)],
  ['an input of a task', task(`input: {k: "${K}"}`)],
  ['an input of a step', `- step: start\n  input: {k: "${K}"}\n  tool: {kind: python, code: "result = 1"}`],
  ['a spec', task(`spec: {proxy_token: "${K}"}`)],
  [
    'a SQL parameter',
    `- step: start\n  tool: {kind: postgres, auth: db, command: "select $1", params: ["${K}"]}`,
  ],
  ['the environment', `- step: start\n  tool: {kind: shell, cmds: env, env: {K: "${K}"}}`],
  ['the input of a sub-playbook', `- step: start\n  tool: {kind: playbook, path: t/u, input: {k: "${K}"}}`],
  [
    'the payload of a sub-playbook',
    `- step: start\n  tool: {kind: playbook, path: t/u, payload: {k: "${K}"}}`,
  ],
  [
    'a sink',
    task('method: GET', `  sink: {tool: {kind: postgres, auth: db, command: "select $1", params: ["${K}"]}}`),
  ],
  [
    'what the next call changes',
    task(
      'method: GET',
      `  retry: {max_attempts: 2, retry_when: "{{ error is defined }}", next_call: {params: {k: "${K}"}}}`,
    ),
  ],
  ['a filter', task('headers: {x: "{{ (\'u:\' ~ keychain.app.token) | b64encode }}"}')],
  ['brackets', task(`headers: {x: "{{ keychain['app']['pin'] }}"}`)],
])('a secret may stand in %s', (_, steps) => {
  expect(compile(HEAD + USE + steps).plan).toBeDefined();
  expect(told(steps)).toEqual([]);
});

describe('an entry as a whole', () => {
  const ENTRIES = `keychain:
- {name: api, kind: bearer, auth: api_token}
- {name: one, kind: secret_manager, map: {token: app/token}}
- {name: about, kind: static, map: {type: api_key, header: x-key, key: "{{ keychain.one.token }}"}}
- {name: text, kind: secret_manager, secret: app}
- {name: pair, kind: secret_manager, map: {user: app/user, pin: app/pin}}
- {name: blank, kind: static, map: {type: bearer}}
- {name: db, kind: postgres_credential}
workflow:
`;
  const wrong = (fields: string): string[] =>
    compile(`${HEAD.slice(0, HEAD.indexOf('keychain:'))}${ENTRIES}${task(fields)}`)
      .diagnostics.filter(({ severity }) => severity === 'error')
      .map(({ code, message, hint }) => `${code}: ${message}; ${hint}`);

  test.each(['api', 'one', 'about', 'text', 'db'])('%s may stand in text', (name) => {
    const fields = `params: {a: "{{ keychain.${name} }}"}, headers: {a: "Bearer {{ keychain.${name} }}", b: "{{ keychain['${name}'] }}"}`;
    expect(wrong(fields)).toEqual([]);
  });

  test.each([
    'headers: {a: "Bearer {{ keychain.pair }}"}',
    'headers: {a: "{{ keychain.pair }}"}',
    "headers: {a: \"{{ keychain['pair'] | default('') }}\"}",
    'params: {a: "{{ \'x\' ~ keychain.pair }}"}',
    'json: {a: ["{{ \'x\' + keychain.pair }}"]}',
    'json: {a: "{% if true %}{{ keychain.pair if true }}{% endif %}"}',
    "json: {a: \"{{ ('x' ~ (keychain.pair or '')) | b64encode }}\"}",
  ])('of several values may not: %s', (fields) => {
    expect(wrong(fields)).toEqual([
      'NT3110: this is text, and the keychain entry `pair` (secret_manager) has several values; write `keychain.pair.user` or `keychain.pair.pin`',
    ]);
  });

  test('without a value may not', () => {
    expect(wrong('headers: {a: "{{ keychain.blank }}"}')[0]).toContain('`blank` (static) has no value');
  });

  test.each([
    'json: "{{ keychain.pair }}"',
    'json: {a: "{{ keychain.pair }}", b: "{{ keychain.pair | tojson }}"}',
    'headers: {a: "{{ keychain.pair.user }}:{{ keychain.pair[\'pin\'] }}"}',
    'headers: {a: "{{ keychain.pair.get(\'user\') }}"}',
    'auth: {x: "{{ keychain.pair }}"}',
    'input: {a: "{{ keychain.pair }}"}',
  ])('of several values is a mapping elsewhere: %s', (fields) => {
    expect(wrong(fields)).toEqual([]);
  });
});

test.each([
  [
    'a guard of an arc',
    task('method: GET', `  next: {arcs: [{step: use, when: "{{ keychain.api.token == 'x' }}"}]}`),
    'a condition',
  ],
  [
    'arguments of an arc',
    task('method: GET', `  next: {arcs: [{step: use, args: {k: "${K}"}}]}`),
    'an arc: history records what a token carries',
  ],
  [
    'a write of an arc',
    task('method: GET', `  next: {arcs: [{step: use, set: {ctx.k: "${K}"}}]}`),
    'a write: history records variables',
  ],
  ['ctx', task(`set: {ctx.k: "${K}"}`), 'a write: history records variables'],
  ['iter', task(`set_iter: {k: "${K}"}`), 'a write: history records variables'],
  [
    'a rule',
    task(
      `spec: {policy: {rules: [{when: "{{ keychain.api.token }}", then: {do: fail}}, {else: {then: {do: continue}}}]}}`,
    ),
    'a condition',
  ],
  [
    'the delay of a rule',
    task(`spec: {policy: {rules: [{else: {then: {do: retry, delay: "${K}"}}}]}}`),
    'the rules of a task',
  ],
  [
    'admission',
    `- step: start\n  spec: {policy: {admit: {rules: [{when: "{{ keychain.api }}", then: {allow: true}}]}}}\n  tool: {kind: noop}`,
    'a condition',
  ],
  [
    'the list of a loop',
    `- step: start\n  loop: {in: "{{ [keychain.api.token] }}", iterator: n}\n  tool: {kind: python, code: "result = 1"}`,
    'a loop, whose items history records',
  ],
  [
    'a result',
    task('method: GET', `  case: [{when: "{{ event.name == 'call.done' }}", then: {result: "${K}"}}]`),
    'a result',
  ],
  [
    'the result of a noop',
    `- step: start\n  tool: {kind: noop, input: {k: "${K}"}}`,
    'the input of a `noop`, which is its result',
  ],
  ['an event', `- step: start\n  tool: {kind: event_log, message: "${K}"}`, 'the message of an event'],
  ['a wait', `- step: start\n  tool: {kind: wait, event: "${K}"}`, 'a wait'],
  [
    'where a secret is',
    `- step: start\n  tool: {kind: secrets, secret: "${K}"}`,
    'a task of kind `secrets`, which names where a secret is stored',
  ],
  ['a timeout', task(`spec: {timeout: "${K}"}`), 'a setting that the workflow reads'],
  [
    'which playbook is called',
    `- step: start\n  tool: {kind: playbook, path: "${K}"}`,
    'a setting that the workflow reads',
  ],
  [
    'a condition of retry',
    task('method: GET', `  retry: {max_attempts: 2, retry_when: "{{ keychain.api.token }}"}`),
    'a condition',
  ],
])('a secret may not stand in %s', (_, steps, where) => {
  const shown =
    where === 'a condition' && steps.includes('{{ keychain.api }}') ? 'keychain.api' : 'keychain.api.token';
  expect(told(steps)).toEqual([`NT3101: \`${shown}\` is not allowed in ${where}`]);
});

test('a secret does not become code, and not the default of an input', () => {
  expect(told(`- step: start\n  tool: {kind: python, code: "result = '${K}'"}`, /^NT31/)).toEqual([
    'NT3101: `keychain.api.token` cannot become part of code',
  ]);
  const { diagnostics } = compile((HEAD + USE).replace('which: api', `which: "${K}"`));
  expect(diagnostics.map(({ code }) => code)).toContain('NT3101');
});

test('a secret in the text of a command is let through with a warning that says how to do better', () => {
  const { diagnostics, plan } = compile(
    `${HEAD}${USE}- step: start\n  tool:\n    - {kind: postgres, auth: db, command: "select '${K}'"}\n    - {kind: shell, cmds: ["echo ${K}"]}`,
  );
  const warned = diagnostics.filter(({ code }) => code === 'NT3107');
  expect(warned.map(({ hint }) => hint)).toEqual([
    'write a placeholder (`$1`) and pass the value in `params`',
    'pass it in `env: {TOKEN: "{{ … }}"}`, and write `"$TOKEN"`',
  ]);
  // Once, not also as data in SQL.
  expect(diagnostics.filter(({ code }) => code === 'NT4005')).toEqual([]);
  expect(plan).toBeDefined();
});

test.each([
  ['a computed name', '{{ keychain[which].token }}', 'NT3102'],
  ['all of it', '{{ keychain | tojson }}', 'NT3102'],
  ['get with a computed name', '{{ keychain.get(which) }}', 'NT3102'],
  ['an alias of all of it', '{% set k = keychain %}{{ k.api.token }}', 'NT3102'],
])('a reference that names no entry is refused: %s', (_, template, code) => {
  expect(told(task(`headers: {x: "${template}"}`)).map((each) => each.slice(0, 6))).toEqual([code]);
});

test('misspelt entries and fields, with what was meant', () => {
  const hints = (steps: string): unknown =>
    compile(HEAD + USE + steps)
      .diagnostics.filter(({ code }) => /^NT3(1|018)/.test(code))
      .map(({ code, hint }) => [code, hint]);
  expect(hints(task('headers: {x: "{{ keychain.apl.token }}"}'))).toEqual([
    ['NT3018', 'did you mean `api`?'],
  ]);
  expect(hints(task('headers: {x: "{{ keychain.none.token }}"}'))).toEqual([
    ['NT3018', 'the entries are `api`, `app` or `db`'],
  ]);
  expect(hints(task('headers: {x: "{{ keychain.app.tokn }}"}'))).toEqual([
    ['NT3103', 'did you mean `token`?'],
  ]);
  // What a stored credential holds, nobody knows here.
  expect(hints(task('headers: {x: "{{ keychain.db.anything }}"}'))).toEqual([]);
  expect(hints(task(`headers: {x: "{{ keychain.app.other | default('') }}"}`))).toEqual([]);
});

test('entries that nothing reads, kinds that there are not, and entries that need each other', () => {
  const of = (keychain: string, fields = 'auth: a'): string[] =>
    compile(
      `${HEAD.slice(0, HEAD.indexOf('keychain'))}keychain: [${keychain}]\nworkflow:\n${task(fields)}`,
    ).diagnostics.map(({ code, severity, message }) => `${code} ${severity}: ${message}`);
  expect(of('{name: a, kind: bearer}, {name: b, kind: bearer}')).toEqual([
    'NT3105 info: nothing reads the keychain entry `b`; it is still resolved at the start of every run',
  ]);
  expect(of('{name: a, kind: oauth}')).toEqual([
    'NT3104 warning: `oauth` is not a kind of keychain entry: `a` is read as a stored credential of that name',
  ]);
  expect(of('{name: a, kind: oauth2}')[0]).toMatch(
    /^NT2005 error: the keychain entry `a` \(oauth2\) needs `endpoint`/,
  );
  expect(
    of(
      '{name: a, kind: static, map: {x: "{{ keychain.b.x }}"}}, {name: b, kind: static, map: {x: "{{ keychain[\'a\'].x }}"}}',
    ),
  ).toEqual([
    'NT3106 error: the keychain entry `a` needs itself: a → b → a',
    'NT3106 error: the keychain entry `b` needs itself: b → a → b',
  ]);
});

test('the plan says what templates read of an entry, and `auth` by its name is the entry', () => {
  const { plan } = compile(`${HEAD}${USE}`.replace('step: use', 'step: start'));
  expect(plan!.keychain.map(({ name, uses }) => [name, uses])).toEqual([
    ['api', undefined],
    ['app', ['pin']],
    ['db', undefined],
  ]);
  const [first, second] = plan!.steps.map((step) => JSON.stringify(step.tasks[0]!.config));
  expect(first).toContain("{{ keychain['api'] }}");
  // The credential of that very name: found by its name, as ever.
  expect(second).toContain('"auth":"db"');
});

test.each([
  ['api_key: "{{ keychain.ai.key | default(\'\') }}"', true],
  [
    "api_key: \"{{ keychain.ai.key | default('') }}\", again: \"{{ 'x' if keychain.ai is defined else '' }}\"",
    true,
  ],
  ['api_key: "{{ keychain.ai.key | default(\'\') }}", again: "{{ keychain.ai.key }}"', undefined],
  ['api_key: "{{ keychain.ai.key }}"', undefined],
])('an entry is optional if all its readers have something in its place: %s', (inputs, optional) => {
  const of = (more: string): unknown =>
    compile(
      `${HEAD.slice(0, HEAD.indexOf('keychain'))}keychain: [{name: ai, kind: secrets, provider: gcp, map: {key: projects/p/secrets/k}}]\nworkflow:\n- step: start\n  tool: {kind: http, url: "http://x", input: {${inputs}}${more}}\n`,
    ).plan!.keychain[0]!.optional;
  expect(of('')).toBe(optional);
  expect(of(', auth: ai')).toBeUndefined();
  expect(of(', auth: {source: ai}')).toBeUndefined();
});

test('of a provider, `map` holds names, which are not secret; the values of a static entry are', () => {
  const of = (entry: string): string[] =>
    compile(
      `${HEAD.slice(0, HEAD.indexOf('keychain'))}keychain: [{name: a, ${entry}}]\nworkflow:\n${task('auth: a')}`,
    ).diagnostics.flatMap(({ code }) => (code === 'NT2070' ? [code] : []));
  expect(of('kind: secrets, provider: gcp, map: {api_key: projects/1/secrets/openai/versions/1}')).toEqual(
    [],
  );
  expect(of('kind: secret_manager, provider: gcp, map: {api_key: openai}')).toEqual([]);
  expect(of('kind: static, map: {api_key: sk-live-1}')).toEqual(['NT2070']);
  expect(of('kind: secrets, provider: gcp, token: ya29.live, map: {api_key: openai}')).toEqual(['NT2070']);
});
