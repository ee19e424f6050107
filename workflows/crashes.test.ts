import { startToClose, taskTimeout } from '../src/language/plan/kinds';
import { STOP_MS } from '../activities/framework/activity/last-resort';
import { COUNTED_CRASH_RETRY, CRASH_RETRY, RESOLVING } from './crashes';

/** Seconds from the first attempt to the last, as Temporal spaces them. */
function patience(secondsPerAttempt: number): number {
  const { initialInterval, backoffCoefficient, maximumInterval, maximumAttempts } = RESOLVING.retry!;
  const longest = Number.parseInt(String(maximumInterval), 10);
  let seconds = 0;
  for (let attempt = 1, wait = Number(initialInterval) / 1000; attempt < maximumAttempts!; attempt++) {
    seconds += secondsPerAttempt + Math.min(wait, longest);
    wait *= backoffCoefficient!;
  }
  return seconds;
}

test('a catalog that is away for five minutes fails no call of a playbook', () => {
  expect(patience(0)).toBeGreaterThan(300);
  const silent = patience(Number.parseInt(String(RESOLVING.startToCloseTimeout), 10));
  expect(silent).toBeGreaterThan(300);
  expect(silent).toBeLessThan(2000);
});

test("only an extension's task that reaches Temporal's time limit may be one that hangs: ours are ended by their worker before", () => {
  expect(CRASH_RETRY.nonRetryableErrorTypes).toEqual(['TemporalTimeout:StartToClose']);
  expect(COUNTED_CRASH_RETRY.nonRetryableErrorTypes).toBeUndefined();
  const call = { kind: 'http', timeout: {}, config: {} };
  expect(startToClose(call) * 1000 - (taskTimeout(call) * 1000 + STOP_MS)).toBeGreaterThanOrEqual(10_000);
});
