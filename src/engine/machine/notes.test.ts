/** Work that a run leaves undone without failing is a note. */
import {
  httpError,
  ok,
  planOf,
  playbookOf,
  simulate,
  type Simulation,
} from '../../../test/support/simulator';

function run(steps: string, mocks: Parameters<typeof simulate>[1] = {}): Simulation {
  return simulate(planOf(playbookOf(steps)), mocks);
}

function notesOf({ state }: Simulation): unknown[] {
  return (state.notes?.kept ?? []).map(({ code, step, iteration }) =>
    iteration === undefined ? [code, step] : [code, step, iteration],
  );
}

describe('a poll that ends while it wants to go on', () => {
  const poll = (retry: string): string => `
- step: start
  tool: {kind: http, url: "http://x"}
  retry: ${retry}`;
  const UNTIL_DONE = `{max_attempts: 2, initial_delay: 0, stop_when: "{{ response.state == 'DONE' }}"}`;
  const WHILE_NOT = `[{when: "{{ response.state != 'DONE' }}", then: {max_attempts: 2, initial_delay: 0}}]`;

  it.each([UNTIL_DONE, WHILE_NOT])('%s', (retry) => {
    const pending = run(poll(retry), { mocks: { start: ok({ data: { state: 'RUNNING' } }) } });
    expect([pending.end, notesOf(pending)]).toEqual(['complete', [['POLL_GAVE_UP', 'start']]]);
    expect(pending.state.notes!.kept[0]!.message).toContain('the attempts are used up');
  });

  it('is none when it came to its end, or failed', () => {
    const sequence = [ok({ data: { state: 'RUNNING' } }), ok({ data: { state: 'DONE' } })];
    expect(notesOf(run(poll(UNTIL_DONE), { mocks: { start: { sequence } } }))).toEqual([]);
    const failed = run(poll(UNTIL_DONE), { mocks: { start: httpError(500) } });
    expect([failed.end, notesOf(failed)]).toEqual(['fail', []]);
  });
});

describe('a case of which no rule matched', () => {
  const step = (rule: string, more = ''): string => `
- step: start
  tool: {kind: http, url: "http://x"}
  case:
    - when: "{{ ${rule} }}"
      then: {next: other}
${more}
- step: other
  tool: {kind: noop}`;

  it('where nothing follows', () => {
    expect(notesOf(run(step("event.name == 'call.done' and response.done")))).toEqual([
      ['NO_RULE_MATCHED', 'start'],
    ]);
  });

  it('is none where something follows, a rule matched, or the rule is for failures', () => {
    expect(notesOf(run(step("event.name == 'call.done' and response.done", '  next: other')))).toEqual([]);
    expect(notesOf(run(step("event.name == 'call.done'")))).toEqual([]);
    expect(notesOf(run(step("event.name == 'call.error'")))).toEqual([]);
  });
});

it('arguments that a merge overwrites', () => {
  const merged = run(`
- step: start
  tool: {kind: noop}
  next: {spec: {mode: inclusive}, arcs: [{step: a}, {step: b}]}
- step: a
  tool: {kind: noop}
  next: {arcs: [{step: end, args: {same: 1, of: {a: 1, both: 1}, only: 1}}]}
- step: b
  tool: {kind: noop}
  next: {arcs: [{step: end, args: {same: 1, of: {b: 1, both: 2}}}]}
- step: end
  tool: {kind: noop, input: {of: "{{ args.of }}"}}`);
  expect(merged.result).toEqual({ of: { a: 1, b: 1, both: 2 } });
  expect(notesOf(merged)).toEqual([['ARGS_OVERWRITTEN', 'end']]);
  expect(merged.state.notes!.kept[0]).toMatchObject({ step_run_id: 'end#1' });
  expect(merged.state.notes!.kept[0]!.message).toMatch(/counts for of\.both$/);
});

