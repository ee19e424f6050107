import { FORBIDDEN_NAMES } from '../../plan';
import { compile } from '../compile';

const HEAD = 'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: t}\n';

/** Code and message of what is said of names. */
function told(steps: string, head = ''): string[] {
  const { diagnostics } = compile(`${HEAD}${head}workflow:\n${steps}\n`);
  return diagnostics
    .filter(({ code }) => ['NT3009', 'NT3010', 'NT3014'].includes(code))
    .map(({ code, message }) => `${code} ${message}`);
}

const start = (tool: string, more = ''): string => `- {step: start, tool: ${tool}, ${more}}`;

describe('names of steps, tasks and iterators', () => {
  const GOOD = ['success', 'error', 'result', 'data', 'page', 'response', 'output', 'outcome', 'status_code'];

  test.each([...GOOD, 'attempt', 'max_attempts'])('%s is a good one', (name) => {
    expect(
      told(
        `- {step: start, next: [${name}]}\n- step: ${name}\n  loop: {in: [1], iterator: ${name}}\n  tool: {kind: noop, input: {n: "{{ ${name} }}"}}`,
      ),
    ).toEqual([expect.stringMatching(/iterator `.*` hides the result of the step/)]);
    expect(
      told(start(`[{name: ${name}, kind: noop}, {name: b, kind: noop, input: {n: "{{ ${name} }}"}}]`)),
    ).toEqual([]);
  });

  test.each([...FORBIDDEN_NAMES])('%s is none', (name) => {
    expect(told(start(`[{name: ${name}, kind: noop}]`))).toEqual([
      `NT3009 no task can be called \`${name}\`: the name is reserved`,
    ]);
  });
});

test('a step hides a key of the workload only from templates that read that name', () => {
  const text = (template: string): string =>
    `${start(`{kind: noop, input: {n: "${template}"}}`, 'next: [day]')}\n- step: day\n`;
  expect(told(text('{{ workload.day }}'), 'workload: {day: 1}\n')).toEqual([]);
  expect(told(text('{{ day }}'), 'workload: {day: 1}\n')).toEqual([
    'NT3010 the step `day` hides the workload key of that name in templates',
  ]);
});

test('what only an iteration has, or an agent of its own, hides nothing from an arc', () => {
  const next = 'next: {arcs: [{step: day, when: "{{ error.code }}", args: {code: "{{ error.code }}"}}]}';
  const day = '\n- {step: day, tool: {kind: noop, input: {c: "{{ code }}"}}}\n';
  const loop = start('{kind: noop, set_iter: {error: 1}}', `loop: {in: [1], iterator: i}, ${next}`);
  expect(told(`${loop}${day}`)).toEqual([]);
  const tools = 'tools: [{name: book, playbook: lib/book}]';
  const agent = start(`{kind: agent, framework: claude, model: m, auth: k, prompt: p, ${tools}}`, next);
  expect(told(`${agent}${day}`)).toEqual([]);
});

describe('a name that is both a root in scope and one of the playbook', () => {
  const rule = (text: string): string =>
    `spec: {policy: {rules: [{when: "{{ ${text} }}", then: {do: continue}}, {else: {then: {do: fail}}}]}}`;
  const both = (root: string, what: string): string =>
    `NT3010 \`${root}\` is a name of the runtime here, and hides the ${what} of that name`;

  test.each([
    [
      'a step',
      `${start(`{kind: noop, ${rule('error is defined')}}`, 'next: [error]')}\n- {step: error}`,
      'error',
      'step',
    ],
    [
      'a task',
      start(`[{name: response, kind: noop}, {name: b, kind: noop, ${rule('response.x')}}]`),
      'response',
      'task',
    ],
    [
      'an iterator',
      start(
        '{kind: http, url: "http://a", retry: {stop_when: "{{ page.last }}"}}',
        'loop: {in: [1], iterator: page}',
      ),
      'page',
      'iterator',
    ],
    ['an input', start(`{kind: noop, ${rule('outcome.x')}}`, 'input: {outcome: 1}'), 'outcome', 'input'],
    ['a variable', start(`{kind: noop, set: {ctx.output: 1}, ${rule('output.x')}}`), 'output', 'variable'],
  ])('%s', (_, steps, root, what) => {
    expect(told(steps)).toEqual([both(root, what)]);
  });

  test('a key of the workload, told where it is read in vain and nowhere else', () => {
    const head = 'workload: {data: {}, error: 1}\n';
    expect(told(start('{kind: noop, input: {n: "{{ data.x }}"}}'), head)).toEqual([]);
    expect(told(start('{kind: http, url: "http://a", retry: {stop_when: "{{ data.x }}"}}'), head)).toEqual([
      both('data', 'workload key'),
    ]);
  });
});

test.each([
  ['{kind: noop, input: {n: "{{ page }}"}}', 'page'],
  ['{kind: noop, input: {n: "{{ error }}"}}', 'error'],
  ['{kind: noop, input: {n: "{{ token.id }}"}}', 'token'],
])('where it is not in scope, %s reads nothing', (tool, root) => {
  expect(told(start(tool))).toEqual([`NT3014 \`${root}\` has no value here`]);
});
