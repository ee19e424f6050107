/** Playbooks, each with a fault of its own that one payload shows and another does not, and the edit that mends it. */

export interface MendedFault {
  readonly name: string;
  readonly broken: string;
  readonly fixed: string;
  /** With which it does what it is to do, before the edit and after it. */
  readonly good: Record<string, unknown>;
  readonly bad: Record<string, unknown>;
}

type Row = readonly [
  good: Record<string, unknown>,
  bad: Record<string, unknown>,
  workflow: string,
  from: string,
  to: string,
];

/** A step `start` of this code, and the end, which has its result. */
const code = (...lines: string[]): string => `
- step: start
  tool:
    kind: python
    input: {n: "{{ workload.n }}"}
    code: |
${lines.map((line) => `      ${line}`).join('\n')}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop, input: {got: "{{ start }}"}}`;
const given = (then: string, result = 'n'): string => `
- step: start
  tool: {kind: python, input: {n: "{{ workload.n }}"}, code: "result = ${result}"}
${then}`;
const RAISES = `
- step: boom
  tool: {kind: python, code: raise ValueError("no")}`;
const END = `
- step: end
  tool: {kind: noop, input: {got: "{{ start }}"}}`;

const ROWS: Readonly<Record<string, Row>> = {
  'a key that not every row has': [
    { n: [{ p: 2 }] },
    { n: [{}] },
    code('result = sum(row["p"] for row in n)'),
    'row["p"]',
    'row.get("p", 0)',
  ],
  'a division by the length of an empty list': [
    { n: [4] },
    { n: [] },
    code('result = sum(n) / len(n)'),
    'len(n)',
    'max(len(n), 1)',
  ],
  'a number added to a text': [{ n: 'a' }, { n: 1 }, code('result = "n: " + n'), '+ n', '+ str(n)'],
  'nothing where there should be a text': [
    { n: 'a' },
    { n: null },
    code('result = n.upper()'),
    'n.upper()',
    '(n or "").upper()',
  ],
  'the first of an empty list': [{ n: [1] }, { n: [] }, code('result = n[0]'), 'n[0]', 'n[0] if n else None'],
  'an empty text as a number': [{ n: '7' }, { n: '' }, code('result = int(n)'), 'int(n)', 'int(n or 0)'],
  'a misspelt name in a branch': [
    { n: 1 },
    { n: 99 },
    code('total = n', 'result = totl if n > 9 else total'),
    'totl',
    'total',
  ],
  'a text that is no JSON': [
    { n: '{"a": 1}' },
    { n: '' },
    code('import json', 'result = json.loads(n)'),
    'loads(n)',
    'loads(n or "{}")',
  ],
  'a key that a table lacks': [
    { n: 'a' },
    { n: 'z' },
    code('result = {"a": 1}[n]'),
    '["a": 1}[n]'.slice(1),
    '"a": 1}.get(n, 0)',
  ],
  'a loop over what is undefined': [
    { n: 1 },
    { n: 0 },
    given(
      `  next: {arcs: [{step: each}]}
- step: each
  loop: {in: "{{ start.rows }}", iterator: row}
  tool: {kind: noop, input: {row: "{{ iter.row }}"}}`,
      '{\\"rows\\": [n]} if n else {}',
    ),
    '{{ start.rows }}',
    '{{ start.rows | default([]) }}',
  ],
  'a sum with nothing': [
    { n: 3 },
    { n: null },
    given(`  next: {arcs: [{step: last}]}
- step: last
  tool: {kind: noop, input: {got: "{{ start + 1 }}"}}`),
    '{{ start + 1 }}',
    '{{ (start or 0) + 1 }}',
  ],
  'a failure that nothing catches': [
    { n: 1 },
    { n: 0 },
    `${code('result = 1 / n')}
- step: rescue
  tool: {kind: noop, input: {got: none}}`,
    'arcs: [{step: end}]',
    `arcs: [{step: end, when: "{{ event.name == 'step.done' }}"}, {step: rescue, when: "{{ event.name == 'step.failed' }}"}]`,
  ],
  'a bound that excludes itself': [
    { n: 11 },
    { n: 10 },
    given(`  next: {arcs: [{step: end, when: "{{ start > 10 }}"}, {step: boom}]}${END}${RAISES}`),
    'start > 10',
    'start >= 10',
  ],
  'an arc that takes everything before the right one': [
    { n: 5 },
    { n: 0 },
    given(
      `  next: {arcs: [{step: boom, when: "{{ start < 3 }}"}, {step: end, when: "{{ start == 0 }}"}, {step: end}]}${END}${RAISES}`,
    ),
    'start < 3',
    '0 < start and start < 3',
  ],
  'a rule that fails what it should let pass': [
    { n: 1 },
    { n: 0 },
    `
- step: start
  tool:
    - name: divide
      kind: python
      input: {n: "{{ workload.n }}"}
      code: result = 1 / n
      spec: {policy: {rules: [{when: "{{ output.status == 'error' }}", then: {do: fail}}]}}
    - {name: after, kind: noop, input: {got: 1}}`,
    'do: fail',
    'do: continue',
  ],
  'a variable with another name': [
    { n: 0 },
    { n: 4 },
    given(`  set: {ctx.total: "{{ start }}"}
  next: {arcs: [{step: use, when: "{{ start > 0 }}"}, {step: end}]}
- step: use
  tool: {kind: noop, input: {got: "{{ ctx.totals + 1 }}"}}${END}`),
    'ctx.totals',
    'ctx.total',
  ],
  'an iterator with another name': [
    { n: [] },
    { n: [3] },
    `
- step: start
  loop: {in: "{{ workload.n }}", iterator: item}
  tool: {kind: noop, input: {got: "{{ iter.itm + 1 }}"}}`,
    'iter.itm',
    'iter.item',
  ],
  'a sum of mappings': [
    { n: [] },
    { n: [{ p: 2 }] },
    given(`  next: {arcs: [{step: last}]}
- step: last
  tool: {kind: noop, input: {got: "{{ start | sum }}"}}`),
    'start | sum',
    "start | sum(attribute='p')",
  ],
  'a limit of a rule': [
    { n: 3 },
    { n: 7 },
    `
- step: start
  tool:
    kind: python
    input: {n: "{{ workload.n }}"}
    code: result = n
    spec: {policy: {rules: [{when: "{{ output.data > 5 }}", then: {do: fail}}]}}`,
    'output.data > 5',
    'output.data > 50',
  ],
  'a number read from a text in a template': [
    { n: 4 },
    { n: 'x' },
    given(`  next: {arcs: [{step: end, when: "{{ start * 2 > 4 }}"}, {step: end}]}${END}`),
    'start * 2 > 4',
    '(start | int) * 2 > 4',
  ],
};

export const MENDED_FAULTS: readonly MendedFault[] = Object.entries(ROWS).map(([name, row], index) => {
  const [good, bad, workflow, from, to] = row;
  const head = `apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: fault_${index}, path: faults/fault_${index}}
workload: {n: null}
workflow:`;
  const broken = `${head}${workflow}\n`;
  return { name, broken, fixed: broken.replace(from, () => to), good, bad };
});
