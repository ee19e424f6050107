import path from 'node:path';
import { loopHistory } from '../../../test/support/long-history';
import { type HistoryEvent } from '../event';
import { historyFile } from '../file';
import { explainExecution, type ExplainedDecision, type Explanation } from '.';

const HISTORIES = path.resolve(__dirname, '../../../test/histories/0.1.0');
async function* pagesOf(events: readonly HistoryEvent[]): AsyncGenerator<readonly HistoryEvent[]> {
  yield await Promise.resolve(events);
}
const explained = (name: string): Promise<Explanation> =>
  explainExecution(historyFile(path.join(HISTORIES, `${name}.json`)), () => (line) => `line ${line}`);

test('a retry names the rule that won, the values its guard saw, the wait, and the line', async () => {
  const { decisions } = await explained('error_path_failed');
  const retry = decisions.find((decision) => decision.kind === 'retry')!;
  expect(retry.summary).toMatch(
    /failed \(PY_ConnectionError: .*\); rule 1 of 2 → retry after 0\.1 s, at most 5/,
  );
  expect(retry.considered).toMatchObject([
    {
      won: true,
      verdict: 'holds',
      values: { 'output.status': 'error', 'output.py.exception_type': 'ConnectionError' },
      at: { file: 'playbooks/error_path.yaml', line: 34, source: 'line 34' },
    },
    { won: false, verdict: expect.stringContaining('was not evaluated') as string },
  ]);
  expect(retry.considered[1]).not.toHaveProperty('values');
});

test('what failed is shown at the line of its code, as its error says, not where its tool stands', async () => {
  const { decisions } = await explained('error_path_failed');
  const failed = decisions.filter(({ kind, summary }) => kind === 'rule' && summary.includes('ZeroDivision'));
  const step = decisions.find(({ kind }) => kind === 'failure')!;
  expect(failed.map(({ at }) => at?.line)).toEqual([step.at!.line]);
});

test('an arc that did not fire says what its guard saw', async () => {
  const { decisions, status } = await explained('error_path_failed');
  const route = decisions.find(({ kind, step }) => kind === 'route' && step === 'risky')!;
  expect(route.summary).toContain('no arc fires');
  expect(route.considered[1]).toMatchObject({
    verdict: 'guard is false',
    values: { 'event.name': 'step.failed', 'workload.rescue': false },
  });
  expect(status).toBe('failed');
  expect(decisions.at(-1)!.summary).toMatch(/^the execution failed: risky\/risky_task: PY_ZeroDivisionError/);
});

test('a join says who waited and who came last, a loop what it did, the end whose result it is', async () => {
  const { decisions } = await explained('fan_out_reduce');
  const join = decisions.find((decision) => decision.kind === 'join')!;
  expect(join.details).toHaveLength(3);
  // Which branch came last is as it was on the day of the recording.
  const ends = join.details.map(
    (line) => /^t\d from \w+_branch#1 (came last|waited \d+(\.\d+)? m?s)$/.exec(line)![1]!,
  );
  expect(ends).toContain('came last');
  const [begin, loop] = decisions.filter((decision) => decision.kind === 'loop') as [
    ExplainedDecision,
    ExplainedDecision,
  ];
  expect(begin.summary).toMatch(/^loop \w+#1 runs over 12 items of \{\{.*\}\}, parallel$/);
  expect(loop.details[0]).toBe('12 iterations, parallel: 12 ok, 0 failed, 0 retries');
  expect(decisions.at(-1)!.summary).toBe('the execution completed with the result of step end: step end ran');
});

test('a limit says how long was waited, and for what', async () => {
  const said = async (name: string): Promise<string[]> =>
    (await explained(name)).decisions.flatMap(({ kind, summary }) => (kind === 'limit' ? [summary] : []));
  const [acquired, slot] = await said('limits');
  expect(acquired).toMatch(/^acquired the key "acme" \(limit 1\) after [\d.]+ s$/);
  expect(slot).toMatch(
    /^task start#1\[5\]\S* starts at \S+Z, to keep the key "accounts-api" \(limit 5\) per 10 s$/,
  );
  expect(await said('debounced')).toMatchObject([
    expect.stringMatching(/^queued: a newer execution would replace it until \S+Z$/),
    expect.stringMatching(/^no newer execution came after [5-9][\d.]* s$/),
    expect.stringMatching(/^acquired the key "report.md"/),
  ]);
});

test('the same history is explained in the same words', async () => {
  expect(await explained('streaming_pagination')).toEqual(await explained('streaming_pagination'));
});

test('a page ends the derivation: a long run is explained piece by piece, and nothing is missing', async () => {
  const history = loopHistory(3000);
  const whole = await explainExecution(pagesOf(history), undefined, { after: 0 });
  const decisions: unknown[] = [];
  let derived = 0;
  let pages = 0;
  for (let after: number | null = 0; after !== null; pages++) {
    const progress = (events: number): number => (derived = events);
    const page: Explanation = await explainExecution(pagesOf(history), undefined, {
      after,
      most: after + 4000,
      progress,
    });
    if (pages === 0) expect(derived).toBeLessThan(6000);
    decisions.push(...page.decisions);
    after = page.next_after ?? null;
  }
  expect(decisions).toEqual(whole.decisions);
  expect(pages).toBe(4);
  const first = await explainExecution(pagesOf(history), undefined, { most: 4000 });
  expect(first.next_after).toBe(4000);
  expect(await explainExecution(pagesOf(history), undefined, { most: 40_000 })).not.toHaveProperty(
    'next_after',
  );
});
