import { diffOf } from '../../../test/support/rehearse';
import { playbookOf } from '../../../test/support/simulator';

const charging = playbookOf(`
- step: start
  loop: {in: "{{ workload.orders }}", iterator: order}
  tool:
    - name: charge
      kind: http
      url: "https://x/{{ iter.order }}"
      spec: {policy: {rules: [{when: "{{ output.error.retryable }}", then: {do: retry, attempts: 3, delay: 1}}]}}
  next: {arcs: [{step: end}]}
- step: end
  set: {ctx.done: true}
  tool: {kind: noop, input: {n: "{{ start.count }}"}}`);

const payload = 'payload: {orders: [a, b]}';

test('a tool that was asked again by Temporal has done its work twice', () => {
  const invariant =
    "once per order: \"{{ calls | selectattr('acted') | map(attribute='idempotency_key') | unique | list | length == calls | length }}\"";
  const text = (answer: string): string =>
    `${payload}\nmocks: {charge: [{status: 200}, ${answer}]}\nexpect: {at_end: {${invariant}}}`;
  expect(diffOf(charging, text('{status: 200}'))).toBe('');
  expect(diffOf(charging, text('{status: 200, executions: 2}'))).toMatch(
    /^at_end\.once per order: does not hold at the end\n {2}\{\{ calls .*\n {2}2 == 3 is false/,
  );
});

test('always says when it was first violated, with the values that were', () => {
  const text = `${payload}\nmocks: {charge: [{error: worker_lost}, {status: 200}, {status: 200, duration: 2s}]}
expect: {always: ["{{ elapsed < 3 }}", "{{ calls | selectattr('acted') | list | length <= 1 }}", "{{ status != 'failed' }}"]}`;
  const diff = diffOf(charging, text);
  expect(diff).toContain('always.{{ elapsed < 3 }}: does not hold after 3 s\n  3 < 3 is false');
  expect(diff).toContain('does not hold after 1 s\n  2 <= 1 is false');
  expect(diff).not.toContain("status != 'failed'");
});

test('per_iteration sees every iteration, with its item, its end and its calls', () => {
  const text = (condition: string): string =>
    `${payload}\nmocks: {charge: [{status: 200}, {status: 503, repeat: 3}]}\nexpect: {status: failed, per_iteration: ["{{ ${condition} }}"]}`;
  expect(diffOf(charging, text("iteration.status == 'done'"))).toContain(
    'iteration 1 of start: failed\n  "failed" == "done" is false',
  );
  expect(diffOf(charging, text("iteration.calls | length in [1, 3] and iteration.item in ['a', 'b']"))).toBe(
    '',
  );
  expect(diffOf(charging, text("iteration.calls[0].config.url == 'https://x/' ~ iteration.item"))).toBe('');
});

test('state, results and events are there', () => {
  const conditions = [
    "status == 'completed' and result.n == 2 and error is none",
    "ctx.done and workload.orders == ['a', 'b']",
    "steps == ['start', 'end'] and results.start.count == 2",
    "events | selectattr('type', 'equalto', 'loop.iteration.done') | list | length == 2",
  ];
  const text = `${payload}\nmocks: {charge: [{status: 200}, {status: 200}]}\nexpect: {at_end: [${conditions.map((one) => `"{{ ${one} }}"`).join(', ')}]}`;
  expect(diffOf(charging, text)).toBe('');
});

test('what cannot be evaluated does not hold', () => {
  const text = `${payload}\nmocks: {charge: [{status: 200}, {status: 200}]}\nexpect: {at_end: ["{{ calls | length + 'x' }}"]}`;
  expect(diffOf(charging, text)).toContain('it cannot be evaluated:');
});

test('a run without end ends at the limit', () => {
  const endless = charging.replace('attempts: 3', 'attempts: 1000');
  const text = `${payload}\nlimit: 50\nmocks: {charge: {status: 503, repeat: always}}`;
  expect(diffOf(endless, text)).toContain('status: expected completed, got waiting');
});

test.each([
  ['at_end: [{a: 1}]', /NT7009.*an invariant is an expression/],
  ['at_end: ["{{ calls | lenght }}"]', /NT7009.*there is no filter `lenght`[\s\S]*length/],
  ['always: ["{{ iteration.index }}"]', /NT7009.*an invariant has no name `iteration`/],
  ['always: ["{{ 1 + }}"]', /NT7009/],
])('%s is refused', (expectation, message) => {
  expect(() => diffOf(charging, `${payload}\nexpect: {${expectation}}`)).toThrow(message);
});
