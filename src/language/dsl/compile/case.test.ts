import { type Plan, type Retry, type RulePlan, type StepPlan, type PlanValue } from '../../plan';
import { compile } from '../compile';
import { formatDiagnostics } from '../diagnostics/format';

const HEAD = `
apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: rules}
workload: {url: "https://example.com", items: [1, 2]}
workflow:
`;

/** The plan of the step `start`, with the keys of `step` below it. */
function compiled(step: string, more = ''): { plan: Plan; start: StepPlan; told: string[] } {
  const lines = step.replace(/^\n/, '').trimEnd().split('\n');
  const indent = /^ */.exec(lines[0]!)![0].length;
  const body = lines.map((line) => `    ${line.slice(indent)}`).join('\n');
  const text = `${HEAD}  - step: start\n${body}\n  - step: after\n    tool: {kind: noop}\n${more}`;
  const { plan, diagnostics } = compile(text);
  const errors = diagnostics.filter((each) => each.severity === 'error');
  expect(formatDiagnostics(errors, text)).toBe('');
  const told = diagnostics.map((each) => each.code).filter((code) => code !== 'NT6001');
  return { plan: plan!, start: plan!.steps[0]!, told };
}

/** The value as its author wrote it. */
function shown(value: PlanValue | undefined): unknown {
  if (value === undefined) return undefined;
  if ('const' in value) return value.const;
  if ('template' in value) return value.template.source;
  if ('list' in value) return value.list.map(shown);
  return Object.fromEntries(value.map.map(([key, each]) => [key, shown(each)]));
}

/** What a rule does, its move last; values as written and places left out. */
function actionsOf(rule: RulePlan | undefined): unknown[] {
  return [...(rule?.actions ?? []), ...(rule?.move ? [rule.move] : [])].map((action) => plain(action));
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const node = value as Record<string, unknown>;
  if ('const' in node || 'map' in node || 'template' in node || 'list' in node)
    return shown(value as PlanValue);
  return Object.fromEntries(
    Object.entries(node).flatMap(([key, each]) => (/^(at|codeAt)$/.test(key) ? [] : [[key, plain(each)]])),
  );
}

const HTTP = `
  tool:
    kind: http
    endpoint: "{{ workload.url }}"
    params: {page: 1}`;

