export { type Finding, findingOf, VERDICT_WORDS, type VerdictKind, VERDICTS, whyUnanswered } from './cause';
export { type Place } from './places';
export { type Verdict, verdictOn } from './verdict';
export {
  addTally,
  emptyTally,
  type Group,
  type Tally,
  tally,
  tallyUnread,
  type Verification,
  verificationOf,
} from './verification';
