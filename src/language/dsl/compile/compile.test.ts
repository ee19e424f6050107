import { codes, first, HEADER, plan } from '../../../../test/support/compiled';
import { compile } from '../compile';

describe('a minimal playbook', () => {
  const found = plan('workflow: [{step: start, tool: {kind: noop}}]\n');

  test('has the defaults of the language', () => {
    expect(found).toMatchObject({
      planVersion: 1,
      metadata: { name: 'example', path: 'examples/example' },
      workload: { const: {} },
      keychain: [],
      limits: { maxStepRuns: 10_000, maxTaskVisits: 100_000, maxPayloadBytes: 262_144 },
      results: { referenceFirst: false },
      failureMode: 'fail_fast',
      start: 'start',
    });
    expect(found.steps).toEqual([
      {
        name: 'start',
        at: [4, 19],
        tasks: [
          {
            name: 'start_task',
            kind: 'noop',
            at: [4, 33],
            config: { const: {} },
            strict: [],
            spec: { delivery: 'at_least_once', options: { const: {} } },
            set: [],
          },
        ],
        pipeline: false,
        set: [],
      },
    ]);
  });

  test('has a digest of everything else', () => {
    const again = plan('workflow: [{step: start, tool: {kind: noop}}]\n');
    const other = plan('workflow: [{step: start, tool: {kind: noop}, desc: x}]\n');
    expect(found.digest).toMatch(/^[0-9a-f]{64}$/);
    expect(again.digest).toBe(found.digest);
    expect(other.digest).not.toBe(found.digest);
  });

  test('is plain JSON', () => {
    expect(JSON.parse(JSON.stringify(found))).toEqual(found);
  });
});

describe('tools', () => {
  test('a list has named and numbered tasks', () => {
    const step = first('- {step: start, tool: [{kind: noop}, {name: b, kind: noop}, {kind: noop}]}\n');
    expect(step.pipeline).toBe(true);
    expect(step.tasks.map((task) => task.name)).toEqual(['task_0', 'b', 'task_2']);
  });

  test('neither output nor a remark goes to the tool', () => {
    const [task] = first(
      '- {step: start, tool: {kind: http, url: u, output: {inline_max_bytes: 9}, assert: {returns: [a]}, desc: x}}\n',
    ).tasks;
    expect(task!.config).toEqual({ const: { url: 'u' } });
  });

  test('labelled tasks keep their label', () => {
    expect(first('- {step: start, tool: [{fetch: {kind: noop}}]}\n').tasks[0]!.name).toBe('fetch');
  });

  test('fields may stand under spec, knobs stay there', () => {
    const [task] = first(
      '- {step: start, tool: {kind: http, spec: {url: https://x.org, timeout: 5, sandbox: {verify: false}}}}\n',
    ).tasks;
    expect(task!.config).toEqual({ const: { url: 'https://x.org' } });
    expect(task!.spec).toMatchObject({
      timeout: { connect: { const: 10 }, total: { const: 5 } },
      options: { const: { sandbox: { verify: false } } },
    });
    expect(task!.strict).toEqual(['url']);
  });

  test('inputs of step and task stay apart, in any spelling', () => {
    const step = first(
      '- {step: start, args: {x: 1}, input: {y: 2}, tool: {kind: python, args: {z: "{{ a }}"}, code: result = z}}\n',
    );
    expect(step.input).toEqual({ const: { x: 1, y: 2 } });
    expect(step.tasks[0]!.input).toMatchObject({ map: [['z', { template: { kind: 'expression' } }]] });
    expect(step.tasks[0]!.config).toEqual({ const: { code: 'result = z' } });
  });

  test('a subtree without templates is one constant', () => {
    const [task] = first(
      '- {step: start, tool: {kind: http, url: u, json: {a: [1, {b: null}], c: "{{ a }}"}}}\n',
    ).tasks;
    expect(task!.config).toMatchObject({
      map: [
        ['url', { const: 'u' }],
        [
          'json',
          {
            map: [
              ['a', { const: [1, { b: null }] }],
              ['c', { template: {} }],
            ],
          },
        ],
      ],
    });
  });
});