describe('case', () => {
  test('a mapping of actions is done in its natural order, the move last', () => {
    const { start } = compiled(`${HTTP}
  case:
    - when: "{{ event.name == 'call.done' }}"
      then:
        next: [{step: after, args: {pages: "{{ pages }}"}}]
        result: {from: pages}
        sink: {tool: {kind: postgres, auth: pg, table: rows}, args: {id: "{{ result.id }}"}}
        collect: {from: response.data, into: pages, mode: append}
        log: "page {{ response.page }}"
        set: {last: "{{ response.page }}", iter.seen: 1}
`);
    expect(actionsOf(start.rules!.rules[0])).toEqual([
      {
        do: 'set',
        set: [
          { scope: 'ctx', path: ['last'], value: '{{ response.page }}' },
          { scope: 'iter', path: ['seen'], value: 1 },
        ],
      },
      { do: 'collect', from: '{{ response.data }}', into: { scope: 'ctx', path: ['pages'] }, mode: 'push' },
      { do: 'result', value: '{{ pages }}' },
      { do: 'sink', task: 'start_sink' },
      { do: 'log', message: 'page {{ response.page }}' },
      { do: 'next', arcs: [0] },
    ]);
    expect(start.sinks).toMatchObject([{ name: 'start_sink', kind: 'postgres' }]);
    expect(shown(start.sinks![0]!.config)).toEqual({
      auth: 'pg',
      table: 'rows',
      data: { id: '{{ result.id }}' },
    });
    expect(start.router).toMatchObject({ mode: 'exclusive', arcs: [{ step: 'after', rule: 0 }] });
  });

  test('a list of actions is done as written', () => {
    const { start } = compiled(`${HTTP}
  case:
    - when: "{{ event.name == 'call.done' }}"
      then:
        - sink: {kind: event_log, args: {page: "{{ response.page }}"}}
        - set: {ctx: {first: true}}
        - sink: {name: store, tool: {kind: duckdb, statement: "select 1"}}
        - next: after
  next: after
`);
    expect(actionsOf(start.rules!.rules[0])).toEqual([
      { do: 'sink', task: 'start_sink' },
      { do: 'set', set: [{ scope: 'ctx', path: ['first'], value: true }] },
      { do: 'sink', task: 'store' },
      { do: 'next', arcs: [1] },
    ]);
    expect(start.sinks!.map((task) => [task.name, task.kind, shown(task.input ?? task.config)])).toEqual([
      ['start_sink', 'event_log', { page: '{{ response.page }}' }],
      ['store', 'duckdb', { command: 'select 1' }],
    ]);
  });

  test('structural arcs stand before those of the rules, and only these carry a rule', () => {
    const { start } = compiled(`${HTTP}
  case:
    - when: "{{ event.name == 'call.error' }}"
      then: {fail: "gone"}
    - when: "{{ event.name == 'step.exit' }}"
      then: {next: [after, {step: end, args: {a: 1}}]}
  next: [after, end]
`);
    expect(start.router!.mode).toBe('inclusive');
    expect(start.router!.arcs.map((arc) => [arc.step, arc.rule, arc.handlesFailure])).toEqual([
      ['after', undefined, false],
      [null, undefined, false],
      ['after', 1, false],
      [null, 1, false],
    ]);
    expect(actionsOf(start.rules!.rules[1])).toEqual([{ do: 'next', arcs: [2, 3] }]);
  });

  test('call and retry override fields of the tool, in the spelling of the tool, and inputs', () => {
    const { start } = compiled(`${HTTP}
    input: {cursor: null}
  case:
    - when: "{{ event.name == 'call.done' and response.more }}"
      then: {call: {params: {page: 2}, url: "{{ response.next }}", cursor: "{{ response.cursor }}"}}
    - when: "{{ event.name == 'call.done' and response.again }}"
      then: {retry: {max_attempts: 10, args: {params: {page: 3}, cursor: 1}}}
    - when: "{{ event.name == 'call.error' }}"
      then: {retry: {max_attempts: 4, initial_delay: 0.5, backoff_multiplier: 2.0, max_delay: 5}}
    - else: {then: {retry: true}}
`);
    expect(start.rules!.rules.map((rule) => actionsOf(rule)[0])).toEqual([
      {
        do: 'retry',
        endless: true,
        exhausted: 'fall_through',
        overrides: {
          config: { params: { page: 2 }, endpoint: '{{ response.next }}' },
          input: { cursor: '{{ response.cursor }}' },
        },
      },
      {
        do: 'retry',
        attempts: 10,
        overrides: { config: { params: { page: 3 } }, input: { cursor: 1 } },
        exhausted: 'fall_through',
      },
      { do: 'retry', attempts: 4, delay: 0.5, multiplier: 2, maxDelay: 5, exhausted: 'fall_through' },
      { do: 'retry', exhausted: 'fall_through' },
    ]);
    expect(start.rules!.rules[3]!.when).toBeUndefined();
  });

  test.each([
    ['true', { do: 'fail' }],
    ['why', { do: 'fail', message: 'why' }],
    ['{message: why}', { do: 'fail', message: 'why' }],
  ])('fail: %s', (written, action) => {
    const { start } = compiled(`${HTTP}\n  case: [{when: "{{ response.bad }}", then: {fail: ${written}}}]`);
    expect(actionsOf(start.rules!.rules[0])).toEqual([action]);
  });

  test.each([
    ["event.name == 'step.exit' and response.ok", 'end'],
    ["event.name in ['loop.done', 'step.failed']", 'end'],
    ["event.name == 'call.done'", 'call'],
    // No name of an event: a word of the data.
    ["response.last == 'the step.exit of it'", 'call'],
  ])('an else behind %s is asked at the %s', (guard, happening) => {
    const { start } = compiled(`${HTTP}
  case:
    - when: "{{ ${guard} }}"
      then: {log: one}
    - else: {then: {log: two}}
`);
    expect(start.rules!.rules[1]!.on).toEqual([happening]);
  });

  test('what a guard says of failures and of step.enter is in the plan', () => {
    const { start } = compiled(`${HTTP}
  case:
    - when: "{{ event.name == 'step.enter' }}"
      then: {set: {pages: []}}
    - when: "{{ event.name == 'call.error' }}"
      then: {skip: true}
    - when: "{{ event.name == 'step.exit' and response.status_code == 404 }}"
      then: {result: null}
    - when: "{{ event.name == 'step.exit' and response is not defined }}"
      then: {log: nothing}
    - when: "{{ response.value > 1 }}"
      then: {log: much}
`);
    expect(
      start.rules!.rules.map(({ on, seesError, readsFailure }) => [on.join(), seesError, readsFailure]),
    ).toEqual([
      ['enter', undefined, undefined],
      ['call', undefined, true],
      ['end', true, true],
      ['end', true, undefined],
      ['call,end', undefined, undefined],
    ]);
  });

  test('spec.case_mode inclusive lets every match act', () => {
    const { start } = compiled(`${HTTP}
  spec: {case_mode: inclusive}
  case: [{when: "{{ event.name == 'call.done' }}", then: {log: one}}, {else: {then: {log: two}}}]
`);
    expect(start.rules!.mode).toBe('all');
  });

  test('a step without a tool routes by its rules', () => {
    const { start, told } = compiled(`
  case: [{when: "{{ event.name == 'step.exit' and workload.items }}", then: {next: after}}]
  next: end
`);
    expect(start.tasks).toEqual([]);
    expect(start.router!.arcs.map((arc) => arc.rule)).toEqual([undefined, 0]);
    expect(told.filter((code) => code.startsWith('NT2') || code.startsWith('NT4'))).toEqual([]);
  });

  test('the shape with a strategy gathers the items of a list, as the result of the step', () => {
    const { start } = compiled(`${HTTP}
  case:
    - when: "{{ event.name == 'call.done' }}"
      then: {collect: {strategy: append, path: data.items, into: iter.pages}}
    - when: "{{ event.name == 'step.exit' }}"
      then: {collect: {strategy: collect, into: vars.all}}
`);
    expect(start.rules!.rules.map((rule) => actionsOf(rule)[0])).toEqual([
      {
        do: 'collect',
        from: '{{ response.data.items }}',
        into: { scope: 'iter', path: ['pages'] },
        mode: 'concat',
        isResult: true,
      },
      {
        do: 'collect',
        from: '{{ result }}',
        into: { scope: 'ctx', path: ['all'] },
        mode: 'push',
        isResult: true,
      },
    ]);
  });
});

