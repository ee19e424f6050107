/** What every kind says of a server that cannot be reached is an error that rules see and can repeat the call after. */
import { KIND_TESTS } from '../support/kind-tests';
import { playbookOf, simulate } from '../support/simulator';

/** Kinds without a server of their own: their clause says what happens instead. */
const WITHOUT: readonly string[] = ['shell', 'duckdb'];

/** Kind, code, and whether it may be repeated, of the fault that the kind's clause names; undefined if a test elsewhere shows it. */
function unreachable(name: string): readonly unknown[] | undefined {
  const { clauses, faults } = KIND_TESTS[name]!;
  const proof = clauses.proofs['a host that cannot be reached'];
  if ('fails' in proof) return [proof.as.kind, proof.as.code, proof.as.retryable];
  return 'fault' in proof ? faults.find(([title]) => title === proof.fault)?.slice(2) : undefined;
}

const shown = Object.keys(KIND_TESTS).flatMap((kind) => {
  const fault = WITHOUT.includes(kind) ? undefined : unreachable(kind);
  return fault === undefined ? [] : [[kind, fault] as const];
});

test('most kinds have such a fault', () => {
  expect(shown.length).toBeGreaterThanOrEqual(9);
});

test.each(shown)('%s: a rule repeats the call until the server answers', (_, [kind, code, retryable]) => {
  expect([kind, retryable]).toEqual(['connection', true]);
  const yaml = playbookOf(`
- step: start
  tool:
    kind: http
    url: "http://x"
    spec:
      policy:
        rules:
        - {when: "{{ output.error.kind == 'connection' and output.error.retryable and output.error.code == '${String(code)}' }}", then: {do: retry, attempts: 3, delay: 1}}
        - {else: {then: {do: break}}}`);
  const error = { kind, code, message: 'refused', retryable } as never;
  const away = { status: 'error', result: null, error, meta: {} } as never;
  const run = simulate(yaml, { mocks: { start: { sequence: [away, away, { there: true }] } } });
  expect([run.end, run.calls.length]).toEqual(['complete', 3]);
});
