/** How often what stands at a place of our own playbooks is among the first three proposals, in percent. */
import { filesIn, scoresOf } from '../../../bench/complete';

/** Of places that are drawn with the same seed every time: less is a change of ours. */
const SCORES = scoresOf(filesIn('playbooks'), 150);

test.each([
  ['in the text', 'rest', 87, 85],
  ['at its end', 'end', 85, 80],
] as const)('%s', (_, mode, all, isNew) => {
  const percent = (scores: typeof SCORES): number =>
    (100 * scores.filter(({ rank }) => rank >= 0 && rank < 3).length) / scores.length;
  const here = SCORES.filter((score) => score.mode === mode);
  expect(here.length).toBe(150);
  expect(percent(here)).toBeGreaterThan(all);
  expect(percent(here.filter(({ cut }) => cut.isNew))).toBeGreaterThan(isNew);
  expect(percent(here)).toBeGreaterThan(
    percent(here.map((score) => ({ ...score, rank: score.schemaRank }))) + 25,
  );
});
