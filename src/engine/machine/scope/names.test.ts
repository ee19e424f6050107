/** What names mean where they could mean two things, or nothing. */
import { httpError, planOf, playbookOf, simulate, type Simulation } from '../../../../test/support/simulator';

function run(steps: string, options: Parameters<typeof simulate>[1] = {}): Simulation {
  return simulate(planOf(playbookOf(steps)), options);
}

it('inside its pipeline a task means itself, whatever ctx holds; elsewhere ctx comes first', () => {
  const { result } = run(`
- step: start
  tool:
    - {name: orders, kind: noop, input: {ref: r1}, set: {ctx.orders: [1]}}
    - {name: inner, kind: iterator, in: [1], iterator: n, tool: [{name: one, kind: noop, input: {ref: "{{ orders.ref }}"}}]}
    - {name: use, kind: noop, input: {ref: "{{ orders.ref }}", variable: "{{ ctx.orders }}", inner: "{{ inner[0].ref }}"}}
  next: {arcs: [{step: end, args: {outside: "{{ orders }}"}}]}
- step: end
  tool: {kind: noop, input: {use: "{{ start }}", outside: "{{ args.outside }}"}}`);
  expect(result).toEqual({ use: { ref: 'r1', variable: [1], inner: 'r1' }, outside: [1] });
});

it('the only task of a step has a name at the arcs and writes of its step', () => {
  const { result } = run(`
- step: start
  tool: {kind: noop, input: {ok: 1}}
  set: {ctx.kept: "{{ start_task.ok }}"}
  next: {arcs: [{step: end, when: "{{ start_task.ok == 1 }}", args: {ok: "{{ start_task.ok }}"}}]}
- step: end
  tool: {kind: noop, input: {ok: "{{ args.ok }}", kept: "{{ ctx.kept }}"}}`);
  expect(result).toEqual({ ok: 1, kept: 1 });
});

describe('error of an envelope', () => {
  const after = (kind: string): string => `
- step: start
  ${kind}
  next: {arcs: [{step: denied, when: "{{ start.error is defined or event.error is defined }}"}, {step: end}]}
- step: denied
  tool: {kind: noop, input: {code: "{{ start.error.code }}"}}
- step: end
  tool: {kind: noop, input: {or: "{{ start.error | default('none') }}", data: "{{ start.data is defined }}"}}`;

  it.each([
    'tool: {kind: noop}',
    'tool: {kind: python, code: "result = 1"}',
    'loop: {in: [1], iterator: n}\n  tool: {kind: noop}',
  ])('is undefined after a success: %s', (kind) => {
    expect(run(after(kind)).result).toMatchObject({ or: 'none' });
  });

  it('is there after a failure', () => {
    const failed = run(
      after('tool: {kind: http, url: "http://x"}').replace(
        '{{ start.error is',
        "{{ event.name == 'step.failed' and start.error is",
      ),
      {
        mocks: { start: httpError(404) },
      },
    );
    expect(failed.result).toEqual({ code: 'HTTP_404' });
  });
});

it('after a time limit, error says so everywhere, also behind an earlier failure', () => {
  const { state } = run(
    `
- step: start
  spec: {policy: {lifecycle: {timeout_s: 5}}}
  tool: {kind: http, url: "http://x", spec: {policy: {rules: [{when: "{{ output.status == 'error' }}", then: {do: retry, attempts: 9, delay: 60}}]}}}
  next: {arcs: [{step: late, when: "{{ event.name == 'step.failed' }}", args: {codes: "{{ [error.code, start.error.code, outcome.error.code] }}"}}]}
- step: late
  tool: {kind: noop, input: {codes: "{{ args.codes }}"}}`,
    { mocks: { start: httpError(503) } },
  );
  expect(state.results['late']).toMatchObject({
    last: { outcome: { result: { codes: ['STEP_TIMEOUT', 'STEP_TIMEOUT', 'STEP_TIMEOUT'] } } },
  });
});

it('a token has what the canonical specification gives it', () => {
  const guard =
    "token.execution_id == execution_id and token.trace_id == execution_id and token.parent_step_run_id == 'start#1' and token.step == 'end'";
  const { state } = run(`
- step: start
  tool: {kind: noop}
  next: {arcs: [{step: end}]}
- step: end
  spec: {policy: {admit: {rules: [{when: "{{ ${guard} }}", then: {allow: true}}]}}}
  tool: {kind: noop}`);
  expect(state.executed).toEqual(['start', 'end']);
});

describe('loop.in', () => {
  const loop = (list: string): Simulation =>
    run(`
- step: start
  loop: {in: "{{ ${list} }}", iterator: n}
  tool: {kind: noop}`);

  it('that is undefined fails, and says what to write', () => {
    expect(loop('workload.rows.itmes').error).toMatchObject({
      code: 'LOOP_IN',
      message: expect.stringMatching(/workload\.rows\.itmes is undefined.*\| default\(\[\]\)/) as string,
    });
  });

  it.each(['none', 'workload.rows | default([])', '[]'])('%s is empty', (list) => {
    expect(loop(list).end).toBe('complete');
  });
});

describe('an error that no rule matches', () => {
  const step = (more: string): Simulation =>
    run(
      `
- step: start
  tool: {kind: http, url: "http://x", spec: {policy: {${more}rules: [{when: "{{ output.error.code == 'OTHER' }}", then: {do: retry}}]}}}`,
      { mocks: { start: httpError(500) } },
    );

  it.each([
    ['', 'complete'],
    ['on_unmatched: continue, ', 'complete'],
    ['on_unmatched: fail, ', 'fail'],
  ])('%s: %s', (more, end) => {
    expect(step(more).end).toBe(end);
  });
});
