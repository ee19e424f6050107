import { type HistoryEvent } from '../../history';
import { replayedRuns } from '.';

/** @param runs of a chain, each of so many events @param size of a page */
async function* chain(runs: number, length: number, size: number): AsyncGenerator<HistoryEvent[]> {
  let page: HistoryEvent[] = [];
  for (let n = 0; n < runs * length; n++) {
    const started = n % length === 0 ? { workflowExecutionStartedEventAttributes: {} } : {};
    page.push({ eventId: (n % length) + 1, ...started } as never);
    if (page.length < size) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

test.each([1, 7, 100])(
  'the runs of a chain come one by one, whatever its pages: of %p events',
  async (size) => {
    const runs: number[][] = [];
    for await (const run of replayedRuns(chain(3, 40, size)))
      runs.push(run.map(({ eventId }) => Number(eventId)));
    const run = Array.from({ length: 40 }, (_, n) => n + 1);
    expect(runs).toEqual([run, run, run]);
  },
);

test('no more is read ahead of a long chain than of a short one', async () => {
  const ahead: number[] = [];
  for (const runs of [5, 50]) {
    let [read, given, most] = [0, 0, 0];
    const counted = async function* (): AsyncGenerator<HistoryEvent[]> {
      for await (const page of chain(runs, 40, 16)) {
        read += page.length;
        yield page;
      }
    };
    for await (const run of replayedRuns(counted())) {
      most = Math.max(most, read - given);
      given += run.length;
    }
    expect(given).toBe(runs * 40);
    ahead.push(most);
  }
  expect(ahead[1]).toBe(ahead[0]);
});
