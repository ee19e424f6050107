export { type Finding, findingOf, whyUnanswered } from './cause';
export { VERDICT_WORDS, type VerdictKind, VERDICTS } from './verdicts';
export { Lockstep } from './lockstep';
export { verdictOf } from './of-history';
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
