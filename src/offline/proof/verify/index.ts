export { type VerifyFinding, findingOf, whyUnanswered } from './cause';
export { VERDICT_WORDS, type VerdictKind, VERDICTS } from './verdicts';
export { Lockstep } from './lockstep';
export { verdictOf } from './of-history';
export { type VerdictPlace } from './places';
export { type Verdict, verdictOn } from './verdict';
export {
  addVerificationTally,
  emptyVerificationTally,
  type VerdictGroup,
  type VerificationTally,
  tally,
  tallyUnread,
  type Verification,
  verificationOf,
} from './verification';
