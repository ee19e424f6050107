import fc from 'fast-check';
import { cases } from '../../../../test/support/properties';
import { compile } from '../compile';
import { meaningOf } from './same';
import { upgrade } from './upgrade';

/** Random playbooks that mix the spellings of all generations, comments included. */
const pick = (...texts: string[]): fc.Arbitrary<string> => fc.constantFrom(...texts);

const writes = pick(
  '',
  'set_ctx: { a: 1 } # one',
  'set_ctx: { a: 1 } # one\nset: { b: 2 } # two',
  'set_iter: # here\n  # and there\n  p: 1\nset_ctx: { a: "x, y: z#", b: 3 } # last',
  'set_iter:\n  p: "{{ 1 + 1 }}" # two\nset_ctx:\n    a: x',
  'set:\n  ctx.a: 1\n  b: 2',
  'set_ctx:\n  "a": [1, 2]\n\n# both\nset: { iter.p: 3 }',
);
const inputs = pick(
  '',
  'args: { i: 1 }',
  'with:\n  i: "{{ workload.w }}"',
  'input: { i: 2 } # given',
  'args: {}',
);
const rules = pick(
  '',
  `spec:
  policy:
    rules:
      - when: "{{ outcome.status == 'error' and outcome.error.retryable }}" # again
        then: { do: retry, attempts: 3, backoff: fixed, delay: 0.5 }
      - when: '{{ outcome[''result''].a }}'
        then: { do: fail }
      - else: { do: continue }`,
  `spec:
  timeout: 5
  policy:
    rules:
    - when: outcome.status == 'error'
      then: [{ do: break }, { set_ctx: { a: "{{ outcome.result }}" } }]
    - else:
      then:
        do: continue
        set_iter:
          p: "{{ outcome.result.x ~ outcome.status }}"`,
);
const tool = pick(
  'kind: noop',
  'kind: python\ncode: |\n  if True:\n    result = i # kept',
  'kind: http\nurl: "http://x/{{ workload.w }}"',
);
const task = fc.tuple(tool, inputs, writes, rules).map((parts) => parts.filter(Boolean).join('\n'));

const indent = (text: string, by: number): string => text.replace(/^(?=.)/gm, ' '.repeat(by));
const item = (text: string): string => indent(text, 2).replace(/^ {2}/, '- ');

const listed = fc
  .tuple(task, pick('named', 'labelled', 'bare', 'choose', 'while'))
  .map(([body, form]) => (i: number) => {
    if (form === 'named') return item(`name: t${i}\n${body}`);
    if (form === 'labelled') return `- t${i}: # the label\n${indent(body, 4)}`;
    if (form === 'bare') return item(body);
    if (form === 'while')
      return `- while:\n    when: "{{ workload.w > 5 }}"\n    max: 3\n    do:\n${indent(item(body), 6)}`;
    return `- choose:\n    - when: "{{ workload.w }}"\n      then:\n${indent(item(body), 8)}\n    - else: [{ kind: noop }]`;
  });

const tools = fc.oneof(
  task.map((body) => `tool:\n${indent(body, 2)}`),
  fc
    .array(listed, { minLength: 1, maxLength: 3 })
    .map((all) => `tool:\n${indent(all.map((each, i) => each(i)).join('\n'), 2)}`),
);
const loop = pick(
  '',
  'loop: { in: [1, 2], iterator: item, mode: async }',
  'loop:\n  in: "{{ workload.list }}"\n  iterator: item\n  max_in_flight: 2 # few\n  spec:\n    mode: parallel',
);
const next = pick(
  '',
  'next: last',
  'next:\n  - last # then\n  - step: other\n    args: { x: 1 }',
  'next: [last, { step: other }]',
  `next:
  spec: { mode: exclusive }
  arcs:
    - step: last
      when: "{{ event.name == 'step.done' }}"
      args:
        x: "{{ outcome.result }}"
      set_ctx: { a: 2 }
    - step: other`,
  `next:\n  step: last\n  args:\n    y: 1`,
);
const step = fc.tuple(
  pick('', 'desc: a step # said', 'vars: { v: "{{ result }}" }'),
  loop,
  inputs,
  tools,
  next,
);
const playbook = fc.array(step, { minLength: 1, maxLength: 3 }).map((all) => {
  const steps = all.map((parts, i) =>
    item([`step: ${i === 0 ? 'start' : `s${i}`}`, ...parts.filter(Boolean)].join('\n')),
  );
  const ends = ['- step: last\n  next: end', '- { step: other, tool: { kind: noop } }'];
  const workflow = indent([...steps, ...ends].join('\n\n'), 2);
  return `apiVersion: noetl.io/v10\nkind: Playbook\nname: random\nworkload: { w: 1, list: [1] }\nworkflow:\n${workflow}\n`;
});

/** Random mixtures can contradict themselves (one thing written twice); those are not meant here. */
const valid = playbook.filter((text) => compile(text).plan !== undefined);

test('upgrading keeps the meaning of the plan, every comment, and settles', () => {
  fc.assert(
    fc.property(valid, (text) => {
      const { text: after } = upgrade(text);
      expect(meaningOf(compile(after).plan!)).toBe(meaningOf(compile(text).plan!));
      expect(upgrade(after).text).toBe(after);
      const remarks = (written: string): string[] => (written.match(/# .*$/gm) ?? []).sort();
      expect(remarks(after)).toEqual(remarks(text));
      const left = compile(after).diagnostics.filter(({ code }) => code.startsWith('NT5'));
      expect(left).toEqual([]);
      expect(after).not.toMatch(/\b(args|with|set_ctx|set_iter|vars):|\boutcome\b/);
    }),
    cases(30),
  );
});
