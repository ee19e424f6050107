import { afterProcessorTime } from './processor-time';

/** Milliseconds of processor time that the process gets in each millisecond. */
function overAfter(share: number, forMs: number): number | undefined {
  jest.useFakeTimers();
  const began = performance.now();
  const used = (): NodeJS.CpuUsage => ({ user: (performance.now() - began) * 1000 * share, system: 0 });
  const spy = jest.spyOn(process, 'cpuUsage').mockImplementation(used);
  let at: number | undefined;
  const cancel = afterProcessorTime(1000, () => (at = performance.now() - began));
  jest.advanceTimersByTime(forMs);
  cancel();
  spy.mockRestore();
  jest.useRealTimers();
  return at;
}

test.each([
  ['the whole processor', 1, 1000],
  ['two threads of it', 2, 1000],
  ['half of it', 0.5, 2000],
  ['a tenth of it', 0.1, 6000],
  ['nothing', 0, 6000],
])('a process that gets %s', (_, share, expected) => {
  const at = overAfter(share, 10_000);
  expect(at).toBeGreaterThanOrEqual(expected);
  expect(at).toBeLessThanOrEqual(expected + 100);
});

test('one that is cancelled is never over', () => {
  expect(overAfter(1, 900)).toBeUndefined();
});
