import { loopHistory } from '../../test/support/long-history';
import { Derivation } from './derivation';
import { type CanonicalEvent } from './events';
import { Overview } from './overview';

test('of 2,000 iterations the first are kept, and everything around them', async () => {
  const overview = new Overview(100);
  const all: CanonicalEvent[] = [];
  for await (const events of new Derivation().portions(loopHistory(2000)))
    for (const one of events) all.push(one);
  const kept = all.filter(overview.keeps);
  expect(kept.length + overview.leftOut).toBe(all.length);
  expect(kept.filter(({ iteration }) => iteration !== undefined)).toHaveLength(100);
  expect(kept.at(-1)!.event_type).toBe('playbook.processed');
  const failed = { ...all[50]!, iteration: 1999, status: 'error' } as const;
  expect(overview.keeps(failed)).toBe(true);
});
