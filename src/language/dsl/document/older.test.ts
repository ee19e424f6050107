/** Older spellings mean what the modern one means, and are told. */
import { type Plan } from '../../plan';
import { compile } from '../compile';
import { meaningOf } from '../upgrade/same';

const HEAD = 'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: t}\n';
const ENDS = '\n- {step: a, tool: {kind: noop}}\n- {step: b, tool: {kind: noop}}\n';

function compiled(step: string, strict = false): { plan?: Plan; codes: string[] } {
  const { plan, diagnostics } = compile(`${HEAD}workflow:\n- step: start\n  ${step}${ENDS}`, { strict });
  return { ...(plan && { plan }), codes: diagnostics.map(({ code }) => code) };
}

/** A rule of `case` of a step that calls a tool. */
const rule = (when: string, then: string, tool = '{kind: http, url: "http://x"}'): string =>
  `tool: ${tool}\n  case:\n  - when: "{{ event.name == '${when}' and error is not defined }}"\n    then: ${then}`;
const python = (more: string): string => `tool: {kind: python, code: "result = page", ${more}}`;
const pages = (next: string): string =>
  `${python('input: {page: 1}')}\n  retry: [{when: "{{ page.more }}", then: {next_call: ${next}}}]`;

test.each([
  ['NT5009', rule('call.done', '[{step: a}]'), rule('call.done', '[{next: [{step: a}]}]')],
  [
    'NT5009',
    rule('call.done', '[{set: {n: 1}}, {step: a, args: {k: 1}}, {step: b}]'),
    rule('call.done', '[{set: {n: 1}}, {next: [{step: a, args: {k: 1}}, {step: b}]}]'),
  ],
  ['NT5009', rule('call.done', '{set: {n: 1}, step: a}'), rule('call.done', '{set: {n: 1}, next: a}')],
  [
    'NT5010',
    python('set: [{name: ctx.a, value: "{{ output.data }}"}, {name: b, value: null}]'),
    python('set: {ctx.a: "{{ output.data }}", b: null}'),
  ],
  [
    'NT5010',
    'tool: {kind: noop}\n  next: {arcs: [{step: a, set: [{name: k, value: 1}]}]}',
    'tool: {kind: noop}\n  next: {arcs: [{step: a, set: {k: 1}}]}',
  ],
  ['NT5010', rule('call.done', '{set: [{name: n, value: 1}]}'), rule('call.done', '{set: {n: 1}}')],
  [
    'NT5011',
    rule('step.exit', '{retry: {max_attempts: 2}}'),
    rule('call.done', '{retry: {max_attempts: 2}}'),
  ],
  [
    'NT5011',
    rule('step.exit', '[{call: {params: {n: "{{ _retry.index }}"}}}]'),
    rule('call.done', '[{call: {params: {n: "{{ _retry.index }}"}}}]'),
  ],
  ['NT5012', python('spec: {input: {page: 1}, timeout: 5}'), python('input: {page: 1}, spec: {timeout: 5}')],
  ['NT5012', python('spec: {args: {page: 1}}, input: {n: 2}'), python('input: {page: 1, n: 2}')],
  [
    'NT5014',
    'tool: {kind: secrets, name: api_token, provider: environment}',
    'tool: {kind: secrets, provider: environment, secret: api_token}',
  ],
  [
    'NT5014',
    'tool: [{kind: secrets, name: api_token}]',
    'tool: [{kind: secrets, name: api_token, secret: api_token}]',
  ],
  ['NT5005', pages('{with: {page: 2}}'), pages('{input: {page: 2}}')],
])('%s: %s', (code, old, modern) => {
  const read = compiled(old);
  const meant = compiled(modern);
  expect([read.codes.includes(code), meant.codes.includes(code)]).toEqual([true, false]);
  expect(meaningOf(read.plan!)).toBe(meaningOf(meant.plan!));
  expect(compiled(old, true).plan).toBeUndefined();
});

test('`retry` on `step.exit` of a list of tasks stays an error: the end of which call?', () => {
  const tools = '[{name: x, kind: noop}, {name: y, kind: noop}]';
  expect(compiled(rule('step.exit', '{retry: {max_attempts: 2}}', tools)).codes).toContain('NT2022');
});

test('an input in the spec and beside it is one too many', () => {
  expect(compiled(python('spec: {input: {page: 1}}, input: {page: 2}')).codes).toContain('NT2006');
});

test('in the workbook, inputs in the spec of the task and of its call', () => {
  const plan = (call: string, task: string): Plan =>
    compile(
      `${HEAD}workbook: [{name: w, tool: {kind: python, code: "result = a", ${task}}}]\nworkflow:\n- {step: start, tool: {kind: workbook, name: w, ${call}}}\n`,
    ).plan!;
  expect(meaningOf(plan('spec: {input: {a: 2}}', 'spec: {args: {a: 1, b: 1}}'))).toBe(
    meaningOf(plan('input: {a: 2}', 'args: {a: 1, b: 1}')),
  );
});