describe('retry', () => {
  test('a mapping is one policy with its conditions', () => {
    const { start } = compiled(`${HTTP}
  retry:
    max_attempts: 5
    initial_delay: 1
    backoff_multiplier: 2.0
    retry_when: "{{ status_code in [500, 503] }}"
    stop_when: "{{ success and data.ready }}"
`);
    expect(plain(start.tasks[0]!.rules)).toMatchObject({
      of: 'retry',
      otherwise: 'outcome',
      rules: [
        {
          when: { source: '{{ status_code in [500, 503] }}' },
          unless: { source: '{{ success and data.ready }}' },
          actions: [],
          move: { attempts: 5, delay: 1, multiplier: 2, exhausted: 'fail' },
        },
      ],
    });
  });

  test('a list is one policy each, with what it does between the calls', () => {
    const { start } = compiled(`${HTTP}
  retry:
    - when: "{{ error.status in [429, 503] }}"
      then: {max_attempts: 5, backoff: exponential}
    - when: "{{ response.data.has_more }}"
      then:
        max_attempts: 100
        next_call: {params: {page: "{{ (response.data.page | int) + 1 }}"}}
        collect: {strategy: append, path: data.items, into: pages}
        sink:
          tool: {kind: postgres, auth: pg, table: raw_events}
          args: {page: "{{ page.data }}", iter: "{{ _retry.index }}"}
`);
    const [first, second] = start.tasks[0]!.rules!.rules;
    expect(plain(first)).toMatchObject({
      actions: [],
      move: { attempts: 5, backoff: 'exponential', exhausted: 'finish' },
    });
    expect(plain(second)).toMatchObject({
      move: {
        attempts: 100,
        overrides: { config: { params: { page: '{{ (response.data.page | int) + 1 }}' } } },
      },
      actions: [{ do: 'collect' }, { do: 'sink', task: 'start_sink' }],
    });
    expect(start.sinks).toHaveLength(1);
  });

  test('that of the step repeats each of its tools, that of a tool only itself', () => {
    const two = '  tool:\n    - {name: a, kind: noop}\n    - {name: b, kind: noop';
    const all = compiled(`${two}}\n  retry: {max_attempts: 2}`).start;
    expect(all.tasks.map((task) => task.rules?.rules.length)).toEqual([1, 1]);
    const one = compiled(`${two}, retry: 4}`).start;
    expect(
      one.tasks.map((task) => plain((task.rules?.rules[0]?.move as Retry | undefined)?.attempts)),
    ).toEqual([undefined, 4]);
  });
});

