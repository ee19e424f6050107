import fc from 'fast-check';
import {
  newestFirst,
  type ListPosition,
  listPositionOf,
  type ListedStart,
  type Starts,
} from './newest-first';

interface World {
  readonly starts: Starts<ListedStart>;
  readonly seen: { runs: number; counts: number };
}

const order = (a: number, b: number, x: ListedStart, y: ListedStart): number =>
  b - a || y.startTime.getTime() - x.startTime.getTime() || (x.runId < y.runId ? -1 : 1);

/** Lists as visibility gives them. */
function worldOf(runs: readonly ListedStart[]): World {
  const seen = { runs: 0, counts: 0 };
  const among = (before = Infinity, from = -Infinity): ListedStart[] =>
    runs.filter(({ startTime }) => startTime.getTime() < before && startTime.getTime() >= from);
  async function* told(some: readonly ListedStart[]): AsyncGenerator<ListedStart> {
    for (const one of some) {
      seen.runs += 1;
      yield await Promise.resolve(one);
    }
  }
  const over = (before?: number, from?: number): ListedStart[] =>
    among(before, from)
      .filter((one) => one.closeTime)
      .sort((a, b) => order(a.closeTime!.getTime(), b.closeTime!.getTime(), a, b));
  return {
    seen,
    starts: {
      running: (before) =>
        told(
          among(before)
            .filter((one) => !one.closeTime)
            .sort((a, b) => order(0, 0, a, b)),
        ),
      over: (before, from) => told(over(before, from)),
      countOver: (before, from) => {
        seen.counts += 1;
        return Promise.resolve(over(before, from).length);
      },
    },
  };
}

async function allPages(
  starts: Starts<ListedStart>,
  size: number,
  lookedAt?: number,
): Promise<ListedStart[][]> {
  const pages: ListedStart[][] = [];
  for (let after: ListPosition | undefined, isMore = true; isMore;) {
    const page = await newestFirst(starts, size, after, lookedAt);
    pages.push([...page.runs]);
    isMore = page.isMore;
    after = page.runs.length > 0 ? listPositionOf(page.runs.at(-1)!) : undefined;
  }
  return pages;
}

const run = (id: number, start: number, ms?: number): ListedStart => ({
  runId: `run-${String(id).padStart(5, '0')}`,
  startTime: new Date(start),
  ...(ms !== undefined && { closeTime: new Date(start + ms) }),
});

test('the pages together are all runs, once, by their start, whatever ends when', async () => {
  const some = fc.array(fc.tuple(fc.nat(300), fc.option(fc.nat(400), { nil: undefined })), { maxLength: 80 });
  await fc.assert(
    fc.asyncProperty(
      some,
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 12, max: 200 }),
      async (given, size, lookedAt) => {
        const runs = given.map(([start, ms], id) => run(id, 1_000_000 + start, ms));
        const pages = await allPages(worldOf(runs).starts, size, lookedAt);
        const expected = [...runs].sort((a, b) => order(0, 0, a, b));
        expect(pages.flat().map(({ runId }) => runId)).toEqual(expected.map(({ runId }) => runId));
        for (const page of pages.slice(0, -1)) expect(page).toHaveLength(size);
      },
    ),
  );
});

test('a page looks at itself and at what was under way, not at all there is', async () => {
  // One starts each second and takes ten.
  const { starts, seen } = worldOf(Array.from({ length: 20_000 }, (_, i) => run(i, i * 1000, 10_000)));
  const first = await newestFirst(starts, 100);
  expect(first.runs.map(({ runId }) => runId).slice(0, 2)).toEqual(['run-19999', 'run-19998']);
  expect(seen).toEqual({ runs: expect.any(Number), counts: 0 });
  expect(seen.runs).toBeLessThan(120);
  seen.runs = 0;
  await newestFirst(starts, 100, { at: 10_000_000, runId: 'run-10000' });
  expect(seen.runs).toBeLessThan(120);
});

test('twenty thousand old runs that ended last are not all looked at', async () => {
  const parked = Array.from({ length: 20_000 }, (_, i) => run(i, i, 86_400_000));
  const busy = Array.from({ length: 500 }, (_, i) => run(30_000 + i, 40_000_000 + i * 1000, 10));
  const { starts, seen } = worldOf([...parked, ...busy]);
  const { runs } = await newestFirst(starts, 100);
  expect(runs.at(-1)!.runId).toBe('run-30400');
  expect(seen.runs).toBeLessThan(10_100);
  expect(seen.counts).toBeLessThan(40);
});
