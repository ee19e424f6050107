export { type VerifyFinding, findingOf, whyUnanswered } from './cause';
export { causesOf, changesBetween, type VersionChange } from './changes';
export { VERDICT_WORDS, type VerdictKind, VERDICTS } from './verdicts';
export { Lockstep } from './lockstep';
export { verdictOf, type Verdict, verdictFrom, verdictOn } from './verdict';
export { type VerdictPlace } from './places';
export { refusalBy } from './refusals';
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