describe('python code', () => {
  const code = (text: string): unknown => {
    const [task] = first(`- {step: start, tool: {kind: python, code: ${JSON.stringify(text)}}}\n`).tasks;
    return 'map' in task!.config ? task!.config.map[0]![1] : task!.config;
  };

  test.each(['result = f"{{x}}"', "d = {'a': {'b': 1}}", 'print("{{")', 'x = "{% nothing %}"'])(
    '%s stays as it is',
    (text) => {
      expect(code(text)).toEqual({ const: { code: text } });
    },
  );

  test('a template of known names is rendered', () => {
    expect(code('result = {{ workload.a }}')).toMatchObject({ template: { kind: 'text' } });
  });

  test.each([
    ['result = context["a"]', true],
    ['result = f"{context}"', true],
    ['result = 1 # context', true],
    ['# context', undefined],
    ['result = self.context', undefined],
    ['contexts = 1', undefined],
  ])('%s needs the context: %s', (text, needs) => {
    expect(
      first(`- {step: start, tool: {kind: python, code: ${JSON.stringify(text)}}}\n`).tasks[0]!.needsContext,
    ).toBe(needs);
  });

  test.each([
    ['def main(request_id):', true],
    ['def main(q, request_id: str):', true],
    ['def main(other):', true],
    ['def main(request_id=1, other: dict = None):', undefined],
    ['def main(q, unknown):', undefined],
    ['def help(request_id):', undefined],
  ])('%s: parameters that only the workload or a step can give need it: %s', (head, needs) => {
    const text = JSON.stringify(`${head}\n    return 1`);
    const { plan } = compile(
      `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: t, path: t}\nworkload: {request_id: 1, q: 2}\nworkflow:\n- {step: start, tool: {kind: python, input: {q: 1}, code: ${text}}, next: [other]}\n- {step: other, tool: {kind: noop}}\n`,
    );
    expect(plan!.steps[0]!.tasks[0]!.needsContext).toBe(needs);
  });

  test('an input of that name is no context', () => {
    const [task] = first(
      '- {step: start, tool: {kind: python, input: {context: 1}, code: result = context}}\n',
    ).tasks;
    expect(task!.needsContext).toBeUndefined();
  });
});

describe('rules', () => {
  const rules = (text: string): unknown =>
    first(`- {step: start, tool: [{name: t, kind: noop, spec: {policy: {rules: ${text}}}}]}\n`).tasks[0]!
      .rules!.rules;

  test('the forms of else mean one thing', () => {
    const forms = [
      '[{else: {then: {do: break}}}]',
      '[{else: {do: break}}]',
      '[{else: null, then: {do: break}}]',
      '[{else: {then: [{do: break}]}}]',
    ];
    for (const form of forms)
      expect(rules(form)).toEqual([
        { on: ['call'], actions: [], move: { do: 'break', at: [6, 71] }, at: [6, 71] },
      ]);
  });

  test('a retry keeps its numbers; a fixed backoff is none', () => {
    const found = rules(
      '[{when: "{{ outcome.status == \'error\' }}", then: {do: retry, attempts: 5, backoff: fixed, delay: "{{ workload.a }}", max_delay: 9}}]',
    );
    expect(found).toMatchObject([
      {
        move: {
          do: 'retry',
          attempts: { const: 5 },
          backoff: 'none',
          delay: { template: {} },
          maxDelay: { const: 9 },
          exhausted: 'fall_through',
        },
      },
    ]);
  });

  test('a boolean condition is a template that is always so', () => {
    expect(rules('[{when: true, then: {do: continue}}]')).toMatchObject([
      { when: { kind: 'expression', expr: { op: 'lit', v: true } } },
    ]);
  });

  test('a jump names its task', () => {
    expect(rules('[{else: {then: {do: jump, to: t}}}]')).toMatchObject([{ move: { do: 'jump', to: 't' } }]);
  });
});

