import { compile } from '../compile';

const HEAD = 'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: t}\n';

/** Codes, messages and hints about names with a dash. */
function told(steps: string, head = ''): string[] {
  const { diagnostics } = compile(`${HEAD}${head}workflow:\n${steps}\n`);
  return diagnostics
    .filter(({ code }) => code.startsWith('NT3'))
    .map(({ code, message, hint }) => `${code} ${message}: ${hint}`);
}

describe('names that no template can read', () => {
  test.each([
    ['fetch-data', 'fetch_data'],
    ['fetch data', 'fetch_data'],
    ['v1.2', 'v1_2'],
    ['2nd', 'step_2nd'],
    ['if', 'step_if'],
    ['not', 'step_not'],
    ['true', 'step_true'],
    ['None', 'step_None'],
  ])('a step called %s', (name, better) => {
    expect(
      told(`- {step: start, tool: {kind: noop}, next: ['${name}']}\n- {step: '${name}', tool: {kind: noop}}`),
    ).toEqual([`NT3030 no template can read a step called \`${name}\`: call it \`${better}\``]);
  });

  test.each(['end', 'größe', 'items', 'if_', 'range'])('a step called %s is one', (name) => {
    const steps = `- {step: start, tool: {kind: noop}, next: [${name}]}\n- {step: ${name}, tool: {kind: noop}}`;
    expect(told(steps).join()).not.toContain('NT3030');
  });

  test('tasks, iterators and bare variables', () => {
    const step = `- step: start\n  loop: {in: [1], iterator: one-item}\n  tool: [{name: my-task, kind: noop, set: {my-var: 1}}]`;
    expect(told(step).filter((each) => each.startsWith('NT3030'))).toEqual([
      'NT3030 no template can read an iterator called `one-item`: call it `one_item`',
      'NT3030 no template can read a task called `my-task`: call it `my_task`',
      'NT3030 no template can read a variable called `my-var`: call it `my_var`',
    ]);
  });
});

describe('a dash in a path is a minus', () => {
  const read = (expression: string, head = ''): string[] =>
    told(
      `- {step: start, args: {in-put: 1}, tool: {kind: noop, input: {v: "{{ ${expression} }}"}}}`,
      head,
    ).filter((each) => /^NT30(11|12|14|31)/.test(each));
  const WORKLOAD =
    'workload: {api-url: 1, max-items: 2, max: 3, items: 4, a-b-c: 5, tier-1: 6, n: 7, rows: []}\n';

  test.each([
    ['workload.api-url', "workload['api-url']"],
    // All three names exist.
    ['workload.max-items', "workload['max-items']"],
    ['max-items', "workload['max-items']"],
    ['workload.a-b-c + 1', "workload['a-b-c']"],
    ['workload.tier-1', "workload['tier-1']"],
    ['(workload.api-url | default(1))', "workload['api-url']"],
    ['args.in-put', "args['in-put']"],
    ['workload.rows[0].unit-price', "…['unit-price']"],
    ["workload.rows | map(attribute='x') | list + [workload.n.unit-price]", "workload.n['unit-price']"],
  ])('%s', (expression, better) => {
    expect(read(expression, WORKLOAD)).toEqual([
      expect.stringMatching(/^NT3031 .* is .* minus .*: write `.*`, or put blanks around the minus$/),
    ]);
    expect(read(expression, WORKLOAD)[0]).toContain(`write \`${better}\``);
  });

  test.each([
    'workload.max - workload.n',
    'workload.max-workload.n',
    'workload.max-n',
    'workload.max-1',
    "'api-url'",
    "workload['api-url']",
    'workload.max -items',
  ])('%s is a subtraction, or no path', (expression) => {
    expect(read(expression, WORKLOAD)).toEqual([]);
  });

  test('a long word without a dash takes a moment only', () => {
    const long = `'${'a'.repeat(200_000)}' ~ '${'b.'.repeat(100_000)}-'`;
    expect(read(long)).toEqual([]);
  });
});
