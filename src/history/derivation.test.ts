import fs from 'node:fs';
import path from 'node:path';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils';
import { Derivation } from './derivation';
import { type CanonicalEvent, occurredAt } from './events';

const FILE = path.resolve(__dirname, '../../test/histories/0.1.0/fan_out_reduce.json');

test('portions are the same events in the same order, and none is larger than asked for', async () => {
  const events = historyFromJSON(JSON.parse(fs.readFileSync(FILE, 'utf8'))).events!;
  const portions: CanonicalEvent[][] = [];
  for await (const portion of new Derivation().portions(events, 7)) portions.push(portion);
  expect(portions.flat()).toEqual(await new Derivation().take(events));
  expect(portions.length).toBeGreaterThan(5);
  expect(portions.slice(0, -1).every(({ length }) => length === 7)).toBe(true);
});

test.each(
  fs.readdirSync(path.dirname(FILE)).filter((name) => name.endsWith('.json') && !name.startsWith('stored')),
)('timestamps never step back, and what happened earlier says when: %s', async (name) => {
  const { events } = historyFromJSON(
    JSON.parse(fs.readFileSync(path.join(path.dirname(FILE), name), 'utf8')),
  );
  const derived = await new Derivation().take(events!);
  const times = derived.map(({ timestamp }) => Date.parse(timestamp));
  expect(times).toEqual([...times].sort((a, b) => a - b));
  const earlier = derived.filter((event) => occurredAt(event) !== Date.parse(event.timestamp));
  for (const event of earlier) expect(occurredAt(event)).toBeLessThan(Date.parse(event.timestamp));
  // The parallel ends of a fan-out: the scenario in which they stepped back.
  if (path.join(path.dirname(FILE), name) === FILE) expect(earlier.length).toBeGreaterThan(0);
});
