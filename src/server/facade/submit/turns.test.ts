import { turnOf } from './turns';

const ids = Array.from({ length: 2_000 }, (_, n) => String(384_479_096_098_567_671n + BigInt(n) * 4_099n));

test('a caller has few turns, which its executions fill evenly, and shares none', () => {
  const counts = (caller: string): Map<string | undefined, number> => {
    const all = new Map<string | undefined, number>();
    for (const id of ids) all.set(turnOf(caller, id), (all.get(turnOf(caller, id)) ?? 0) + 1);
    return all;
  };
  const [ann, bob] = [counts('ann'), counts('bob')];
  expect([ann.size, bob.size]).toEqual([16, 16]);
  expect([...ann.keys()].filter((turn) => bob.has(turn))).toEqual([]);
  // 125 each; five standard deviations away.
  for (const count of [...ann.values(), ...bob.values()]) {
    expect(count).toBeGreaterThan(70);
    expect(count).toBeLessThan(180);
  }
});

test('it fits a key of Temporal, whatever the name', () => {
  expect(Buffer.byteLength(turnOf('ü'.repeat(500), ids[0]!)!)).toBeLessThanOrEqual(64);
});

test('where no token is needed, each execution has a turn of its own', () => {
  expect(turnOf('local', ids[0]!)).toBeUndefined();
});
