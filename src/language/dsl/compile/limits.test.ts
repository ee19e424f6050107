/** Limits by key: what they compile to, and what is refused where. */
import { compile } from '../compile';
import { type Plan } from '../../plan';

const HEAD =
  'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: t, path: t/t}\nworkload: {customer: acme, secret: null}\n';
const HTTP = 'tool: {kind: http, url: "https://example.com"';

function playbook(executor: string, step = `${HTTP}}`): string {
  return `${HEAD}executor:\n  spec:\n    ${executor}\nworkflow:\n- step: start\n  ${step}\n`;
}

function planOf(text: string): Plan {
  const { plan, diagnostics } = compile(text);
  expect(diagnostics).toEqual([]);
  return plan!;
}

test('the executor limits executions; its spec is not an option of tools', () => {
  const plan = planOf(
    playbook(
      'concurrency: {key: "{{ workload.customer }}", limit: 2, on_conflict: skip, scope: shared}\n    debounce: {period: 30s, max_wait: 5m}',
    ),
  );
  expect(plan).toMatchObject({
    concurrency: {
      key: { template: {} },
      limit: { const: 2 },
      onConflict: 'skip',
      scope: 'shared',
      at: [7, 18],
    },
    debounce: { period: { const: '30s' }, maxWait: { const: '5m' } },
  });
  expect(plan.steps[0]!.tasks[0]!.spec.options).toEqual({ const: {} });
});

test('a plan without limits has nothing of them', () => {
  const plan = planOf(playbook('pool: default'));
  expect(Object.keys(plan)).not.toEqual(expect.arrayContaining(['concurrency']));
  expect(Object.keys(plan.steps[0]!.tasks[0]!.spec).sort()).toEqual([
    'delivery',
    'options',
    'pool',
    'timeout',
  ]);
});

test('settings of tasks are merged by layer', () => {
  const step = `spec: {rate_limit: {limit: 5}, priority: 2}\n  ${HTTP}, spec: {priority: 1, fairness: {key: a, weight: 2}}}`;
  const plan = planOf(
    playbook('rate_limit: {key: api, limit: 10, per: 1m}', step).replace(
      'limit: 5}',
      'key: api, per: 1m, limit: 5}',
    ),
  );
  expect(plan.steps[0]!.tasks[0]!.spec).toMatchObject({
    rateLimit: { key: { const: 'api' }, limit: { const: 5 }, per: { const: '1m' } },
    priority: { priority: { const: 1 }, fairness: { key: { const: 'a' }, weight: { const: 2 } } },
    options: { const: {} },
  });
});

test.each([
  ['limit below 1', 'concurrency: {limit: 0}', 'NT2003', 7],
  ['no limit', 'concurrency: {key: a}', 'NT2005', 7],
  ['unknown on_conflict', 'concurrency: {limit: 1, on_conflict: wait}', 'NT2004', 7],
  ['misspelt key', 'concurrency: {limit: 1, onconflict: skip}', 'NT2001', 7],
  ['a number instead of a mapping', 'concurrency: 3', 'NT2003', 7],
  ['an empty key', 'concurrency: {key: " ", limit: 1}', 'NT2096', 7],
  ['a key of a step', 'concurrency: {key: "{{ start.data }}", limit: 1}', 'NT3014', 7],
  ['no period', 'debounce: {key: a}', 'NT2005', 7],
  ['a period of 0', 'debounce: {period: 0}', 'NT2096', 7],
  ['max_wait below period', 'debounce: {period: 1m, max_wait: 30s}', 'NT2096', 7],
  ['a rate without key', 'rate_limit: {limit: 1, per: 1s}', 'NT2005', 7],
  ['a burst above the limit', 'rate_limit: {key: a, limit: 1, per: 1s, burst: 2}', 'NT2096', 7],
  ['a limit that nobody can count', 'rate_limit: {key: a, limit: 10001, per: 1s}', 'NT2096', 7],
  ['a rate per 0', 'rate_limit: {key: a, limit: 1, per: 0s}', 'NT2096', 7],
  ['priority 6', 'priority: 6', 'NT2096', 7],
  ['a weight of 0', 'fairness: {key: a, weight: 0}', 'NT2096', 7],
])('%s is refused', (_, executor, code, line) => {
  const found = compile(playbook(executor)).diagnostics;
  expect(found.map((one) => [one.code, one.line])).toContainEqual([code, line]);
});

test.each([
  ['concurrency of a step', 'spec: {concurrency: {limit: 1}}\n  tool: {kind: noop}'],
  ['debounce of a task', 'tool: {kind: http, url: "https://example.com", spec: {debounce: {period: 1s}}}'],
  [
    'concurrency of a loop',
    'loop: {in: [1], iterator: n, spec: {concurrency: {limit: 1}}}\n  tool: {kind: noop}',
  ],
  ['a rate limit of a noop', 'tool: {kind: noop, spec: {rate_limit: {key: a, limit: 1, per: 1s}}}'],
])('%s is in the wrong place, and it is said where it belongs', (_, step) => {
  const [found, ...more] = compile(playbook('pool: default', step)).diagnostics;
  expect(more).toEqual([]);
  expect(found).toMatchObject({ code: 'NT2097', severity: 'error', hint: expect.any(String) as string });
});

test('a key must not be a secret', () => {
  const text = playbook('concurrency: {key: "{{ keychain.api.token }}", limit: 1}').replace(
    'workload:',
    'keychain: [{name: api, kind: static, map: {token: x}}]\nworkload:',
  );
  expect(compile(text).diagnostics.filter(({ severity }) => severity === 'error')).not.toEqual([]);
});
