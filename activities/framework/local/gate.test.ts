import { setImmediate as tick } from 'node:timers/promises';
import { Gate } from './gate';

test('as many as fit run at once, in order; one that is stopped while it waits takes no place', async () => {
  const gate = new Gate(2);
  const never = new AbortController().signal;
  const stop = new AbortController();
  const began: number[] = [];
  const end: (() => void)[] = [];
  const work = (n: number, signal = never): Promise<void> =>
    gate.through(signal, () => {
      began.push(n);
      return new Promise<void>((resolve) => (end[n] = resolve));
    });
  const all = [work(0), work(1), work(2, stop.signal), work(3), work(4)];
  await tick();
  expect(began).toEqual([0, 1]);
  stop.abort();
  await tick();
  // It runs to see that it is stopped, beside the two that hold the places.
  expect(began).toEqual([0, 1, 2]);
  end[2]!();
  await tick();
  expect(began).toEqual([0, 1, 2]);
  end[1]!();
  await tick();
  expect(began).toEqual([0, 1, 2, 3]);
  end[0]!();
  await tick();
  end[3]!();
  end[4]!();
  await Promise.all(all);
  expect(began).toEqual([0, 1, 2, 3, 4]);
});
