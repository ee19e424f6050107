import { compile, type CompileOptions } from '../compile';
import { mainParameters, readsName } from './python-names';

const HEAD =
  'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: unread}\nworkload: {n: 3, list: [1]}\n';

function told(steps: string, root = '', options: CompileOptions = {}): string[] {
  return compile(`${HEAD}${root}workflow:\n${steps}\n`, options)
    .diagnostics.filter(({ code }) => code === 'NT3028')
    .map(({ message }) => /`(\w+)`$/.exec(message)![1]!);
}

const step = (...lines: string[]): string =>
  ['- step: start', ...lines.map((line) => `  ${line}`)].join('\n');

describe('the input of a tool that only its templates read', () => {
  const sql = (query: string): string =>
    step(`tool: {kind: postgres, auth: pg, input: {limit: 10}, query: '${query}', params: [1]}`);

  test('is read by a template, by its name or as a whole', () => {
    expect(told(sql('select 1'))).toEqual(['limit']);
    expect(told(sql('select {{ limit }}'))).toEqual([]);
    expect(told(sql('select {{ input.limit }}'))).toEqual([]);
    expect(told(sql('select {{ args.other }}'))).toEqual(['limit']);
    expect(told(sql('select {{ args | length }}'))).toEqual([]);
    expect(told(sql('select {{ args[workload.n] }}'))).toEqual([]);
  });

  test.each(['input', 'args', 'with'])('whether it is called %s', (spelling) => {
    const tool = `{kind: http, url: https://example.com, ${spelling}: {limit: 10}}`;
    expect(told(step(`tool: ${tool}`))).toEqual(['limit']);
  });

  test('is read by its rules, by another task, by an arc', () => {
    const tool = 'kind: http, url: https://example.com, input: {limit: 10}';
    const rule = '{when: "{{ outcome.http.status > limit }}", then: {do: fail}}';
    expect(told(step(`tool: {${tool}, spec: {policy: {rules: [${rule}]}}}`))).toEqual([]);
    expect(
      told(step(`tool: {${tool}}`, 'next: {arcs: [{step: end, when: "{{ input.limit > 3 }}"}]}')),
    ).toEqual([]);
  });

  test('a table takes what it is given as its rows, and a sink its data', () => {
    expect(told(step('tool: {kind: postgres, auth: pg, table: t, args: {a: 1}}'))).toEqual([]);
    const sink = (tool: string): string =>
      step('tool: {kind: noop}', `sink: {tool: {${tool}}, args: {a: 1}}`);
    expect(told(sink('kind: postgres, auth: pg, table: t'))).toEqual([]);
    expect(told(sink('kind: http, url: https://example.com'))).toEqual([]);
    expect(told(sink('kind: postgres, auth: pg, command: insert into t values (1)'))).toEqual(['a']);
  });

  test('a misspelt name is told with the one that is read', () => {
    const text = `${HEAD}workflow:\n${step('tool: {kind: http, url: "{{ limit | default(1) }}", input: {limti: 10}}')}\n`;
    expect(compile(text).diagnostics.find(({ code }) => code === 'NT3028')).toMatchObject({
      hint: 'did you mean `limit`?',
    });
  });
});

test.each([
  'noop',
  'shell, cmds: ls',
  'container, image: alpine',
  'script, code: ls',
  'event_log',
  'playbook, path: a/b',
  'artifact',
  'gateway',
])('what is given to kind %s, it takes', (tool) => {
  expect(told(step(`tool: {kind: ${tool}, input: {ref: 1}}`))).toEqual([]);
  expect(told(step('input: {ref: 1}', `tool: {kind: ${tool}}`))).toEqual([]);
});

test('what an extension takes, nobody here knows', () => {
  const dice = 'executor: {spec: {extensions: {dice: {fields: [sides]}}}}\n';
  expect(told(step('tool: {kind: dice, sides: 6, input: {ref: 1}}'), dice)).toEqual([]);
});

