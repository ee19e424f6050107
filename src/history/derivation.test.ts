import fs from 'node:fs';
import path from 'node:path';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils';
import { Derivation } from './derivation';
import { type CanonicalEvent } from './events';

const FILE = path.resolve(__dirname, '../../test/histories/v1/fan_out_reduce.json');

test('portions are the same events in the same order, and none is larger than asked for', async () => {
  const events = historyFromJSON(JSON.parse(fs.readFileSync(FILE, 'utf8'))).events!;
  const portions: CanonicalEvent[][] = [];
  for await (const portion of new Derivation().portions(events, 7)) portions.push(portion);
  expect(portions.flat()).toEqual(await new Derivation().take(events));
  expect(portions.length).toBeGreaterThan(5);
  expect(portions.slice(0, -1).every(({ length }) => length === 7)).toBe(true);
});
