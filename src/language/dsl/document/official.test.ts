/** What the official engines accept, and specifications do not say. */
import { type Plan } from '../../plan';
import { codes, HEADER, plan } from '../../../../test/support/compiled';
import { planOf, playbookOf, simulate } from '../../../../test/support/simulator';
import { compile } from '../compile';
import { readResource } from '../resource';
import { upgrade } from '../upgrade';
import { meaningOf } from '../upgrade/same';

const NOOP = 'tool: {kind: noop}';
const WORKFLOW = `workflow:\n- {step: start, ${NOOP}}\n`;

/** The steps of a run in which tasks answer what their inputs are. */
function stepsOf(made: Plan): string[] {
  const ran = simulate(made).events.filter(({ event_type }) => event_type === 'step.started');
  return ran.map(({ entity_id }) => entity_id.split('#')[0]!);
}

/** With all its fixes. */
function mended(text: string): Plan {
  return plan(upgrade(text).text);
}

describe('output of steps and tools', () => {
  const OUTPUT = 'output: {store: {kind: kv, ttl: 1h}, select: [{path: $.a, as: a}], inline_max_bytes: 1}';

  test.each([
    ['a step', `{step: start, ${NOOP}, ${OUTPUT}}`],
    ['a tool', `{step: start, tool: {kind: http, url: "http://x", ${OUTPUT}}}`],
    ['a task of a list', `{step: start, tool: [{name: a, kind: noop, ${OUTPUT}}]}`],
  ])('of %s has no effect, and says so', (_where, step) => {
    const { plan: made, diagnostics } = compile(`${HEADER}workflow:\n- ${step}\n`);
    const { plan: bare } = compile(`${HEADER}workflow:\n- ${step.replace(`, ${OUTPUT}`, '')}\n`);
    expect(meaningOf(made!)).toBe(meaningOf(bare!));
    expect(diagnostics.map(({ code, severity }) => [code, severity])).toEqual([['NT2090', 'info']]);
    expect(diagnostics[0]!.hint).toContain('docs/large-results.md');
  });

  test('an extension may have a field of that name', () => {
    const spec = 'executor: {spec: {extensions: {sms: {fields: [output]}}}}\n';
    expect(codes(`${spec}workflow:\n- {step: start, tool: {kind: sms, output: text}}\n`)).toEqual([]);
  });
});

describe('a path with a leading slash', () => {
  const rooted = HEADER.replace('examples/example', '/examples/example');

  test('is the path without it', () => {
    expect(compile(`${rooted}${WORKFLOW}`)).toMatchObject({
      diagnostics: [],
      plan: { metadata: { path: 'examples/example' } },
    });
    expect(readResource(`${rooted}${WORKFLOW}`).resource?.path).toBe('examples/example');
  });

  test('two slashes are a mistake', () => {
    expect(codes(`${WORKFLOW}`)).toEqual([]);
    expect(compile(`${rooted.replace('/ex', '//ex')}${WORKFLOW}`).diagnostics).toMatchObject([
      { code: 'NT2062' },
    ]);
  });

  test('a call finds it', () => {
    const text = `workflow:\n- {step: start, tool: {kind: playbook, path: /shop/etl}}\n`;
    const catalog = { has: (path: string) => path === 'shop/etl', paths: () => ['shop/etl'] };
    expect(compile(HEADER + text, { catalog }).diagnostics).toEqual([]);
    const { events } = simulate(plan(text));
    const [started] = events.filter(({ event_type }) => event_type === 'task.started');
    expect(started!.payload['child']).toMatchObject({ path: 'shop/etl' });
  });
});

