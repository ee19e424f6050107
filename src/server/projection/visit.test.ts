/** Visits of generated histories, with the built threads: what is delivered, and what a large one does to others. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { clientWith, EXECUTION, loopHistory } from '../../../test/support/long-history';
import { isNightly } from '../../../test/support/sampled';
import { type ThreadLimits } from '../threads';
import { type Cursors } from './cursors';
import { type DeliveryThreads, deliveryThreads, DERIVING_THREAD_LIMITS } from './deriving/threads';
import { type EventBatch, type Sink } from './sink';
import { visitExecution, type VisitOptions } from './visit';

const execution = { namespace: 'n', workflowId: `noetl-${EXECUTION}`, runId: 'r', executionId: EXECUTION };
const small = clientWith(loopHistory(10)).client;
const large = clientWith(loopHistory(30_000)).client;
const ITERATIONS = isNightly ? 30_000 : 10_000;
const middling = clientWith(loopHistory(ITERATIONS)).client;

let threads: DeliveryThreads;
const made = (limits: Partial<ThreadLimits> = {}): DeliveryThreads =>
  (threads = deliveryThreads(small, { ...DERIVING_THREAD_LIMITS, ...limits }));
afterEach(() => threads.close());

/** @returns the batches that the sink took */
async function visited(
  client: typeof small,
  after?: { eventId: string; seq: number },
  more: Partial<VisitOptions> = {},
): Promise<EventBatch[]> {
  const batches: EventBatch[] = [];
  let isTaking = false;
  const sink: Sink = {
    name: 'test',
    take: async (batch) => {
      // The next portion is derived meanwhile, and waits.
      expect(isTaking).toBe(false);
      isTaking = true;
      await setTimeout(1);
      batches.push(batch);
      isTaking = false;
    },
    close: () => Promise.resolve(),
  };
  const cursors = { read: () => Promise.resolve(after ?? { seq: 0 }) } as unknown as Cursors;
  const { signal } = new AbortController();
  const nothing = (): void => undefined;
  const base = { client, sink, cursors, threads, follow: false, signal, received: nothing, taken: nothing };
  const how = { ...base, ...more };
  expect(await visitExecution(execution, 'r', how)).toBe(true);
  return batches;
}

test('events are delivered in portions, while the process answers others', async () => {
  made();
  const delays = monitorEventLoopDelay({ resolution: 5 });
  delays.enable();
  const begun = performance.now();
  const batches = await visited(middling);
  delays.disable();
  const took = performance.now() - begun;
  const seqs = batches.flatMap(({ events }) => events.map(({ event }) => event.seq));
  expect(seqs).toEqual(Array.from({ length: 5 * ITERATIONS + 15 }, (_, n) => n + 1));
  expect(Math.max(...batches.map(({ events }) => events.length))).toBeLessThanOrEqual(1000);
  // The last events and the end, in one transaction.
  const ends = batches.map(({ endedAt }) => endedAt !== undefined);
  expect(ends).toEqual(batches.map((_, n) => n === batches.length - 1));
  expect(batches.at(-1)!.events).not.toEqual([]);
  expect(batches.at(-1)!.plan).toMatchObject({ planVersion: 1 });
  // Derived by the process itself, they would hold it for nearly all of that time.
  expect(delays.max / 1e6).toBeLessThan(took / 2);
});

test('from the cursor on, with the positions that the sink counts', async () => {
  made();
  const [first] = await visited(small);
  const { event_id, seq } = first!.events[9]!.event;
  const [rest] = await visited(small, { eventId: event_id, seq: seq + 100 });
  expect(rest!.events[0]!.event).toMatchObject({ seq: seq + 101 });
  expect(rest!.events).toHaveLength(first!.events.length - 10);
});

test('what happens in one that was read to its end is asked for five times a second', async () => {
  made();
  const at: number[] = [];
  await visited(small, undefined, {
    received: () => void at.push(performance.now()),
    isAtEnd: () => at.length > 0,
  });
  expect(at.length).toBeGreaterThan(1);
  for (const [n, time] of at.slice(1).entries()) expect(time - at[n]!).toBeGreaterThan(190);
});

test('one that exceeds the memory is refused, and those on its thread are delivered', async () => {
  made({ heapMb: 32, threads: 2 });
  const [one, ...others] = await Promise.allSettled([visited(large), visited(small), visited(small)]);
  expect(one).toMatchObject({ status: 'rejected', reason: { code: 'DERIVATION_TOO_LARGE' } });
  expect(others.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
});

test('so is one that exceeds the time', async () => {
  made({ jobMs: 200 });
  await expect(visited(large)).rejects.toMatchObject({ code: 'DERIVATION_TOO_LARGE' });
});
