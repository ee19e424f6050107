import { ENDS, errorsOf, expectRewritten, STEPS } from '../../../../test/support/upgraded';
import { upgrade } from './upgrade';

describe('what stands in an older place or form', () => {
  test.each<[string, string, string]>([
    [
      'spec.input of a tool',
      `  - step: start
    tool:
      - name: one
        kind: noop
        spec: # knobs
          args: # given
            a: 1 # one
      - name: two
        kind: noop
        spec:
          timeout: 3
          input: { a: 1 } # given too
      - { name: three, kind: noop, spec: { args: { a: 1 } } }
      - name: four
        kind: noop
        input:
          a: 1 # one
        spec:
          input:
            # two
            b: 2
`,
      `  - step: start
    tool:
      - name: one
        kind: noop
        # knobs
        input: # given
          a: 1 # one
      - name: two
        kind: noop
        input: { a: 1 } # given too
        spec:
          timeout: 3
      - { name: three, kind: noop, input: { a: 1 } }
      - name: four
        kind: noop
        input:
          # two
          b: 2
          a: 1 # one
`,
    ],
    [
      'the secret of a task by its name',
      `  - step: start
    tool:
      kind: secrets
      name: key_of_a # which
      provider: environment
    next: { arcs: [{ step: more }] }
  - step: more
    tool:
      - kind: secrets
        name: key_of_b # that
        provider: environment
      - { kind: secrets, name: key_of_c, provider: environment }
`,
      `  - step: start
    tool:
      kind: secrets
      secret: key_of_a # which
      provider: environment
    next: { arcs: [{ step: more }] }
  - step: more
    tool:
      - kind: secrets
        name: key_of_b # that
        secret: key_of_b
        provider: environment
      - { kind: secrets, name: key_of_c, secret: key_of_c, provider: environment }
`,
    ],
    [
      'a list of names and values under set',
      `  - step: start
    tool: { kind: noop, set: [{ name: ctx.p, value: 1 }, { name: ctx.q, value: [2] }] }
    set:
    # the first
    - name: ctx.a # a
      value:
        deep: 1 # one
    - { name: 'ctx.b', value: "{{ workload.x }}" } # b
    - value: 3 # three
      name: ctx.c
`,
      `  - step: start
    tool: { kind: noop, set: { ctx.p: 1, ctx.q: [2] } }
    set:
      # the first
      # a
      ctx.a:
        deep: 1 # one
      'ctx.b': "{{ workload.x }}" # b
      ctx.c: 3 # three
`,
    ],
    [
      'loops of tools: async, and the knobs outside of their spec',
      `  - step: start
    tool:
      - name: one
        kind: iterator
        loop: { in: [1], iterator: i, mode: async }
        tool:
          - x: { kind: noop, with: { a: 1 } } # inner
      - name: two
        kind: noop
        loop:
          in: [1]
          iterator: j
          max_in_flight: 2 # two
`,
      `  - step: start
    tool:
      - name: one
        kind: iterator
        loop: { in: [1], iterator: i, spec: { mode: parallel } }
        tool:
          - { name: x, kind: noop, input: { a: 1 } } # inner
      - name: two
        kind: noop
        loop:
          in: [1]
          iterator: j
          spec:
            max_in_flight: 2 # two
`,
    ],
    [
      'the router of a step in brackets',
      `  - { step: start, tool: { kind: noop }, next: [a, { step: end, args: { x: 1 } }] }
  - { step: a, next: end }
`,
      `  - { step: start, tool: { kind: noop }, next: { spec: { mode: inclusive }, arcs: [{ step: a }, { step: end, set: { x: 1 } }] } }
  - { step: a, next: { arcs: [{ step: end }] } }
`,
    ],
  ])('%s', (_, before, after) =>
    expectRewritten(`${STEPS}${before}  - step: end\n`, `${STEPS}${after}  - step: end\n`),
  );

  test('in case: with, steps as actions, what a repetition gives, and its event', () => {
    const before = `${STEPS}  - step: start
    tool: { kind: python, code: "result = 1" }
    case:
      - when: "{{ event.name == 'step.exit' and error }}" # failed
        then:
          retry:
            max_attempts: 2
            backoff: fixed
            args: { who: 1 }
      - when: "{{ event.name == 'call.done' }}"
        then:
          - log: done
          # both
          - step: a # one
            with: { x: 1 }
          - step: b
      - else:
          then:
            - sink: { tool: { kind: noop }, with: { x: 1 } }
${ENDS}`;
    const { text } = upgrade(before);
    expect(text).toBe(`${STEPS}  - step: start
    tool: { kind: python, code: "result = 1" }
    case:
      - when: "{{ event.name == 'call.done' and error }}" # failed
        then:
          retry:
            max_attempts: 2
            backoff: none
            input: { who: 1 }
      - when: "{{ event.name == 'call.done' }}"
        then:
          - log: done
          # both
          - next:
              - step: a # one
                args: { x: 1 }
              - step: b
      - else:
          then:
            - sink: { tool: { kind: noop }, args: { x: 1 } }
${ENDS}`);
    expect(errorsOf(text)).toBe('');
    expect(upgrade(text).text).toBe(text);
  });

  test('a step under then beside other actions or alone, which is its next', () => {
    const { text } = upgrade(`${STEPS}  - step: start
    tool: { kind: noop }
    loop: { in: [1], iterator: i, spec: { mode: sequential } }
    case:
      - when: "{{ event.name == 'loop.done' and workload.x }}"
        then: # on
          set: { n: 1 }
          step: end # there
      - when: "{{ event.name == 'loop.done' }}"
        then: { step: end, args: { a: 1 } }
      - else:
          then:
            # last
            step: end
            args: { a: 1 }
  - step: end
`);
    expect(text).toBe(`${STEPS}  - step: start
    tool: { kind: noop }
    loop: { in: [1], iterator: i, spec: { mode: sequential } }
    case:
      - when: "{{ event.name == 'loop.done' and workload.x }}"
        then: # on
          set: { n: 1 }
          next: end # there
      - when: "{{ event.name == 'loop.done' }}"
        then: { next: { step: end, args: { a: 1 } } }
      - else:
          then:
            # last
            next:
              step: end
              args: { a: 1 }
  - step: end
`);
    expect(errorsOf(text)).toBe('');
  });
});
