import { compile } from '../compile';
import { Findings } from '../diagnostics/diagnostic';
import { readDocument } from '../document/read';
import { dataOf } from '../yaml/node';
import { LineIndex } from '../yaml/lines';
import { parseYaml } from '../yaml/parse';

const HEAD = 'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: t}\n';

/** The diagnostics of a step in one line, without those of the graph. */
function told(step: string): string[] {
  const { diagnostics } = compile(`${HEAD}workflow:\n- {step: start, ${step}}\n`);
  return diagnostics
    .filter(({ code }) => !/^NT[56]/.test(code))
    .map(({ code, message, hint }) => [code, message, ...(hint === undefined ? [] : [hint])].join(' | '));
}

const http = (field: string): string => `tool: {kind: http, url: "https://x", ${field}}`;

describe('fields of tools have types', () => {
  test.each([
    [
      http('timeout: never'),
      'NT2003 | `timeout` is a number of seconds above 0 or a duration such as `5m` or `PT5M` (or a template), not the text "never"',
    ],
    [
      http('timeout: -1'),
      'NT2003 | `timeout` is a number of seconds above 0 or a duration such as `5m` or `PT5M` (or a template), not the number -1',
    ],
    [
      http('verify_ssl: maybe'),
      'NT2003 | `verify_ssl` is true or false (or a template), not the text "maybe"',
    ],
    [
      http('response_type: jsn'),
      'NT2004 | `response_type` is `json`, `text` or `binary`, not the text "jsn" | did you mean `json`?',
    ],
    [
      http('method: PSOT'),
      'NT2004 | `method` is `GET`, `HEAD`, `POST`, `PUT`, `PATCH`, `DELETE` or `OPTIONS`, not the text "PSOT" | did you mean `POST`?',
    ],
    ['tool: {kind: http, url: [a]}', 'NT2003 | `url` is a string, not a list'],
    [
      'tool: {kind: wait, for: soon}',
      'NT2003 | `for` is a number of seconds or a duration such as `5m` or `PT5M` (or a template), not the text "soon"',
    ],
    [
      'sink: {tool: {kind: postgres, auth: pg, table: {a: 1}, data: {b: 1}}}, tool: {kind: noop}',
      'NT2003 | `table` is a string, not a mapping',
    ],
  ])('%s', (step, expected) => {
    expect(told(step)).toEqual([expected]);
  });

  test.each([
    http('timeout: "{{ workload.t | default(3) }}"'),
    http('timeout: {connect: 1, read: 2}'),
    http('method: post'),
    http('method: "{{ args.m }}", verify_ssl: "{{ args.v }}"'),
    http('timeout: null'),
    'tool: {kind: wait, for: 0.5}',
    'tool: {kind: wait, for: 1h30m}',
    http('timeout: 500ms'),
    http(
      'spec: {timeout: 5s, policy: {rules: [{when: "{{ output.error }}", then: {do: retry, delay: 30s, max_delay: PT5M}}]}}',
    ),
    'spec: {lifecycle: {timeout_s: 5m, deadline_s: 2d}}, tool: {kind: noop}',
    'tool: {kind: noop}, retry: {max_attempts: 3, initial_delay: 1s, max_delay: 1m}',
  ])('and take what they should: %s', (step) => {
    expect(told(step)).toEqual([]);
  });
});

describe('the words of other languages are known', () => {
  test.each([
    [
      'tool: {kind: noop}, case: [{if: "{{ response.x }}", then: {next: end}}]',
      '`if` is not a key of a rule of `case` | did you mean `when`?',
    ],
    [
      'tool: {kind: noop}, loop: {items: [1], as: one}',
      '`as` is not a key of `loop` | did you mean `iterator`?',
    ],
    ['tool: {kind: noop}, next: {arcs: [{to: end}]}', '`to` is not a key of an arc | did you mean `step`?'],
    ['tools: {kind: noop}', '`tools` is not a key of a step | did you mean `tool`?'],
    [
      'tool: {kind: noop}, case: [{when: true, then: {goto: end}}]',
      '`goto` is not a key of `then` of `case` | did you mean `next`?',
    ],
  ])('%s', (step, expected) => {
    const found = told(step);
    expect(found).toContain(`NT2001 | ${expected}`);
    // The word is taken for what was meant: nothing else is missing.
    expect(found.every((each) => each.startsWith('NT2001'))).toBe(true);
  });

  test('of the whole playbook as well', () => {
    const { diagnostics } = compile(`${HEAD}steps: [{step: start, tool: {kind: noop}}]\n`);
    expect(diagnostics).toMatchObject([{ code: 'NT2001', line: 4, hint: 'did you mean `workflow`?' }]);
  });
});

describe('a value of another type comes with an example of the right one', () => {
  test.each([
    ['loop: "{{ workload.items }}", tool: {kind: noop}', 'write `loop: {in: "{{ … }}", iterator: item}`'],
    ['tool: http', 'write `tool: {kind: http, url: …}`'],
    ['tool: {kind: noop}, sink: {tool: postgres}', 'write `tool: {kind: postgres, table: …}`'],
  ])('%s', (step, hint) => {
    expect(told(step).filter((each) => each.startsWith('NT2003'))).toEqual([
      expect.stringContaining(` | ${hint}`) as string,
    ]);
    expect(told(step).filter((each) => each.startsWith('NT2005'))).toEqual([]);
  });
});

test.each(['spec: {failure: best_effort}', 'spec: {policy: {failure: {mode: best_effort}}}'])(
  'how a loop takes a failure is said of its step, not by %s',
  (spec) => {
    expect(told(`loop: {in: [1], iterator: n, ${spec}}, tool: {kind: noop}`)).toEqual([
      'NT2002 | whether a failure stops the loop is said of its step | move it to `spec: {policy: {failure: {mode: best_effort}}}` of the step',
    ]);
  },
);

test('what is checked is not changed: a misspelt key is read as intended in a document of its own', () => {
  const text = `${HEAD}workflow:\n- step: start\n  tool: {kind: http, ulr: "https://x"}\n  nxt: {arcs: [{step: end}]}\n- step: end\n`;
  const findings = new Findings(new LineIndex(text), {});
  const root = parseYaml(text, findings, { name: 'playbook', startsWith: '`apiVersion:`' })!;
  const before = JSON.stringify(dataOf(root));
  const { steps } = readDocument(root, findings);
  expect(findings.list().map(({ code, line }) => [code, line])).toEqual([
    ['NT2001', 6],
    ['NT2001', 7],
  ]);
  expect(steps[0]!.tasks[0]).toMatchObject({ fields: [{ key: 'url' }] });
  expect(JSON.stringify(dataOf(root))).toBe(before);
});
