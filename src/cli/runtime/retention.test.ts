import { type SweepParts, sweepOnAndOn } from './retention';

test('sweeps again after its interval, whether another process sweeps or the database is away, until it is stopped', async () => {
  const stop = new AbortController();
  const lines: string[] = [];
  let turns = 0;
  const leases = {
    take: async () => {
      turns += 1;
      if (turns === 2) throw new Error('no database');
      if (turns === 4) stop.abort();
      return undefined; // another process sweeps
    },
  };
  await sweepOnAndOn({ leases } as unknown as SweepParts, stop.signal, (line) => lines.push(line), 1);
  expect(turns).toBe(4);
  expect(lines).toEqual(['retention: no database; tried again in an hour']);
});

test('the signal ends the wait for the next hour', async () => {
  const stop = new AbortController();
  const leases = { take: async () => (setImmediate(() => stop.abort()), undefined) };
  await sweepOnAndOn({ leases } as unknown as SweepParts, stop.signal, () => undefined);
  expect(stop.signal.aborted).toBe(true);
});
