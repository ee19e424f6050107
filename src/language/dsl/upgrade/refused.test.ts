import { expectRewritten, STEPS } from '../../../../test/support/upgraded';
import { upgrade } from './upgrade';

describe('words that were replaced', () => {
  test.each<[string, string, string]>([
    [
      'type of a step: its tool with the fields of that kind, and their remarks',
      `  - step: start
    type: http # the kind
    desc: asks
    # where
    url: https://x/a # here
    params:
      a: 1

      # two
      b: 2
    next: { arcs: [{ step: end }] }
`,
      `  - step: start
    tool:
      kind: http # the kind
      # where
      url: https://x/a # here
      params:
        a: 1

        # two
        b: 2
    desc: asks
    next: { arcs: [{ step: end }] }
`,
    ],
    [
      'type of a step beside its tool',
      `  - step: start
    type: python
    tool:
      # count
      code: result = 1
`,
      `  - step: start
    tool:
      # count
      kind: python
      code: result = 1
`,
    ],
    [
      'when of a step: its admission',
      `  - step: start
    # not always
    when: "{{ workload.x > 1 }}" # only then
    tool: { kind: noop }
`,
      `  - step: start
    # not always
    tool: { kind: noop }
    spec:
      policy:
        admit:
          rules:
            - when: "{{ workload.x > 1 }}" # only then
              then: { allow: true }
            - else: { then: { allow: false } }
`,
    ],
    [
      'pipe of a step, and of its tool',
      `  - step: start
    pipe:
      # the first
      - { name: one, kind: noop }
    next: { arcs: [{ step: more }] }
  - step: more
    tool:
      pipe: # in a row
        - name: two
          kind: noop
`,
      `  - step: start
    tool:
      # the first
      - { name: one, kind: noop }
    next: { arcs: [{ step: more }] }
  - step: more
    tool:
      # in a row
        - name: two
          kind: noop
`,
    ],
    [
      'eval of a tool or of its step, expr, and actions beside the condition',
      `  - step: start
    tool:
      kind: http
      eval: # what answers mean
        - expr: "{{ outcome.status == 'error' }}" # it failed
          do: retry # again
          attempts: 3
          backoff: fixed
        - else: { do: continue }
      url: https://x
      spec:
        timeout: 3
    next: { arcs: [{ step: more }] }
  - step: more
    eval:
      - { when: "{{ output.status == 'error' }}", do: fail }
    tool:
      kind: noop
`,
      `  - step: start
    tool:
      kind: http
      url: https://x
      spec:
        timeout: 3
        policy:
          rules: # what answers mean
            - when: "{{ output.status == 'error' }}" # it failed
              then:
                do: retry # again
                attempts: 3
                backoff: none
            - else: { then: { do: continue } }
    next: { arcs: [{ step: more }] }
  - step: more
    tool:
      kind: noop
      spec:
        policy:
          rules:
            - { when: "{{ output.status == 'error' }}", then: { do: fail } }
`,
    ],
  ])('%s', (_, before, after) =>
    expectRewritten(`${STEPS}${before}  - step: end\n`, `${STEPS}${after}  - step: end\n`),
  );

  test.each<[string, string, number]>([
    [
      'a when beside an admission',
      'when: "{{ workload.x }}", spec: { admit: { rules: [{ else: { then: { allow: true } } }] } }, tool: { kind: noop }',
      15,
    ],
    ['a type of no kind', 'type: magic, tool: { code: 1 }', 15],
    ['a pipe beside a tool', 'pipe: [{ kind: noop }], tool: { kind: noop }', 15],
    ['an eval that is no list', 'tool: { kind: noop, eval: "{{ workload.x }}" }', 35],
    ['an expr that nobody asks', 'expr: "{{ workload.x }}", tool: { kind: noop }', 15],
  ])('%s stays, with the reason', (_, step, column) => {
    const before = `${STEPS}  - { step: s, ${step} }\n  - step: start\n    next: { arcs: [{ step: s }] }\n`;
    const { text, notes } = upgrade(before);
    expect(text).toBe(before);
    const note = notes.find((each) => each.line === 6 && Math.abs(each.column - column) < 6);
    expect(note?.why).toEqual(expect.any(String));
  });
});
