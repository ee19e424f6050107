import { compile } from '../compile';
import { EXPLODED_MS, processorMs } from '../../../../test/support/processor-time';

const HEAD =
  'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: shadowed}\nworkload: {n: 3, x: a, ok: true, m: 1}\n';

function codes(text: string): string[] {
  const lines = text.split('\n');
  return compile(text)
    .diagnostics.filter(({ code }) => /^NT(6002|2036)$/.test(code))
    .map(({ code, line }) => `${code} ${lines[line - 1]!.trim()}`);
}

const steps = ['a', 'b', 'c'];

/** Exclusive arcs with these guards, to a, b, c; `-` for none. */
function arcs(guards: readonly string[], spec = '', tool = '{kind: noop}'): string[] {
  const list = guards.map((guard, i) =>
    guard === '-' ? `    - {step: ${steps[i]}}` : `    - {step: ${steps[i]}, when: "{{ ${guard} }}"}`,
  );
  const text = `${HEAD}workflow:\n- step: start\n  tool: ${tool}\n  next:\n${spec}    arcs:\n${list.join('\n')}\n${steps
    .map((name) => `- step: ${name}\n  tool: {kind: noop}`)
    .join('\n')}\n`;
  return codes(text).map((each) => each.replace(/^(\S+) - \{step: (\w).*/, '$1 $2'));
}

describe('arcs of which the first that matches is followed', () => {
  test.each([
    [['n > 0', 'n > 5'], 'b'],
    [['n >= 5', 'n > 5'], 'b'],
    [['n < 10', 'n == 3'], 'b'],
    [['n < 10', '0 < n < 5'], 'b'],
    [['5 < n', 'n > 6'], 'b'],
    [['n > 0.5', 'n in [1, 2]'], 'b'],
    [["x == 'a'", "x == 'a'"], 'b'],
    [["x in ['a', 'b']", "'b' == x"], 'b'],
    [["x != 'a'", "x == 'b'"], 'b'],
    [["x not in ['a']", "x == 'b'"], 'b'],
    [["not (x == 'a')", "x == 'b'"], 'b'],
    [['n > 0 or ok', 'n > 5'], 'b'],
    [['n > 0', 'n > 5 and ok'], 'b'],
    [['ok', 'ok and n > 5'], 'b'],
    [['workload.n | int > 2', 'workload.n | int > 2 and ok'], 'b'],
    [['n > 0', 'n <= 0', 'n == 7'], 'c'],
    [["x == 'a'", "x == 'b'", "x in ['a', 'b']"], 'c'],
    [['not ok', 'ok', 'n > 5 and ok'], 'c'],
    [['n > -1', 'n == 0'], 'b'],
    [['x is none or n > 1', 'n > 2'], 'b'],
    [['ok == true', 'ok == 1'], 'b'],
  ])('%j: %s is never followed', (guards, target) => {
    expect(arcs(guards)).toEqual([`NT6002 ${target}`]);
  });

  test.each([
    [['n > 5', 'n > 0']],
    [['n > 5', 'n >= 5']],
    [['n > 0', 'm > 5']],
    [["x == 'a'", "x == 'b'"]],
    [["x == '1'", 'x == 1']],
    [['n > 0 and ok', 'n > 5']],
    [['n > 0', 'n < 5']],
    [['n > 0', 'n > 5 or ok']],
    [['not (n > 5)', 'n > 4']],
    [["x in ['a', 'b']", "x in ['b', 'c']"]],
    [["'a' in x", "'b' in x"]],
    [['ok', 'not ok', '-']],
    [['n > 0', 'n <= 0', '-']],
    [["x > 'a'", "x > 'b'"]],
    [['m > n', 'n > 5']],
    // It holds nowhere, which is another mistake.
    [['n > 0', 'n > 5 and n < 3']],
    [['execution_id and now() > x', 'execution_id and now() > x']],
  ])('%j: nothing is told', (guards) => {
    expect(arcs(guards)).toEqual([]);
  });

  test('all that match are followed by an inclusive router', () => {
    expect(arcs(['n > 0', 'n > 5'], '    spec: {mode: inclusive}\n')).toEqual([]);
  });

  test('an arc that looks at no failure leaves those that do what fails', () => {
    expect(arcs(['n > 0', "n > 5 and event.name == 'step.failed'"])).toEqual([]);
    expect(arcs(['n > 0', 'n > 5 and error is defined'])).toEqual([]);
    expect(arcs(["output.status == 'error'", "output.status == 'error' and output.error.retryable"])).toEqual(
      ['NT6002 b'],
    );
  });

  test("the event's name goes by several", () => {
    expect(arcs(["event.name != 'step.done'", "event.name == 'step.exit'"])).toEqual([]);
    expect(arcs(["event.name == 'step.done'", "event.name == 'step.done' and n > 5"])).toEqual(['NT6002 b']);
  });

  test('the arc that is enough is named, or all before it', () => {
    const messages = (guards: readonly string[]): string[] =>
      compile(
        `${HEAD}workflow:\n- step: start\n  tool: {kind: noop}\n  next: {arcs: [${guards
          .map((guard) => `{step: end, when: "{{ ${guard} }}"}`)
          .join(', ')}]}\n`,
      ).diagnostics.map(({ message }) => message);
    expect(messages(['n > 0', 'n > 5'])).toEqual([
      'the arc to `end` is never followed: wherever its guard holds, the arc to `end` is followed',
    ]);
    expect(messages(['n > 0', 'n <= 0', 'n == 1 or n == 0'])).toEqual([
      'the arc to `end` is never followed: wherever its guard holds, an earlier arc is followed',
    ]);
  });
});

describe('rules of which the first that matches acts', () => {
  const policy = (...rules: string[]): string[] =>
    codes(
      `${HEAD}workflow:\n- step: start\n  tool:\n    kind: http\n    url: https://example.com\n    spec: {policy: {rules: [\n      ${rules.join(
        ',\n      ',
      )},\n      {else: {then: {do: continue}}}]}}\n`,
    );
  const rule = (when: string, act: string): string => `{when: "{{ ${when} }}", then: {do: ${act}}}`;

  test('of a task', () => {
    expect(
      policy(rule('outcome.http.status >= 400', 'fail'), rule('outcome.http.status >= 500', 'break')),
    ).toEqual([expect.stringContaining('NT2036 {when: "{{ outcome.http.status >= 500')]);
    expect(
      policy(rule('outcome.http.status >= 500', 'break'), rule('outcome.http.status >= 400', 'fail')),
    ).toEqual([]);
  });

  test('a retry that is used up leaves the error to the rules behind it', () => {
    const twice = rule("outcome.error.kind == 'http'", 'retry');
    expect(policy(twice, rule("outcome.error.kind == 'http'", 'fail'))).toEqual([]);
  });

  test('of admission', () => {
    const gate = (one: string, other: string): string[] =>
      codes(
        `${HEAD}workflow:\n- step: start\n  spec: {policy: {admit: {rules: [\n    {when: "{{ ${one} }}", then: {allow: true}},\n    {when: "{{ ${other} }}", then: {allow: false}}]}}}\n  tool: {kind: noop}\n`,
      );
    expect(gate('n > 0', 'n > 5')).toEqual([expect.stringContaining('NT2036 {when: "{{ n > 5')]);
    expect(gate('n > 5', 'n > 0')).toEqual([]);
  });

  const rules = (one: string, other: string, more = ''): string[] =>
    codes(
      `${HEAD}workflow:\n- step: start\n${more}  tool: {kind: noop}\n  case:\n  - ${one}\n  - ${other}\n- step: a\n  tool: {kind: noop}\n`,
    );
  const when = (guard: string, then: string): string => `{when: "{{ ${guard} }}", then: ${then}}`;

  test('of case', () => {
    const first = when("event.name == 'call.done' and response.n > 0", '{next: a}');
    const second = when("event.name == 'call.done' and response.n > 5", '{next: end}');
    expect(rules(first, second)).toEqual([expect.stringContaining('response.n > 5')]);
    expect(rules(second, first)).toEqual([]);
    expect(rules(first, second, '  spec: {case_mode: inclusive}\n')).toEqual([]);
  });

  test('of case: one that calls again, or is asked at other moments, leaves something', () => {
    const again = when("event.name == 'call.done' and response.n > 0", '{call: {params: {p: 1}}}');
    const later = when("event.name == 'call.done' and response.n > 5", '{next: end}');
    expect(rules(again, later)).toEqual([]);
    expect(rules(when('response.n > 0', '{next: a}'), when('response.n > 5', '{next: end}'))).toEqual([]);
    expect(
      rules(
        when('response.n > 0', '{next: a}'),
        when("event.name == 'step.exit' and response.n > 5", '{next: end}'),
      ),
    ).toEqual([]);
  });

  test('branches of choose behind an else, or behind a wider one', () => {
    const choose = (...branches: string[]): string[] =>
      codes(`${HEAD}workflow:\n- step: start\n  tool:\n  - choose:\n    - ${branches.join('\n    - ')}\n`);
    const branch = (guard: string): string => `{when: "{{ ${guard} }}", then: [{kind: noop}]}`;
    expect(choose(branch('n > 0'), branch('n > 5'))).toEqual([expect.stringContaining('n > 5')]);
    expect(choose(branch('n > 5'), branch('n > 0'))).toEqual([]);
  });
});

test('a tangle of conditions is given up, not compared for minutes', async () => {
  const guards = Array.from({ length: 300 }, (_, i) => `n == ${i} or ok and m > ${i} or x == 't${i}'`);
  const text = `${HEAD}workflow:\n- step: start\n  tool: {kind: noop}\n  next:\n    arcs:\n${guards
    .map((guard) => `    - {step: end, when: "{{ ${guard} }}"}`)
    .join('\n')}\n`;
  expect(await processorMs(() => expect(codes(text)).toEqual([]))).toBeLessThan(EXPLODED_MS);
});
