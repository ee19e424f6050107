import { setImmediate as tick } from 'node:timers/promises';
import { TaskSlots } from './slots';

const never = new AbortController().signal;

test('lets so many in at a time, the others in order', async () => {
  const slots = new TaskSlots(2);
  const order: number[] = [];
  let running = 0;
  let most = 0;
  await Promise.all(
    [1, 2, 3, 4, 5].map(async (n) => {
      const giveBack = await slots.take(never);
      most = Math.max(most, ++running);
      order.push(n);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running--;
      giveBack();
      giveBack(); // a second time gives nothing back
    }),
  );
  expect({ most, order }).toEqual({ most: 2, order: [1, 2, 3, 4, 5] });
});

test('who stops waiting leaves the line and takes nobody else’s turn', async () => {
  const slots = new TaskSlots(1);
  const giveBack = await slots.take(never);
  const stop = new AbortController();
  const left = slots.take(stop.signal);
  const next = slots.take(never);
  stop.abort(new Error('stopped'));
  await expect(left).rejects.toThrow('stopped');
  await expect(slots.take(stop.signal)).rejects.toThrow('stopped');
  giveBack();
  (await next)();
  (await slots.take(never))();
});

test('work goes through in order; what is stopped while it waits takes no slot', async () => {
  const slots = new TaskSlots(2);
  const stop = new AbortController();
  const began: number[] = [];
  const end: (() => void)[] = [];
  const work = (n: number, signal = never): Promise<void> =>
    slots.through(signal, () => {
      began.push(n);
      return new Promise<void>((resolve) => (end[n] = resolve));
    });
  const all = [work(0), work(1), work(2, stop.signal), work(3), work(4)];
  await tick();
  expect(began).toEqual([0, 1]);
  stop.abort();
  await tick();
  // It runs to see that it is stopped, beside the two that hold the slots.
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