describe('no step is called start', () => {
  const steps = `workflow:\n  - step: fetch_it\n    ${NOOP}\n    next: {arcs: [{step: last}]}\n  - {step: last, ${NOOP}}\n`;

  test.each([
    ['', 'executor:\n  spec:\n    entry_step: fetch_it\n'],
    ['executor: {kind: local}\n', 'executor: {kind: local, spec: { entry_step: fetch_it }}\n'],
    ['executor: {spec: {exec: inline}}\n', 'executor: {spec: {exec: inline, entry_step: fetch_it}}\n'],
    [
      'executor:\n  kind: local # ours\n',
      'executor:\n  kind: local # ours\n  spec:\n    entry_step: fetch_it\n',
    ],
  ])('%j is refused, and the first step becomes the entry', (executor, after) => {
    expect(codes(`${executor}${steps}`)).toEqual(['NT3008']);
    expect(upgrade(`${HEADER}${executor}${steps}`).text).toBe(`${HEADER}${after}${steps}`);
    expect(stepsOf(mended(`${HEADER}${executor}${steps}`))).toEqual(['fetch_it', 'last']);
  });

  test('where the name may be misspelt, nothing is changed', () => {
    const text = `${HEADER}workflow:\n- {step: strat, ${NOOP}}\n`;
    expect(upgrade(text).text).toBe(text);
  });
});

describe('routers', () => {
  const two = `  - {step: a, ${NOOP}}\n  - {step: b, ${NOOP}}\n`;

  test.each(['quiet', 'complete'])('on_no_match: %s ends the branch, without a word', (word) => {
    const text = `workload: {go: false}\nworkflow:
  - {step: start, ${NOOP}, next: {spec: {mode: inclusive}, arcs: [{step: a}, {step: b}]}}
  - {step: a, ${NOOP}, next: {spec: {on_no_match: ${word}}, arcs: [{step: c, when: "{{ workload.go }}"}]}}
  - {step: b, ${NOOP}, next: {arcs: [{step: c}]}}
  - {step: c, ${NOOP}}\n`;
    expect(codes(text)).toEqual([]);
    expect(stepsOf(plan(text))).toEqual(['start', 'a', 'b', 'c']);
  });

  test.each([
    ['next: {arcs: [{step: a}, {step: b}]}', 'inclusive', ['start', 'a', 'b']],
    ['next: {spec: {mode: exclusive}, arcs: [{step: a}, {step: b}]}', 'inclusive', ['start', 'a']],
    ['next: [{step: a}, {step: b}]', 'exclusive', ['start', 'a']],
  ])('%s with next_mode: %s', (next, mode, steps) => {
    const text = `workflow:\n  - {step: start, ${NOOP}, spec: {next_mode: ${mode}}, ${next}}\n${two}`;
    expect(stepsOf(plan(text))).toEqual(steps);
    expect(stepsOf(mended(`${HEADER}${text}`))).toEqual(steps);
  });

  test('conditions in the list of next become guards', () => {
    const text = `${HEADER}workload: {action: two}
workflow:
  - step: start
    ${NOOP}
    next:
      - when: "{{ workload.action == 'one' }}"
        then: [{step: a}]
      - when: "{{ workload.action == 'two' }}"
        then: [{step: b}]
      - step: a
${two}`;
    expect(compile(text).plan).toBeUndefined();
    expect(stepsOf(mended(text))).toEqual(['start', 'b']);
  });
});

