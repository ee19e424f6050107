/** How a distributed loop is cut into chunks. */
import { type LoopPlan } from '../../../language/plan';
import { chunkingOf } from './chunks';

const DISTRIBUTED = { exec: 'distributed', mode: 'parallel' } as LoopPlan;

test.each([
  [5, { atOnce: 5, share: 1 }],
  [40, { atOnce: 4, share: 10 }],
  [64, { atOnce: 4, share: 16 }],
  [1000, { atOnce: 16, share: 62 }],
])(
  'chunks share at most %d iterations in flight: what ends together is decided together',
  (limit, expected) => {
    expect(chunkingOf(DISTRIBUTED, 10_000, limit)).toEqual({ size: 200, ...expected });
  },
);

test('chunks keep as many iterations in flight as the limit spread over all that can run', () => {
  for (let total = 1; total <= 200; total++) {
    for (let limit = 1; limit <= 80; limit++) {
      const { size, share, atOnce } = chunkingOf(DISTRIBUTED, total, limit)!;
      const most = Math.min(Math.ceil(total / size), 16, limit);
      const spread = most * Math.min(Math.floor(limit / most), size);
      const where = `${total} items, limit ${limit}: ${atOnce} x ${share} of ${size}`;
      const inFlight = atOnce * share;
      const isAsMany = inFlight <= limit && inFlight >= Math.min(spread, limit - share + 1);
      expect(isAsMany ? 'as many' : where).toBe('as many');
    }
  }
});
