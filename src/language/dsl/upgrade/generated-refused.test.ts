import fc from 'fast-check';
import { ENDS, errorsOf, remarksOf, STEPS } from '../../../../test/support/upgraded';
import { compile } from '../compile';
import { upgrade } from './upgrade';

/** Random playbooks of spellings that are refused, each with one meaning, comments included. */
const pick = (...texts: string[]): fc.Arbitrary<string> => fc.constantFrom(...texts);
const indent = (text: string, by: number): string => text.replace(/^(?=.)/gm, ' '.repeat(by));

const next = pick(
  'next: a # on',
  'next: # first\n  - when: "{{ workload.x == 1 }}" # one\n    then: [a, b]\n  # others\n  - else: { step: end }',
  'next:\n- step: a\n  when: "{{ workload.x }}" # some\n# or\n- b',
  'next: { when: "{{ event.name == \'step.done\' }}", then: { step: a, args: { y: 1 } }, else: b } # both',
  'next:\n  arcs:\n    - when: "{{ workload.x }}"\n      then: # that\n        - step: b\n          set: { z: 1 }\n    - step: end',
);
const set = pick(
  '',
  'set: [{ name: ctx.p, value: 1 }, { name: ctx.q, value: [2, 3] }] # two',
  'set: # here\n- name: ctx.p # p\n  value: "{{ workload.x }}" # x\n# deep\n- { name: ctx.q, value: { a: 1 } } # q',
  'vars:\n  p: 1 # one',
);
const rules = pick(
  '',
  'eval: # what it means\n  - expr: "{{ outcome.status == \'error\' }}" # bad\n    do: retry\n    attempts: 2 # twice\n  - else:\n      do: continue # fine',
  'eval: [{ when: "{{ output.status == \'error\' }}", do: fail }, { else: { then: { do: break } } }]',
);
const body = pick(
  'type: http # kind\n# where\nurl: https://x # there\nparams:\n  # n\n  n: 1',
  'type: python\ntool: { code: "result = 1" }',
  'pipe:\n  - fetch: # label\n      kind: noop\n      with: { i: 1 } # given\n  # then\n  - { name: more, kind: noop }',
  'tool:\n  pipe: # list\n    - name: args # again\n      kind: noop\n    - name: more\n      kind: noop\n      input: { i: "{{ args.rows }}" }',
);
const single = rules.map(
  (own) => `tool:\n  kind: noop\n  with: { i: 1 } # given${own && `\n${indent(own, 2)}`}`,
);
const gate = pick('', 'when: "{{ workload.x > 0 }}" # only then', '# always');
const name = pick('token', 'job', 'loop', 'plain');
const step = fc
  .tuple(gate, fc.oneof(body, single), set, next, name)
  .map(([head, tool, writes, way, own]) => ({
    own,
    text: [head, tool, writes, way].filter(Boolean).join('\n'),
  }));

const playbook = fc
  .uniqueArray(step, { minLength: 1, maxLength: 3, selector: ({ own }) => own })
  .map((all) => {
    const steps = all.map(({ own, text }) => `  - step: ${own}\n${indent(text, 4)}\n`);
    const forks = all.map(({ own }) => `\n      - ${own}`).join('');
    const reads = all.map(({ own }, i) => `r${i}: "{{ ${own}.some_row }}"`).join(', ');
    const start = `  - step: start\n    next: # all${forks}\n`;
    return `${STEPS}${start}${steps.join('\n')}${ENDS}    tool: { kind: noop, input: { ${reads} } }\n`;
  });

test('what is refused and has one meaning is rewritten, with every comment, and the result is final', () => {
  fc.assert(
    fc.property(playbook, (before) => {
      const { text, notes } = upgrade(before);
      expect(errorsOf(text)).toBe('');
      expect(notes).toEqual([]);
      expect(upgrade(text)).toMatchObject({ text, rewrites: 0 });
      expect(remarksOf(text)).toEqual(remarksOf(before));
    }),
    { numRuns: 60, seed: 13 },
  );
});

test('most of the playbooks that are made here are refused', () => {
  const all = fc.sample(playbook, { numRuns: 60, seed: 13 });
  expect(all.filter((text) => compile(text).plan === undefined).length).toBeGreaterThan(40);
});
