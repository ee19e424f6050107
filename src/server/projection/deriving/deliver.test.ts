/** A thread's side of a visit, without its thread: when it hands over what. */
import { setImmediate } from 'node:timers/promises';
import { EXECUTION, loopHistory } from '../../../../test/support/long-history';
import { plainConverter } from '../../../storage/codec';
import { readingWith } from '../../reading/from-host';
import { type Host } from '../../threads/serve-jobs';
import { deliver, type Delivered } from './deliver';

test('while the sink takes a portion, the next one is derived, and waits', async () => {
  const portions: Delivered[] = [];
  let derived = 0;
  let letGo = (): void => undefined;
  const slow = new Promise<void>((resolve) => (letGo = resolve));
  const host: Host = {
    tell: (_name, events) => void (derived = events as number),
    ask: async (name, about) => {
      if (name === 'take' && portions.push(about as Delivered) === 1) await slow;
    },
  };
  const reading = readingWith(EXECUTION, host, plainConverter, async function* () {
    yield loopHistory(1_000);
  });
  const workflowId = `noetl-${EXECUTION}`;
  const whole = deliver(reading, { workflowId, position: { seq: 0 }, calls: false });
  // The first of a thousand events is being taken, the second waits, the third is derived.
  const hung = performance.now() + 10_000;
  while (derived < 3_000 && performance.now() < hung) await setImmediate();
  for (let turns = 0; turns < 10; turns += 1) await setImmediate();
  expect([derived, portions.length]).toEqual([3_000, 1]);
  letGo();
  expect(await whole).toBe(true);
  expect(portions.map(({ events }) => events.length)).toEqual([1_000, 1_000, 1_000, 1_000, 1_000, 15]);
});