describe('rules with when, then and else', () => {
  const ends = `  - {step: big, ${NOOP}}\n  - {step: small, ${NOOP}}\n`;
  const head = (n: number): string =>
    `${HEADER}workload: {n: ${n}}\nworkflow:\n  - step: start\n    ${NOOP}\n`;
  const block = `    case:
      - when: "{{ event.name == 'call.done' and workload.n > 1 }}"
        then:
          - step: big
        else: # otherwise
          - step: small
`;
  const flow = `    case: [{when: "{{ event.name == 'call.done' and workload.n > 1 }}", then: [{step: big}], else: [{step: small}]}]\n`;
  const mixed = `    case:\n      - {when: "{{ event.name == 'call.done' and workload.n > 1 }}", then: [{step: big}], else: [{step: small}]}\n`;

  test.each([block, flow, mixed])('the else is the complement: %j', (rules) => {
    for (const [n, way] of [
      [1, 'small'],
      [2, 'big'],
    ] as const) {
      const text = `${head(n)}${rules}${ends}`;
      const { diagnostics } = compile(text);
      expect(diagnostics.map(({ code }) => code)).toContain('NT5006');
      expect(stepsOf(plan(text))).toEqual(['start', way]);
      const { text: after } = upgrade(text);
      expect(compile(after).diagnostics).toEqual([]);
      expect(stepsOf(plan(after))).toEqual(['start', way]);
    }
  });

  test('where the else comes first, nothing is lost', () => {
    const first = `    case: [{else: {then: {next: small}}, when: "{{ event.name == 'call.done' and workload.n > 1 }}", then: {next: big}}]\n`;
    for (const [n, way] of [
      [1, 'small'],
      [2, 'big'],
    ] as const)
      expect(stepsOf(plan(upgrade(`${head(n)}${first}${ends}`).text))).toEqual(['start', way]);
  });

  test('a rule behind it is never asked, and where all rules act it is refused', () => {
    const more = `${block}      - when: "{{ event.name == 'step.exit' }}"\n        then: {next: small}\n`;
    expect(codesOf(`${head(1)}${more}${ends}`)).toContain('NT2036');
    expect(codesOf(`${head(1)}    spec: {case_mode: inclusive}\n${more}${ends}`)).toContain('NT2033');
  });

  test('rules of a task have it too', () => {
    const rules = `rules: [{when: "{{ outcome.status == 'error' }}", then: {do: retry}, else: {do: break}}]`;
    const text = `workflow:\n- {step: start, tool: {kind: http, url: "http://x", spec: {policy: {${rules}}}}}\n`;
    expect(plan(text).steps[0]!.tasks[0]!.rules!.rules).toHaveLength(2);
  });

  test('conditions in Rhai are refused in one line', () => {
    const text = `${head(1)}    case: [{rhai: "n > 1", then: [{step: big}]}, {else: {then: {next: small}}}]\n${ends}`;
    const errors = compile(text).diagnostics.filter(({ severity }) => severity === 'error');
    expect(errors).toMatchObject([
      { code: 'NT2033', hint: 'write the condition as a template: `when: "{{ … }}"`' },
    ]);
  });
});

function codesOf(text: string): string[] {
  return compile(text).diagnostics.map(({ code }) => code);
}

describe('on_unmatched', () => {
  const failing = (policy: string): Plan =>
    planOf(
      playbookOf(
        `- {step: start, tool: {kind: http, url: "http://x", spec: {policy: {${policy}rules: [{when: "{{ output.error.code == 'OTHER' }}", then: {do: fail}}]}}}, next: {arcs: [{step: end}]}}\n- {step: end, ${NOOP}}\n`,
      ),
    );
  const error = {
    status: 'error',
    result: null,
    error: { kind: 'exception', code: 'X', message: '', retryable: false },
    meta: {},
  } as const;

  test.each([
    ['on_unmatched: continue, ', 'complete'],
    ['on_unmatched: fail, ', 'fail'],
    ['', 'complete'],
  ])('%j: the run ends with %s', (policy, end) => {
    expect(simulate(failing(policy), { mocks: { start_task: error } }).end).toBe(end);
  });

  test('who writes it knows that an error may match no rule', () => {
    const of = (policy: string): string[] =>
      codes(
        `workflow:\n- {step: start, tool: {kind: http, url: "http://x", spec: {policy: {${policy}rules: [{when: "{{ output.data.n > 1 }}", then: {do: break}}]}}}}\n`,
      );
    expect(of('')).toEqual(['NT2038']);
    expect(of('on_unmatched: continue, ')).toEqual([]);
  });
});

describe('kinds', () => {
  test.each([
    ['ducklake', 'duckdb', 'command: SELECT 1'],
    ['result_fetch', 'artifact', 'ref: "{{ workload.ref }}"'],
  ])('%s is %s', (name, kind, field) => {
    const text = (of: string): string =>
      `workload: {ref: null}\nworkflow:\n- {step: start, tool: {kind: ${of}, ${field}}}\n`;
    expect(codes(text(name))).toEqual(codes(text(kind)));
    expect(plan(text(name)).steps).toMatchObject([{ tasks: [{ kind }] }]);
    expect(meaningOf(plan(text(name)))).toBe(meaningOf(plan(text(kind))));
  });

  test.each(['rhai', 'task_sequence', 'wasm'])('%s says what to write', (kind) => {
    const { diagnostics } = compile(`${HEADER}workflow:\n- {step: start, tool: {kind: ${kind}, code: x}}\n`);
    expect(diagnostics).toMatchObject([{ code: 'NT2050', hint: expect.stringMatching(/^(write|run) /) }]);
  });
});

