import { codes, plan } from '../../../../test/support/compiled';

describe('workbook', () => {
  const book = (
    calls: string,
    body = '{kind: python, input: {x: 1, y: null}, code: result = x, spec: {timeout: 1}}',
  ): string =>
    `workload: {w: 1}\nworkbook: [{name: compute, tool: ${body}}]\nworkflow: [{step: start, tool: ${calls}}]\n`;

  test('a call is replaced by the task; the inputs of the caller win', () => {
    const [task] = plan(book('{kind: workbook, name: compute, input: {y: "{{ w }}"}, spec: {timeout: 2}}'))
      .steps[0]!.tasks;
    expect(task).toMatchObject({
      name: 'start_task',
      kind: 'python',
      input: {
        map: [
          ['x', { const: 1 }],
          ['y', { template: {} }],
        ],
      },
      config: { const: { code: 'result = x' } },
      spec: { timeout: { total: { const: 2 } } },
    });
  });

  test('inputs that are computed see what the call gives', () => {
    const [task] = plan(
      book(
        '{kind: workbook, name: compute, args: {y: "{{ w }}"}}',
        '{kind: noop, input: {x: "{{ y }}", y: 1}}',
      ),
    ).steps[0]!.tasks;
    expect(task).toMatchObject({ given: { map: [['y', {}]] }, input: { map: [['x', {}]] } });
  });

  test('inputs may stand beside the tool', () => {
    const text =
      'workload: {w: 1}\nworkbook: [{name: compute, input: {x: 1, y: 2}, tool: {kind: noop}}]\n' +
      'workflow: [{step: start, tool: {kind: workbook, name: compute, input: {y: 3}}}]\n';
    expect(plan(text).steps[0]!.tasks[0]!.input).toEqual({ const: { x: 1, y: 3 } });
  });

  test.each([
    ['data: {a: 1}, input: {b: 2}', { b: 2, a: 1 }],
    ['args: {a: 1}', { a: 1 }],
    ['data: [1]', { data: [1] }],
  ])('an event_log says its input, and {%s} is one', (fields, said) => {
    const text = `workflow: [{step: start, tool: {kind: event_log, ${fields}}}]\n`;
    expect(plan(text).steps[0]!.tasks[0]).toMatchObject({ input: { const: said }, config: { const: {} } });
  });

  test('in a list, name is that of the task and task that of the workbook', () => {
    const tasks = plan(
      book(
        '[{name: one, task: compute, kind: workbook, input: {y: 1}}, {name: compute, kind: workbook, input: {y: 2}}]',
      ),
    ).steps[0]!.tasks;
    expect(tasks.map((task) => task.name)).toEqual(['one', 'compute']);
  });

  test.each([
    '{tasks: {compute: {tool: {kind: noop}}}}',
    '{compute: {tool: {kind: noop}}}',
    '{compute: {kind: noop}}',
    '{tasks: [{name: compute, kind: noop}]}',
  ])('the form %s', (form) => {
    const found = plan(
      `workbook: ${form}\nworkflow: [{step: start, tool: {kind: workbook, name: compute}}]\n`,
    );
    expect(found.steps[0]!.tasks[0]!.kind).toBe('noop');
  });

  test('mistakes of a task that nobody calls are found', () => {
    expect(
      codes(
        'workbook: [{name: a, tool: {kind: http, url: "{{ 1 + }}"}}]\nworkflow: [{step: start, tool: {kind: noop}}]\n',
      ),
    ).toContain('NT4001');
  });
});