describe('sink', () => {
  test('of the step: one or a list, each with its condition', () => {
    const { start } = compiled(`${HTTP}
  sink:
    - tool: {kind: http, url: "https://example.org", method: POST}
      args: {total: "{{ result.total }}"}
      when: "{{ result.total > 0 }}"
    - {kind: python, code: "result = value", input: {value: "{{ this.status }}"}}
`);
    expect(start.rules!.rules).toMatchObject([
      { on: ['store'], actions: [{ task: 'start_sink' }, { task: 'start_sink_2' }] },
    ]);
    const [http, python] = start.sinks!;
    expect(shown(http!.config)).toMatchObject({ json: { total: '{{ result.total }}' } });
    expect(http!.when!.source).toBe('{{ result.total > 0 }}');
    expect(shown(python!.input)).toEqual({ value: '{{ this.status }}' });
  });

  test('in SQL: the arguments that it names are bound, the others are read in templates', () => {
    const { start } = compiled(`${HTTP}
  sink:
    - tool: {kind: postgres, auth: pg, command: "insert into e (v, w) values (:value, %(more)s)"}
      args: {value: "{{ result.value }}", more: 1}
    - tool: {kind: duckdb, query: "insert into {{ t }} values ($value)"}
      args: {value: "{{ result.value }}", t: rows}
    - tool: {kind: postgres, auth: pg, command: "insert into e values (:value)", params: {value: 1}}
      args: {value: 2}
`);
    expect(start.sinks!.map(({ config, input }) => [shown(config), input && shown(input)])).toMatchObject([
      [{ params: { value: '{{ result.value }}', more: 1 } }, undefined],
      [{ params: { value: '{{ result.value }}' } }, { t: 'rows' }],
      [{ params: { value: 1 } }, { value: 2 }],
    ]);
  });

  test('of a workbook task: after each call of it', () => {
    const more = `workbook:
  - name: fetch
    tool: {kind: http, url: "https://example.com"}
    retry: {max_attempts: 2}
    sink: {tool: {kind: postgres, auth: pg, table: rows, mode: upsert, key: id}, args: {id: "{{ result.id }}"}}
`;
    const { start } = compiled('  tool: {kind: workbook, name: fetch}', more);
    expect(start.tasks[0]).toMatchObject({
      kind: 'http',
      rules: { of: 'retry', rules: [{ actions: [] }, { on: ['store'], actions: [{ task: 'start_sink' }] }] },
    });
    expect(start.sinks).toMatchObject([{ name: 'start_sink', kind: 'postgres' }]);
  });
});