describe('writes', () => {
  const writes = (text: string): unknown =>
    first(`- {step: start, tool: {kind: noop}, ${text}}\n`).set.map(({ at: _, value: __, ...rest }) => rest);

  test.each([
    [
      'set: {ctx.a.b: 1, vars.c: 1, iter.d: 1, step.e: 1, f: 1, g.h: 1}',
      ['ctx a b', 'ctx c', 'iter d', 'step e', 'local f', 'local g h'],
    ],
    ['set_ctx: {a: 1, b.c: 1, ctx.d: 1}', ['ctx a', 'ctx b c', 'ctx d']],
    ['set_iter: {a: 1, iter.b: 1}', ['iter a', 'iter b']],
    ['vars: {a: 1}', ['ctx a']],
    ['set: {ctx: {a: 1}, iter: {b: 1}}', ['ctx a', 'iter b']],
  ])('%s', (text, expected) => {
    expect(writes(text)).toEqual(
      expected.map((each) => ({ scope: each.split(' ')[0], path: each.split(' ').slice(1) })),
    );
  });

  test('one target written twice is an error', () => {
    expect(
      codes('workflow: [{step: start, tool: {kind: noop}, set: {ctx.a: 1}, set_ctx: {a: 2}}]\n'),
    ).toContain('NT2006');
  });
});

describe('routers', () => {
  const router = (next: string): unknown => {
    const text = `workflow: [{step: start, tool: {kind: noop}, next: ${next}}, {step: b, tool: {kind: noop}}]\n`;
    return plan(text).steps[0]!.router;
  };

  test('the structural forms are routers', () => {
    const arc = { set: [], handlesFailure: false };
    expect(router('b')).toMatchObject({ mode: 'exclusive', arcs: [{ step: 'b', ...arc }] });
    expect(router('[{step: b, args: {x: 1}}]')).toMatchObject({
      mode: 'exclusive',
      arcs: [{ step: 'b', args: { const: { x: 1 } } }],
    });
    expect(router('[b, end]')).toMatchObject({ mode: 'inclusive', arcs: [{ step: 'b' }, { step: null }] });
    expect(router('{step: b}')).toMatchObject({ mode: 'exclusive', arcs: [{ step: 'b' }] });
  });

  test('end without a step of that name ends the token', () => {
    expect(router('{arcs: [{step: end}]}')).toMatchObject({ arcs: [{ step: null }] });
  });

  test.each([
    ['event.name == "step.failed"', true],
    ['error is defined', true],
    ['output.status == "error"', true],
    ['outcome.error.retryable', true],
    ['response.http.status == 404', true],
    ['start.status == "error"', true],
    ['ctx.reason', true],
    ['outcome.result.data.has_more', false],
    ['start.has_more', false],
    ['ctx.page > 1', false],
    ['workload.error', false],
  ])('an arc guarded by %s handles a failure: %s', (guard, handles) => {
    const rules =
      '[{when: "{{ outcome.status == \'error\' }}", then: {do: fail, set_ctx: {reason: x}}}, {else: {then: {do: continue, set_ctx: {page: 1}}}}]';
    const text = `workload: {error: 1}\nworkflow: [{step: start, tool: {kind: noop, spec: {policy: {rules: ${rules}}}}, next: {arcs: [{step: end, when: '{{ ${guard} }}'}]}}]\n`;
    expect(plan(text).steps[0]!.router!.arcs[0]!.handlesFailure).toBe(handles);
  });

  test.each([
    ['error is defined', true],
    ["event.name == 'step.exit' and response is not defined", true],
    ["event.name == 'call.error'", undefined],
    ["event.name == 'step.failed'", undefined],
    ["event.name == 'step.exit' and response.status_code == 404", undefined],
    ["output.status == 'error'", undefined],
    // No candidate after a failure: it never sees one.
    ['start.has_more', undefined],
  ])('after a failure `response` is hidden from an arc guarded by %s: %s', (guard, hidden) => {
    const text = `workflow: [{step: start, tool: {kind: noop}, next: {arcs: [{step: end, when: "{{ ${guard} }}"}]}}]\n`;
    expect(plan(text).steps[0]!.router!.arcs[0]!.hidesResponse).toBe(hidden);
  });
});