describe('refusals with one rewriting', () => {
  test.each<[string, string, string]>([
    [
      'iterator of a tool',
      '- step: start\n  tool: {kind: python, iterator: {items: "{{ workload.rows }}", item: row}, input: {r: "{{ row }}"}, code: "result = r"}\n',
      'loop: {in: "{{ workload.rows }}", iterator: row}',
    ],
    [
      'iterator of a tool whose body calls the item `item`',
      '- step: start\n  tool: {kind: python, iterator: {items: "{{ workload.rows }}", item: row}, input: {r: "{{ item.data }}"}, code: "result = r"}\n',
      'input: {r: "{{ row.data }}"}',
    ],
    [
      'cond of an arc',
      `- step: start\n  ${NOOP}\n  next:\n    arcs:\n    - step: end\n      cond: workload.rows\n- {step: end, ${NOOP}}\n`,
      'when: "{{ workload.rows }}"',
    ],
    [
      'when of a step',
      `- step: start\n  when: "{{ workload.rows }}"\n  ${NOOP}\n`,
      '- when: "{{ workload.rows }}"',
    ],
  ])('%s', (_what, steps, written) => {
    const text = `${HEADER}workload: {rows: [1]}\nworkflow:\n${steps}`;
    expect(compile(text).plan).toBeUndefined();
    const after = upgrade(text).text;
    expect(after).toContain(written);
    expect(codesOf(after).filter((code) => code.startsWith('NT2'))).toEqual([]);
    expect(compile(after).plan).toBeDefined();
  });

  test.each([
    'retry: {max_attempts: 3, backoff: 5}',
    `spec: {policy: {rules: [{when: "{{ outcome.status == 'error' }}", then: {do: retry, backoff: 5}}]}}`,
  ])('a number under backoff is a delay: %s', (retry) => {
    const text = `${HEADER}workflow:\n- {step: start, tool: {kind: http, url: "http://x", ${retry}}}\n`;
    expect(codesOf(text)).toContain('NT5015');
    const { text: after } = upgrade(text);
    expect(after).toContain('delay: 5');
    expect(codesOf(after)).not.toContain('NT5015');
    expect(meaningOf(plan(text))).toBe(meaningOf(plan(after)));
    expect(plan(text).steps[0]!.tasks[0]!.rules!.rules[0]).toMatchObject({ move: { delay: { const: 5 } } });
  });

  test('a task of the workbook that runs a playbook may leave open which, as long as nobody calls it', () => {
    const book = 'workbook: [{name: run, tool: {kind: playbook, return_step: end}}]\n';
    expect(codes(`${book}${WORKFLOW}`)).toEqual([]);
    const called = `workflow:\n- {step: start, tool: {kind: workbook, name: run}}\n`;
    expect(codes(`${book}${called}`)).toContain('NT2051');
  });

  test('values under a root `spec` belong to the workload', () => {
    const text = `${HEADER}spec: {city: oslo}\nworkflow:\n- {step: start, tool: {kind: noop, input: {c: "{{ workload.city }}"}}}\n`;
    expect(codesOf(text)).toEqual(['NT2001']);
    expect(simulate(mended(text)).result).toEqual({ c: 'oslo' });
  });
});

test('a subscription is told in one line that it is registered, not run', () => {
  const { diagnostics } = compile(
    'apiVersion: noetl.io/v1\nkind: Subscription\nmetadata: {name: hook, path: shop/hook}\nspec: {source: nats, mode: pull, dispatch: {playbook: shop/in}}\n',
  );
  expect(diagnostics).toMatchObject([
    { code: 'NT2011', message: expect.stringContaining('registered, not run') as string },
  ]);
});
