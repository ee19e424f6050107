import { onInterrupt } from './signals';

test('one press that arrives twice, from the terminal and from npm, counts once', () => {
  const clock = jest.spyOn(performance, 'now');
  const seen: number[] = [];
  const end = onInterrupt((count) => seen.push(count));
  for (const [at, expected] of [
    [1_000, 1],
    [1_010, 1],
    [2_000, 2],
  ] as const) {
    clock.mockReturnValue(at);
    process.emit('SIGINT', 'SIGINT');
    expect(seen).toHaveLength(expected);
  }
  end();
  clock.mockRestore();
});