describe('overrides', () => {
  const overrides = (step: string): unknown => {
    const { move } = compiled(step).plan!.steps[0]!.tasks[0]!.rules!.rules[0]!;
    return move?.do === 'retry' ? move.overrides : undefined;
  };

  test.each([
    ['{args: {page: 2}}', { input: { const: { page: 2 } } }],
    ['{input: {page: 2}}', { input: { const: { page: 2 } } }],
    ['{args: {page: 2, cwd: /tmp}}', { config: { const: { cwd: '/tmp' } }, input: { const: { page: 2 } } }],
    ['{page: 2}', { input: { const: { page: 2 } } }],
    ['{cwd: /tmp, args: {page: 2}}', { config: { const: { cwd: '/tmp' } }, input: { const: { page: 2 } } }],
  ])('%s', (next, expected) => {
    expect(overrides(pages(next))).toEqual(expected);
    expect(compiled(pages(next)).codes).not.toContain('NT2057');
  });

  const http = (next: string, more = ''): string =>
    `tool: {kind: http, url: "http://x/{{ cursor | default('') }}"${more}, retry: [{when: "{{ page.more }}", then: {next_call: ${next}}}]}`;

  test.each([
    [http('{params: {n: 2}}'), []],
    [http('{args: {cursor: 2}}'), []],
    [http('{cursor: 2}'), []],
    [http('{args: {params: {n: 2}}}'), []],
    [http('{input: {params: {n: 2}}}'), ['NT2057']],
    [http('{offset: 2}'), ['NT2057']],
    [http('{offset: 2}', ', input: {offset: 1}'), []],
    [`input: {offset: 1}\n  ${http('{offset: 2}')}`, []],
    ['tool: {kind: playbook, path: x, retry: [{when: "{{ page.more }}", then: {input: {offset: 2}}}]}', []],
  ])('what nothing reads is told: %s', (step, expected) => {
    expect(compiled(step).codes.filter((code) => code === 'NT2057')).toEqual(expected);
  });

  it('has a hint for what official playbooks call otherwise', () => {
    const retry = '{max_attempts: 3, retry_on_status: [503], backoff_seconds: 1}';
    const { diagnostics } = compile(
      `${HEAD}workflow: [{step: start, tool: {kind: http, url: "http://x", retry: ${retry}}}]`,
    );
    const hints = diagnostics.flatMap(({ code, hint }) => (code === 'NT2057' ? [hint] : []));
    expect(hints).toEqual([expect.stringContaining('retry_when'), 'write `delay`']);
  });
});

test.each([
  ['[json, os.path, numpy as np]', 0],
  ['[psycopg2-binary, "pandas>=2"]', 2],
  ['{requirements: [psycopg2-binary]}', 0],
  ['"{{ workload.libs }}"', 0],
])('libs %s names %d distributions', (libs, count) => {
  const { codes } = compiled(`tool: {kind: python, code: "result = 1", libs: ${libs}}`);
  expect(codes.filter((code) => code === 'NT5013')).toHaveLength(count);
});

test('the root `tracing` is read, and has no effect', () => {
  const { plan, diagnostics } = compile(
    `${HEAD}tracing: {enabled: true}\nworkflow:\n- step: start\n  next: []${ENDS}`,
  );
  expect(plan).toBeDefined();
  expect(diagnostics.find(({ code }) => code === 'NT2090')).toMatchObject({ severity: 'info', line: 4 });
});

test('the fields of an iterator of early engines are told by the names they have', () => {
  const body = 'task: {kind: noop}';
  const told = compile(
    `${HEAD}workflow:\n- {step: start, tool: {kind: iterator, collection: "{{ [1] }}", element: city, ${body}}}\n`,
  ).diagnostics.filter(({ code }) => code === 'NT2040');
  expect(told.map(({ hint }) => hint)).toEqual([
    '`collection` is called `in`',
    '`element` is called `iterator`',
  ]);
});

test('a document of another kind is told once, whatever it says', () => {
  const { plan, diagnostics } = compile(
    'apiVersion: noetl.io/v1\nkind: Model\nmetadata: {name: hook}\nspec: {source: webhook}\n',
  );
  expect(plan).toBeUndefined();
  expect(diagnostics.map(({ code, line, message }) => [code, line, message])).toEqual([
    ['NT2011', 2, 'a document of kind `Model` is no playbook'],
  ]);
  const misspelt = compile(
    'apiVersion: noetl.io/v2\nkind: Playbok\nworkflow: [{step: start, tool: {kind: nop}}]\n',
  );
  expect(misspelt.diagnostics.map(({ code }) => code)).toEqual(expect.arrayContaining(['NT2011', 'NT2050']));
});
