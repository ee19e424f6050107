/** What the comparison of one execution can find, in words. */
export const VERDICT_WORDS = {
  same: 'same',
  timing: 'same with other timing',
  decision: 'different decision',
  call: 'different call',
  result: 'different result',
  unanswerable: 'not answerable',
} as const;

export type VerdictKind = keyof typeof VERDICT_WORDS;

export const VERDICTS = Object.keys(VERDICT_WORDS) as readonly VerdictKind[];
