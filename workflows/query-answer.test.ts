import { answerOf } from './query-answer';

test.each([
  ['x'.repeat(2_000_000), true],
  ['x'.repeat(2_200_000), false],
  ['é'.repeat(1_000_000), true],
  ['é'.repeat(1_100_000), false],
  ['漢'.repeat(800_000), false],
])('an answer is given if Temporal can carry it (%#)', (text, isGiven) => {
  const value = { text };
  if (isGiven) expect(answerOf('variables', value)).toBe(value);
  else
    expect(() => answerOf('state', value)).toThrow(
      /^QUERY_TOO_LARGE: .*GET \/api\/executions\/\{id\}\/state/,
    );
});