describe('loops and specs', () => {
  test('knobs of a loop, old and new', () => {
    const now = first(
      '- {step: start, loop: {in: "{{ items }}", iterator: n, spec: {mode: parallel, max_in_flight: 3, policy: {exec: distributed}}}, tool: {kind: noop}}\n',
    );
    expect(now.loop).toMatchObject({
      iterator: 'n',
      mode: 'parallel',
      maxInFlight: { const: 3 },
      exec: 'distributed',
    });
    const old = first('- {step: start, loop: {in: [1, 2], iterator: n, mode: async}, tool: {kind: noop}}\n');
    expect(old.loop).toMatchObject({ in: { const: [1, 2] }, mode: 'parallel', exec: 'inline' });
  });

  test('specs merge from the executor to the task, without policies', () => {
    const found = plan(`
executor: {spec: {pool: big, timeout: {connect: 1, total: 60}, tls: {a: 1, b: 1}, policy: {limits: {max_step_runs: 5}, results: {reference_first: true}, failure: {mode: best_effort}}}}
workflow:
  - step: start
    spec: {tls: {b: 2}, delivery: at_most_once, policy: {lifecycle: {timeout_s: 9, deadline_s: 99}, failure: {mode: best_effort}, join: each, admit: {rules: [{when: "{{ ctx.x | default(1) }}", then: {allow: true}}, {else: {then: {allow: false}}}]}}}
    loop: {in: [1], iterator: n, spec: {mode: parallel, tls: {c: 3}}}
    tool: {kind: http, url: u, spec: {timeout: {read: 7}}}
`);
    expect(found).toMatchObject({
      limits: { maxStepRuns: 5, maxTaskVisits: 100_000 },
      results: { referenceFirst: true },
      failureMode: 'best_effort',
    });
    const [step] = found.steps;
    expect(step).toMatchObject({
      timeout: { const: 9 },
      deadline: { const: 99 },
      failureMode: 'best_effort',
      joinEach: true,
      admit: [{ allow: true, when: {} }, { allow: false }],
    });
    expect(step!.tasks[0]!.spec).toEqual({
      timeout: { connect: { const: 1 }, total: { const: 60 }, read: { const: 7 } },
      pool: 'big',
      delivery: 'at_most_once',
      options: { const: { tls: { a: 1, b: 2, c: 3 } } },
    });
  });

  test('default timeouts are given by kind', () => {
    const found = plan(
      'executor: {spec: {policy: {defaults: {timeouts: {http: 30, default: 5}}}}}\nworkflow: [{step: start, tool: [{kind: http, url: u}, {kind: noop}]}]\n',
    );
    expect(found.steps[0]!.tasks.map((task) => task.spec.timeout)).toEqual([
      { connect: { const: 10 }, total: { const: 30 } },
      { total: { const: 5 } },
    ]);
  });

  test('another entry step', () => {
    expect(
      plan('executor: {spec: {entry_step: go}}\nworkflow: [{step: go, tool: {kind: noop}}]\n').start,
    ).toBe('go');
  });

  test.each([
    ['fetch', 'the steps are `fetch`; `executor.spec.entry_step` can name another entry step'],
    ['strat', 'is `strat` misspelt? `executor.spec.entry_step` can name another entry step'],
  ])('none is called start, but %s: the hint names the way to another', (step, hint) => {
    const { diagnostics } = compile(`${HEADER}workflow: [{step: ${step}, tool: {kind: noop}}]\n`);
    expect(diagnostics).toEqual([expect.objectContaining({ code: 'NT3008', hint })]);
  });
});