describe('Python', () => {
  const python = (code: string): string[] =>
    told(
      step(
        'tool:',
        '  kind: python',
        '  input: {count: 3}',
        '  code: |',
        `    ${code.replaceAll('\n', '\n      ')}`,
      ),
    );

  test('reads names of its code', () => {
    expect(python('result = 1')).toEqual(['count']);
    expect(python('result = count + 1')).toEqual([]);
    expect(python('def main(cout):\n  return cout')).toEqual(['count']);
    expect(python('def main(count):\n  return count')).toEqual([]);
    expect(python('result = counter')).toEqual(['count']);
  });

  test.each([
    'def main(**kwargs):\n  return kwargs',
    'def main(a=1, **more):\n  return more',
    'result = context["x"]',
    'result = input_data.get("x")',
    'result = args["x"]',
    'result = globals()["co" + "unt"]',
  ])('reads them generically: %s', (code) => {
    expect(python(code)).toEqual([]);
  });

  test('a script elsewhere may read anything', () => {
    expect(told(step('tool: {kind: python, script: {uri: ./a.py}, input: {count: 3}}'))).toEqual([]);
  });

  test('its words are whole, in any alphabet, and parameters are known', () => {
    expect(readsName('größe = 1', 'gr')).toBe(false);
    expect(readsName('result = größe', 'größe')).toBe(true);
    expect(mainParameters('async def main(a, b: int = 2, *, c):\n  pass')).toEqual(['a', 'b', 'c']);
  });
});

describe('what an arc passes', () => {
  const passed = (target: string, more = ''): string[] =>
    told(
      `${step('tool: {kind: noop}', 'next: {arcs: [{step: report, args: {total: 1}}]}')}\n- step: report\n  ${target}\n${more}`,
    );

  test('is read in the step that it leads to, and nowhere else', () => {
    expect(passed('tool: {kind: python, code: result = 1}')).toEqual(['total']);
    expect(passed('tool: {kind: python, code: result = total}')).toEqual([]);
    expect(passed('tool: {kind: http, url: "https://example.com/{{ token.args.total }}"}')).toEqual([]);
    expect(passed('tool: {kind: http, url: "https://example.com/{{ token.id }}"}')).toEqual(['total']);
    expect(
      passed('next: {arcs: [{step: last}]}', '- step: last\n  tool: {kind: python, code: result = total}\n'),
    ).toEqual(['total']);
    expect(passed('next: {arcs: [{step: end, when: "{{ total > 0 }}"}]}')).toEqual([]);
  });

  test('is kept in the events of a step that is the end', () => {
    expect(passed('next: {arcs: []}')).toEqual([]);
    expect(
      told(`${step('tool: {kind: noop}', 'next: {arcs: [{step: end, args: {total: 1}}]}')}\n- step: end`),
    ).toEqual([]);
  });

  test('is told of the `next` of a rule as well', () => {
    const rule =
      '{when: "{{ event.name == \'step.exit\' }}", then: {next: [{step: report, args: {total: 1}}]}}';
    const text = (code: string): string =>
      `${step('tool: {kind: noop}', `case: [${rule}]`)}\n- step: report\n  tool: {kind: python, code: ${code}}`;
    expect(told(text('result = 1'))).toEqual(['total']);
    expect(told(text('result = total'))).toEqual([]);
  });
});

test('an override that nothing reads', () => {
  const again = (code: string): string =>
    step(
      `tool: {kind: python, code: "${code}"}`,
      'case: [{when: "{{ event.name == \'call.done\' and response.more }}", then: {call: {args: {page: 2}}}}]',
    );
  expect(told(again('result = 1'))).toEqual(['page']);
  expect(told(again('result = page'))).toEqual([]);
  const retry = (code: string): string =>
    step(
      `tool: {kind: python, code: "${code}", retry: {retry_when: "{{ result.more }}", next_call: {page: 2}}}`,
    );
  expect(told(retry('result = 1'))).toEqual(['page']);
  expect(told(retry('result = page'))).toEqual([]);
});

test('the input of a step is for all its tasks, and for those in an iterator', () => {
  const steps = (code: string): string =>
    step(
      'input: {rate: 2}',
      'tool:',
      '  - {name: a, kind: http, url: https://example.com}',
      '  - name: b',
      '    kind: iterator',
      '    in: "{{ workload.list }}"',
      '    iterator: x',
      `    tool: {kind: python, code: ${code}}`,
    );
  expect(told(steps('result = 1'))).toEqual(['rate']);
  expect(told(steps('result = rate'))).toEqual([]);
});