it('parameters of a statement that are undefined', () => {
  const sql = run(
    `
- step: start
  tool: {kind: postgres, auth: pg, query: "select :a, :b, :c", params: {a: "{{ workload.missing }}", b: "{{ none }}", c: "{{ workload.missing | default(1) }}"}}`,
  );
  expect(notesOf(sql)).toEqual([['UNDEFINED_PARAMS', 'start']]);
  expect(sql.state.notes!.kept[0]!.message).toMatch(/become NULL: \{\{ workload\.missing \}\}$/);
});

it('a decimal that lost digits is noted once for a step, however often it was read', () => {
  const mocks = { start: { ...ok({ data: 0.1 }), meta: { digits_lost: '0.1234567890123456789' } } };
  const looped = run(
    '- step: start\n  loop: {in: [1, 2, 3], iterator: n}\n  tool: {kind: http, url: "http://x"}',
    {
      mocks,
    },
  );
  expect(notesOf(looped)).toEqual([['DIGITS_LOST', 'start', 0]]);
  expect(looped.state.notes!.kept[0]!.message).toContain('0.1234567890123456789');
});

it('iterations that the end of a loop cancelled are counted', () => {
  const { result } = run(
    `
- step: start
  loop: {in: [1, 2, 3, 4], iterator: n, spec: {mode: parallel, max_in_flight: 3}}
  tool: {kind: python, args: {n: "{{ n }}"}, code: "result = n"}
  case: [{when: "{{ event.name == 'call.done' and response == 2 }}", then: {end_loop: true}}]
  next: end
- step: end
  tool: {kind: noop, input: {stats: "{{ start.stats }}", list: "{{ start | length }}"}}`,
    { mocks: { start: (call) => ok(call.input['n']!) }, choose: (n) => Math.min(1, n - 1) },
  );
  expect(result).toEqual({
    stats: { total: 4, success: 1, failed: 0, not_started: 1, cancelled: 2 },
    list: 4,
  });
});

describe('decimals that lose digits in `fromjson`', () => {
  const LONG = "'0.1234567890123456789' | fromjson";
  const places: readonly [string, string, unknown[]][] = [
    [
      'a guard',
      `
- step: start
  tool: {kind: noop}
  next: {arcs: [{step: end, when: "{{ (${LONG}) < 1 }}"}, {step: other}]}
- step: end
  tool: {kind: noop}
- step: other
  tool: {kind: noop}`,
      [['DIGITS_LOST', 'start']],
    ],
    [
      'a rule',
      `
- step: start
  tool: {kind: noop, spec: {policy: {rules: [{when: "{{ (${LONG}) > 1 }}", then: {do: fail}}]}}}`,
      [['DIGITS_LOST', 'start']],
    ],
    [
      'a case',
      `
- step: start
  tool: {kind: noop}
  case: [{when: "{{ event.name == 'step.exit' and (${LONG}) < 1 }}", then: {set: {x: 1}}}]`,
      [['DIGITS_LOST', 'start']],
    ],
    [
      'an admission rule',
      `
- step: start
  spec: {policy: {admit: {rules: [{when: "{{ (${LONG}) < 1 }}", then: {allow: true}}]}}}
  tool: {kind: noop}`,
      [['DIGITS_LOST', undefined]],
    ],
    [
      'a condition that fails, which does not blame the next value',
      `
- step: start
  tool: {kind: noop, spec: {policy: {rules: [{when: "{{ (${LONG}) < 'x' }}", then: {do: fail}}]}}}
  next: {arcs: [{step: end, when: "{{ event.name == 'step.failed' }}"}]}
- step: end
  tool: {kind: noop, input: {x: "{{ '1' | fromjson }}"}}`,
      [],
    ],
  ];

  it.each(places)('in %s', (_where, steps, wanted) => {
    expect(notesOf(run(steps))).toEqual(wanted);
  });

  it('in the workload, where no step is', () => {
    const noted = simulate(
      planOf(playbookOf('- step: start\n  tool: {kind: noop}', `workload: {x: "{{ ${LONG} }}"}`)),
    );
    expect(notesOf(noted)).toEqual([['DIGITS_LOST', undefined]]);
  });
});
