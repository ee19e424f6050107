import { errorsOf, expectRewritten, HEAD } from '../../../../test/support/upgraded';
import { upgrade } from './upgrade';

const PLAYBOOK = `${HEAD}workload: { x: 1, list: [1] }
`;

describe('a step, task or iterator whose name is reserved is renamed', () => {
  test('with its targets, its templates and code, and not what means the reserved name', () => {
    expectRewritten(
      `${PLAYBOOK}executor: { spec: { entry_step: token } }
workflow:
  - step: token # fetch it
    tool: { kind: http, url: "https://x" }
    next:
      arcs:
        - step: job # go
          when: "{{ token.status_code == 200 and event.name == 'step.done' }}"
        - step: end
  - step: job
    input: { token: "{{ token.access }}", id: "{{ job.uuid }}" }
    tool:
      kind: python
      input: { own: "{{ token.access }}" }
      code: |
        result = token + "{{ job.rows }}" # job
    next:
      arcs: [{ step: end, set: { a: "{{ job['rows'] }}", b: "{{ token['x'] }}" } }]
  - step: end
`,
      `${PLAYBOOK}executor: { spec: { entry_step: token_step } }
workflow:
  - step: token_step # fetch it
    tool: { kind: http, url: "https://x" }
    next:
      arcs:
        - step: job_step # go
          when: "{{ token_step.status_code == 200 and event.name == 'step.done' }}"
        - step: end
  - step: job_step
    input: { token: "{{ token_step.access }}", id: "{{ job.uuid }}" }
    tool:
      kind: python
      input: { own: "{{ token.access }}" }
      code: |
        result = token + "{{ job_step.rows }}" # job
    next:
      arcs: [{ step: end, set: { a: "{{ job_step['rows'] }}", b: "{{ token['x'] }}" } }]
  - step: end
`,
    );
  });

  test('a task with the jumps to it and its results, an iterator inside of its loop', () => {
    expectRewritten(
      `${PLAYBOOK}workflow:
  - step: start
    input: { n: 1 }
    loop: { in: "{{ workload.list }}", iterator: loop }
    tool:
      - name: args # first
        kind: noop
        input: { a: "{{ args.n }}", b: "{{ loop }}", c: "{{ loop.id }}", d: "{{ loop.length }}", e: "{{ iter.loop }}" }
      - name: more
        kind: noop
        input: { a: "{{ args.page }}" }
        spec:
          policy:
            rules:
              - when: "{{ args.more }}"
                then: { do: jump, to: 'args' }
              - else: { then: { do: continue } }
    next: { arcs: [{ step: then }] }
  - step: then
    tool: [{ name: input, kind: noop }]
    next: { arcs: [{ step: end }] }
  - step: end
    tool: { kind: noop, input: { a: "{{ then.results.input.a }}" } }
`,
      `${PLAYBOOK}workflow:
  - step: start
    input: { n: 1 }
    loop: { in: "{{ workload.list }}", iterator: loop_item }
    tool:
      - name: args_task # first
        kind: noop
        input: { a: "{{ args.n }}", b: "{{ loop_item }}", c: "{{ loop_item.id }}", d: "{{ loop.length }}", e: "{{ iter.loop_item }}" }
      - name: more
        kind: noop
        input: { a: "{{ args_task.page }}" }
        spec:
          policy:
            rules:
              - when: "{{ args_task.more }}"
                then: { do: jump, to: 'args_task' }
              - else: { then: { do: continue } }
    next: { arcs: [{ step: then }] }
  - step: then
    tool: [{ name: input_task, kind: noop }]
    next: { arcs: [{ step: end }] }
  - step: end
    tool: { kind: noop, input: { a: "{{ then.results.input_task.a }}" } }
`,
    );
  });

  test('in every form of a target, and with another word where the first is taken', () => {
    const { text } = upgrade(`${PLAYBOOK}workflow:
  - step: start
    next: # loop_step
      - when: "{{ workload.x }}"
        then: [loop]
      - end
  - step: loop
    tool: { kind: http, url: "https://x" }
    case:
      - when: "{{ event.name == 'call.done' }}"
        then: { next: [ctx, { step: loop }], sink: { tool: { kind: noop } } }
  - step: ctx
    next: loop
  - step: end
`);
    expect(text).toContain('        - step: loop_step_2\n          when: "{{ workload.x }}"\n');
    expect(text).toContain(
      'then: { next: [ctx_step, { step: loop_step_2 }], sink: { tool: { kind: noop } } }',
    );
    expect(text).toContain('  - step: ctx_step\n    next:\n      arcs:\n        - step: loop_step_2\n');
    expect(errorsOf(text)).toBe('');
  });
});

test.each([
  ['a template reads it as a whole', '{ kind: noop, input: { a: "{{ workload }}" } }'],
  ['it is compared as a text', '{ kind: noop, input: { a: "{{ _task == \'workload\' }}" } }'],
])('a step keeps its reserved name where %s, and is listed', (_, tool) => {
  const before = `${PLAYBOOK}workflow:
  - step: start
    tool: ${tool}
    next: { arcs: [{ step: workload }] }
  - step: workload
`;
  const { text, notes } = upgrade(`${before}    next: { arcs: [{ step: end }] }\n  - step: end\n`);
  expect(text).toContain('  - step: workload\n');
  expect(notes).toMatchObject([{ line: 9, why: expect.stringContaining('reserved') as string }]);
});

test('a call of the workbook keeps the name of the task that it calls', () => {
  const before = `${PLAYBOOK}workflow:
  - step: start
    tool: [{ name: loop, kind: workbook }]
    next: { arcs: [{ step: end }] }
  - step: end
workbook:
  - { name: loop, tool: { kind: noop } }
`;
  expect(upgrade(before)).toMatchObject({ text: before, notes: [{ line: 7 }] });
});
