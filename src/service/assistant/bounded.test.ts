/** Answers have at most so many characters, stay JSON as far as possible, and say what was cut. */
import { boundedAnswer, MOST_CHARACTERS } from './bounded';

const sizeOf = ({ text, cut }: ReturnType<typeof boundedAnswer>): number =>
  text.length + cut.join('; ').length;

test('what fits is as it is', () => {
  expect(boundedAnswer({ a: [1, 'x'] })).toEqual({ text: '{"a":[1,"x"]}', cut: [] });
  expect(boundedAnswer('text')).toEqual({ text: 'text', cut: [] });
  expect(boundedAnswer(undefined).text).toBe('null');
});

test.each([
  [
    'a long list',
    { events: Array.from({ length: 5_000 }, (_, n) => ({ seq: n, event_type: 'x' })) },
    /events: \d+ of 5000 entries/,
  ],
  ['a long text', { log: 'ä'.repeat(90_000) }, /log: \d+ of 90000 characters/],
  ['many long texts', Array.from({ length: 300 }, () => 'x'.repeat(2_000)), /of/],
  [
    'a wide mapping',
    Object.fromEntries(Array.from({ length: 30_000 }, (_, n) => [`k${n}`, n])),
    /of 30000 entries/,
  ],
  ['long keys', Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`${n}`.repeat(4_000), n])), /of/],
  ['deep', JSON.parse(`${'[{"a":'.repeat(400)}"${'x'.repeat(60_000)}"${'}]'.repeat(400)}`), /./],
])('%s is cut, and it is said where', (_what, answer, note) => {
  const bounded = boundedAnswer(answer, 'ask for less');
  expect(sizeOf(bounded)).toBeLessThanOrEqual(MOST_CHARACTERS);
  expect(bounded.cut.join('; ')).toMatch(note);
  expect(bounded.cut.at(-1)).toBe('To get the rest: ask for less');
});

test('of a list the first entries are kept whole, as JSON', () => {
  const { text } = boundedAnswer({
    events: Array.from({ length: 5_000 }, (_, n) => ({ seq: n, event_type: 'step.done' })),
  });
  const { events } = JSON.parse(text) as { events: { seq: number }[] };
  expect(events[0]).toEqual({ seq: 0, event_type: 'step.done' });
  expect(events.length).toBeGreaterThan(70);
});

test('no half of a character is left', () => {
  const { text } = boundedAnswer(`x${'😀'.repeat(20_000)}`);
  expect(text).not.toMatch(/[\ud800-\udbff]$/);
});
