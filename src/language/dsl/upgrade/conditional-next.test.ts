import { ENDS, expectRewritten, STEPS } from '../../../../test/support/upgraded';
import { upgrade } from './upgrade';

/** A step that one router names twice says what that means. */
const EACH = ENDS.replace('- step: a\n', '- step: a\n    spec: { policy: { join: each } }\n');

describe('conditions inside of next', () => {
  test.each<[string, string, string]>([
    [
      'a list of when and then, and a default, asked in their order',
      `  - step: start
    next: # decide
      # much
      - when: "{{ workload.x > 5 }}" # over five
        then:
          - step: a
            args: { y: 1 }

      # little
      - when: '{{ workload.x < 2 }}'
        then: b
      - step: end # otherwise
`,
      `  - step: start
    next:
      arcs:
        # decide
        # much
        # over five
        - step: a
          when: "{{ workload.x > 5 }}"
          set: { y: 1 }

        # little
        - step: b
          when: '{{ workload.x < 2 }}'
        # otherwise
        - step: end
`,
    ],
    [
      'when, then and else in one mapping',
      `  - step: start
    next: { when: "{{ workload.x }}", then: { step: a }, else: [b] }
`,
      `  - step: start
    next:
      arcs:
        - step: a
          when: "{{ workload.x }}"
        - step: b
`,
    ],
    [
      'several targets of one condition: all that match are gone, and each guard says that none before it held',
      `  - step: start
    next:
      - when: "{{ workload.x == 1 }}"
        then: [a, b]
      - when: "{{ workload.x is defined and not workload.list }}"
        then: a
      - else: end
`,
      `  - step: start
    next:
      spec:
        mode: inclusive
      arcs:
        - step: a
          when: "{{ workload.x == 1 }}"
        - step: b
          when: "{{ workload.x == 1 }}"
        - step: a
          when: "{{ not (workload.x == 1) and (workload.x is defined and not workload.list) }}"
        - step: end
          when: "{{ not (workload.x == 1) and not (workload.x is defined and not workload.list) }}"
`,
    ],
    [
      'a guard at the entries of a structural list',
      `  - step: start
    next:
      - step: a
        when: "{{ workload.x }}"
      - b
`,
      `  - step: start
    next:
      arcs:
        - step: a
          when: "{{ workload.x }}"
        - step: b
`,
    ],
    [
      'then and else at an arc',
      `  - step: start
    next:
      arcs:
        - step: a
          when: "{{ workload.x == 2 }}"
        - when: "{{ workload.x == 1 }}"
          then: b
          else: end
`,
      `  - step: start
    next:
      arcs:
        - step: a
          when: "{{ workload.x == 2 }}"
        - step: b
          when: "{{ workload.x == 1 }}"
        - step: end
`,
    ],
  ])('%s', (name, before, after) =>
    expectRewritten(
      STEPS + before + ENDS,
      STEPS + after + (name.startsWith('several targets') ? EACH : ENDS),
    ),
  );

  test.each<[string, string]>([
    ['targets behind an else', `[{ when: "{{ workload.x }}", then: a, else: b }, end]`],
    ['a target before a condition', `[a, { when: "{{ workload.x }}", then: b }]`],
    ['a name that arcs do not have', `[{ when: "{{ result.x }}", then: a }, b]`],
    ['several targets of a condition that is any value', `[{ when: "{{ workload.x }}", then: [a, b] }, end]`],
    ['a key that is none of theirs', `[{ when: "{{ workload.x }}", then: a, delay: 3 }]`],
  ])('stay where there is %s', (_, next) => {
    const before = `${STEPS}  - step: start\n    next: ${next}\n${ENDS}`;
    const { text, notes } = upgrade(before);
    expect(text).toBe(before);
    const note = notes.find(({ message }) => message === '`next` has no `when`, `then` or `else`');
    expect(note).toMatchObject({ line: 7, why: expect.stringContaining('several targets') as string });
  });
});
